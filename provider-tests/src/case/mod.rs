//! Test cases: one definition that runs on the embedded core and on real ones.

mod captured;
mod check;
mod definition;
mod engine;
mod fault;
mod redaction;
mod report;
mod run;
mod source;
mod stderr;
mod step;
#[cfg(feature = "cores")]
mod suite;
mod target;
mod time;
mod view;

pub use self::captured::{Captured, Values};
pub use self::check::{
    CallCheck, ChangeCheck, Check, DiagnosticCheck, EphemeralCheck, Is, ListCheck, ObjectCheck, OutputCheck,
    Problems, ViewCheck, call, change, changes, complete, deferred, drift, ephemeral, error, invocations, is,
    listed, methods, no_call, no_changes, no_drift, no_object, object, objects, output, value, warning,
};
pub use self::definition::{Case, RunsOn};
#[cfg(feature = "conformance")]
pub(crate) use self::engine::runtime;
#[cfg(feature = "conformance")]
pub(crate) use self::fault::method;
pub use self::report::{Failure, Report, Verdict};
pub use self::source::{Run, Source};
pub use self::step::{Idempotency, Step, StepOutcome, Text, kind};
#[cfg(feature = "cores")]
pub use self::suite::{Recording, Suite, Trials, main};
#[cfg(feature = "conformance")]
pub(crate) use self::suite::{Row, TestResult};
pub use self::target::{Target, TargetCore};
#[cfg(feature = "conformance")]
pub(crate) use self::time::ClockControl;
pub use self::time::{Start, Time};
pub use self::view::{
    Calls, ChangeView, DeferredView, Difference, ObjectView, OutputChangeView, PlanView, QueryView,
    ResultView, StateView, Tree, differences,
};
pub use ferroform_embedded::feature::Feature;
pub use ferroform_embedded::provider::{InProcess, Provider};
