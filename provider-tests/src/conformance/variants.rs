//! Changes of a configuration at one place at a time.

use ferroform::path::{Path, Step};
use ferroform::schema::{Block, Nesting, Presence};
use ferroform::value::{Entries, Value};
use ferroform_core::schema::walk::{Body, Member};

use crate::generate::gathered;

/// What a place, an attribute that can be configured or all blocks of a name, may hold instead of what it holds; `None`
/// to leave it.
pub(super) type Instead<'i> = dyn Fn(Member<'_>, &Value) -> Option<Value> + 'i;

/// The configurations that differ from one at one place each, with the place. Nested ones come after those around.
pub(super) fn variants(block: &Block, config: &Value, instead: &Instead<'_>) -> Vec<(Path, Value)> {
    let mut found = Vec::new();
    in_body(block.into(), config, instead, &mut |path, value| found.push((path, value)));
    found
}

/// Takes a path below a place and what the place holds in that variant.
type Take<'t> = dyn FnMut(Path, Value) + 't;

fn in_body(body: Body<'_>, value: &Value, instead: &Instead<'_>, take: &mut Take<'_>) {
    let Value::Object(entries) = value.peel() else { return };
    for member in body.members() {
        let Some(value) = entries.get(member.name()) else { continue };
        if matches!(member, Member::Attribute(attribute) if attribute.presence == Presence::Computed) {
            continue;
        }
        let gather = |all| match member {
            Member::Attribute(_) => all,
            Member::Block(block) => gathered(block, all),
        };
        let mut at = within(entries, member.name(), take);
        if let Some(other) = instead(member, value) {
            at(Path::root(), other);
        }
        match member.nested() {
            None => {}
            Some((Nesting::Single, body)) => in_body(body, value, instead, &mut at),
            Some((_, body)) => {
                each(value, &mut |element, found| in_body(body, element, instead, found), &mut |path, all| {
                    at(path, gather(all))
                })
            }
        }
    }
}

/// Puts what is below a member back into the object.
fn within<'t>(entries: &'t Entries, name: &'t str, take: &'t mut Take<'_>) -> impl FnMut(Path, Value) + 't {
    move |path, value| {
        let mut entries = entries.clone();
        entries.insert(name, value);
        take(Path::root().attribute(name.to_owned()).join(&path), Value::Object(entries));
    }
}

/// The variants of each element of a collection.
fn each(value: &Value, one: &mut dyn FnMut(&Value, &mut Take<'_>), take: &mut Take<'_>) {
    let mut rebuilt = |at: usize, elements: &[Value], step: Step, make: &dyn Fn(Vec<Value>) -> Value| {
        let Some(element) = elements.get(at) else { return };
        one(element, &mut |path, other| {
            let mut all = elements.to_vec();
            if let Some(place) = all.get_mut(at) {
                *place = other;
            }
            take(Path::root().step(step.clone()).join(&path), make(all));
        });
    };
    match value.peel() {
        Value::List(elements) => {
            (0..elements.len()).for_each(|at| rebuilt(at, elements, Step::Index(at), &Value::List));
        }
        Value::Tuple(elements) => {
            (0..elements.len()).for_each(|at| rebuilt(at, elements, Step::Index(at), &Value::Tuple));
        }
        Value::Set(set) => {
            (0..set.len()).for_each(|at| rebuilt(at, set.as_slice(), Step::Element, &|all| Value::set(all)));
        }
        Value::Map(entries) => keyed(entries, &mut rebuilt, &|all| Value::map(all)),
        Value::Object(entries) => keyed(entries, &mut rebuilt, &|all| Value::object(all)),
        _ => {}
    }
}

type Rebuild<'r> = dyn FnMut(usize, &[Value], Step, &dyn Fn(Vec<Value>) -> Value) + 'r;

fn keyed(entries: &Entries, rebuilt: &mut Rebuild<'_>, make: &dyn Fn(Vec<(String, Value)>) -> Value) {
    let keys: Vec<String> = entries.keys().map(str::to_owned).collect();
    let values: Vec<Value> = entries.values().cloned().collect();
    for (at, key) in keys.iter().enumerate() {
        rebuilt(at, &values, Step::Key(key.clone().into()), &|all| {
            make(keys.iter().cloned().zip(all).collect())
        });
    }
}
