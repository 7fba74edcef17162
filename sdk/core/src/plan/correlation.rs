//! A plan in the making: every attribute beside the configuration and the prior value that belong to it.
//!
//! Which element of a collection belongs to which is decided here, once and before anything is changed: lists by
//! index, maps by key, sets by value. Every later step walks this tree and needs no lookups.

use crate::path::{Path, Step};
use crate::plan::PlanInput;
use crate::plan::proposed_new::propose;
use crate::plan::set_correlation::{correlate, planned_elements};
use crate::schema::walk::{self, Member, NULL};
use crate::schema::{Attribute, NestedBlock, Nesting};
use crate::ty::Type;
use crate::value::{Dynamic, Entries, KeyCursor, Value};

/// The attributes and nested blocks of one object.
pub(super) struct Body<'a> {
    /// The configured object.
    pub(super) config: &'a Value,
    pub(super) nodes: Vec<Node<'a>>,
}

/// One attribute or nested block.
pub(super) struct Node<'a> {
    pub(super) rule: Member<'a>,
    /// Where its value is in the configured object, and so in others of the same type.
    at: usize,
    /// The configured value.
    pub(super) config: &'a Value,
    /// The prior value; `None` when the object that holds it did not exist.
    pub(super) prior: Option<&'a Value>,
    pub(super) content: Content<'a>,
}

/// The schema of nested objects.
#[derive(Clone, Copy)]
pub(super) struct Inner<'a> {
    nesting: Nesting,
    body: walk::Body<'a>,
    /// The block that makes a value again of objects that differ in type; attributes never hold any.
    dynamic: Option<&'a NestedBlock>,
    sets: Sets,
}

impl<'a> Inner<'a> {
    /// The schema of the objects within, if there are any.
    fn of(member: Member<'a>, sets: Sets) -> Option<Self> {
        let dynamic = match member {
            Member::Attribute(_) => None,
            Member::Block(block) => Some(block),
        };
        member.nested().map(|(nesting, body)| Self { nesting, body, dynamic, sets })
    }
}

/// Where the planned elements of sets come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sets {
    /// Each is proposed anew: core's proposal has lost which element came from which configured one.
    Proposed,
    /// Each is found in a plan that is complete.
    Planned,
}

/// The planned value of a node, taken apart as far as configured objects go.
pub(super) enum Content<'a> {
    /// A value that no later step looks into.
    Leaf(Value),
    /// A single object.
    Object(Body<'a>),
    /// A collection of objects.
    Elements(Shape<'a>, Vec<Element<'a>>),
}

/// How elements become a value again.
#[derive(Clone, Copy)]
pub(super) enum Shape<'a> {
    List,
    Set,
    Map,
    /// A list whose elements differ in type, see `NestedBlock::ty`, and as what it is configured.
    Tuple(&'a NestedBlock, &'a Dynamic),
    /// A map whose elements differ in type.
    Labelled(&'a NestedBlock, &'a Dynamic),
}

/// One element of a collection.
pub(super) struct Element<'a> {
    step: Step,
    /// A configured object, or a null or unknown in its place.
    content: Content<'a>,
}

/// Aligns a whole resource: to be planned, or with a plan that is complete, which is given as the proposal.
pub(super) fn body<'a>(input: PlanInput<'a>, sets: Sets) -> Body<'a> {
    let inner = Inner { nesting: Nesting::Single, body: input.block.into(), dynamic: None, sets };
    let prior = (!input.prior.is_null()).then_some(input.prior);
    object(inner, input.config, prior, input.proposed)
}

fn object<'a>(inner: Inner<'a>, config: &'a Value, prior: Option<&'a Value>, planned: &Value) -> Body<'a> {
    let (configured, proposed) = (config.as_entries(), planned.as_entries());
    let before = prior.map(Value::as_entries);
    let mut cursor = KeyCursor::default();
    let nodes = inner.body.members().map(|rule| {
        let name = rule.name();
        // The three objects have the same attributes, so each stands at one place in all of them. An object is sorted
        // by name, as a schema often is.
        let at = configured.and_then(|entries| cursor.position(entries, name)).unwrap_or(usize::MAX);
        let prior = before.map(|before| member(before, at, name));
        let inner = Inner::of(rule, inner.sets);
        node((rule, at, inner), member(configured, at, name), prior, member(proposed, at, name))
    });
    Body { config, nodes: nodes.collect() }
}

fn node<'a>(
    (rule, at, inner): (Member<'a>, usize, Option<Inner<'a>>),
    config: &'a Value,
    prior: Option<&'a Value>,
    planned: &Value,
) -> Node<'a> {
    let content = inner
        .and_then(|inner| nested(inner, config, prior, planned))
        .unwrap_or_else(|| Content::Leaf(planned.clone()));
    Node { rule, at, config, prior, content }
}

