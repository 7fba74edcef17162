//! Checks of the change of an object in a plan.

use ferroform::path::Path;

use super::{Check, Is, Problems};
use crate::case::captured::Values;
use crate::case::view::{ChangeView, PlanView, Tree, path_text};
use crate::plan::{Action, ActionReason};

/// What a plan is expected to do with an object; made by [`change`] and [`drift`].
#[derive(Debug, Clone)]
#[must_use]
pub struct ChangeCheck {
    address: String,
    section: PlanSection,
    expectations: Vec<Expectation>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlanSection {
    Changes,
    Drift,
}

#[derive(Debug, Clone)]
enum Expectation {
    Action(Action),
    Reason(Option<ActionReason>),
    Before(Path, Is),
    After(Path, Is),
    ReplacePaths(Vec<Path>),
    MovedFrom(String),
    Importing(Is),
    BeforeIdentity(Is),
    AfterIdentity(Is),
}

/// The change of the current object at an address, such as `demo_thing.this["a"]`.
///
/// ```
/// use ferroform::path;
/// use ferroform_testing::case::{change, is};
/// use ferroform_testing::plan::Action;
///
/// change("demo_thing.this")
///     .action(Action::Create)
///     .after(path!(name), "web")
///     .after(path!(id), is::unknown())
///     .after(path!(token), is::sensitive("t0p"));
/// ```
pub fn change(address: impl Into<String>) -> ChangeCheck {
    ChangeCheck { address: address.into(), section: PlanSection::Changes, expectations: Vec::new() }
}

/// What changed outside of core at an address: the same object, before and after it was read.
pub fn drift(address: impl Into<String>) -> ChangeCheck {
    ChangeCheck { section: PlanSection::Drift, ..change(address) }
}

impl ChangeCheck {
    fn expect(mut self, expectation: Expectation) -> Self {
        self.expectations.push(expectation);
        self
    }

    /// This happens to it.
    pub fn action(self, action: Action) -> Self {
        self.expect(Expectation::Action(action))
    }

    /// It happens for this reason.
    pub fn reason(self, reason: ActionReason) -> Self {
        self.expect(Expectation::Reason(Some(reason)))
    }

    /// No reason is given.
    pub fn no_reason(self) -> Self {
        self.expect(Expectation::Reason(None))
    }

    /// The value at a path before. With a set element on the path, that of some element.
    pub fn before(self, path: Path, is: impl Into<Is>) -> Self {
        self.expect(Expectation::Before(path, is.into()))
    }

    /// The planned value at a path. With a set element on the path, that of some element.
    pub fn after(self, path: Path, is: impl Into<Is>) -> Self {
        self.expect(Expectation::After(path, is.into()))
    }

    /// Exactly these paths force the replacement, in any order.
    pub fn replace_paths(self, paths: impl IntoIterator<Item = Path>) -> Self {
        self.expect(Expectation::ReplacePaths(paths.into_iter().collect()))
    }

    /// The object was at that address before.
    pub fn moved_from(self, address: impl Into<String>) -> Self {
        self.expect(Expectation::MovedFrom(address.into()))
    }

    /// The object is imported by an id.
    pub fn importing(self, id: impl Into<Is>) -> Self {
        self.expect(Expectation::Importing(super::is::object_with([("id", id.into())])))
    }

    /// The object is imported by an identity.
    pub fn importing_identity(self, identity: impl Into<Is>) -> Self {
        self.expect(Expectation::Importing(super::is::object_with([("identity", identity.into())])))
    }

    /// The identity before. Cores without the feature show none.
    pub fn before_identity(self, is: impl Into<Is>) -> Self {
        self.expect(Expectation::BeforeIdentity(is.into()))
    }

    /// The planned identity. Cores without the feature show none.
    pub fn after_identity(self, is: impl Into<Is>) -> Self {
        self.expect(Expectation::AfterIdentity(is.into()))
    }
}

impl Check<PlanView> for ChangeCheck {
    fn check(&self, plan: &PlanView, values: &Values, problems: &mut Problems) {
        let (found, what) = match self.section {
            PlanSection::Changes => (plan.change(&self.address), "change"),
            PlanSection::Drift => (plan.drift(&self.address), "drift"),
        };
        let Some(found) = found else {
            problems.add(format!("the plan has no {what} of {}", self.address));
            return;
        };
        for expectation in &self.expectations {
            expectation.check(&self.address, &found, values, problems);
        }
    }
}

impl Expectation {
    fn check(&self, address: &str, found: &ChangeView<'_>, values: &Values, problems: &mut Problems) {
        match self {
            Self::Action(action) => {
                if found.action() != Some(*action) {
                    problems.add(format!(
                        "the action for {address} is {}, expected {}",
                        found.words(),
                        action.words().join(", ")
                    ));
                }
            }
            Self::Reason(reason) => {
                let reason = reason.map(ActionReason::as_str);
                problems.compare(format_args!("the reason for {address}"), &found.reason(), &reason);
            }
            Self::Before(path, is) => {
                value(
                    &format!("{address}: {} before", named(path)),
                    found.before(),
                    (path, is),
                    values,
                    problems,
                );
            }
            Self::After(path, is) => {
                value(
                    &format!("{address}: planned {}", named(path)),
                    found.after(),
                    (path, is),
                    values,
                    problems,
                );
            }
            Self::ReplacePaths(paths) => {
                let sorted = |mut paths: Vec<String>| {
                    paths.sort();
                    paths
                };
                let paths = sorted(paths.iter().map(ToString::to_string).collect());
                let forcing = sorted(found.replace_paths().into_iter().map(path_text).collect());
                problems.compare(format_args!("the list of replace paths of {address}"), &forcing, &paths);
            }
            Self::MovedFrom(from) => problems.compare(
                format_args!("the previous address of {address}"),
                &found.previous_address(),
                &Some(from.as_str()),
            ),
            Self::Importing(is) => match found.importing() {
                Some(json) => {
                    let what = format!("{address}: importing");
                    value(&what, Tree::plain(json), (&Path::root(), is), values, problems);
                }
                None => problems.add(format!("{address} is not imported")),
            },
            Self::BeforeIdentity(is) => {
                let what = format!("{address}: identity before");
                value(&what, found.before_identity(), (&Path::root(), is), values, problems);
            }
            Self::AfterIdentity(is) => {
                let what = format!("{address}: planned identity");
                value(&what, found.after_identity(), (&Path::root(), is), values, problems);
            }
        }
    }
}

/// A path for people, with a word for the whole value.
pub(super) fn named(path: &Path) -> String {
    if path.is_root() { "value".to_owned() } else { path.to_string() }
}

/// Checks the value at a path, or that of some set element on it.
pub(super) fn value(
    what: &str,
    tree: Tree<'_>,
    (path, is): (&Path, &Is),
    values: &Values,
    problems: &mut Problems,
) {
    let found = tree.at(path);
    let wrong: Vec<Vec<String>> = found.iter().map(|tree| is.mismatches(what, *tree, values)).collect();
    match wrong.as_slice() {
        [] => problems.add(format!("{what} is not there, expected {is}")),
        [wrong] => wrong.iter().for_each(|wrong| problems.add(wrong)),
        several if several.iter().any(Vec::is_empty) => {}
        several => problems.add(format!("{what} is in none of {} elements {is}", several.len())),
    }
}
