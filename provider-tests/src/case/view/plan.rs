//! A plan, as `show -json` prints it (format 1.2).

use std::fmt;

use serde_json::{Value as Json, json};

use super::change::{ChangeView, DeferredView, OutputChangeView};
use super::members;
use crate::config::Event;
use crate::plan::Action;

/// A plan.
#[derive(Clone, PartialEq)]
pub struct PlanView {
    json: Json,
}

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
        members(&self.json, "resource_changes").map(ChangeView::new)
    }

    /// The change of the current object at an address.
    #[must_use]
    pub fn change(&self, address: &str) -> Option<ChangeView<'_>> {
        self.changes().find(|change| change.address() == address && change.deposed().is_none())
    }

    /// What changed outside of core.
    pub fn drifts(&self) -> impl Iterator<Item = ChangeView<'_>> {
        members(&self.json, "resource_drift").map(ChangeView::new)
    }

    /// What changed outside of core at an address.
    #[must_use]
    pub fn drift(&self, address: &str) -> Option<ChangeView<'_>> {
        self.drifts().find(|change| change.address() == address)
    }

    /// The deferred changes.
    pub fn deferred(&self) -> impl Iterator<Item = DeferredView<'_>> {
        members(&self.json, "deferred_changes").map(DeferredView::new)
    }

    /// The actions that are invoked, each with the event that triggers it, as in `action.demo_rotate.key after_update`.
    #[must_use]
    pub fn invocations(&self) -> Vec<String> {
        let line = |invocation: &Json| {
            let address = invocation["address"].as_str().unwrap_or_default();
            let event = invocation.pointer("/lifecycle_action_trigger/action_trigger_event");
            let event = event.and_then(Json::as_str).and_then(|word| {
                Event::ALL.iter().find(|event| event.in_json() == word).map(|event| event.as_str())
            });
            event.map_or_else(|| address.to_owned(), |event| format!("{address} {event}"))
        };
        members(&self.json, "action_invocations").map(line).collect()
    }

    /// The changes of root outputs, no-ops included.
    pub fn outputs(&self) -> impl Iterator<Item = OutputChangeView<'_>> {
        let changes = self.json.get("output_changes").and_then(Json::as_object).into_iter().flatten();
        changes.map(|(name, json)| OutputChangeView::new(name, json))
    }

    /// The change of a root output.
    #[must_use]
    pub fn output(&self, name: &str) -> Option<OutputChangeView<'_>> {
        self.outputs().find(|output| output.name() == name)
    }

    /// Whether the plan is complete. It is where core does not report that.
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
        let outputs = outputs.map(|output| format!("output.{output:?}"));
        drifts.chain(changes).chain(outputs).collect()
    }
}

/// Shows no secrets.
impl fmt::Debug for PlanView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.summary()).finish()
    }
}
