//! Generators, the secret scan and the laws of the conformance suite.

mod generate;
