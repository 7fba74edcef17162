//! What a step is expected to lead to.

mod calls;
mod change;
mod diagnostic;
pub mod is;
mod object;
mod plan;
mod query;

use std::fmt;
use std::sync::Arc;

use super::captured::Values;

pub use self::calls::{CallCheck, EphemeralCheck, call, ephemeral, methods, no_call};
pub use self::change::{ChangeCheck, OutputCheck, change, drift, output};
pub(crate) use self::diagnostic::problems as diagnostic_problems;
pub use self::diagnostic::{DiagnosticCheck, error, warning};
pub use self::is::Is;
pub use self::object::{ObjectCheck, no_object, object, objects, value};
pub use self::plan::{changes, complete, deferred, invocations, no_changes, no_drift};
pub use self::query::{ListCheck, listed};

/// A check of a view: a plan, a state, the results of a query, or the calls of a step.
///
/// A closure is one, too; it panics when it does not like what it sees:
///
/// ```
/// use ferroform_testing::case::{Check, PlanView};
///
/// fn takes(_check: impl Check<PlanView>) {}
///
/// takes(|plan: &PlanView| assert_eq!(plan.changes().count(), 2));
/// ```
pub trait Check<V: ?Sized>: Send + Sync {
    /// Checks a view and adds all problems.
    fn check(&self, view: &V, values: &Values, problems: &mut Problems);
}

impl<V: ?Sized, F: Fn(&V) + Send + Sync> Check<V> for F {
    fn check(&self, view: &V, _values: &Values, _problems: &mut Problems) {
        self(view);
    }
}

/// A check of a view as a whole.
#[derive(Clone)]
#[must_use]
pub struct ViewCheck<V>(Arc<ViewFn<V>>);

type ViewFn<V> = dyn Fn(&V, &Values, &mut Problems) + Send + Sync;

impl<V> ViewCheck<V> {
    fn new(check: impl Fn(&V, &Values, &mut Problems) + Send + Sync + 'static) -> Self {
        Self(Arc::new(check))
    }
}

impl<V> Check<V> for ViewCheck<V> {
    fn check(&self, view: &V, values: &Values, problems: &mut Problems) {
        (self.0)(view, values, problems);
    }
}

impl<V> fmt::Debug for ViewCheck<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ViewCheck")
    }
}

/// The problems that checks found, as text for people without secrets.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Problems {
    found: Vec<String>,
}

impl Problems {
    /// Adds one.
    pub fn add(&mut self, problem: impl Into<String>) {
        self.found.push(problem.into());
    }

    /// All of them.
    #[must_use]
    pub fn found(&self) -> &[String] {
        &self.found
    }

    pub(crate) fn into_found(self) -> Vec<String> {
        self.found
    }

    /// Adds one when two things differ.
    pub(crate) fn compare<T>(&mut self, what: impl fmt::Display, found: &T, expected: &T)
    where
        T: PartialEq + fmt::Debug + ?Sized,
    {
        if found != expected {
            self.add(format!("{what} is {found:?}, expected {expected:?}"));
        }
    }

    /// Adds one when two lists differ in more than their order.
    fn compare_sorted<T>(&mut self, what: impl fmt::Display, mut found: Vec<T>, mut expected: Vec<T>)
    where
        T: Ord + fmt::Debug,
    {
        found.sort_unstable();
        expected.sort_unstable();
        self.compare(what, &found, &expected);
    }
}
