//! By what rules a place in a value is compared.

use crate::schema::walk::{Body, Member};
use crate::schema::{Attribute, Equivalence, EquivalenceRule, InnerEquivalence, NestedBlock, Nesting};

static EXACT: Equivalence = Equivalence::exact();

/// The rules of one place: of a value of an attribute or block, or of a part of one.
#[derive(Clone, Copy)]
pub(in crate::plan) struct Lens<'a> {
    pub(super) equivalence: &'a Equivalence,
    objects: Option<Objects<'a>>,
}

/// The schema of the objects in a value.
#[derive(Clone, Copy)]
struct Objects<'a> {
    body: Body<'a>,
    /// Whether the value is such an object, and not its elements.
    is_here: bool,
}

impl<'a> Lens<'a> {
    /// Equality, but for digits that floats lack.
    pub(in crate::plan) const EXACT: Lens<'static> = Lens { equivalence: &EXACT, objects: None };

    /// An object with these attributes and blocks.
    pub(in crate::plan) fn body(body: Body<'a>) -> Self {
        Self { equivalence: &EXACT, objects: Some(Objects { body, is_here: true }) }
    }

    pub(in crate::plan) fn attribute(attribute: &'a Attribute) -> Self {
        Self::member(Member::Attribute(attribute))
    }

    pub(super) fn block(nested: &'a NestedBlock) -> Self {
        Self::member(Member::Block(nested))
    }

    pub(super) fn member(member: Member<'a>) -> Self {
        let equivalence = match member {
            Member::Attribute(attribute) => &attribute.equivalence,
            Member::Block(_) => &EXACT,
        };
        let objects = |(nesting, body)| Objects { body, is_here: nesting == Nesting::Single };
        Self { equivalence, objects: member.nested().map(objects) }
    }

    /// The schema of the value when it is an object of nested attributes or a block.
    pub(super) fn object(self) -> Option<Body<'a>> {
        self.objects.filter(|objects| objects.is_here).map(|objects| objects.body)
    }

    /// The rules of the element at that position of a list or tuple, or of any of a set or map.
    pub(super) fn element(self, at: usize) -> Self {
        if let Some(objects) = self.objects {
            let objects = Some(Objects { is_here: true, ..objects });
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
                objects.body.members().all(|member| match member {
                    Member::Attribute(attribute) if attribute.unverified => false,
                    member => Lens::member(member).is_exact(),
                })
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
            || self
                .objects
                .is_some_and(|objects| objects.body.members().any(|member| Lens::member(member).is_loose()))
    }

    /// The attributes that tell objects at this place apart.
    pub(super) fn keys(self) -> impl Iterator<Item = &'a Attribute> {
        let attributes = self.object().map_or(&[][..], |body| body.attributes);
        attributes.iter().filter(|attribute| attribute.key)
    }
}
