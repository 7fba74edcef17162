//! A plan in the making: every attribute beside the configuration and the prior value that belong to it.
//!
//! Which element of a collection belongs to which is decided here, once and before anything is changed: lists by
//! index, maps by key, sets by value. Every later step walks this tree and needs no lookups.

use crate::path::Step;
use crate::plan::PlanInput;
use crate::plan::correlate::correlate;
use crate::plan::propose::propose;
use crate::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, Nesting};
use crate::value::{Dynamic, Entries, Set, Value};

/// Stands for what is not there.
static NULL: Value = Value::Null;

/// The attributes and nested blocks of one object.
pub(super) struct Body<'a> {
    pub(super) nodes: Vec<Node<'a>>,
}

/// One attribute or nested block.
pub(super) struct Node<'a> {
    pub(super) rule: Rule<'a>,
    /// The configured value.
    pub(super) config: &'a Value,
    /// The prior value; `None` when the object that holds it did not exist.
    pub(super) prior: Option<&'a Value>,
    pub(super) content: Content<'a>,
}

/// What a node is by the schema.
#[derive(Clone, Copy)]
pub(super) enum Rule<'a> {
    Attribute(&'a Attribute),
    Block(&'a NestedBlock),
}

impl<'a> Rule<'a> {
    pub(super) fn step(self) -> Step {
        Step::Attribute(match self {
            Self::Attribute(attribute) => attribute.name.clone(),
            Self::Block(block) => block.name.clone(),
        })
    }

    /// The schema of the objects within, if there are any.
    fn inner(self) -> Option<Inner<'a>> {
        match self {
            Self::Attribute(attribute) => match &attribute.ty {
                AttributeType::Plain(_) => None,
                AttributeType::Nested(object) => {
                    let nesting = match object.nesting {
                        Nesting::Single => Kind::Single,
                        Nesting::List => Kind::List,
                        Nesting::Set => Kind::Set,
                        Nesting::Map => Kind::Map,
                    };
                    Some(Inner { kind: nesting, attributes: &object.attributes, blocks: &[] })
                }
            },
            Self::Block(block) => {
                let kind = match block.nesting {
                    BlockNesting::Single | BlockNesting::Group => Kind::Single,
                    BlockNesting::List => Kind::List,
                    BlockNesting::Set => Kind::Set,
                    BlockNesting::Map => Kind::Map,
                };
                Some(Inner { kind, attributes: &block.block.attributes, blocks: &block.block.blocks })
            }
        }
    }
}

/// The schema of nested objects.
#[derive(Clone, Copy)]
pub(super) struct Inner<'a> {
    kind: Kind,
    pub(super) attributes: &'a [Attribute],
    pub(super) blocks: &'a [NestedBlock],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Single,
    List,
    Set,
    Map,
}

/// The planned value of a node, taken apart as far as configured objects go.
pub(super) enum Content<'a> {
    /// A value that no later step looks into.
    Leaf(Value),
    /// A single object.
    Object(Body<'a>),
    /// A collection of objects.
    Elements(Shape, Vec<Element<'a>>),
}

/// How elements become a value again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    List,
    Set,
    Map,
    /// A list or map whose elements differ in type, see `NestedBlock::ty`.
    Dynamic,
}

/// One element of a collection.
pub(super) struct Element<'a> {
    pub(super) step: Step,
    pub(super) content: ElementContent<'a>,
}

/// A configured object, or a null or unknown in its place.
pub(super) enum ElementContent<'a> {
    Body(Body<'a>),
    Leaf(Value),
}

/// Aligns a whole resource.
pub(super) fn body<'a>(input: PlanInput<'a>) -> Body<'a> {
    let Block { attributes, blocks, .. } = input.block;
    let inner = Inner { kind: Kind::Single, attributes, blocks };
    let prior = (!input.prior.is_null()).then_some(input.prior);
    object(inner, input.config, prior, input.proposed)
}

fn object<'a>(inner: Inner<'a>, config: &'a Value, prior: Option<&'a Value>, planned: &Value) -> Body<'a> {
    let attributes = inner.attributes.iter().map(Rule::Attribute);
    let rules = attributes.chain(inner.blocks.iter().map(Rule::Block));
    let nodes = rules.map(|rule| {
        let Step::Attribute(name) = rule.step() else { unreachable!("rules step into attributes") };
        let prior = prior.map(|prior| member(prior, &name));
        node(rule, member(config, &name), prior, member(planned, &name))
    });
    Body { nodes: nodes.collect() }
}

fn node<'a>(rule: Rule<'a>, config: &'a Value, prior: Option<&'a Value>, planned: &Value) -> Node<'a> {
    let content = rule
        .inner()
        .and_then(|inner| nested(inner, config, prior, planned))
        .unwrap_or_else(|| Content::Leaf(planned.clone()));
    Node { rule, config, prior, content }
}

