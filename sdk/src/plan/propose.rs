//! Core's merge of configuration and prior state, for the elements of sets: core has done it for everything else.

use crate::plan::correlate::correlate;
use crate::schema::{Attribute, AttributeType, BlockNesting, Form, NestedBlock, NestedObject, Nesting};
use crate::value::{Entries, Set, Value};

/// The proposed new value of one object: configured values, and prior ones where an attribute is computed and the
/// configuration has none.
pub(super) fn propose(
    attributes: &[Attribute],
    blocks: &[NestedBlock],
    config: &Value,
    prior: Option<&Value>,
) -> Value {
    let Value::Object(configured) = config else { return config.clone() };
    let before = prior.and_then(Value::as_entries);
    let attributes = attributes.iter().map(|attribute| {
        let config = configured.get(&attribute.name).unwrap_or(&Value::Null);
        let prior = before.and_then(|before| before.get(&attribute.name));
        let proposed = match &attribute.ty {
            _ if attribute.presence.is_computed() && config.is_null() => match prior {
                Some(prior) if !was_configured(attribute, prior) => prior.clone(),
                _ => Value::Null,
            },
            // To core, what may be written as blocks is a plain list or set.
            AttributeType::Nested(NestedObject { form: Form::Blocks, .. }) | AttributeType::Plain(_) => {
                config.clone()
            }
            AttributeType::Nested(object) => {
                let kind = match object.nesting {
                    Nesting::Single => BlockNesting::Single,
                    Nesting::List => BlockNesting::List,
                    Nesting::Set => BlockNesting::Set,
                    Nesting::Map => BlockNesting::Map,
                };
                nested((&object.attributes, &[]), kind, config, prior)
            }
        };
        (&*attribute.name, proposed)
    });
    let blocks = blocks.iter().map(|block| {
        let config = configured.get(&block.name).unwrap_or(&Value::Null);
        let prior = before.and_then(|before| before.get(&block.name));
        let inner = (&*block.block.attributes, &*block.block.blocks);
        (&*block.name, nested(inner, block.nesting, config, prior))
    });
    Value::Object(Entries::from_iter(attributes.chain(blocks)))
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
    match value.peel() {
        Value::Map(elements) => elements.values().any(inside),
        object @ Value::Object(_) => inside(object),
        other => other.elements().unwrap_or_default().iter().any(inside),
    }
}

fn nested(
    (attributes, blocks): (&[Attribute], &[NestedBlock]),
    nesting: BlockNesting,
    config: &Value,
    prior: Option<&Value>,
) -> Value {
    let one = |config: &Value, prior: Option<&Value>| {
        propose(attributes, blocks, config, prior.filter(|prior| !prior.is_null()))
    };
    match (nesting, config) {
        (BlockNesting::Single | BlockNesting::Group, config) => one(config, prior),
        (BlockNesting::List, Value::List(configured)) => {
            let before = match prior {
                Some(Value::List(before)) => before.as_slice(),
                _ => &[],
            };
            let elements = configured.iter().enumerate();
            Value::List(elements.map(|(at, config)| one(config, before.get(at))).collect())
        }
        (BlockNesting::Map, Value::Map(configured)) => {
            let before = prior.and_then(Value::as_entries);
            let elements = configured.iter();
            let elements = elements
                .map(|(key, config)| (key.clone(), one(config, before.and_then(|before| before.get(key)))));
            Value::Map(Entries::from_iter(elements))
        }
        (BlockNesting::Set, Value::Set(configured)) => {
            let before = match prior {
                Some(Value::Set(before)) => Some(before),
                _ => None,
            };
            let pairs = correlate(attributes, blocks, configured, before).into_iter();
            Value::Set(Set::from_iter(pairs.map(|(config, prior)| one(config, prior))))
        }
        (_, config) => config.clone(),
    }
}
