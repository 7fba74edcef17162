//! The actions that a plan invokes.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::diff::Diff;
use super::paint::{Colour, Style};
use super::pair::Pair;
use super::write::{RenderMode, Writer};
use super::{RenderError, elements, schema_of, text, text_of};
use crate::address::ProviderAddress;
use crate::client::Schemas;

/// The actions that the change of an instance triggers, below its block.
pub(super) fn triggered<S: Borrow<Schemas>>(
    plan: &Json,
    resource: &str,
    schemas: &BTreeMap<ProviderAddress, S>,
    colour: Colour,
) -> Result<String, RenderError> {
    let mut all = String::new();
    for when in ["Before", "After"] {
        let is_meant = |it: &&Json| {
            let trigger = it.get("lifecycle_action_trigger").unwrap_or(&Json::Null);
            text_of(trigger, "triggering_resource_address") == resource
                && text_of(trigger, "action_trigger_event").starts_with(when)
        };
        let mut blocks = String::new();
        for invocation in elements(plan, "action_invocations").iter().filter(is_meant) {
            blocks.push_str(&block(invocation, schemas, colour, 1)?);
        }
        if !blocks.is_empty() {
            let title = format!("# Actions invoked {} this change, in order:", when.to_lowercase());
            all.push_str(&format!("    {}\n{blocks}\n", colour.paint(Style::Bold, &title)));
        }
    }
    Ok(all)
}

/// The actions that the user invokes.
pub(super) fn invoked<S: Borrow<Schemas>>(
    plan: &Json,
    schemas: &BTreeMap<ProviderAddress, S>,
    colour: Colour,
) -> Result<String, RenderError> {
    let mut all = String::new();
    let own =
        elements(plan, "action_invocations").iter().filter(|it| it.get("invoke_action_trigger").is_some());
    for invocation in own {
        let address = colour.paint(Style::Bold, text_of(invocation, "address"));
        all.push_str(&format!("  # {address} will be invoked\n{}\n", block(invocation, schemas, colour, 1)?));
    }
    Ok(all)
}

fn block<S: Borrow<Schemas>>(
    invocation: &Json,
    schemas: &BTreeMap<ProviderAddress, S>,
    colour: Colour,
    level: usize,
) -> Result<String, RenderError> {
    let member = |name: &str| invocation.get(name).cloned().unwrap_or_default();
    let values = member("config_values");
    let change = json!({
        "before": values,
        "after": values,
        "after_unknown": member("config_unknown"),
        "before_sensitive": member("config_sensitive"),
        "after_sensitive": member("config_sensitive"),
    });
    let schema = schema_of(schemas, invocation, |of| &of.actions)?;
    let diff = Diff::of_block(&Pair::of_change(&change), &schema.block);
    let body = Writer::new(colour, RenderMode::State).body(&diff, level + 1);
    let indent = "    ".repeat(level);
    let (kind, name) = (text_of(invocation, "type"), text_of(invocation, "name"));
    let head = format!("action {} {}", text::quoted(kind), text::quoted(name));
    Ok(format!("{indent}{head} {{\n{indent}    config {body}\n{indent}}}\n"))
}
