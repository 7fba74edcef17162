//! The planning steps, each a walk over the aligned plan in the order of the schema.

use crate::diag::{Diagnostic, Diagnostics};
use crate::path::Path;
use crate::plan::correlation::{Body, Content, Node};
use crate::private::Private;
use crate::schema::walk::Member;
use crate::schema::{
    Attribute, BlockNesting, DefaultContext, Environment, Modification, Modifier, Replace, Sibling,
};
use crate::value::{Unknown, Value};

/// Gives every attribute that has a default and is null in the configuration its default. A default replaces the
/// attribute whole, so nothing nested in it is looked at.
pub(super) fn defaults(body: &mut Body<'_>, environment: &Environment, diagnostics: &mut Diagnostics) {
    let config = body.config;
    let concerned =
        |rule: Member<'_>| matches!(rule, Member::Attribute(attribute) if attribute.default.is_some());
    walk(body, &mut Path::root(), concerned, &mut |object, node, path| {
        let Member::Attribute(Attribute { default: Some(default), ty, .. }) = node.rule else { return };
        // A dynamic null is a null with a type.
        if !node.config.peel().is_null() {
            return;
        }
        match default.value(&DefaultContext::new(path, config, object, environment)) {
            Ok(value) if value.is_null() || !value.is_wholly_known() => {
                diagnostics.push(misfit("it is null or not known").at(path.clone()));
            }
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
    walk(body, &mut Path::root(), |rule| rule.is_write_only(), &mut |_, node, _| {
        node.content = Content::Leaf(Value::Null);
    });
}

/// Whether the provider makes the value of an attribute here. An attribute with a default is not among those, nor is
/// one that the configuration sets, even to an unknown value.
fn is_computed_here(attribute: &Attribute, node: &Node<'_>) -> bool {
    attribute.presence.is_computed() && attribute.default.is_none() && node.config.is_null()
}

/// Core proposes nothing for computed blocks that are not configured (Terraform 1.16; older ones propose none of them).
/// What is there stays until something changes.
pub(super) fn keep_computed_blocks(body: &mut Body<'_>) {
    walk(body, &mut Path::root(), are_computed_blocks, &mut |_, node, _| {
        if let Member::Block(block) = node.rule
            && node.config.is_null()
            && let Some(prior) = node.prior
        {
            node.content = Content::Leaf(if prior.is_null() { block.absent() } else { prior.clone() });
        }
    });
}

/// Whether a rule is about blocks that the provider may fill. Of a single one that is absent, no core says whether it
/// takes another than a null one.
fn are_computed_blocks(rule: Member<'_>) -> bool {
    matches!(rule, Member::Block(block) if block.block.computed && block.nesting != BlockNesting::Single)
}

/// Marks what the provider will compute whatever it is that changes, and keeps the prior values that are to be kept.
pub(super) fn mark_unknown(body: &mut Body<'_>) {
    let concerned = |rule: Member<'_>| match rule {
        Member::Attribute(attribute) => attribute.presence.is_computed(),
        Member::Block(_) => are_computed_blocks(rule),
    };
    walk(body, &mut Path::root(), concerned, &mut |_, node, _| {
        let Member::Attribute(attribute) = node.rule else {
            if node.config.is_null() {
                node.content = Content::Leaf(Value::Unknown(Unknown::default()));
            }
            return;
        };
        let is_new = node.prior.is_none_or(|prior| !attribute.nullable && prior.is_null());
        if is_computed_here(attribute, node) && (attribute.recompute_on.is_none() || is_new) {
            // A prior value is kept, null included, if its object existed; the computed values of a new element stay
            // unknown.
            let kept = node.prior.filter(|_| attribute.keep && !is_new);
            let unknown = || Value::Unknown(attribute.unknown.clone());
            node.content = Content::Leaf(kept.cloned().unwrap_or_else(unknown));
        }
    });
}

/// Marks what is made from something that changes, until nothing more is found: what is marked has changed itself.
pub(super) fn mark_recomputed(body: &mut Body<'_>) {
    while mark_dependents(body, &mut Vec::new()) {}
}

fn mark_dependents<'a>(body: &mut Body<'a>, changed: &mut Vec<Vec<&'a str>>) -> bool {
    let is_changed = |node: &&Node<'_>| !node.is(node.prior.unwrap_or(&Value::Null));
    let here = body.nodes.iter().filter(is_changed).map(|node| &**node.rule.name()).collect();
    changed.push(here);
    let mut is_marked = false;
    for node in &mut body.nodes {
        if let Member::Attribute(attribute) = node.rule
            && let Some(targets) = &attribute.recompute_on
            && !matches!(node.content, Content::Leaf(Value::Unknown(_)))
            && is_computed_here(attribute, node)
        {
            let hit = targets.iter().any(|target| {
                let level = target.level(changed);
                level.zip(target.names().first()).is_some_and(|(level, name)| level.contains(&&**name))
            });
            if hit {
                node.content = Content::Leaf(Value::Unknown(attribute.unknown.clone()));
                is_marked = true;
            }
        }
        for body in node.content.bodies() {
            is_marked |= mark_dependents(body, changed);
        }
    }
    changed.pop();
    is_marked
}

/// The attributes and blocks whose change forces a replacement.
#[derive(std::default::Default)]
pub(super) struct Replacements {
    pub(super) required: Vec<Path>,
    /// Those of which a modifier says so.
    pub(super) by_modifiers: Vec<Path>,
}

/// Runs the attribute modifiers: the author's own, then replacement.
pub(super) fn modify(
    body: &mut Body<'_>,
    prior: &Value,
    private: &Private,
    replacements: &mut Replacements,
    diagnostics: &mut Diagnostics,
) {
    let whole = body.config;
    walk_beside(body, &mut Path::root(), is_modified, siblings, &mut |siblings, node, path| {
        let modifiers = modification(node.rule).0;
        let planned = node.to_value();
        let mut modification =
            Modification::new(path, node.config, node.prior, planned).within(siblings, whole, private);
        if let Err(error) = modifiers.iter().try_for_each(|modifier| modifier.modify(&mut modification)) {
            diagnostics.extend(error.at(path.clone()));
            return;
        }
        if modification.is_replaced() {
            replacements.by_modifiers.push(path.clone());
        }
        if replaces(node, prior, &modification) {
            replacements.required.push(path.clone());
        }
        match modification.planned {
            _ if modifiers.is_empty() => {}
            Value::Unknown(unknown) => node.content = Content::Leaf(unknown_of(node, unknown)),
            planned if planned != node.to_value() => node.replan(planned),
            _ => {}
        }
    });
}

/// The unknown value of a node for which a modifier answers that one. A configured one stays as it is: to core, another
/// refinement is another value.
fn unknown_of(node: &Node<'_>, unknown: Unknown) -> Value {
    match (node.rule, node.config) {
        (_, Value::Unknown(_)) => node.config.clone(),
        (Member::Attribute(attribute), Value::Null) if unknown.refinements().is_none() => {
            Value::Unknown(attribute.unknown.clone())
        }
        _ => Value::Unknown(unknown),
    }
}

/// Decides once more what forces a replacement, in a plan that was changed after [`modify`].
pub(super) fn replace_again(
    body: &mut Body<'_>,
    prior: &Value,
    private: &Private,
    replacements: &mut Replacements,
) {
    let by_modifiers = &replacements.by_modifiers;
    let mut required = Vec::new();
    let whole = body.config;
    walk_beside(body, &mut Path::root(), is_modified, siblings, &mut |siblings, node, path| {
        let mut modification = Modification::new(path, node.config, node.prior, node.to_value())
            .within(siblings, whole, private);
        if by_modifiers.contains(path) {
            modification.requires_replace();
        }
        if replaces(node, prior, &modification) {
            required.push(path.clone());
        }
    });
    replacements.required = required;
}

/// Whether the planned value forces a replacement. A new object replaces nothing, and no change replaces one.
fn replaces(node: &Node<'_>, prior: &Value, modification: &Modification<'_>) -> bool {
    if prior.is_null() || modification.planned == *node.prior.unwrap_or(&Value::Null) {
        return false;
    }
    modification.is_replaced()
        || match self::modification(node.rule).1 {
            Replace::Never => false,
            Replace::OnChange => true,
            Replace::IfConfigured => !node.config.is_null(),
            Replace::If(asked) => asked(modification),
        }
}

/// What the modifiers of an object may look at beside their own values; nothing where it has none.
fn siblings<'a>(body: &Body<'a>) -> Vec<Sibling<'a>> {
    let asks = body.nodes.iter().any(|node| {
        let (modifiers, replace) = modification(node.rule);
        !modifiers.is_empty() || matches!(replace, Replace::If(_))
    });
    if asks { body.nodes.iter().map(sibling).collect() } else { Vec::new() }
}

