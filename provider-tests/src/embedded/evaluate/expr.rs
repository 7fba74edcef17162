//! Expressions.

use ferroform::path::{Path, Step};
use ferroform::ty::Type;
use ferroform::value::{Refinements, Unknown, Value, convert};

use super::deprecated::{self, Deprecated};
use super::{Evaluated, Fault, literal, marks, scoped_expr};
use crate::config::{Expr, Reference, ReferenceTarget};
use crate::embedded::scope::{Repeated, Scope};

/// The value of an expression.
pub(in crate::embedded) fn evaluate(expr: &Expr, scope: &Scope<'_>) -> Result<Evaluated, Fault> {
    match expr {
        Expr::Literal(value) => Ok(literal(value)),
        Expr::Tuple(parts) => {
            let parts: Result<Vec<_>, _> = parts.iter().map(|part| evaluate(part, scope)).collect();
            parts.map(Evaluated::tuple)
        }
        Expr::Object(entries) => {
            let entry = |(name, part): &(String, Expr)| Ok((name.clone(), evaluate(part, scope)?));
            entries.iter().map(entry).collect::<Result<Vec<_>, Fault>>().map(Evaluated::object)
        }
        Expr::Template(parts) => template(parts, scope),
        Expr::Sensitive(inner) => {
            let inner = evaluate(inner, scope)?;
            Ok(Evaluated { sensitive: vec![Path::root()], ..inner })
        }
        Expr::Reference(reference) => reference_to(reference, scope),
        Expr::Source(expr) => scoped_expr::evaluate(expr, scope),
    }
}

/// A template of one part is that part. What is known of the beginning of an unknown text is told, but for its last
/// character, which might combine with what follows.
fn template(parts: &[Expr], scope: &Scope<'_>) -> Result<Evaluated, Fault> {
    if let [only] = parts
        && !matches!(only, Expr::Literal(_))
    {
        return evaluate(only, scope);
    }
    let (mut text, mut unknown, mut sensitive) = (String::new(), false, Vec::new());
    let (mut ephemeral, mut deprecated) = (Vec::new(), Vec::new());
    for part in parts {
        let part = evaluate(part, scope)?;
        deprecated.extend(part.deprecated.iter().map(Deprecated::whole));
        if part.is_sensitive() {
            sensitive = vec![Path::root()];
        }
        if part.is_ephemeral() {
            ephemeral = vec![Path::root()];
        }
        match convert(&part.value, &Type::String) {
            Ok(Value::String(part)) if !unknown => text.push_str(&part),
            Ok(Value::Unknown(_)) => unknown = true,
            Ok(Value::Null) => {
                let detail =
                    "The expression result is null. Cannot include a null value in a string template.";
                return Err(Fault::new("Invalid template interpolation value", detail));
            }
            Ok(_) => {}
            Err(error) => {
                let detail = format!("Cannot include the given value in a string template: {error}.");
                return Err(Fault::new("Invalid template interpolation value", detail));
            }
        }
    }
    let value = if unknown {
        text.pop();
        let prefix = (!text.is_empty()).then(|| text.as_str().into());
        Value::from(Unknown::refined(Refinements { not_null: true, prefix, ..Refinements::default() }))
    } else {
        Value::from(text)
    };
    let deprecated = deprecated::each_once(deprecated);
    Ok(Evaluated { sensitive, ephemeral, deprecated, ..Evaluated::plain(value, Type::String) })
}

fn reference_to(reference: &Reference, scope: &Scope<'_>) -> Result<Evaluated, Fault> {
    let whole = |value: Option<&Evaluated>, name: &str| {
        let detail = format!("\"{name}\" can be used only where there are several instances.");
        let value =
            value.ok_or_else(|| Fault::new("Reference to \"count\" or \"each\" in wrong context", detail))?;
        part(value, reference.path.steps())
    };
    match &reference.subject {
        ReferenceTarget::CountIndex => whole(scope.each.index.as_ref(), "count.index"),
        ReferenceTarget::EachKey => whole(scope.each.key.as_ref(), "each.key"),
        ReferenceTarget::EachValue => whole(scope.each.value.as_ref(), "each.value"),
        ReferenceTarget::Resource(address, key) => {
            let Some(resource) = scope.resource(address) else {
                let detail =
                    format!("A managed resource {address} has not been declared in the root module.");
                return Err(Fault::new("Reference to undeclared resource", detail));
            };
            let mut steps = Vec::new();
            if let Some(key) = key {
                match self::key(key, scope)? {
                    Some(step) => steps.push(step),
                    None => return Ok(Evaluated::unknown()),
                }
            }
            steps.extend(reference.path.steps().iter().cloned());
            match resource {
                Repeated::Unknown => Ok(Evaluated::unknown_of(address.mode)),
                resource => instance(resource, &steps),
            }
        }
    }
}

/// The key of an instance; `None` if it is unknown.
fn key(key: &Expr, scope: &Scope<'_>) -> Result<Option<Step>, Fault> {
    let key = evaluate(key, scope)?;
    let invalid = || Fault::new("Invalid index", "The key has to be a whole number or a string.");
    match key.value.peel() {
        Value::Unknown(_) => Ok(None),
        Value::Number(number) => {
            let at = number.to_u64().and_then(|at| usize::try_from(at).ok()).ok_or_else(invalid)?;
            Ok(Some(Step::Index(at)))
        }
        Value::String(key) => Ok(Some(Step::Key(key.to_string().into()))),
        _ => Err(invalid()),
    }
}

