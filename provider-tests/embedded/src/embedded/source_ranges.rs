//! The source ranges that diagnostics point at.

use ferroform::path::{Path, Step};
use hcl_edit::expr::Expression;

use crate::address::InstanceAddress;
use crate::diagnostic::Diagnostic;
use crate::language::Subject;
use crate::language::module::{Body, Configuration, SourceExpr, json_blocks, key_text};

/// Adds the places of arguments to what has none yet: of the argument that a path leads to, or else of the block.
pub(super) fn locate(configuration: &Configuration, diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics.iter_mut().filter(|it| it.place.is_none()) {
        if let Some(place) = place(configuration, diagnostic) {
            *diagnostic = diagnostic.clone().on(place);
        }
    }
}

/// The place of what a diagnostic without one is about, by its address and its path.
pub(super) fn place(configuration: &Configuration, diagnostic: &Diagnostic) -> Option<Subject> {
    let modules = configuration.modules();
    let InstanceAddress { resource, .. } = diagnostic.address.as_deref()?.parse().ok()?;
    let config = &modules[modules.find(&resource.module)?];
    let number = config.resource_number(resource.mode, &resource.type_name, &resource.name)?;
    let block = config.resource(number)?;
    let argument = diagnostic.path.as_ref().and_then(|path| argument(&block.body, path));
    Some(argument.unwrap_or_else(|| block.subject.clone()))
}

/// The argument that is, or holds, what is at a path; or else the body that lacks it.
pub(super) fn argument(body: &Body, path: &Path) -> Option<Subject> {
    let (mut body, mut steps) = (body, path.steps());
    while let [Step::Attribute(name), rest @ ..] = steps {
        if let Some(expr) = body.argument(name) {
            let within = if expr.is_json() { argument_in_json(expr, rest) } else { None };
            return Some(within.unwrap_or_else(|| literal_part(expr, rest)));
        }
        let mut blocks = body.blocks.iter().filter(|block| block.type_name == **name);
        let (block, rest) = match rest {
            [Step::Index(at), rest @ ..] => (blocks.nth(*at), rest),
            [Step::Key(key), rest @ ..] => {
                (blocks.find(|it| it.labels.first() == Some(&key.to_string())), rest)
            }
            rest => (blocks.next(), rest),
        };
        let Some(block) = block else { return body.brace.clone() };
        (body, steps) = (&block.body, rest);
    }
    None
}

/// The part of an argument that is at a path, as far as the argument is written as objects and lists. In JSON core does not look
/// into it.
fn literal_part(expr: &SourceExpr, steps: &[Step]) -> Subject {
    let part = match (expr.expression(), steps.first()) {
        _ if expr.is_json() => None,
        (Expression::Object(object), Some(Step::Attribute(name) | Step::Key(name))) => {
            let mut members = object.iter().filter(|(key, _)| key_text(key) == Some(name));
            members.next().map(|(_, member)| expr.part(member.expr()))
        }
        (Expression::Array(elements), Some(Step::Index(at))) => {
            elements.iter().nth(*at).map(|element| expr.part(element))
        }
        _ => None,
    };
    match (part, steps) {
        (Some(part), [_, rest @ ..]) => literal_part(&part, rest),
        _ => expr.subject().clone(),
    }
}

/// The argument within what are blocks if the schema says so.
fn argument_in_json(expr: &SourceExpr, steps: &[Step]) -> Option<Subject> {
    let (at, label, rest) = match steps {
        [Step::Index(at), rest @ ..] => (*at, None, rest),
        [Step::Key(key), rest @ ..] => (0, Some(key), rest),
        rest => (0, None, rest),
    };
    let Some(Step::Attribute(_)) = rest.first() else { return None };
    let blocks = json_blocks::written(expr, label.is_some(), &mut Vec::new()).into_iter();
    let (_, body, _) = blocks.filter(|(name, ..)| name.as_deref() == label.map(|it| &**it)).nth(at)?;
    argument(&body, &rest.iter().cloned().collect())
}
