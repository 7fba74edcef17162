//! Tests of the example providers.
