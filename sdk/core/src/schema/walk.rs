//! The places of a schema and of the values that fit it: what holds attributes and blocks, and where in a value the
//! objects of one are.
//!
//! A pass over values handles the members of a [`Body`] and leaves the way into nested objects to [`objects`] and
//! [`objects_mut`], so that every pass visits the same places, whatever the nesting and whether the value is dynamic.

use crate::path::Step;
use crate::schema::{
    Attribute, AttributeType, Block, BlockNesting, NestedBlock, NestedObject, Nesting, Text, Validator,
};
use crate::value::{Entries, Value};

/// Stands for what is not there.
pub static NULL: Value = Value::Null;

/// What an object may hold: that of a block, or of nested attributes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Body<'a> {
    pub attributes: &'a [Attribute],
    pub blocks: &'a [NestedBlock],
    /// Checks of the object as a whole.
    pub validators: &'a [Validator],
}

impl<'a> From<&'a Block> for Body<'a> {
    fn from(Block { attributes, blocks, validators, .. }: &'a Block) -> Self {
        Self { attributes, blocks, validators }
    }
}

impl<'a> From<&'a NestedObject> for Body<'a> {
    fn from(NestedObject { attributes, validators, .. }: &'a NestedObject) -> Self {
        Self { attributes, blocks: &[], validators }
    }
}

impl<'a> Body<'a> {
    /// The attributes, then the blocks.
    pub fn members(self) -> impl Iterator<Item = Member<'a>> {
        self.attributes.iter().map(Member::Attribute).chain(self.blocks.iter().map(Member::Block))
    }

    pub fn member(self, name: &str) -> Option<Member<'a>> {
        self.members().find(|member| member.name() == name)
    }

    /// Whether the predicate holds for a member, at any depth.
    pub fn any(self, predicate: &dyn Fn(Member<'_>) -> bool) -> bool {
        self.members().any(|member| member.any(predicate))
    }
}

/// An attribute or a block of an object.
#[derive(Debug, Clone, Copy)]
pub enum Member<'a> {
    Attribute(&'a Attribute),
    Block(&'a NestedBlock),
}

impl<'a> Member<'a> {
    pub const fn name(self) -> &'a Text {
        match self {
            Self::Attribute(attribute) => &attribute.name,
            Self::Block(block) => &block.name,
        }
    }

    pub fn step(self) -> Step {
        Step::Attribute(self.name().clone())
    }

    /// How the objects in the value are kept, and what they hold; `None` for a plain attribute.
    pub fn nested(self) -> Option<(Nesting, Body<'a>)> {
        match self {
            Self::Attribute(Attribute { ty: AttributeType::Plain(_), .. }) => None,
            Self::Attribute(Attribute { ty: AttributeType::Nested(object), .. }) => {
                Some((object.nesting, object.into()))
            }
            Self::Block(block) => Some((block.nesting.into(), (&block.block).into())),
        }
    }

    /// Whether it is write-only, or an attribute in it is, at any depth.
    pub fn holds_write_only(self) -> bool {
        self.any(&|member| member.is_write_only())
    }

    /// Whether it is a write-only attribute itself.
    pub(crate) fn is_write_only(self) -> bool {
        matches!(self, Self::Attribute(attribute) if attribute.write_only)
    }

    /// Whether the predicate holds for it, or for a member in it, at any depth.
    pub fn any(self, predicate: &dyn Fn(Member<'_>) -> bool) -> bool {
        predicate(self) || self.nested().is_some_and(|(_, body)| body.any(predicate))
    }
}

/// Groups differ from single blocks in what stands for an absent one only.
impl From<BlockNesting> for Nesting {
    fn from(nesting: BlockNesting) -> Self {
        match nesting {
            BlockNesting::Single | BlockNesting::Group => Self::Single,
            BlockNesting::List => Self::List,
            BlockNesting::Set => Self::Set,
            BlockNesting::Map => Self::Map,
        }
    }
}

/// Visits the objects in a nested value, or what is null or unknown in place of one, each with the step to it from the
/// value; there is none to a single object. Blocks that differ in type are in a tuple, or in an object by label.
pub fn objects<'a>(value: &'a Value, visit: &mut dyn FnMut(Option<Step>, &'a Value)) {
    let mut keyed = |entries: &'a Entries| {
        for (key, value) in entries.iter() {
            visit(Some(Step::Key(key.to_string().into())), value);
        }
    };
    match (value, value.peel()) {
        (Value::Dynamic(_), Value::Object(entries)) | (_, Value::Map(entries)) => keyed(entries),
        (_, Value::List(elements) | Value::Tuple(elements)) => {
            for (index, value) in elements.iter().enumerate() {
                visit(Some(Step::Index(index)), value);
            }
        }
        (_, Value::Set(elements)) => elements.iter().for_each(|value| visit(Some(Step::Element), value)),
        (_, other) => visit(None, other),
    }
}

/// As [`objects`], to change them. Each comes with those at the same place in other values, by index or key; null where
/// there is none. No element of a set has a place in another.
pub fn objects_mut<'a, const N: usize>(
    value: &mut Value,
    others: [&'a Value; N],
    visit: &mut dyn FnMut(&mut Value, [&'a Value; N]),
) {
    let others = others.map(Value::peel);
    let (is_dynamic, value) = match value {
        Value::Dynamic(dynamic) => (true, &mut dynamic.value),
        other => (false, other),
    };
    match value {
        Value::Object(_) if !is_dynamic => visit(value, others),
        Value::Object(entries) | Value::Map(entries) => {
            for (key, value) in entries.iter_mut() {
                let at =
                    |other: &'a Value| other.as_entries().and_then(|other| other.get(key)).unwrap_or(&NULL);
                visit(value, others.map(at));
            }
        }
        Value::List(elements) | Value::Tuple(elements) => {
            for (index, value) in elements.iter_mut().enumerate() {
                let at =
                    |other: &'a Value| other.elements().and_then(|other| other.get(index)).unwrap_or(&NULL);
                visit(value, others.map(at));
            }
        }
        Value::Set(set) => {
            set.change(|elements| elements.iter_mut().for_each(|element| visit(element, [&NULL; N])));
        }
        other => visit(other, others),
    }
}

/// Sets every write-only attribute in an object to what another object has there, or to `absent` where that has nothing.
pub fn fill_write_only(body: Body<'_>, into: &mut Value, from: &Value, absent: &Value) {
    let Value::Object(into) = into else { return };
    for member in body.members().filter(|member| member.holds_write_only()) {
        let Some(place) = into.get_mut(member.name()) else { continue };
        let from = from.as_entries().and_then(|from| from.get(member.name()));
        match member.nested() {
            Some((_, body)) if !member.is_write_only() => {
                let fill =
                    &mut |place: &mut Value, [from]: [&Value; 1]| fill_write_only(body, place, from, absent);
                objects_mut(place, [from.unwrap_or(&NULL)], fill);
            }
            _ => *place = from.unwrap_or(absent).clone(),
        }
    }
}
