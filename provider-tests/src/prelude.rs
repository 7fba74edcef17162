//! What most tests use, for `use ferroform_testing::prelude::*`.
//!
//! It has no `case::ephemeral`, `case::call` and other checks of single features, and of configurations as values only
//! the blocks; their modules have the rest.

pub use ferroform::path;

#[cfg(feature = "cores")]
pub use crate::case::Suite;
pub use crate::case::{
    Captured, Case, Idempotency, Provider, Run, RunsOn, Source, Start, Step, StepOutcome, Time, change,
    changes, drift, error, is, no_changes, no_drift, no_object, object, objects, output, value, warning,
};
#[cfg(feature = "cassettes")]
pub use crate::cassette::{Cassette, CassetteServer};
pub use crate::client::{Fault, Protocol};
pub use crate::config::{Config, data, provider, reference, resource};
pub use crate::plan::Action;
pub use crate::sweep::random_name;
