//! Generators, the secret scan, and the laws of the conformance suite with providers that break them.

mod bad_input;
mod broken;
mod ephemeral;
mod generate;
mod laws;
mod secrets;
mod waiting;