/// Takes a nested value apart; `None` when the configuration has no objects there to plan.
fn nested<'a>(
    inner: Inner<'a>,
    config: &'a Value,
    prior: Option<&'a Value>,
    planned: &Value,
) -> Option<Content<'a>> {
    // An object that is null in the prior state did not exist, which is not the same as having null attributes.
    let prior = prior.map(Value::peel).filter(|prior| !prior.is_null());
    let shape = match (inner.nesting, config, inner.dynamic) {
        (Nesting::List, Value::Dynamic(own), Some(block)) => Shape::Tuple(block, own),
        (Nesting::Map, Value::Dynamic(own), Some(block)) => Shape::Labelled(block, own),
        (_, Value::Dynamic(_), _) => return None,
        (Nesting::Single, Value::Object(_), _) => {
            let planned = matches!(planned, Value::Object(_)).then_some(planned)?;
            return Some(Content::Object(object(inner, config, prior, planned)));
        }
        (Nesting::Single, _, _) => return None,
        (Nesting::List, _, _) => Shape::List,
        (Nesting::Set, _, _) => Shape::Set,
        (Nesting::Map, _, _) => Shape::Map,
    };
    let (config, planned) = (config.peel(), planned.peel());
    let elements = match shape {
        Shape::List | Shape::Tuple(..) => {
            let (configured, proposed) = (config.elements()?, planned.elements()?);
            let before = prior.and_then(Value::elements).unwrap_or_default();
            let elements = configured.iter().enumerate().map(|(at, config)| {
                let planned = proposed.get(at).unwrap_or(config);
                element(inner, Step::Index(at), config, before.get(at), planned)
            });
            elements.collect()
        }
        Shape::Map | Shape::Labelled(..) => {
            let (configured, proposed) = (config.as_entries()?, planned.as_entries()?);
            let before = prior.and_then(Value::as_entries);
            let elements = configured.iter().map(|(key, config)| {
                let prior = before.and_then(|before| before.get(key));
                let planned = proposed.get(key).unwrap_or(config);
                element(inner, Step::Key(key.to_string().into()), config, prior, planned)
            });
            elements.collect()
        }
        Shape::Set => {
            let Value::Set(configured) = config else { return None };
            let before = match prior {
                Some(Value::Set(before)) => Some(before),
                _ => None,
            };
            let pairs = correlate(inner.body, configured, before);
            match (inner.sets, planned) {
                (Sets::Proposed, _) => {
                    let elements = pairs.into_iter().map(|pair| {
                        let planned = propose(inner.body, pair);
                        element(inner, Step::Element, pair.config, pair.prior, &planned)
                    });
                    elements.collect()
                }
                (Sets::Planned, Value::Set(planned)) => {
                    let planned = planned_elements(inner.body, configured, planned)?;
                    let elements = pairs.into_iter().zip(planned).map(|(pair, planned)| {
                        element(inner, Step::Element, pair.config, pair.prior, planned)
                    });
                    elements.collect()
                }
                (Sets::Planned, _) => return None,
            }
        }
    };
    Some(Content::Elements(shape, elements))
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
            Content::Object(object(inner, config, prior, planned))
        }
        // Core proposes an object of unknown attributes for it, which is neither the configured value nor the prior one.
        (Value::Unknown(_), _) if inner.sets == Sets::Proposed => Content::Leaf(config.clone()),
        _ => Content::Leaf(planned.clone()),
    };
    Element { step, content }
}

impl Body<'_> {
    /// Whether this is planned so far.
    pub(super) fn is(&self, value: &Value) -> bool {
        let Value::Object(members) = value else { return false };
        let is = |node: &Node<'_>| {
            let value = members.get_near(node.at, node.rule.name());
            value.is_some_and(|value| node.is(value))
        };
        members.len() == self.nodes.len() && self.nodes.iter().all(is)
    }

    /// The value as planned so far.
    fn to_value(&self) -> Value {
        object_like(self.config, self.nodes.iter().map(|node| (node.rule, node.at, node.to_value())))
    }

    pub(super) fn into_value(self) -> Value {
        object_like(self.config, self.nodes.into_iter().map(|it| (it.rule, it.at, it.content.into_value())))
    }
}

/// An object of these members, which shares their names with the configured one.
fn object_like<'a>(config: &Value, members: impl Iterator<Item = (Member<'a>, usize, Value)>) -> Value {
    let mut entries = config.as_entries().map(Entries::nulls).unwrap_or_default();
    for (rule, at, value) in members {
        match entries.get_near_mut(at, rule.name()) {
            Some(place) => *place = value,
            None => drop(entries.insert(rule.name(), value)),
        }
    }
    Value::Object(entries)
}

