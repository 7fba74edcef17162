//! Checks of a plan as a whole.

use super::ViewCheck;
use crate::case::view::PlanView;
use crate::plan::Action;

/// Nothing is to change: no object, no output, no import, no move.
pub fn no_changes() -> ViewCheck<PlanView> {
    ViewCheck::new(|plan: &PlanView, _, problems| {
        if plan.has_changes() {
            problems.add(format!("the plan is not empty:\n{}", plan.summary().join("\n")));
        }
    })
}

/// Exactly these objects are to change, in any order; those of which nothing is to change are not listed.
///
/// ```
/// use ferroform_testing::case::changes;
/// use ferroform_testing::plan::Action;
///
/// changes([("demo_thing.a", Action::Create), ("demo_thing.b", Action::Update)]);
/// ```
pub fn changes<A: Into<String>>(expected: impl IntoIterator<Item = (A, Action)>) -> ViewCheck<PlanView> {
    let line = |address: &str, words: &str| format!("{address}: {words}");
    let expected = expected.into_iter();
    let expected: Vec<String> =
        expected.map(|(address, action)| line(&address.into(), &action.words().join(", "))).collect();
    ViewCheck::new(move |plan: &PlanView, _, problems| {
        let found = plan.changes().filter(|change| change.action() != Some(Action::NoOp));
        let found = found.map(|it| line(it.address(), &it.words())).collect();
        problems.compare_sorted("the list of changes", found, expected.clone());
    })
}

/// Exactly these actions are to be invoked, in the order of what triggers them.
///
/// ```
/// use ferroform_testing::case::invocations;
///
/// invocations(["action.demo_rotate.key before_update", "action.demo_rotate.key after_update"]);
/// // On its own.
/// invocations(["action.demo_rotate.key"]);
/// ```
pub fn invocations<A: Into<String>>(expected: impl IntoIterator<Item = A>) -> ViewCheck<PlanView> {
    let expected: Vec<String> = expected.into_iter().map(Into::into).collect();
    ViewCheck::new(move |plan: &PlanView, _, problems| {
        problems.compare("the list of invocations", &plan.invocations(), &expected);
    })
}

/// Nothing changed outside of core.
pub fn no_drift() -> ViewCheck<PlanView> {
    ViewCheck::new(|plan: &PlanView, _, problems| {
        // An object that was only moved is listed as one of which nothing changed.
        for drift in plan.drifts().filter(|drift| drift.action() != Some(Action::NoOp)) {
            problems.add(format!("there is drift: {}", drift.lines().join("\n")));
        }
    })
}

/// Exactly these changes are deferred, in any order: address and reason, such as `resource_config_unknown`.
pub fn deferred<A: Into<String>, R: Into<String>>(
    expected: impl IntoIterator<Item = (A, R)>,
) -> ViewCheck<PlanView> {
    let pair = |address: &str, reason: &str| (address.to_owned(), reason.to_owned());
    let expected = expected.into_iter().map(|(address, reason)| (address.into(), reason.into()));
    let expected: Vec<(String, String)> = expected.collect();
    ViewCheck::new(move |plan: &PlanView, _, problems| {
        let found = plan.deferred().map(|it| pair(it.change().address(), it.reason())).collect();
        problems.compare_sorted("the list of deferred changes", found, expected.clone());
        if expected.is_empty() && !plan.is_complete() {
            problems.add("the plan is not complete, and should be");
        }
    })
}

/// No change is deferred, and none is left out.
pub fn complete() -> ViewCheck<PlanView> {
    deferred([] as [(&str, &str); 0])
}
