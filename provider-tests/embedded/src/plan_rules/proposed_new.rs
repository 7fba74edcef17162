//! What core proposes to a provider: the configuration, and the prior state where the provider decides.

use ferroform::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, NestedObject, Nesting};
use ferroform::value::{Set, Value};

use super::body::{Body, Member, element, elements, entries, entry, member, objects};
use super::correlate::Correlation;

/// The proposed new state (protocol `PlanResourceChange.Request.proposed_new_state`).
///
/// Configured values are kept. Where a computed attribute is not configured, the prior value stands: null on create,
/// for to make it unknown is up to the provider. Lists are matched by index, maps by key, and elements of sets with
/// a prior element from which they may have come. Destroying proposes nothing, so it has no use for this.
///
/// An unknown `prior` gives what core proposes for data sources: everything that is not configured is unknown.
///
/// ```
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
/// use ferroform_embedded::plan_rules::proposed_new;
///
/// let block = Block::new([Attribute::computed("id", Type::String), Attribute::optional("name", Type::String)]);
/// let prior = Value::object([("id", Value::from("i-1")), ("name", Value::from("old"))]);
/// let config = Value::object([("id", Value::Null), ("name", Value::Null)]);
/// assert_eq!(
///     proposed_new(&block, &prior, &config),
///     Value::object([("id", Value::from("i-1")), ("name", Value::Null)]),
/// );
/// ```
#[must_use]
pub fn proposed_new(block: &Block, prior: &Value, config: &Value) -> Value {
    if prior.is_null() && config.is_null() {
        return Value::Null;
    }
    let empty;
    let prior = if prior.is_null() {
        empty = block.empty();
        &empty
    } else {
        prior
    };
    if config.is_null() || config.is_unknown() {
        return prior.clone();
    }
    body(Body::Block(block), prior, config)
}

/// A configuration in which computed blocks that are not configured are null, which is how core 1.16 and newer send
/// it (schema `Block.computed`).
#[must_use]
pub fn absent_computed_blocks(block: &Block, config: &Value) -> Value {
    let Value::Object(entries) = config.peel() else { return config.clone() };
    let mut entries = entries.clone();
    for nested in &block.blocks {
        if let Some(value) = entries.get_mut(&nested.name) {
            *value = computed_block(nested, value);
        }
    }
    Value::Object(entries)
}

fn computed_block(nested: &NestedBlock, value: &Value) -> Value {
    let each = |value: &Value| absent_computed_blocks(&nested.block, value);
    let blocks = elements(value).len() + entries(value).len();
    match nested.nesting {
        BlockNesting::Single | BlockNesting::Group => each(value),
        _ if value.is_unknown() => value.clone(),
        _ if nested.block.computed && blocks == 0 => Value::Null,
        BlockNesting::List | BlockNesting::Set => {
            with_elements(value, elements(value).iter().map(each).collect(), Some(nested))
        }
        BlockNesting::Map => {
            let blocks = entries(value).into_iter().map(|(key, value)| (key.clone(), each(value)));
            with_entries(value, blocks.collect(), Some(nested))
        }
    }
}

/// The attributes and blocks of an object that the configuration has.
fn body(schema: Body<'_>, prior: &Value, config: &Value) -> Value {
    Value::object(schema.members().map(|schema| {
        let (prior, config) = (member(prior, schema.name()), member(config, schema.name()));
        let value = match schema {
            Member::Attribute(schema) => attribute(schema, prior, config),
            Member::Block(schema) => nested_block(schema, prior, config),
        };
        (schema.name(), value)
    }))
}

fn attribute(schema: &Attribute, prior: &Value, config: &Value) -> Value {
    if schema.presence.is_computed() && config.is_null() {
        // What the configuration had put into the object would otherwise stay when it is taken out.
        let was_configured = match &schema.ty {
            AttributeType::Nested(object) => schema.presence.is_optional() && is_configured(object, prior),
            AttributeType::Plain(_) => false,
        };
        return if was_configured { Value::Null } else { prior.clone() };
    }
    match &schema.ty {
        AttributeType::Nested(object) => nested_attribute(object, prior, config),
        AttributeType::Plain(_) => config.clone(),
    }
}

