//! Generators, the secret scan, and the rules of the conformance suite with providers that break them.

mod bad_input;
mod broken;
mod ephemeral;
mod generate;
mod rules;
mod secrets;
mod waiting;
