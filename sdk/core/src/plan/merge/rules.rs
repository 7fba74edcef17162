//! The equality rules of a value: of an attribute, a block, an element or a member.

use crate::schema::walk::{Body, Member};
use crate::schema::{Attribute, Equivalence, EquivalenceRule, InnerEquivalence, Nesting};

static EXACT: Equivalence = Equivalence::exact();

/// The equality rules of an attribute, of a block, or of a part of one.
#[derive(Clone, Copy)]
pub(in crate::plan) struct EqualityRules<'a> {
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

impl<'a> EqualityRules<'a> {
    /// Equality, but for digits that floats lack.
    pub(in crate::plan) const EXACT: EqualityRules<'static> =
        EqualityRules { equivalence: &EXACT, objects: None };

    /// An object with these attributes and blocks.
    pub(in crate::plan) fn body(body: Body<'a>) -> Self {
        Self { equivalence: &EXACT, objects: Some(Objects { body, is_here: true }) }
    }

    pub(in crate::plan) fn attribute(attribute: &'a Attribute) -> Self {
        Self::member(Member::Attribute(attribute))
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

    /// Whether the value and all its parts are compared by plain equality.
    pub(in crate::plan) fn is_exact(self) -> bool {
        self.equivalence.is_exact()
            && self.objects.is_none_or(|objects| {
                objects.body.members().all(|member| match member {
                    Member::Attribute(attribute) if attribute.unverified => false,
                    member => EqualityRules::member(member).is_exact(),
                })
            })
    }

    /// Whether values with the same normal form may still differ.
    pub(super) fn is_loose(self) -> bool {
        is_loose(self.equivalence)
            || self.objects.is_some_and(|objects| {
                objects.body.members().any(|member| EqualityRules::member(member).is_loose())
            })
    }

    /// The attributes that are the key of the objects.
    pub(super) fn keys(self) -> impl Iterator<Item = &'a Attribute> {
        let attributes = self.object().map_or(&[][..], |body| body.attributes);
        attributes.iter().filter(|attribute| attribute.key)
    }
}

fn is_loose(equivalence: &Equivalence) -> bool {
    match &equivalence.rule {
        EquivalenceRule::Relation(_) | EquivalenceRule::UnmanagedKeys(_) | EquivalenceRule::AddedKeys => {
            return true;
        }
        EquivalenceRule::Parts | EquivalenceRule::Normal(_) | EquivalenceRule::Unordered => {}
    }
    match &equivalence.inner {
        InnerEquivalence::Exact => false,
        InnerEquivalence::Elements(element) => is_loose(element),
        InnerEquivalence::Members(members) => members.iter().any(is_loose),
    }
}