/// Whether an attribute that only the configuration can set has a value, at any depth.
fn is_configured(schema: &NestedObject, value: &Value) -> bool {
    let object = |object: &Value| {
        schema.attributes.iter().any(|attribute| {
            let value = member(object, &attribute.name);
            let nested = match &attribute.ty {
                AttributeType::Nested(nested) => is_configured(nested, value),
                AttributeType::Plain(_) => false,
            };
            !value.is_null() && (!attribute.presence.is_computed() || nested)
        })
    };
    !value.is_unknown() && objects(schema.nesting, value).into_iter().any(|(_, value)| object(value))
}

fn nested_attribute(schema: &NestedObject, prior: &Value, config: &Value) -> Value {
    if config.is_null() || config.is_unknown() {
        return config.clone();
    }
    let object = Body::Object(schema);
    let each = |prior: &Value, config: &Value| match config.peel() {
        Value::Object(_) => body(object, prior, config),
        // For an element of which nothing is known core proposes an object of unknown attributes.
        Value::Unknown(_) => {
            Value::object(schema.attributes.iter().map(|schema| (schema.name.as_ref(), Value::unknown())))
        }
        _ => config.clone(),
    };
    match schema.nesting {
        Nesting::Single => each(prior, config),
        Nesting::List => list(prior, config, None, &each),
        Nesting::Map => map(prior, config, None, &each),
        Nesting::Set => set(object, prior, config, &each),
    }
}

fn nested_block(schema: &NestedBlock, prior: &Value, config: &Value) -> Value {
    if config.is_unknown() {
        return config.clone();
    }
    let each = |prior: &Value, config: &Value| proposed_new(&schema.block, prior, config);
    match schema.nesting {
        _ if config.is_null() && schema.nesting != BlockNesting::Group => Value::Null,
        BlockNesting::Single | BlockNesting::Group => each(prior, config),
        BlockNesting::List => list(prior, config, Some(schema), &each),
        BlockNesting::Map => map(prior, config, Some(schema), &each),
        BlockNesting::Set => set(Body::Block(&schema.block), prior, config, &each),
    }
}

/// How the prior and the configured value of one element become one.
type Merge<'a> = &'a dyn Fn(&Value, &Value) -> Value;

fn list(prior: &Value, config: &Value, schema: Option<&NestedBlock>, each: Merge<'_>) -> Value {
    let merged = elements(config).iter().enumerate().map(|(at, config)| match element(prior, at) {
        Some(prior) => each(prior, config),
        None => config.clone(),
    });
    with_elements(config, merged.collect(), schema)
}

fn map(prior: &Value, config: &Value, schema: Option<&NestedBlock>, each: Merge<'_>) -> Value {
    let merged = entries(config).into_iter().map(|(key, config)| {
        let prior = entry(prior, key).unwrap_or(&Value::Null);
        (key.clone(), each(prior, config))
    });
    with_entries(config, merged.collect(), schema)
}

fn set(schema: Body<'_>, prior: &Value, config: &Value, each: Merge<'_>) -> Value {
    let mut correlation = Correlation::new(schema, prior);
    let config: Vec<&Value> = match config.peel() {
        Value::Set(set) => set.sorted(),
        _ => Vec::new(),
    };
    let merged = config.into_iter().map(|config| each(correlation.take(config), config));
    Value::Set(Set::new(merged.collect()))
}

/// A list like `like` with other elements. Blocks that differ in type are a dynamic tuple, whose type follows.
fn with_elements(like: &Value, elements: Vec<Value>, schema: Option<&NestedBlock>) -> Value {
    match (like, schema) {
        (Value::Dynamic(_), Some(schema)) => schema.dynamic_value(Value::Tuple(elements)),
        (Value::Tuple(_), _) => Value::Tuple(elements),
        (Value::Set(_), _) => Value::Set(Set::new(elements)),
        _ => Value::List(elements),
    }
}

/// A map like `like` with other elements. Blocks that differ in type are a dynamic object, whose type follows.
fn with_entries(
    like: &Value,
    entries: Vec<(std::sync::Arc<str>, Value)>,
    schema: Option<&NestedBlock>,
) -> Value {
    match (like, schema) {
        (Value::Dynamic(_), Some(schema)) => schema.dynamic_value(Value::object(entries)),
        (Value::Object(_), _) => Value::object(entries),
        _ => Value::map(entries),
    }
}
