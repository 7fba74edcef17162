//! Checks of the change of an object or of a root output in a plan.

use std::fmt;
use std::sync::Arc;

use ferroform::path::Path;

use super::{Check, Is, Problems};
use crate::case::captured::Values;
use crate::case::view::{ChangeView, PlanView, Tree, path_text};
use crate::plan::{Action, ActionReason};

/// What a plan is expected to do with an object; made by [`change`] and [`drift`].
#[derive(Clone)]
#[must_use]
pub struct ChangeCheck {
    address: String,
    section: PlanSection,
    expectations: Vec<Arc<Expectation>>,
}

#[derive(Clone, Copy)]
enum PlanSection {
    Changes,
    Drift,
    Outputs,
}

type Expectation = dyn Fn(&ChangeSubject<'_>, &mut Problems) + Send + Sync;

/// The change that was found, and what it is called.
struct ChangeSubject<'a> {
    subject: &'a str,
    change: ChangeView<'a>,
    values: &'a Values,
}

/// What a plan is expected to do with a root output; made by [`output`].
#[derive(Debug, Clone)]
#[must_use]
pub struct OutputCheck(ChangeCheck);

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

/// The change of a root output.
pub fn output(name: impl Into<String>) -> OutputCheck {
    OutputCheck(ChangeCheck { section: PlanSection::Outputs, ..change(name) })
}

impl ChangeCheck {
    fn expect(
        mut self,
        expectation: impl Fn(&ChangeSubject<'_>, &mut Problems) + Send + Sync + 'static,
    ) -> Self {
        self.expectations.push(Arc::new(expectation));
        self
    }

    /// Expects a value in a part of the change.
    fn value(
        self,
        what: impl Into<String>,
        part: for<'a> fn(&ChangeView<'a>) -> Tree<'a>,
        (path, is): (Path, Is),
    ) -> Self {
        let what = what.into();
        self.expect(move |found, problems| {
            let what = format!("{}: {what}", found.subject);
            value(&what, part(&found.change), (&path, &is), found.values, problems);
        })
    }

    /// This happens to it.
    pub fn action(self, action: Action) -> Self {
        self.expect(move |ChangeSubject { subject, change, .. }, problems| {
            if change.action() != Some(action) {
                let (words, expected) = (change.words(), action.words().join(", "));
                problems.add(format!("the action for {subject} is {words}, expected {expected}"));
            }
        })
    }

    /// It happens for this reason.
    pub fn reason(self, reason: ActionReason) -> Self {
        self.reason_is(Some(reason))
    }

    /// No reason is given.
    pub fn no_reason(self) -> Self {
        self.reason_is(None)
    }

    fn reason_is(self, reason: Option<ActionReason>) -> Self {
        let reason = reason.map(ActionReason::as_str);
        self.expect(move |ChangeSubject { subject, change, .. }, problems| {
            problems.compare(format_args!("the reason for {subject}"), &change.reason(), &reason);
        })
    }

    /// The value at a path before. With a set element on the path, that of some element.
    pub fn before(self, path: Path, is: impl Into<Is>) -> Self {
        self.value(format!("{} before", named(&path)), |change| change.before(), (path, is.into()))
    }

    /// The planned value at a path. With a set element on the path, that of some element.
    pub fn after(self, path: Path, is: impl Into<Is>) -> Self {
        self.value(format!("planned {}", named(&path)), |change| change.after(), (path, is.into()))
    }

    /// Exactly these paths force the replacement, in any order.
    pub fn replace_paths(self, paths: impl IntoIterator<Item = Path>) -> Self {
        let paths: Vec<String> = paths.into_iter().map(|path| path.to_string()).collect();
        self.expect(move |ChangeSubject { subject, change, .. }, problems| {
            let forcing = change.replace_paths().into_iter().map(path_text).collect();
            problems.compare_sorted(
                format_args!("the list of replace paths of {subject}"),
                forcing,
                paths.clone(),
            );
        })
    }

    /// The object was at that address before.
    pub fn moved_from(self, address: impl Into<String>) -> Self {
        let from = address.into();
        self.expect(move |ChangeSubject { subject, change, .. }, problems| {
            problems.compare(
                format_args!("the previous address of {subject}"),
                &change.previous_address(),
                &Some(from.as_str()),
            );
        })
    }

    /// The object is imported by an id.
    pub fn importing(self, id: impl Into<Is>) -> Self {
        self.imported_by("id", id.into())
    }

    /// The object is imported by an identity.
    pub fn importing_identity(self, identity: impl Into<Is>) -> Self {
        self.imported_by("identity", identity.into())
    }

    fn imported_by(self, what: &str, is: Is) -> Self {
        let is = super::is::object_with([(what, is)]);
        self.expect(move |ChangeSubject { subject, change, values }, problems| match change.importing() {
            Some(json) => {
                let what = format!("{subject}: importing");
                value(&what, Tree::plain(json), (&Path::root(), &is), values, problems);
            }
            None => problems.add(format!("{subject} is not imported")),
        })
    }

    /// The identity before. Cores without the feature show none.
    pub fn before_identity(self, is: impl Into<Is>) -> Self {
        self.value("identity before", |change| change.before_identity(), (Path::root(), is.into()))
    }

    /// The planned identity. Cores without the feature show none.
    pub fn after_identity(self, is: impl Into<Is>) -> Self {
        self.value("planned identity", |change| change.after_identity(), (Path::root(), is.into()))
    }
}

impl OutputCheck {
    /// This happens to it.
    pub fn action(self, action: Action) -> Self {
        Self(self.0.action(action))
    }

    /// The value before, at a path in it.
    pub fn before(self, path: Path, is: impl Into<Is>) -> Self {
        Self(self.0.before(path, is))
    }

    /// The planned value, at a path in it.
    pub fn after(self, path: Path, is: impl Into<Is>) -> Self {
        Self(self.0.after(path, is))
    }
}

impl Check<PlanView> for ChangeCheck {
    fn check(&self, plan: &PlanView, values: &Values, problems: &mut Problems) {
        let address = &self.address;
        let (change, what, subject) = match self.section {
            PlanSection::Changes => (plan.change(address), "change of", address.clone()),
            PlanSection::Drift => (plan.drift(address), "drift of", address.clone()),
            PlanSection::Outputs => {
                let output = plan.output(address).map(|output| output.change);
                (output, "change of the output", format!("output {address}"))
            }
        };
        match change {
            Some(change) => {
                let found = ChangeSubject { subject: &subject, change, values };
                self.expectations.iter().for_each(|expectation| expectation(&found, problems));
            }
            None => problems.add(format!("the plan has no {what} {address}")),
        }
    }
}

impl Check<PlanView> for OutputCheck {
    fn check(&self, plan: &PlanView, values: &Values, problems: &mut Problems) {
        self.0.check(plan, values, problems);
    }
}

impl fmt::Debug for ChangeCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChangeCheck({})", self.address)
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
