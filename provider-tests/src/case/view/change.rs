//! What a plan does with an object or an output.

use std::fmt;

use serde_json::Value as Json;

use super::tree::{Tree, differences};
use crate::plan::Action;

/// The change of an object, or its drift.
#[derive(Clone, Copy)]
pub struct ChangeView<'a> {
    json: &'a Json,
    change: Values<'a>,
}

/// A change that is deferred.
#[derive(Clone, Copy)]
pub struct DeferredView<'a> {
    json: &'a Json,
}

/// The change of a root output.
#[derive(Clone, Copy)]
pub struct OutputChangeView<'a> {
    name: &'a str,
    change: Values<'a>,
}

/// What the changes of objects and of outputs have in common: actions, and the values before and after.
#[derive(Clone, Copy)]
struct Values<'a>(&'a Json);

const NULL: &Json = &Json::Null;

impl<'a> ChangeView<'a> {
    pub(super) fn new(json: &'a Json) -> Self {
        Self { json, change: Values(json.get("change").unwrap_or(NULL)) }
    }

    /// The address of the instance.
    #[must_use]
    pub fn address(&self) -> &'a str {
        self.text("address").unwrap_or_default()
    }

    /// Where it was before a move.
    #[must_use]
    pub fn previous_address(&self) -> Option<&'a str> {
        self.text("previous_address")
    }

    /// The deposed key, if it is not about the current object.
    #[must_use]
    pub fn deposed(&self) -> Option<&'a str> {
        self.text("deposed")
    }

    /// What happens; `None` for an action that this release does not know.
    #[must_use]
    pub fn action(&self) -> Option<Action> {
        self.change.action()
    }

    /// Why, in the words of the JSON form.
    #[must_use]
    pub fn reason(&self) -> Option<&'a str> {
        self.text("action_reason")
    }

    /// The object before; null when it is created.
    #[must_use]
    pub fn before(&self) -> Tree<'a> {
        self.change.before()
    }

    /// The planned object; null when it is deleted.
    #[must_use]
    pub fn after(&self) -> Tree<'a> {
        self.change.after()
    }

    /// The identity before.
    #[must_use]
    pub fn before_identity(&self) -> Tree<'a> {
        Tree::plain(self.change.part("before_identity"))
    }

    /// The planned identity.
    #[must_use]
    pub fn after_identity(&self) -> Tree<'a> {
        Tree::plain(self.change.part("after_identity"))
    }

    /// The paths that force the replacement, as lists of names and indices.
    #[must_use]
    pub fn replace_paths(&self) -> Vec<&'a Json> {
        self.change.elements("replace_paths").collect()
    }

    /// What is imported: an object with `id` or `identity`.
    #[must_use]
    pub fn importing(&self) -> Option<&'a Json> {
        Some(self.change.part("importing")).filter(|importing| !importing.is_null())
    }

    /// Whether the change is more than a no-op: an action, an import or a move.
    #[must_use]
    pub fn does_something(&self) -> bool {
        self.action() != Some(Action::NoOp) || self.importing().is_some() || self.previous_address().is_some()
    }

    /// The action in the words of the JSON form, such as `delete, create`.
    #[must_use]
    pub fn words(&self) -> String {
        self.change.words()
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

    fn text(&self, name: &str) -> Option<&'a str> {
        self.json.get(name)?.as_str()
    }
}

impl<'a> DeferredView<'a> {
    pub(super) fn new(json: &'a Json) -> Self {
        Self { json }
    }

    /// The reason, such as `resource_config_unknown`.
    #[must_use]
    pub fn reason(&self) -> &'a str {
        self.json.get("reason").and_then(Json::as_str).unwrap_or_default()
    }

    /// What is deferred.
    #[must_use]
    pub fn change(&self) -> ChangeView<'a> {
        ChangeView::new(self.json.get("resource_change").unwrap_or(NULL))
    }
}

impl<'a> OutputChangeView<'a> {
    pub(super) fn new(name: &'a str, json: &'a Json) -> Self {
        Self { name, change: Values(json) }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// What happens.
    #[must_use]
    pub fn action(&self) -> Option<Action> {
        self.change.action()
    }

    /// The value before.
    #[must_use]
    pub fn before(&self) -> Tree<'a> {
        self.change.before()
    }

    /// The planned value.
    #[must_use]
    pub fn after(&self) -> Tree<'a> {
        self.change.after()
    }

    /// The action in the words of the JSON form.
    #[must_use]
    pub fn words(&self) -> String {
        self.change.words()
    }
}

impl<'a> Values<'a> {
    fn part(self, name: &str) -> &'a Json {
        self.0.get(name).unwrap_or(NULL)
    }

    fn elements(self, name: &str) -> impl Iterator<Item = &'a Json> + use<'a> {
        self.part(name).as_array().into_iter().flatten()
    }

    fn before(self) -> Tree<'a> {
        Tree::new(self.part("before"), NULL, self.part("before_sensitive"))
    }

    fn after(self) -> Tree<'a> {
        Tree::new(self.part("after"), self.part("after_unknown"), self.part("after_sensitive"))
    }

    fn action(self) -> Option<Action> {
        let words: Vec<&str> = self.elements("actions").filter_map(Json::as_str).collect();
        Action::ALL.into_iter().find(|action| action.words() == words)
    }

    fn words(self) -> String {
        self.elements("actions").filter_map(Json::as_str).collect::<Vec<_>>().join(", ")
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