/// Takes a nested value apart; `None` when the configuration has no objects there to plan.
fn nested<'a>(
    inner: Inner<'a>,
    config: &'a Value,
    prior: Option<&'a Value>,
    planned: &Value,
) -> Option<Content<'a>> {
    // An object that is null in the prior state did not exist, which is not the same as having null attributes.
    let prior = prior.map(undynamic).filter(|prior| !prior.is_null());
    let shape = if matches!(config, Value::Dynamic(_)) { Some(Shape::Dynamic) } else { None };
    let (config, planned) = (undynamic(config), undynamic(planned));
    match inner.kind {
        Kind::Single => match (config, planned) {
            (Value::Object(_), Value::Object(_)) => {
                Some(Content::Object(object(inner, config, prior, planned)))
            }
            _ => None,
        },
        Kind::List => {
            let (configured, proposed) = (sequence(config)?, sequence(planned)?);
            let before = prior.and_then(sequence).unwrap_or_default();
            let elements = configured.iter().enumerate().map(|(at, config)| {
                let planned = proposed.get(at).unwrap_or(config);
                element(inner, Step::Index(at), config, before.get(at), planned)
            });
            Some(Content::Elements(shape.unwrap_or(Shape::List), elements.collect()))
        }
        Kind::Map => {
            let (configured, proposed) = (keyed(config)?, keyed(planned)?);
            let before = prior.and_then(keyed);
            let elements = configured.iter().map(|(key, config)| {
                let prior = before.and_then(|before| before.get(key));
                let planned = proposed.get(key).unwrap_or(config);
                element(inner, Step::Key(key.to_string().into()), config, prior, planned)
            });
            Some(Content::Elements(shape.unwrap_or(Shape::Map), elements.collect()))
        }
        Kind::Set => {
            let Value::Set(configured) = config else { return None };
            let before = match prior {
                Some(Value::Set(before)) => Some(before),
                _ => None,
            };
            // Core's proposal has lost which element came from which configured one; it is made anew from both.
            let elements = correlate(inner.attributes, inner.blocks, configured, before).into_iter();
            let elements = elements.map(|(config, prior)| {
                let planned = propose(inner.attributes, inner.blocks, config, prior);
                element(inner, Step::Element, config, prior, &planned)
            });
            Some(Content::Elements(Shape::Set, elements.collect()))
        }
    }
}

fn element<'a>(
    inner: Inner<'a>,
    step: Step,
    config: &'a Value,
    prior: Option<&'a Value>,
    planned: &Value,
) -> Element<'a> {
    let content = match (config, planned) {
        (Value::Object(_), Value::Object(_)) => {
            let prior = prior.filter(|prior| !prior.is_null());
            ElementContent::Body(object(inner, config, prior, planned))
        }
        _ => ElementContent::Leaf(planned.clone()),
    };
    Element { step, content }
}

impl Body<'_> {
    /// The value as planned so far.
    pub(super) fn to_value(&self) -> Value {
        let entries = self.nodes.iter().map(|node| (node.rule.name(), node.to_value()));
        Value::Object(Entries::from_iter(entries))
    }

    pub(super) fn into_value(self) -> Value {
        let entries = self.nodes.into_iter().map(|node| (node.rule.name(), node.into_value()));
        Value::Object(Entries::from_iter(entries))
    }
}

impl Node<'_> {
    pub(super) fn to_value(&self) -> Value {
        match &self.content {
            Content::Leaf(value) => value.clone(),
            Content::Object(body) => body.to_value(),
            Content::Elements(shape, elements) => {
                let values = elements.iter().map(|element| {
                    let value = match &element.content {
                        ElementContent::Body(body) => body.to_value(),
                        ElementContent::Leaf(value) => value.clone(),
                    };
                    (element.step.clone(), value)
                });
                self.rule.collect(*shape, values)
            }
        }
    }

    fn into_value(self) -> Value {
        match self.content {
            Content::Leaf(value) => value,
            Content::Object(body) => body.into_value(),
            Content::Elements(shape, elements) => {
                let values = elements.into_iter().map(|element| {
                    let value = match element.content {
                        ElementContent::Body(body) => body.into_value(),
                        ElementContent::Leaf(value) => value,
                    };
                    (element.step, value)
                });
                self.rule.collect(shape, values)
            }
        }
    }
}

impl<'a> Rule<'a> {
    fn name(self) -> &'a str {
        match self {
            Self::Attribute(attribute) => &attribute.name,
            Self::Block(block) => &block.name,
        }
    }

    fn collect(self, shape: Shape, elements: impl Iterator<Item = (Step, Value)>) -> Value {
        let key = |step| match step {
            Step::Key(key) => key,
            _ => unreachable!("the elements of maps have keys"),
        };
        match (shape, self) {
            (Shape::List, _) => Value::List(elements.map(|(_, value)| value).collect()),
            (Shape::Set, _) => Value::Set(Set::from_iter(elements.map(|(_, value)| value))),
            (Shape::Map, _) => {
                Value::Map(Entries::from_iter(elements.map(|(step, value)| (key(step), value))))
            }
            (Shape::Dynamic, Self::Block(block)) if block.nesting == BlockNesting::Map => {
                let entries = elements.map(|(step, value)| (key(step), value));
                block.dynamic_value(Value::Object(Entries::from_iter(entries)))
            }
            (Shape::Dynamic, Self::Block(block)) => {
                block.dynamic_value(Value::Tuple(elements.map(|(_, value)| value).collect()))
            }
            (Shape::Dynamic, Self::Attribute(_)) => {
                unreachable!("only blocks are kept in collections of differing types")
            }
        }
    }
}

/// The member of an object, null when it is not there.
fn member<'a>(object: &'a Value, name: &str) -> &'a Value {
    object.as_entries().and_then(|entries| entries.get(name)).unwrap_or(&NULL)
}

fn undynamic(value: &Value) -> &Value {
    match value {
        Value::Dynamic(dynamic) => {
            let Dynamic { value, .. } = &**dynamic;
            value
        }
        other => other,
    }
}

fn sequence(value: &Value) -> Option<&[Value]> {
    match value {
        Value::List(elements) | Value::Tuple(elements) => Some(elements),
        _ => None,
    }
}

fn keyed(value: &Value) -> Option<&Entries> {
    match value {
        Value::Map(entries) | Value::Object(entries) => Some(entries),
        _ => None,
    }
}
