//! The planning steps, each a walk over the aligned plan in the order of the schema.

use crate::diag::{Diagnostic, Diagnostics};
use crate::path::Path;
use crate::plan::align::{Body, Content, ElementContent, Node, Rule};
use crate::schema::{Attribute, Replace};
use crate::value::{Unknown, Value};

/// Gives every attribute that has a default and is null in the configuration its default. A default replaces the
/// attribute whole, so nothing nested in it is looked at.
pub(super) fn defaults(body: &mut Body<'_>, diagnostics: &mut Diagnostics) {
    walk(body, &mut Path::root(), &mut |node, path| {
        let Rule::Attribute(Attribute { default: Some(default), ty, .. }) = node.rule else { return };
        if !node.config.is_null() {
            return;
        }
        match default.value(path) {
            Ok(value) => match value.conforms(&ty.ty()) {
                Ok(()) => node.content = Content::Leaf(value),
                Err(error) => diagnostics.push(misfit(&error.to_string()).at(path.clone())),
            },
            Err(error) => diagnostics.extend(error.at(path.clone())),
        }
    });
}

fn misfit(why: &str) -> Diagnostic {
    Diagnostic::error(
        "Invalid Default Value",
        format!("The default of this attribute does not fit its type: {why}. This is a bug in the provider."),
    )
}

/// Write-only values are in core's proposal, but a plan must not hold them.
pub(super) fn drop_write_only(body: &mut Body<'_>) {
    walk(body, &mut Path::root(), &mut |node, _| {
        if matches!(node.rule, Rule::Attribute(attribute) if attribute.write_only) {
            node.content = Content::Leaf(Value::Null);
        }
    });
}

/// Marks what the provider will compute. An attribute with a default is not among it, nor is one that the
/// configuration sets, even to an unknown value.
pub(super) fn mark_unknown(body: &mut Body<'_>) {
    walk(body, &mut Path::root(), &mut |node, _| {
        let Rule::Attribute(attribute) = node.rule else { return };
        if attribute.presence.is_computed() && attribute.default.is_none() && node.config.is_null() {
            node.content = Content::Leaf(Value::Unknown(Unknown::default()));
        }
    });
}

/// Runs the attribute modifiers: prior values kept, then replacement.
pub(super) fn modify(body: &mut Body<'_>, prior: &Value, requires_replace: &mut Vec<Path>) {
    walk(body, &mut Path::root(), &mut |node, path| {
        let Rule::Attribute(attribute) = node.rule else { return };
        keep(attribute, node);
        if !prior.is_null() && must_replace(attribute, node) {
            requires_replace.push(path.clone());
        }
    });
}

/// A prior value is kept, null included, if its object existed; the computed values of a new element stay unknown.
fn keep(attribute: &Attribute, node: &mut Node<'_>) {
    let Some(prior) = node.prior.filter(|prior| attribute.nullable || !prior.is_null()) else { return };
    if attribute.keep
        && !node.config.is_unknown()
        && matches!(&node.content, Content::Leaf(Value::Unknown(_)))
    {
        node.content = Content::Leaf(prior.clone());
    }
}

fn must_replace(attribute: &Attribute, node: &Node<'_>) -> bool {
    let asked = match attribute.replace {
        Replace::Never => false,
        Replace::OnChange => true,
        Replace::IfConfigured => !node.config.is_null(),
    };
    asked && node.to_value() != *node.prior.unwrap_or(&Value::Null)
}

/// Visits every node, an attribute before what is nested in it. What a visit turns into a leaf is not entered.
pub(super) fn walk<'a>(body: &mut Body<'a>, path: &mut Path, visit: &mut dyn FnMut(&mut Node<'a>, &Path)) {
    for node in &mut body.nodes {
        path.push(node.rule.step());
        visit(node, path);
        match &mut node.content {
            Content::Leaf(_) => {}
            Content::Object(body) => walk(body, path, visit),
            Content::Elements(_, elements) => {
                for element in elements {
                    if let ElementContent::Body(body) = &mut element.content {
                        path.push(element.step.clone());
                        walk(body, path, visit);
                        path.pop();
                    }
                }
            }
        }
        path.pop();
    }
}
