//! What a plan does with an object or an output.

use std::fmt;

use serde_json::Value as Json;

use super::members;
use super::tree::{Tree, differences};
use crate::plan::Action;

/// The change of an object, or its drift.
#[derive(Clone, Copy)]
pub struct ChangeView<'a> {
    json: &'a Json,
    change: &'a Json,
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
    pub(crate) change: ChangeView<'a>,
}

const NULL: &Json = &Json::Null;

impl<'a> ChangeView<'a> {
    pub(super) fn new(json: &'a Json) -> Self {
        Self { json, change: &json["change"] }
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
        let words: Vec<&str> = self.action_words().collect();
        Action::ALL.into_iter().find(|action| action.words() == words)
    }

    /// Why, in the words of the JSON form.
    #[must_use]
    pub fn reason(&self) -> Option<&'a str> {
        self.text("action_reason")
    }

    /// The object before; null when it is created.
    #[must_use]
    pub fn before(&self) -> Tree<'a> {
        Tree::new(&self.change["before"], NULL, &self.change["before_sensitive"])
    }

    /// The planned object; null when it is deleted.
    #[must_use]
    pub fn after(&self) -> Tree<'a> {
        Tree::new(&self.change["after"], &self.change["after_unknown"], &self.change["after_sensitive"])
    }

    /// The identity before.
    #[must_use]
    pub fn before_identity(&self) -> Tree<'a> {
        Tree::plain(&self.change["before_identity"])
    }

    /// The planned identity.
    #[must_use]
    pub fn after_identity(&self) -> Tree<'a> {
        Tree::plain(&self.change["after_identity"])
    }

    /// The paths that force the replacement, as lists of names and indices.
    #[must_use]
    pub fn replace_paths(&self) -> Vec<&'a Json> {
        members(self.change, "replace_paths").collect()
    }

    /// What is imported: an object with `id` or `identity`.
    #[must_use]
    pub fn importing(&self) -> Option<&'a Json> {
        Some(&self.change["importing"]).filter(|importing| !importing.is_null())
    }

    /// Whether the change is more than a no-op: an action, an import or a move.
    #[must_use]
    pub fn does_something(&self) -> bool {
        self.action() != Some(Action::NoOp) || self.importing().is_some() || self.previous_address().is_some()
    }

    /// The action in the words of the JSON form, such as `delete, create`.
    #[must_use]
    pub fn words(&self) -> String {
        self.action_words().collect::<Vec<_>>().join(", ")
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
        self.json[name].as_str()
    }

    fn action_words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        members(self.change, "actions").filter_map(Json::as_str)
    }
}

impl<'a> DeferredView<'a> {
    pub(super) fn new(json: &'a Json) -> Self {
        Self { json }
    }

    /// The reason, such as `resource_config_unknown`.
    #[must_use]
    pub fn reason(&self) -> &'a str {
        self.json["reason"].as_str().unwrap_or_default()
    }

    /// What is deferred.
    #[must_use]
    pub fn change(&self) -> ChangeView<'a> {
        ChangeView::new(&self.json["resource_change"])
    }
}

impl<'a> OutputChangeView<'a> {
    pub(super) fn new(name: &'a str, json: &'a Json) -> Self {
        Self { name, change: ChangeView { json: NULL, change: json } }
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
