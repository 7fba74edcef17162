//! A plan, as `show -json` prints it (format 1.2).

use std::fmt;

use serde_json::{Value as Json, json};

use super::tree::{Tree, differences};
use crate::plan::Action;

/// A plan.
#[derive(Clone, PartialEq)]
pub struct PlanView {
    json: Json,
}

/// The change of an object, or its drift.
#[derive(Clone, Copy)]
pub struct ChangeView<'a> {
    json: &'a Json,
}

/// A change that a provider put off.
#[derive(Clone, Copy)]
pub struct DeferredView<'a> {
    json: &'a Json,
}

/// The change of a root output.
#[derive(Clone, Copy)]
pub struct OutputChangeView<'a> {
    name: &'a str,
    json: &'a Json,
}

const NULL: &Json = &Json::Null;

impl PlanView {
    /// The plan that this JSON is.
    #[must_use]
    pub fn new(json: Json) -> Self {
        Self { json }
    }

    /// The JSON, secrets in clear.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// The changes of all objects, no-ops and deposed ones included, in the order of the plan.
    pub fn changes(&self) -> impl Iterator<Item = ChangeView<'_>> {
        elements(&self.json, "resource_changes").map(|json| ChangeView { json })
    }

    /// The change of the current object at an address.
    #[must_use]
    pub fn change(&self, address: &str) -> Option<ChangeView<'_>> {
        self.changes().find(|change| change.address() == address && change.deposed().is_none())
    }

    /// What changed outside of core.
    pub fn drifts(&self) -> impl Iterator<Item = ChangeView<'_>> {
        elements(&self.json, "resource_drift").map(|json| ChangeView { json })
    }

    /// What changed outside of core at an address.
    #[must_use]
    pub fn drift(&self, address: &str) -> Option<ChangeView<'_>> {
        self.drifts().find(|change| change.address() == address)
    }

    /// The changes that providers put off.
    pub fn deferred(&self) -> impl Iterator<Item = DeferredView<'_>> {
        elements(&self.json, "deferred_changes").map(|json| DeferredView { json })
    }

    /// The changes of root outputs, no-ops included.
    pub fn outputs(&self) -> impl Iterator<Item = OutputChangeView<'_>> {
        let changes = self.json.get("output_changes").and_then(Json::as_object).into_iter().flatten();
        changes.map(|(name, json)| OutputChangeView { name, json })
    }

    /// The change of a root output.
    #[must_use]
    pub fn output(&self, name: &str) -> Option<OutputChangeView<'_>> {
        self.outputs().find(|output| output.name == name)
    }

    /// Whether nothing was left out. Cores that do not say so leave nothing out.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.json.get("complete").and_then(Json::as_bool).unwrap_or(true)
    }

    /// Whether any object or output is to change, or an object is to be imported or to move.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.changes().any(|change| change.does_something())
            || self.outputs().any(|output| output.action() != Some(Action::NoOp))
    }

    /// What is to change, for people and for comparison: a summary, and each change as JSON. Secrets are hidden, and
    /// so is what differs between cores and runs.
    #[must_use]
    pub fn redacted(&self) -> String {
        let mut text = self.summary().join("\n");
        for change in self.changes().filter(ChangeView::does_something) {
            let json = json!({
                "address": change.address(),
                "actions": change.words(),
                "reason": change.reason(),
                "before": change.before().redacted(),
                "after": change.after().redacted(),
            });
            text.push_str(&format!("\n\n{json:#}"));
        }
        text
    }

    /// What is to change, as lines for people, secrets hidden.
    #[must_use]
    pub fn summary(&self) -> Vec<String> {
        let changes = self.changes().filter(ChangeView::does_something).flat_map(|change| change.lines());
        let drifts = self.drifts().flat_map(|drift| {
            let lines = drift.lines().into_iter();
            lines.enumerate().map(|(at, line)| if at == 0 { format!("drift: {line}") } else { line })
        });
        let outputs = self.outputs().filter(|output| output.action() != Some(Action::NoOp));
        let outputs = outputs.map(|output| {
            let (before, after) = (output.before(), output.after());
            format!("output.{}: {} ({before} => {after})", output.name, output.words())
        });
        drifts.chain(changes).chain(outputs).collect()
    }
}

