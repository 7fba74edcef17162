//! What `replace_triggered_by` names.

use ferroform::value::Value;
use hcl_edit::expr::TraversalOperator;

use super::references::{malformed, wrong_part};
use super::statics::{StaticStep, static_reference, traversed};
use super::syntax::SourceExpr;
use super::translate::held_expression;
use crate::address::Mode;
use crate::language::evaluate::constant_key;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Subject, Traversal, TraversalStep};

const SUMMARY: &str = "Invalid replace_triggered_by expression";

/// An element of `replace_triggered_by`, in JSON what the string holds. How it names a resource is looked at where it is
/// asked for.
///
/// # Errors
/// It does not refer to one resource, or to something else than resources and keys: all that is wrong.
pub(super) fn replace_trigger(element: &SourceExpr) -> Result<SourceExpr, Vec<Diagnostic>> {
    let expr = if element.is_json() { held(element)? } else { element.clone() };
    let all = expr.references();
    let problem = |it: &Traversal| Some(malformed(it)?.on(expr.place_within(wrong_part(it))));
    let mut problems: Vec<Diagnostic> = all.iter().filter_map(problem).collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut resources = 0;
    for reference in all {
        let what = match (reference.root.as_str(), reference.names().nth(1), reference.resource()) {
            (_, _, Some((Mode::Managed | Mode::Data | Mode::Ephemeral, ..))) => {
                resources += 1;
                continue;
            }
            ("count", Some("index"), _) | ("each", Some("key"), _) => continue,
            ("count", ..) => "count reference",
            ("each", ..) => "each reference",
            _ => "reference",
        };
        if Rule::TriggerReference.holds() {
            let detail = "There can be resources only, and \"count.index\" or \"each.key\" as a key.";
            problems.push(expr.error(format!("Invalid {what} in replace_triggered_by expression"), detail));
        }
    }
    if resources != 1 {
        problems.push(expr.error(SUMMARY, "Name one resource, an instance of it, or an attribute."));
    }
    if problems.is_empty() { Ok(expr) } else { Err(problems) }
}

/// The expression that a JSON string holds, which for core stands at the start of the string.
fn held(element: &SourceExpr) -> Result<SourceExpr, Vec<Diagnostic>> {
    let Some(text) = element.json_string() else {
        return Err(vec![
            element.error("Invalid reference expression", "A reference is written as a string."),
        ]);
    };
    let inner = held_expression(element, &text)?;
    Ok(inner.with_span_of(element, element.span_of_text(text.len())))
}

/// The reference that an element is, with a value for each of its keys.
///
/// # Errors
/// It is none, or a key is neither constant nor `count.index` or `each.key`, which are looked up.
pub(crate) fn trigger_reference(
    expr: &SourceExpr,
    look_up: impl Fn(&SourceExpr) -> Result<Value, Vec<Diagnostic>>,
) -> Result<Traversal, Vec<Diagnostic>> {
    let invalid = || vec![expr.error(SUMMARY, "Name a resource, an instance of it, or an attribute.")];
    let (root, operators) = traversed(expr.expression()).ok_or_else(invalid)?;
    let steps = operators.iter().map(|operator| match operator.value() {
        TraversalOperator::GetAttr(name) => Ok(TraversalStep::Attribute(name.to_string())),
        TraversalOperator::LegacyIndex(at) => Ok(TraversalStep::Index(Value::from(*at.value()))),
        TraversalOperator::Index(key) => {
            let key = expr.part(key);
            let place = expr.place_within(key.span());
            key_value(&key, &place, &look_up).map(TraversalStep::Index)
        }
        _ => Err(invalid()),
    });
    let (steps, span) = (steps.collect::<Result<_, _>>()?, expr.subject().span);
    Ok(Traversal { root: root.to_owned(), steps, span, step_spans: Vec::new() })
}

/// The value of a key, which stands there.
fn key_value(
    key: &SourceExpr,
    place: &Subject,
    look_up: impl Fn(&SourceExpr) -> Result<Value, Vec<Diagnostic>>,
) -> Result<Value, Vec<Diagnostic>> {
    if let Some(constant) = constant_key(key.expression()) {
        return Ok(constant);
    }
    let error = |summary: &str| {
        let detail = "A key is constant, \"count.index\" or \"each.key\".";
        vec![Diagnostic::error(summary, detail).on(place)]
    };
    let reference = static_reference(key).ok_or_else(|| error("Invalid expression"))?;
    match (reference.root.as_str(), reference.steps.as_slice()) {
        ("count", [StaticStep::Name(name)]) if name == "index" => look_up(key),
        ("each", [StaticStep::Name(name)]) if name == "key" => look_up(key),
        _ => Err(error("Invalid index expression")),
    }
}

/// The value of the key of an instance that a trigger names.
///
/// # Errors
/// It is neither constant nor `count.index` or `each.key`, which are looked up.
pub(crate) fn instance_key(
    key: &SourceExpr,
    look_up: impl Fn(&SourceExpr) -> Result<Value, Vec<Diagnostic>>,
) -> Result<Value, Vec<Diagnostic>> {
    key_value(key, key.subject(), look_up)
}
