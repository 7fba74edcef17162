//! Test cases: one definition that runs on the embedded core and on real ones.

mod captured;
mod check;
mod definition;
mod engine;
mod fault;
mod hidden;
mod place;
mod provider;
mod report;
mod run;
mod source;
mod step;
mod suite;
mod time;
mod view;

pub use self::captured::{Captured, Values};
pub use self::check::{
    CallCheck, ChangeCheck, Changes, Check, Deferred, DiagnosticCheck, EphemeralCheck, Invocations, Is,
    Methods, NoChanges, NoDrift, NoObject, ObjectCheck, OutputCheck, Problems, StateOutputs, Tracked, call,
    change, changes, complete, deferred, drift, ephemeral, error, invocations, is, methods, no_call,
    no_changes, no_drift, no_object, object, output, tracked, value, warning,
};
pub use self::definition::{Breadth, Case};
pub use self::place::{On, Place};
pub(crate) use self::provider::Started;
pub use self::provider::{InProcess, Provider};
pub use self::report::{Failure, Report, Verdict};
pub use self::source::{Run, Source, hcl};
pub use self::step::{Idempotency, Seen, Step, Text, kind};
pub(crate) use self::suite::{Row, Told};
pub use self::suite::{Suite, Trials, main};
pub(crate) use self::time::Hands;
pub use self::time::{Start, Time};
pub use self::view::{
    Calls, ChangeView, DeferredView, Difference, ObjectView, OutputChangeView, PlanView, StateView, Tree,
    differences,
};