impl<'a> ChangeView<'a> {
    /// The address of the instance.
    #[must_use]
    pub fn address(&self) -> &'a str {
        text(self.json, "address").unwrap_or_default()
    }

    /// Where it was before a move.
    #[must_use]
    pub fn previous_address(&self) -> Option<&'a str> {
        text(self.json, "previous_address")
    }

    /// The deposed key, if it is not about the current object.
    #[must_use]
    pub fn deposed(&self) -> Option<&'a str> {
        text(self.json, "deposed")
    }

    /// What happens; `None` for an action that this release does not know.
    #[must_use]
    pub fn action(&self) -> Option<Action> {
        action(self.change())
    }

    /// Why, in the words of the JSON form.
    #[must_use]
    pub fn reason(&self) -> Option<&'a str> {
        text(self.json, "action_reason")
    }

    /// The object before; null when it is created.
    #[must_use]
    pub fn before(&self) -> Tree<'a> {
        Tree::new(self.part("before"), NULL, self.part("before_sensitive"))
    }

    /// The planned object; null when it is deleted.
    #[must_use]
    pub fn after(&self) -> Tree<'a> {
        Tree::new(self.part("after"), self.part("after_unknown"), self.part("after_sensitive"))
    }

    /// The identity before.
    #[must_use]
    pub fn before_identity(&self) -> Tree<'a> {
        Tree::plain(self.part("before_identity"))
    }

    /// The planned identity.
    #[must_use]
    pub fn after_identity(&self) -> Tree<'a> {
        Tree::plain(self.part("after_identity"))
    }

    /// The paths that force the replacement, as lists of names and indices.
    #[must_use]
    pub fn replace_paths(&self) -> Vec<&'a Json> {
        elements(self.change(), "replace_paths").collect()
    }

    /// What is imported: an object with `id` or `identity`.
    #[must_use]
    pub fn importing(&self) -> Option<&'a Json> {
        self.change().get("importing").filter(|importing| !importing.is_null())
    }

    /// Whether the change is more than a no-op: an action, an import or a move.
    #[must_use]
    pub fn does_something(&self) -> bool {
        self.action() != Some(Action::NoOp) || self.importing().is_some() || self.previous_address().is_some()
    }

    /// The action in the words of the JSON form, such as `delete, create`.
    #[must_use]
    pub fn words(&self) -> String {
        words(self.change())
    }

    fn change(&self) -> &'a Json {
        self.json.get("change").unwrap_or(NULL)
    }

    fn part(&self, name: &str) -> &'a Json {
        self.change().get(name).unwrap_or(NULL)
    }

    /// For people, secrets hidden.
    pub(crate) fn lines(&self) -> Vec<String> {
        let reason = self.reason().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let deposed = self.deposed().map(|key| format!(" (deposed {key})")).unwrap_or_default();
        let moved = self.previous_address().map(|from| format!(", moved from {from}")).unwrap_or_default();
        let imported = if self.importing().is_some() { ", imported" } else { "" };
        let mut lines =
            vec![format!("{}{deposed}: {}{reason}{moved}{imported}", self.address(), self.words())];
        let found = match self.action() {
            Some(Action::Delete | Action::Forget) => Vec::new(),
            _ => differences(self.before(), self.after()),
        };
        lines.extend(found.iter().map(|difference| format!("  {difference}")));
        let forcing = self.replace_paths();
        if !forcing.is_empty() {
            let forcing: Vec<String> = forcing.into_iter().map(path_text).collect();
            lines.push(format!("  forces replacement: {}", forcing.join(", ")));
        }
        lines
    }
}

impl<'a> DeferredView<'a> {
    /// The reason, such as `resource_config_unknown`.
    #[must_use]
    pub fn reason(&self) -> &'a str {
        text(self.json, "reason").unwrap_or_default()
    }

    /// What was put off.
    #[must_use]
    pub fn change(&self) -> ChangeView<'a> {
        ChangeView { json: self.json.get("resource_change").unwrap_or(NULL) }
    }
}

impl<'a> OutputChangeView<'a> {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// What happens.
    #[must_use]
    pub fn action(&self) -> Option<Action> {
        action(self.json)
    }

    /// The value before.
    #[must_use]
    pub fn before(&self) -> Tree<'a> {
        Tree::new(self.part("before"), NULL, self.part("before_sensitive"))
    }

    /// The planned value.
    #[must_use]
    pub fn after(&self) -> Tree<'a> {
        Tree::new(self.part("after"), self.part("after_unknown"), self.part("after_sensitive"))
    }

    /// The action in the words of the JSON form.
    #[must_use]
    pub fn words(&self) -> String {
        words(self.json)
    }

    fn part(&self, name: &str) -> &'a Json {
        self.json.get(name).unwrap_or(NULL)
    }
}

/// A path of `replace_paths`, for people.
pub(crate) fn path_text(path: &Json) -> String {
    let mut text = String::new();
    for step in path.as_array().into_iter().flatten() {
        match step {
            Json::String(name) if text.is_empty() => text.push_str(name),
            Json::String(name) => text.extend([".", name]),
            other => text.push_str(&format!("[{other}]")),
        }
    }
    text
}

fn action(change: &Json) -> Option<Action> {
    let words: Vec<&str> = elements(change, "actions").filter_map(Json::as_str).collect();
    const ALL: [Action; 9] = [
        Action::NoOp,
        Action::Create,
        Action::Read,
        Action::Update,
        Action::DeleteThenCreate,
        Action::CreateThenDelete,
        Action::Delete,
        Action::Forget,
        Action::CreateThenForget,
    ];
    ALL.into_iter().find(|action| action.words() == words)
}

fn words(change: &Json) -> String {
    elements(change, "actions").filter_map(Json::as_str).collect::<Vec<_>>().join(", ")
}

fn elements<'a>(json: &'a Json, name: &str) -> impl Iterator<Item = &'a Json> + use<'a> {
    json.get(name).and_then(Json::as_array).into_iter().flatten()
}

fn text<'a>(json: &'a Json, name: &str) -> Option<&'a str> {
    json.get(name)?.as_str()
}

/// Shows no secrets.
impl fmt::Debug for PlanView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.summary()).finish()
    }
}

/// Shows no secrets.
impl fmt::Debug for ChangeView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.lines()).finish()
    }
}

/// Shows no secrets.
impl fmt::Debug for DeferredView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeferredView")
            .field("reason", &self.reason())
            .field("change", &self.change())
            .finish()
    }
}

/// Shows no secrets.
impl fmt::Debug for OutputChangeView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({} => {})", self.name, self.words(), self.before(), self.after())
    }
}
