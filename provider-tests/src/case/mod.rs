//! Test cases: one definition that runs on the embedded core and on real ones.

mod captured;
mod check;
mod view;

pub use self::captured::{Captured, Values};
pub use self::check::{
    CallCheck, ChangeCheck, Changes, Check, Deferred, DiagnosticCheck, Is, Methods, NoChanges, NoDrift,
    NoObject, ObjectCheck, OutputCheck, Problems, StateOutputs, Tracked, call, change, changes, complete,
    deferred, drift, error, is, methods, no_call, no_changes, no_drift, no_object, object, output, tracked,
    value, warning,
};
pub use self::view::{
    Calls, ChangeView, DeferredView, Difference, ObjectView, OutputChangeView, PlanView, StateView, Tree,
    differences,
};
