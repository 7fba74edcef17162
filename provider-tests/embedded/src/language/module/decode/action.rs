//! `action` blocks, and the `action_trigger` blocks of managed resources.

use std::sync::Arc;

use hcl_edit::expr::TraversalOperator;

use super::super::content::{Content, RawBlock, Spec};
use super::super::model::{ActionTrigger, Event, TriggeredAction};
use super::super::references::is_to_resource;
use super::super::statics::{NO_KEY, is_no_key, root_of, traversed};
use super::super::syntax::SourceExpr;
use super::super::translate::held_expression;
use super::Decoder;
use crate::address::Mode;
use crate::language::Subject;
use crate::language::rule::Rule;

const ACTION: Spec =
    Spec { optional: &["count", "for_each", "provider"], blocks: &[("config", &[])], ..Spec::NOTHING };

const TRIGGER: Spec = Spec { required: &["events", "actions"], optional: &["condition"], ..Spec::NOTHING };

/// Why an element of `actions` is no action. Its error is reported already.
enum WrongAction {
    /// It names something else, there. Core reports that there is no action, too.
    Other(Subject),
    /// It cannot be read, or its key is wrong.
    Refused,
}

impl Decoder<'_> {
    pub(super) fn action(&mut self, block: &RawBlock) {
        let mut content = self.content(block, &ACTION);
        let mut action = self.resource(block, &mut content, Mode::Action);
        self.check_name(block, 0, "Invalid action type name");
        self.check_name(block, 1, "Invalid action name");
        if let Some(config) = content.blocks.first() {
            action.body = config.all(self.problems);
        }
        self.refuse_second_config(&content, "An action");
        self.module.resources.push(Arc::new(action));
    }

    /// Actions and lists have no other blocks than one `config` block.
    pub(super) fn refuse_second_config(&mut self, content: &Content, what: &str) {
        if let Some(second) = content.blocks.get(1).filter(|_| Rule::OneConfig.holds()) {
            let detail = format!("{what} has one \"config\" block. Put all arguments into it.");
            self.report(second.error("Duplicate config block", detail));
        }
    }

    pub(super) fn action_triggers(&mut self, lifecycle: &Content) -> Vec<ActionTrigger> {
        let blocks = lifecycle.blocks.iter().filter(|nested| nested.type_name == "action_trigger");
        blocks.map(|block| self.action_trigger(block)).collect()
    }

    fn action_trigger(&mut self, block: &RawBlock) -> ActionTrigger {
        let mut content = block.content(&TRIGGER, self.problems);
        let condition = content.take("condition");
        let events = content.take("events").map(|expr| self.events(&expr)).unwrap_or_default();
        let elements = content.take("actions").map(|expr| self.statics().list(&expr)).unwrap_or_default();
        let actions: Result<Vec<_>, _> = elements.iter().map(|it| self.triggered_action(it)).collect();
        let none = match &actions {
            Ok(actions) => actions.is_empty().then_some(None),
            Err(WrongAction::Other(place)) => Some(Some(place.clone())),
            Err(WrongAction::Refused) => None,
        };
        if let Some(place) = none.filter(|_| Rule::TriggerComplete.holds()) {
            let detail = "An action_trigger names at least one action.";
            self.report(block.error("No actions specified", detail).about(place));
        }
        if events.is_empty() && Rule::TriggerComplete.holds() {
            let detail = "An action_trigger names at least one event.";
            self.report(block.error("No events specified", detail));
        }
        ActionTrigger { events, condition, actions: actions.unwrap_or_default() }
    }

    fn events(&mut self, expr: &SourceExpr) -> Vec<Event> {
        let mut events = Vec::new();
        for element in self.statics().list(expr) {
            let word = self.statics().keyword(&element).unwrap_or_default();
            match Event::ALL.iter().copied().find(|event| event.as_str() == word) {
                Some(event) if events.contains(&event) && Rule::TriggerEvent.holds() => {
                    let detail = "This trigger names the event already. Remove one of the two.";
                    self.report(element.error(format!("Duplicate {word:?} event"), detail));
                }
                Some(event) => events.push(event),
                None if !Rule::TriggerEvent.holds() => {}
                None => {
                    let detail =
                        "The events are before_create, after_create, before_update and after_update.";
                    self.report(element.error(format!("Invalid \"event\" value {word}"), detail));
                }
            }
        }
        events
    }

    /// `action.TYPE.NAME` with or without a key.
    fn triggered_action(&mut self, expr: &SourceExpr) -> Result<TriggeredAction, WrongAction> {
        let mut subject = expr.subject().clone();
        let inner = match expr.json_string() {
            Some(text) => {
                subject.span = expr.span_of_text(text.len());
                held_expression(expr, &text).map_err(|problems| {
                    self.problems.extend(problems);
                    WrongAction::Refused
                })?
            }
            None => expr.clone(),
        };
        const OUTSIDE: (&str, &str) = (
            "Invalid reference to action outside this module",
            "A trigger can name only actions of its own module.",
        );
        const INVALID: (&str, &str) = (
            "Invalid action argument inside action_triggers",
            "A trigger names actions of its module, as in action.demo_rotate.key.",
        );
        let error =
            |(summary, detail): (&str, &str)| expr.error(summary, detail).about(Some(subject.clone()));
        let Some(found) = action_of(&inner) else {
            let is_outside = root_of(inner.expression()) == Some("module");
            self.report(error(if is_outside { OUTSIDE } else { INVALID }));
            return Err(WrongAction::Other(subject));
        };
        let in_key = found.key.as_ref().map(SourceExpr::references).unwrap_or_default();
        let wrong = if in_key.iter().any(|it| it.root == "module") {
            OUTSIDE
        } else if in_key.iter().any(|it| is_to_resource(&it.root)) {
            INVALID
        } else if found.key.as_ref().is_some_and(|key| is_no_key(key.expression())) {
            ("Invalid index key", NO_KEY)
        } else {
            return Ok(TriggeredAction { subject, ..found });
        };
        self.report(error(wrong));
        Err(WrongAction::Refused)
    }
}

fn action_of(expr: &SourceExpr) -> Option<TriggeredAction> {
    let (root, operators) = traversed(expr.expression())?;
    let mut steps = operators.iter().map(|operator| operator.value());
    let (Some(TraversalOperator::GetAttr(type_name)), Some(TraversalOperator::GetAttr(name))) =
        (steps.next(), steps.next())
    else {
        return None;
    };
    // Core passes over what comes after the instance.
    let key = match steps.next() {
        Some(TraversalOperator::Index(key)) => Some(expr.part(key)),
        _ => None,
    };
    let is_action = root == Mode::Action.block_type();
    is_action.then(|| TriggeredAction {
        type_name: type_name.as_str().to_owned(),
        name: name.as_str().to_owned(),
        key,
        subject: expr.subject().clone(),
    })
}
