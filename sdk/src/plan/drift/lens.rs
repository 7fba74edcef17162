//! By what rules a place in a value is compared.

use crate::schema::{
    Attribute, AttributeType, Block, BlockNesting, Equivalence, EquivalenceRule, InnerEquivalence,
    NestedBlock, Nesting,
};

static EXACT: Equivalence = Equivalence::exact();

/// The rules of one place: of a value of an attribute or block, or of a part of one.
#[derive(Clone, Copy)]
pub(in crate::plan) struct Lens<'a> {
    pub(super) equivalence: &'a Equivalence,
    pub(super) objects: Option<Objects<'a>>,
}

/// The schema of the objects in a value.
#[derive(Clone, Copy)]
pub(super) struct Objects<'a> {
    pub(super) attributes: &'a [Attribute],
    pub(super) blocks: &'a [NestedBlock],
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The value is such an object.
    Here,
    /// The elements of the value are.
    Within,
}

impl<'a> Lens<'a> {
    /// Equality, but for digits that floats lack.
    pub(in crate::plan) const EXACT: Lens<'static> = Lens { equivalence: &EXACT, objects: None };

    /// An object with these attributes and blocks.
    pub(in crate::plan) fn body(attributes: &'a [Attribute], blocks: &'a [NestedBlock]) -> Self {
        let objects = Objects { attributes, blocks, place: Place::Here };
        Self { equivalence: &EXACT, objects: Some(objects) }
    }

    pub(super) fn root(block: &'a Block) -> Self {
        Self::body(&block.attributes, &block.blocks)
    }

    pub(in crate::plan) fn attribute(attribute: &'a Attribute) -> Self {
        let objects = match &attribute.ty {
            AttributeType::Plain(_) => None,
            AttributeType::Nested(object) => {
                let place = if object.nesting == Nesting::Single { Place::Here } else { Place::Within };
                Some(Objects { attributes: &object.attributes, blocks: &[], place })
            }
        };
        Self { equivalence: &attribute.equivalence, objects }
    }

    pub(super) fn block(nested: &'a NestedBlock) -> Self {
        let place = match nested.nesting {
            BlockNesting::Single | BlockNesting::Group => Place::Here,
            BlockNesting::List | BlockNesting::Set | BlockNesting::Map => Place::Within,
        };
        let Block { attributes, blocks, .. } = &nested.block;
        Self { equivalence: &EXACT, objects: Some(Objects { attributes, blocks, place }) }
    }

    /// The schema of the value when it is an object of nested attributes or a block.
    pub(super) fn object(self) -> Option<Objects<'a>> {
        self.objects.filter(|objects| objects.place == Place::Here)
    }

    /// The rules of the element at that position of a list or tuple, or of any of a set or map.
    pub(super) fn element(self, at: usize) -> Self {
        if let Some(objects) = self.objects {
            let objects = Some(Objects { place: Place::Here, ..objects });
            return Self { equivalence: &EXACT, objects };
        }
        let equivalence = match &self.equivalence.inner {
            InnerEquivalence::Exact => &EXACT,
            InnerEquivalence::Elements(element) => element,
            InnerEquivalence::Members(members) => members.get(at).unwrap_or(&EXACT),
        };
        Self { equivalence, objects: None }
    }

    /// Whether nothing at or below this place has another rule than equality.
    pub(in crate::plan) fn is_exact(self) -> bool {
        self.equivalence.is_exact()
            && self.objects.is_none_or(|objects| {
                let attribute =
                    |attribute: &Attribute| !attribute.unverified && Lens::attribute(attribute).is_exact();
                objects.attributes.iter().all(attribute)
                    && objects.blocks.iter().all(|block| Lens::block(block).is_exact())
            })
    }

    /// Whether normal forms do not say all: values with one normal form may still differ.
    pub(super) fn is_loose(self) -> bool {
        let loose = match &self.equivalence.rule {
            EquivalenceRule::Relation(_) | EquivalenceRule::Foreign(_) => true,
            EquivalenceRule::Parts | EquivalenceRule::Normal(_) | EquivalenceRule::Unordered => false,
        };
        let inner = match &self.equivalence.inner {
            InnerEquivalence::Exact => false,
            InnerEquivalence::Elements(element) => Lens { equivalence: element, objects: None }.is_loose(),
            InnerEquivalence::Members(members) => {
                members.iter().any(|member| Lens { equivalence: member, objects: None }.is_loose())
            }
        };
        loose
            || inner
            || self.objects.is_some_and(|objects| {
                objects.attributes.iter().any(|attribute| Lens::attribute(attribute).is_loose())
                    || objects.blocks.iter().any(|block| Lens::block(block).is_loose())
            })
    }

    /// The attributes that tell objects at this place apart.
    pub(super) fn keys(self) -> impl Iterator<Item = &'a Attribute> {
        let attributes = self.object().map_or(&[][..], |objects| objects.attributes);
        attributes.iter().filter(|attribute| attribute.key)
    }
}
