//! Checks of a plan as a whole.

use ferroform::path::Path;

use super::change::{named, value};
use super::{Check, Is, Problems};
use crate::case::captured::Values;
use crate::case::view::PlanView;
use crate::plan::Action;

/// Made by [`no_changes`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct NoChanges;

/// Nothing is to change: no object, no output, no import, no move.
pub fn no_changes() -> NoChanges {
    NoChanges
}

impl Check<PlanView> for NoChanges {
    fn check(&self, plan: &PlanView, _values: &Values, problems: &mut Problems) {
        if plan.has_changes() {
            problems.add(format!("the plan is not empty:\n{}", plan.summary().join("\n")));
        }
    }
}

/// Made by [`changes`].
#[derive(Debug, Clone)]
#[must_use]
pub struct Changes(Vec<(String, Action)>);

/// Exactly these objects are to change, in any order; those of which nothing is to change are not listed.
///
/// ```
/// use ferroform_testing::case::changes;
/// use ferroform_testing::plan::Action;
///
/// changes([("demo_thing.a", Action::Create), ("demo_thing.b", Action::Update)]);
/// ```
pub fn changes<A: Into<String>>(expected: impl IntoIterator<Item = (A, Action)>) -> Changes {
    Changes(expected.into_iter().map(|(address, action)| (address.into(), action)).collect())
}

impl Check<PlanView> for Changes {
    fn check(&self, plan: &PlanView, _values: &Values, problems: &mut Problems) {
        let line = |address: &str, words: &str| format!("{address}: {words}");
        let found = plan.changes().filter(|change| change.action() != Some(Action::NoOp));
        let mut found: Vec<String> = found.map(|it| line(it.address(), &it.words())).collect();
        let expected = self.0.iter().map(|(address, action)| line(address, &action.words().join(", ")));
        let mut expected: Vec<String> = expected.collect();
        found.sort();
        expected.sort();
        problems.compare("the list of changes", &found, &expected);
    }
}

/// Made by [`invocations`].
#[derive(Debug, Clone)]
#[must_use]
pub struct Invocations(Vec<String>);

/// Exactly these actions are to be invoked, in the order of what triggers them.
///
/// ```
/// use ferroform_testing::case::invocations;
///
/// invocations(["action.demo_rotate.key before_update", "action.demo_rotate.key after_update"]);
/// // On its own.
/// invocations(["action.demo_rotate.key"]);
/// ```
pub fn invocations<A: Into<String>>(expected: impl IntoIterator<Item = A>) -> Invocations {
    Invocations(expected.into_iter().map(Into::into).collect())
}

impl Check<PlanView> for Invocations {
    fn check(&self, plan: &PlanView, _values: &Values, problems: &mut Problems) {
        problems.compare("the list of invocations", &plan.invocations(), &self.0);
    }
}

/// Made by [`no_drift`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct NoDrift;

/// Nothing changed outside of core.
pub fn no_drift() -> NoDrift {
    NoDrift
}

impl Check<PlanView> for NoDrift {
    fn check(&self, plan: &PlanView, _values: &Values, problems: &mut Problems) {
        // An object that was only moved is listed as one of which nothing changed.
        for drift in plan.drifts().filter(|drift| drift.action() != Some(Action::NoOp)) {
            problems.add(format!("there is drift: {}", drift.lines().join("\n")));
        }
    }
}

/// The deferred changes of a plan; made by [`deferred`] and [`complete`].
#[derive(Debug, Clone)]
#[must_use]
pub struct Deferred(Vec<(String, String)>);

/// Exactly these changes are deferred, in any order: address and reason, such as `resource_config_unknown`.
pub fn deferred<A: Into<String>, R: Into<String>>(expected: impl IntoIterator<Item = (A, R)>) -> Deferred {
    Deferred(expected.into_iter().map(|(address, reason)| (address.into(), reason.into())).collect())
}

/// No change is deferred, and none is left out.
pub fn complete() -> Deferred {
    Deferred(Vec::new())
}

impl Check<PlanView> for Deferred {
    fn check(&self, plan: &PlanView, _values: &Values, problems: &mut Problems) {
        let pair = |address: &str, reason: &str| (address.to_owned(), reason.to_owned());
        let mut found: Vec<_> = plan.deferred().map(|it| pair(it.change().address(), it.reason())).collect();
        let mut expected = self.0.clone();
        found.sort();
        expected.sort();
        problems.compare("the list of deferred changes", &found, &expected);
        if expected.is_empty() && !plan.is_complete() {
            problems.add("the plan is not complete, and should be");
        }
    }
}

/// What a plan is expected to do with a root output; made by [`output`].
#[derive(Debug, Clone)]
#[must_use]
pub struct OutputCheck {
    name: String,
    expectations: Vec<Expectation>,
}

#[derive(Debug, Clone)]
enum Expectation {
    Action(Action),
    Before(Path, Is),
    After(Path, Is),
}

/// The change of a root output.
pub fn output(name: impl Into<String>) -> OutputCheck {
    OutputCheck { name: name.into(), expectations: Vec::new() }
}

impl OutputCheck {
    fn expect(mut self, expectation: Expectation) -> Self {
        self.expectations.push(expectation);
        self
    }

    /// This happens to it.
    pub fn action(self, action: Action) -> Self {
        self.expect(Expectation::Action(action))
    }

    /// The value before, at a path in it.
    pub fn before(self, path: Path, is: impl Into<Is>) -> Self {
        self.expect(Expectation::Before(path, is.into()))
    }

    /// The planned value, at a path in it.
    pub fn after(self, path: Path, is: impl Into<Is>) -> Self {
        self.expect(Expectation::After(path, is.into()))
    }
}

impl Check<PlanView> for OutputCheck {
    fn check(&self, plan: &PlanView, values: &Values, problems: &mut Problems) {
        let name = &self.name;
        let Some(found) = plan.output(name) else {
            problems.add(format!("the plan has no change of the output {name}"));
            return;
        };
        for expectation in &self.expectations {
            match expectation {
                Expectation::Action(action) if found.action() == Some(*action) => {}
                Expectation::Action(action) => problems.add(format!(
                    "the action for output {name} is {}, expected {}",
                    found.words(),
                    action.words().join(", ")
                )),
                Expectation::Before(path, is) => {
                    let what = format!("output {name}: {} before", named(path));
                    value(&what, found.before(), (path, is), values, problems);
                }
                Expectation::After(path, is) => {
                    let what = format!("output {name}: planned {}", named(path));
                    value(&what, found.after(), (path, is), values, problems);
                }
            }
        }
    }
}
