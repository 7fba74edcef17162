//! Actions, and what triggers them.

use super::{Expr, Reference, ReferenceTarget, ResourceBlock, build};
use crate::address::{Mode, ResourceAddress};
use crate::language::module::Event;

/// An action of that type and name, with the arguments of its `config` block.
///
/// ```
/// use ferroform_embedded::config::{ActionTrigger, Config, Event, action, resource};
///
/// let rotate = ActionTrigger::on([Event::AfterUpdate]).action("action.demo_rotate.key");
/// let config = Config::new()
///     .resource(action("demo_rotate", "key").set("file", "key"))
///     .resource(resource("demo_file", "note").set("path", "note").action_trigger(rotate));
/// assert!(config.to_hcl().unwrap().starts_with("action \"demo_rotate\" \"key\" {\n  config {"));
/// ```
///
/// # Panics
/// The type or the name cannot be one.
#[must_use]
#[track_caller]
pub fn action(type_name: &str, name: &str) -> ResourceBlock {
    build::declared(Mode::Action, type_name, name)
}

/// An `action_trigger` block of a `lifecycle` block.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ActionTrigger {
    /// `events`.
    pub events: Vec<Event>,
    /// `condition`.
    pub condition: Option<Expr>,
    /// `actions`.
    pub actions: Vec<TriggeredAction>,
}

/// An action that a trigger names.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TriggeredAction {
    /// The action.
    pub action: ResourceAddress,
    /// The key of the instance.
    pub key: Option<Expr>,
}

impl ActionTrigger {
    /// A trigger by these events, of the actions that are added.
    #[must_use]
    pub fn on(events: impl IntoIterator<Item = Event>) -> Self {
        Self { events: events.into_iter().collect(), condition: None, actions: Vec::new() }
    }

    /// The same trigger with that condition.
    #[must_use]
    pub fn condition(self, condition: impl Into<Expr>) -> Self {
        Self { condition: Some(condition.into()), ..self }
    }

    /// The same trigger with one more action, as in `action.acme_rotate.key`.
    ///
    /// # Panics
    /// That is no reference to an action.
    #[must_use]
    #[track_caller]
    pub fn action(mut self, reference: &str) -> Self {
        let Reference { subject, path } = build::said(reference);
        let (ReferenceTarget::Resource(action, key), true) = (subject, path.is_root()) else {
            panic!("{reference:?} is no reference to an action")
        };
        assert!(action.mode == Mode::Action, "{reference:?} is no reference to an action");
        self.actions.push(TriggeredAction { action, key: key.map(|key| *key) });
        self
    }
}

impl ResourceBlock {
    /// The same resource with one more `action_trigger`.
    #[must_use]
    pub fn action_trigger(mut self, trigger: ActionTrigger) -> Self {
        self.lifecycle.action_triggers.push(trigger);
        self
    }
}