/// Only the instance that is meant is looked at, however many there are.
pub(super) fn instance(resource: &Repeated, steps: &[Step]) -> Result<Evaluated, Fault> {
    let invalid = || {
        let detail = "The given key does not identify an element in this collection value.";
        Fault::new("Invalid index", detail)
    };
    match (resource, steps) {
        (Repeated::Unknown, _) => Ok(Evaluated::unknown()),
        (Repeated::Single(only), steps) => part(only, steps),
        (Repeated::Count(all), [Step::Index(at), rest @ ..]) => part(all.get(*at).ok_or_else(invalid)?, rest),
        (Repeated::ForEach(all), [Step::Key(key) | Step::Attribute(key), rest @ ..]) => {
            part(all.get(key.as_ref()).ok_or_else(invalid)?, rest)
        }
        (Repeated::Count(_) | Repeated::ForEach(_), [_, ..]) => {
            let detail = "Because the resource has several instances, the reference has to name one of them.";
            Err(Fault::new("Missing resource instance key", detail))
        }
        (Repeated::Count(all), []) => Ok(Evaluated::tuple(all.iter().cloned())),
        (Repeated::ForEach(all), []) => {
            Ok(Evaluated::object(all.iter().map(|(key, one)| (key.clone(), one.clone()))))
        }
    }
}

/// The value at the end of the steps. An unknown has everything that its type has, and it is unknown.
fn part(whole: &Evaluated, steps: &[Step]) -> Result<Evaluated, Fault> {
    let (mut value, mut ty) = (&whole.value, &whole.ty);
    let mut known = true;
    for step in steps {
        if let Value::Dynamic(dynamic) = value {
            (value, ty) = (&dynamic.value, &dynamic.ty);
        }
        ty = step_type(ty, step)?;
        known &= !value.is_unknown();
        if known {
            value = step_value(value, step)?;
        }
    }
    if let (Value::Dynamic(dynamic), true) = (value, known) {
        (value, ty) = (&dynamic.value, &dynamic.ty);
    }
    let value = if known { value.clone() } else { Value::unknown() };
    let path: Path = steps.iter().cloned().collect();
    let inner = |marks: &[Path]| {
        let inner = marks.iter().filter_map(|mark| {
            if path.starts_with(mark) {
                return Some(Path::root());
            }
            let inner = mark.steps().get(steps.len()..).unwrap_or_default();
            mark.starts_with(&path).then(|| inner.iter().cloned().collect())
        });
        marks::within(&value, inner)
    };
    let (sensitive, ephemeral) = (inner(&whole.sensitive), inner(&whole.ephemeral));
    let deprecated = whole.deprecated.iter().filter_map(|it| it.after(&path)).collect();
    let deprecated = deprecated::each_once(deprecated);
    Ok(Evaluated { sensitive, ephemeral, deprecated, ..Evaluated::plain(value, ty.clone()) })
}

fn step_type<'t>(ty: &'t Type, step: &Step) -> Result<&'t Type, Fault> {
    let unsupported = |name: &str| {
        Fault::new("Unsupported attribute", format!("This object does not have an attribute named {name:?}."))
    };
    match (ty, step) {
        (Type::Dynamic, _) => Ok(&Type::Dynamic),
        (Type::Object(object), Step::Attribute(name) | Step::Key(name)) => {
            object.attribute(name).ok_or_else(|| unsupported(name))
        }
        (Type::Map(element), Step::Attribute(_) | Step::Key(_)) => Ok(element),
        (Type::List(element), Step::Index(_)) => Ok(element),
        (Type::Tuple(types), Step::Index(at)) => types.get(*at).ok_or_else(invalid_index),
        (_, Step::Attribute(name)) => Err(unsupported(name)),
        (Type::Set(_), _) => {
            let detail =
                "Elements of a set are identified only by their value and don't have any separate index.";
            Err(Fault::new("Invalid index", detail))
        }
        _ => Err(Fault::new("Invalid index", "This value does not have any indices.")),
    }
}

fn step_value<'v>(value: &'v Value, step: &Step) -> Result<&'v Value, Fault> {
    match (value.peel(), step) {
        (Value::Null, Step::Attribute(_)) => {
            let detail = "This value is null, so it does not have any attributes.";
            Err(Fault::new("Attempt to get attribute from null value", detail))
        }
        (Value::Null, _) => {
            let detail = "This value is null, so it does not have any indices.";
            Err(Fault::new("Attempt to index null value", detail))
        }
        (Value::Object(entries) | Value::Map(entries), Step::Attribute(name) | Step::Key(name)) => {
            entries.get(name).ok_or_else(invalid_index)
        }
        (Value::List(elements) | Value::Tuple(elements), Step::Index(at)) => {
            elements.get(*at).ok_or_else(invalid_index)
        }
        _ => Err(invalid_index()),
    }
}

fn invalid_index() -> Fault {
    Fault::new("Invalid index", "The given key does not identify an element in this collection value.")
}