impl Node<'_> {
    /// Whether this is planned so far.
    pub(super) fn is(&self, value: &Value) -> bool {
        match &self.content {
            Content::Leaf(planned) => planned == value,
            Content::Object(body) => body.is(value),
            Content::Elements(..) => self.to_value() == *value,
        }
    }

    pub(super) fn to_value(&self) -> Value {
        self.content.to_value()
    }

    /// Takes another planned value, which is taken apart again. What it holds was planned before, sets included.
    pub(super) fn replan(&mut self, planned: Value) {
        let inner = Inner::of(self.rule, Sets::Planned);
        let content = inner.and_then(|inner| nested(inner, self.config, self.prior, &planned));
        self.content = content.unwrap_or(Content::Leaf(planned));
    }
}

impl<'a> Content<'a> {
    fn to_value(&self) -> Value {
        match self {
            Self::Leaf(value) => value.clone(),
            Self::Object(body) => body.to_value(),
            Self::Elements(shape, elements) => {
                shape.collect(elements.iter().map(|it| (it.step.clone(), it.content.to_value())))
            }
        }
    }

    fn into_value(self) -> Value {
        match self {
            Self::Leaf(value) => value,
            Self::Object(body) => body.into_value(),
            Self::Elements(shape, elements) => {
                shape.collect(elements.into_iter().map(|it| (it.step, it.content.into_value())))
            }
        }
    }

    /// The configured objects in the value.
    pub(super) fn bodies(&mut self) -> impl Iterator<Item = &mut Body<'a>> {
        let (own, elements) = match self {
            Self::Leaf(_) => (None, <&mut [Element<'a>]>::default()),
            Self::Object(body) => (Some(body), <&mut [Element<'a>]>::default()),
            Self::Elements(_, elements) => (None, elements.as_mut_slice()),
        };
        own.into_iter().chain(elements.iter_mut().filter_map(|element| match &mut element.content {
            Self::Object(body) => Some(body),
            Self::Leaf(_) | Self::Elements(..) => None,
        }))
    }

    /// Visits the configured objects in the value at a path, each with its own.
    pub(super) fn each_body(&mut self, path: &mut Path, visit: &mut dyn FnMut(&mut Body<'a>, &mut Path)) {
        match self {
            Self::Leaf(_) => {}
            Self::Object(body) => visit(body, path),
            Self::Elements(_, elements) => {
                for Element { step, content } in elements {
                    path.within(Some(step.clone()), |path| content.each_body(path, visit));
                }
            }
        }
    }
}

impl Shape<'_> {
    fn collect(self, elements: impl Iterator<Item = (Step, Value)>) -> Value {
        match self {
            Self::List => Value::List(values(elements).collect()),
            Self::Set => Value::Set(values(elements).collect()),
            Self::Map => Value::Map(entries(elements)),
            Self::Tuple(block, own) => block
                .dynamic_value(Value::Tuple(values(with_configured_types(block, own, elements)).collect())),
            Self::Labelled(block, own) => {
                block.dynamic_value(Value::Object(entries(with_configured_types(block, own, elements))))
            }
        }
    }
}

/// The elements with the configured types of the dynamic attributes that are planned as configured: an unknown or a null
/// does not tell its own.
fn with_configured_types<'a>(
    block: &'a NestedBlock,
    configured: &'a Dynamic,
    elements: impl Iterator<Item = (Step, Value)>,
) -> impl Iterator<Item = (Step, Value)> {
    elements.map(move |(step, mut element)| {
        let (ty, config) = match (&step, &configured.ty, &configured.value) {
            (Step::Index(at), Type::Tuple(types), Value::Tuple(values)) => (types.get(*at), values.get(*at)),
            (Step::Key(key), Type::Object(object), Value::Object(values)) => {
                (object.attribute(key), values.get(key))
            }
            _ => (None, None),
        };
        if let (Some(Type::Object(ty)), Some(Value::Object(config)), Value::Object(members)) =
            (ty, config, &mut element)
        {
            let dynamic = |attribute: &&Attribute| attribute.ty.ty() == Type::Dynamic;
            for Attribute { name, .. } in block.block.attributes.iter().filter(dynamic) {
                if let (Some(place), Some(ty)) = (members.get_mut(name), ty.attribute(name))
                    && !matches!(place, Value::Dynamic(_))
                    && config.get(name) == Some(&*place)
                {
                    *place = Value::dynamic(ty.clone(), std::mem::replace(place, Value::Null));
                }
            }
        }
        (step, element)
    })
}

fn values(elements: impl Iterator<Item = (Step, Value)>) -> impl Iterator<Item = Value> {
    elements.map(|(_, value)| value)
}

/// The elements of a map, which are all stepped into by their keys.
fn entries(elements: impl Iterator<Item = (Step, Value)>) -> Entries {
    let keyed = elements.filter_map(|(step, value)| match step {
        Step::Key(key) => Some((key, value)),
        Step::Attribute(_) | Step::Index(_) | Step::Element => None,
    });
    Entries::from_iter(keyed)
}

/// The member of an object, which is likely to be at that place; null when it is not there.
pub(super) fn member<'a>(object: Option<&'a Entries>, at: usize, name: &str) -> &'a Value {
    object.and_then(|entries| entries.get_near(at, name)).unwrap_or(&NULL)
}
