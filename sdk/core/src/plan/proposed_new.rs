//! Core's merge of configuration and prior state, for the elements of sets: core has done it for everything else.

use crate::plan::set_correlation::{Pair, correlate};
use crate::schema::walk::{self, Body};
use crate::schema::{Attribute, AttributeType, Form, NestedObject, Nesting};
use crate::value::{Entries, KeyCursor, Set, Value};

/// The proposed new value of one object: configured values, and prior ones where an attribute is computed and the
/// configuration has none.
pub(super) fn propose(body: Body<'_>, pair: Pair<'_>) -> Value {
    let Value::Object(configured) = pair.config else { return pair.config.clone() };
    let before = pair.prior.and_then(Value::as_entries);
    let mut proposed = configured.clone();
    let mut cursor = KeyCursor::default();
    for attribute in body.attributes {
        let Some(at) = cursor.position(&proposed, &attribute.name) else { continue };
        let Some(place) = proposed.get_near_mut(at, &attribute.name) else { continue };
        let prior = before.and_then(|before| before.get_near(at, &attribute.name));
        match &attribute.ty {
            _ if attribute.presence.is_computed() && place.is_null() => {
                *place =
                    prior.filter(|prior| !was_configured(attribute, prior)).cloned().unwrap_or(Value::Null);
            }
            AttributeType::Plain(_) => {
                // No second comparison is needed to find that it keeps its representation.
                if let Some(prior) = prior
                    && pair.is_equivalent
                    && keeps_prior(attribute, place, prior)
                {
                    *place = prior.clone();
                }
            }
            // To core, what may be written as blocks is a plain list or set.
            AttributeType::Nested(NestedObject { form: Form::Blocks, .. }) => {}
            AttributeType::Nested(object) => {
                *place = nested(object.into(), object.nesting, place, prior);
            }
        }
    }
    for block in body.blocks {
        let Some(place) = proposed.get_mut(&block.name) else { continue };
        let prior = before.and_then(|before| before.get(&block.name));
        *place = nested((&block.block).into(), block.nesting.into(), place, prior);
    }
    Value::Object(proposed)
}

/// Whether a configured value that is equivalent to the prior one is planned as that.
fn keeps_prior(attribute: &Attribute, config: &Value, prior: &Value) -> bool {
    !attribute.equivalence.is_exact() && !config.is_null() && !prior.is_null() && config.is_wholly_known()
}

/// Whether a prior value can only come from a configuration that had objects there: an optional attribute with
/// something in it that no provider computes. Without its configuration it is gone.
fn was_configured(attribute: &Attribute, prior: &Value) -> bool {
    match &attribute.ty {
        AttributeType::Nested(object)
            if object.form == Form::Attribute && attribute.presence.is_optional() =>
        {
            holds_configured(&object.attributes, prior)
        }
        _ => false,
    }
}

/// Whether a value that is not null stands, at any depth, where only a configuration can put one.
fn holds_configured(attributes: &[Attribute], value: &Value) -> bool {
    let inside = |object: &Value| {
        let Value::Object(members) = object else { return false };
        attributes.iter().any(|attribute| {
            let value = members.get(&attribute.name).filter(|value| !value.is_null());
            value.is_some_and(|value| match &attribute.ty {
                _ if !attribute.presence.is_computed() => true,
                AttributeType::Nested(object) => holds_configured(&object.attributes, value),
                AttributeType::Plain(_) => false,
            })
        })
    };
    let mut holds = false;
    walk::objects(value, &mut |_, object| holds = holds || inside(object));
    holds
}

fn nested(body: Body<'_>, nesting: Nesting, config: &Value, prior: Option<&Value>) -> Value {
    let one = |config: &Value, prior: Option<&Value>| {
        propose(body, Pair::of(config, prior.filter(|prior| !prior.is_null())))
    };
    match (nesting, config) {
        (Nesting::Single, config) => one(config, prior),
        (Nesting::List, Value::List(configured)) => {
            let before = match prior {
                Some(Value::List(before)) => before.as_slice(),
                _ => &[],
            };
            let elements = configured.iter().enumerate();
            Value::List(elements.map(|(at, config)| one(config, before.get(at))).collect())
        }
        (Nesting::Map, Value::Map(configured)) => {
            let before = prior.and_then(Value::as_entries);
            let elements = configured.iter();
            let elements = elements
                .map(|(key, config)| (key.clone(), one(config, before.and_then(|before| before.get(key)))));
            Value::Map(Entries::from_shared(elements.collect()))
        }
        (Nesting::Set, Value::Set(configured)) => {
            let before = match prior {
                Some(Value::Set(before)) => Some(before),
                _ => None,
            };
            let pairs = correlate(body, configured, before).into_iter();
            Value::Set(Set::from_iter(pairs.map(|pair| propose(body, pair))))
        }
        (_, config) => config.clone(),
    }
}