fn sibling<'a>(node: &Node<'a>) -> Sibling<'a> {
    Sibling::new(node.rule.name(), node.config, node.prior, node.to_value())
}

fn is_modified(rule: Member<'_>) -> bool {
    let (modifiers, replace) = modification(rule);
    !modifiers.is_empty() || !matches!(replace, Replace::Never)
}

/// What the schema says about changes of a value.
fn modification<'a>(rule: Member<'a>) -> (&'a [Modifier], &'a Replace) {
    match rule {
        Member::Attribute(attribute) => (&attribute.modifiers, &attribute.replace),
        Member::Block(block) => (&block.modifiers, &block.replace),
    }
}

/// Visits every node of a concerned rule with the configured object that holds it, an attribute before what is nested
/// in it. What a visit turns into a leaf is not entered.
pub(super) fn walk<'a>(
    body: &mut Body<'a>,
    path: &mut Path,
    concerned: fn(Member<'_>) -> bool,
    visit: &mut dyn FnMut(&'a Value, &mut Node<'a>, &Path),
) {
    let object = |body: &Body<'a>| body.config;
    walk_beside(body, path, concerned, object, &mut |object, node, path| visit(object, node, path));
}

/// As [`walk`], with what is `beside` the nodes of each object, as it is before one of them is visited.
fn walk_beside<'a, T>(
    body: &mut Body<'a>,
    path: &mut Path,
    concerned: fn(Member<'_>) -> bool,
    beside: fn(&Body<'a>) -> T,
    visit: &mut dyn FnMut(&T, &mut Node<'a>, &Path),
) {
    let others = beside(body);
    for node in &mut body.nodes {
        let is_concerned = concerned(node.rule);
        if !is_concerned && matches!(node.content, Content::Leaf(_)) {
            continue;
        }
        path.push(node.rule.step());
        if is_concerned {
            visit(&others, node, path);
        }
        node.content.each_body(path, &mut |body, path| walk_beside(body, path, concerned, beside, visit));
        path.pop();
    }
}
