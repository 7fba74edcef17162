//! Ways into schemas, and into values along them, in which null and unknown objects have members too. The SDK has a walk
//! of its own; these are written anew, so that a mistake in it does not hide from the rules.

use std::sync::Arc;

use ferroform::path::{Path, Step};
use ferroform::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, NestedObject, Nesting};
use ferroform::value::Value;

/// The value of a missing member or element.
pub(super) static NULL: Value = Value::Null;

/// What holds members: a block, or an object of nested attributes.
#[derive(Clone, Copy)]
pub(super) enum Body<'a> {
    Block(&'a Block),
    Object(&'a NestedObject),
}

impl<'a> Body<'a> {
    pub(super) fn members(self) -> impl Iterator<Item = Member<'a>> {
        let (attributes, blocks): (_, &[_]) = match self {
            Self::Block(block) => (&block.attributes, &block.blocks),
            Self::Object(object) => (&object.attributes, &[]),
        };
        attributes.iter().map(Member::Attribute).chain(blocks.iter().map(Member::Block))
    }
}

#[derive(Clone, Copy)]
pub(super) enum Member<'a> {
    Attribute(&'a Attribute),
    Block(&'a NestedBlock),
}

impl<'a> Member<'a> {
    pub(super) fn name(self) -> &'a str {
        match self {
            Self::Attribute(attribute) => &attribute.name,
            Self::Block(block) => &block.name,
        }
    }

    pub(super) fn is_write_only(self) -> bool {
        matches!(self, Self::Attribute(attribute) if attribute.write_only)
    }

    /// What its objects hold, and how it keeps them; `None` for an attribute without nested ones.
    pub(super) fn nested(self) -> Option<(Nesting, Body<'a>)> {
        match self {
            Self::Attribute(attribute) => match &attribute.ty {
                AttributeType::Plain(_) => None,
                AttributeType::Nested(object) => Some((object.nesting, Body::Object(object))),
            },
            Self::Block(nested) => {
                let nesting = match nested.nesting {
                    BlockNesting::Single | BlockNesting::Group => Nesting::Single,
                    BlockNesting::List => Nesting::List,
                    BlockNesting::Set => Nesting::Set,
                    BlockNesting::Map => Nesting::Map,
                };
                Some((nesting, Body::Block(&nested.block)))
            }
        }
    }
}

/// The objects of a nested attribute or block, and the steps to them; none of a collection that is null or unknown.
pub(super) fn objects(nesting: Nesting, value: &Value) -> Vec<(Option<Step>, &Value)> {
    match nesting {
        Nesting::Single => vec![(None, value)],
        Nesting::List => {
            let indexed = elements(value).iter().enumerate();
            indexed.map(|(at, element)| (Some(Step::Index(at)), element)).collect()
        }
        Nesting::Set => elements(value).iter().map(|element| (Some(Step::Element), element)).collect(),
        Nesting::Map => {
            let key = |key: &str| Step::Key(key.to_owned().into());
            entries(value).into_iter().map(|(name, element)| (Some(key(name)), element)).collect()
        }
    }
}

/// The attribute of an object: null if the object is null or has none of that name, unknown if it is unknown.
pub(super) fn member<'a>(object: &'a Value, name: &str) -> &'a Value {
    match object.peel() {
        Value::Object(entries) => entries.get(name).unwrap_or(&NULL),
        unknown @ Value::Unknown(_) => unknown,
        _ => &NULL,
    }
}

/// The element of a list or tuple; `None` if there is none. An unknown list has any element, and it is unknown.
pub(super) fn element(list: &Value, at: usize) -> Option<&Value> {
    match list.peel() {
        Value::List(elements) | Value::Tuple(elements) => elements.get(at),
        unknown @ Value::Unknown(_) => Some(unknown),
        _ => None,
    }
}

/// The element of a map, or of an object that stands for one; `None` if there is none. An unknown map has any
/// element, and it is unknown.
pub(super) fn entry<'a>(map: &'a Value, key: &str) -> Option<&'a Value> {
    match map.peel() {
        Value::Map(entries) | Value::Object(entries) => entries.get(key),
        unknown @ Value::Unknown(_) => Some(unknown),
        _ => None,
    }
}

/// The elements of a list, set or tuple; none if it is null or unknown.
pub(super) fn elements(list: &Value) -> &[Value] {
    list.elements().unwrap_or_default()
}

/// The elements of a map with their keys; none if it is null or unknown.
pub(super) fn entries(map: &Value) -> Vec<(&Arc<str>, &Value)> {
    map.as_entries().map(|entries| entries.iter().collect()).unwrap_or_default()
}

/// The path of an attribute or block.
pub(super) fn to_member(path: &Path, name: &str) -> Path {
    path.clone().step(Step::Attribute(name.to_owned().into()))
}

/// The path of a map element.
pub(super) fn to_key(path: &Path, key: &str) -> Path {
    path.clone().step(Step::Key(key.to_owned().into()))
}
