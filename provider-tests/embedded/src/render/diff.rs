//! What changes in a value: a tree that has the form of its schema.

use ferroform::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, NestedObject, Nesting};
use ferroform::ty::Type;
use serde_json::Value as Json;

use super::pair::Pair;
use super::sequence::{Step, common, keeps_elements, matched};
use crate::plan::Action;

/// A change of a value.
#[derive(Debug)]
pub(super) struct Diff {
    pub(super) action: Action,
    /// Whether it forces a replacement.
    pub(super) forces: bool,
    /// Whether there is nothing before and after.
    absent: bool,
    pub(super) shape: Shape,
}

/// What a value is made of.
#[derive(Debug)]
pub(super) enum Shape {
    /// A number, a bool, a text or null.
    Scalar { before: Json, after: Json },
    /// Not known yet; what was there before.
    Unknown { before: Option<Box<Diff>> },
    /// Not to be shown; how it was before and is after.
    Sensitive { before: bool, after: bool },
    /// Not to be stored.
    WriteOnly,
    /// Members whose names are written plainly.
    Object { members: Vec<(String, Diff)>, origin: Origin },
    /// Members whose names are keys.
    Map { members: Vec<(String, Diff)>, origin: Origin },
    /// Elements in order.
    List { elements: Vec<Diff>, origin: Origin },
    /// Elements without order.
    Set { elements: Vec<Diff> },
    /// Attributes and blocks.
    Body { attributes: Vec<(String, Diff)>, blocks: Vec<Group> },
    /// Another kind of value than before.
    Other { before: Box<Diff>, after: Box<Diff> },
}

/// Where the members of a value are described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// In a type.
    Type,
    /// In the schema of nested attributes.
    Schema,
}

/// The blocks of one name.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) name: String,
    /// The blocks, each with its label if it is one of a map.
    pub(super) blocks: Vec<(Option<String>, Diff)>,
    /// Whether all of them force a replacement.
    pub(super) forces: bool,
}

impl Diff {
    fn new(pair: &Pair<'_>, action: Action, shape: Shape) -> Self {
        Self { action, forces: pair.forces(), absent: pair.is_absent(), shape }
    }

    /// The change of a body.
    pub(super) fn of_block(pair: &Pair<'_>, block: &Block) -> Self {
        checked(pair, |pair| {
            let attributes =
                block.attributes.iter().map(|it| (it.name.to_string(), Self::of_attribute(pair, it)));
            let mut attributes: Vec<(String, Self)> = attributes.filter(|it| !is_nothing(&it.1)).collect();
            attributes.sort_by(|a, b| a.0.cmp(&b.0));
            let mut blocks: Vec<Group> = block.blocks.iter().map(|it| group(pair, it)).collect();
            blocks.retain(|group| !group.blocks.is_empty());
            blocks.sort_by(|a, b| a.name.cmp(&b.name));
            let inner = attributes.iter().map(|it| it.1.action);
            let inner = inner.chain(blocks.iter().flat_map(|it| it.blocks.iter().map(|it| it.1.action)));
            Self::new(pair, folded(pair, inner), Shape::Body { attributes, blocks })
        })
    }

    fn of_attribute(body: &Pair<'_>, attribute: &Attribute) -> Self {
        let pair = body.attribute(&attribute.name);
        if attribute.write_only {
            // Its value is null everywhere, so whether the object is new is all that can be told.
            return Self { absent: false, ..Self::new(&pair, outer(body), Shape::WriteOnly) };
        }
        match &attribute.ty {
            AttributeType::Plain(ty) => Self::of_type(&pair, ty),
            AttributeType::Nested(object) => Self::of_nested(&pair, object),
        }
    }

    fn of_nested(pair: &Pair<'_>, nested: &NestedObject) -> Self {
        checked(pair, |pair| match nested.nesting {
            Nesting::Single => Self::of_attributes(pair, nested),
            Nesting::List => {
                let elements =
                    pairs(pair).into_iter().map(|it| checked(&it, |it| Self::of_attributes(it, nested)));
                list(pair, elements.collect(), Origin::Schema)
            }
            Nesting::Set => set(pair, |it| checked(it, |it| Self::of_attributes(it, nested))),
            Nesting::Map => map(pair, Origin::Schema, |it| checked(it, |it| Self::of_attributes(it, nested))),
        })
    }

    fn of_attributes(pair: &Pair<'_>, nested: &NestedObject) -> Self {
        let members = nested.attributes.iter().map(|it| (it.name.to_string(), Self::of_attribute(pair, it)));
        object(pair, members.collect(), Origin::Schema)
    }

    /// The change of a value of a type.
    pub(super) fn of_type(pair: &Pair<'_>, ty: &Type) -> Self {
        checked(pair, |pair| match ty {
            Type::String | Type::Number | Type::Bool => scalar(pair),
            Type::Dynamic => Self::of_json(pair),
            Type::List(ty) => {
                let elements = elements(pair).into_iter().map(|it| Self::of_type(&it, ty));
                list(pair, elements.collect(), Origin::Type)
            }
            Type::Set(ty) => set(pair, |it| Self::of_type(it, ty)),
            Type::Map(ty) => map(pair, Origin::Type, |it| Self::of_type(it, ty)),
            Type::Object(ty) => {
                let members = ty.attributes().iter().map(|(name, ty)| {
                    let name: &str = name.as_ref();
                    (name.to_owned(), Self::of_type(&pair.attribute(name), ty))
                });
                object(pair, members.collect(), Origin::Type)
            }
            Type::Tuple(types) => {
                let pairs = pairs(pair);
                let elements = pairs.iter().zip(types.iter()).map(|(pair, ty)| Self::of_type(pair, ty));
                list(pair, elements.collect(), Origin::Type)
            }
        })
    }

    /// The change of a value whose type is that of its JSON.
    pub(super) fn of_json(pair: &Pair<'_>) -> Self {
        checked(pair, |pair| {
            let kind = |json: &Json| match json {
                Json::Null => 0,
                Json::Array(_) => 2,
                Json::Object(_) => 3,
                Json::Bool(_) | Json::Number(_) | Json::String(_) => 1,
            };
            let (before, after) = (kind(pair.before), kind(pair.after));
            if before != 0 && after != 0 && before != after {
                let (before, after) = (Self::of_json(&pair.removed()), Self::of_json(&pair.added()));
                let shape = Shape::Other { before: Box::new(before), after: Box::new(after) };
                return Self::new(pair, Action::Update, shape);
            }
            // Values without a schema do not say what forces a replacement.
            let diff = match before.max(after) {
                2 => {
                    let elements = elements(pair).into_iter().map(|it| Self::of_json(&it));
                    list(pair, elements.collect(), Origin::Type)
                }
                3 => {
                    let names = pair.names().into_iter();
                    let members = names.map(|name| (name.clone(), Self::of_json(&pair.member(&name))));
                    plain_object(pair, members.collect())
                }
                _ => scalar(pair),
            };
            Self { forces: false, ..diff }
        })
    }
}

fn at<'a>(pair: &Pair<'a>, step: Step) -> Pair<'a> {
    pair.element(step.before, step.after)
}

/// The elements before and after by their places.
fn pairs<'a>(pair: &Pair<'a>) -> Vec<Pair<'a>> {
    let (before, after) = pair.lengths();
    let place = |at: usize, length: usize| (at < length).then_some(at);
    (0..before.max(after)).map(|at| pair.element(place(at, before), place(at, after))).collect()
}

/// The elements of a list. Where as many are there as before, and one of these is gone, they are taken by their places.
fn elements<'a>(pair: &Pair<'a>) -> Vec<Pair<'a>> {
    let (before, after) = pair.lengths();
    if before == after && !keeps_elements(pair) {
        return pairs(pair);
    }
    common(pair).into_iter().map(|step| at(pair, step)).collect()
}

/// Looks first whether the value is sensitive or unknown.
fn checked(pair: &Pair<'_>, inner: impl Fn(&Pair<'_>) -> Diff) -> Diff {
    let (before, after) = pair.sensitive();
    if (before || after) && !pair.is_absent() {
        let action = match checked(&pair.bare(), inner).action {
            Action::NoOp if before != after && !pair.before.is_null() => Action::Update,
            action => action,
        };
        return Diff::new(pair, action, Shape::Sensitive { before, after });
    }
    if pair.is_unknown() {
        let before = (!pair.before.is_null()).then(|| Box::new(inner(&pair.removed())));
        let action = if before.is_some() { Action::Update } else { Action::Create };
        return Diff::new(pair, action, Shape::Unknown { before });
    }
    inner(pair)
}

/// What happens to the whole, as far as its parts have no say.
fn outer(pair: &Pair<'_>) -> Action {
    match pair.is_there() {
        (true, true) | (false, false) => Action::NoOp,
        (false, true) => Action::Create,
        (true, false) => Action::Delete,
    }
}

fn folded(pair: &Pair<'_>, inner: impl Iterator<Item = Action>) -> Action {
    inner
        .filter(|action| *action != Action::NoOp)
        .fold(outer(pair), |all, action| if all == action { all } else { Action::Update })
}

/// Whether there is nothing to be said of it, not even that it does not change.
fn is_nothing(diff: &Diff) -> bool {
    diff.absent && diff.action == Action::NoOp
}

fn scalar(pair: &Pair<'_>) -> Diff {
    let action = match outer(pair) {
        Action::NoOp if pair.before != pair.after => Action::Update,
        action => action,
    };
    Diff::new(pair, action, Shape::Scalar { before: pair.before.clone(), after: pair.after.clone() })
}

fn object(pair: &Pair<'_>, mut members: Vec<(String, Diff)>, origin: Origin) -> Diff {
    members.retain(|it| !is_nothing(&it.1));
    let mut diff = plain_object(pair, members);
    if let Shape::Object { origin: of, .. } = &mut diff.shape {
        *of = origin;
    }
    diff
}

fn plain_object(pair: &Pair<'_>, mut members: Vec<(String, Diff)>) -> Diff {
    members.sort_by(|a, b| a.0.cmp(&b.0));
    let action = folded(pair, members.iter().map(|it| it.1.action));
    Diff::new(pair, action, Shape::Object { members, origin: Origin::Type })
}

fn map(pair: &Pair<'_>, origin: Origin, element: impl Fn(&Pair<'_>) -> Diff) -> Diff {
    let names = pair.names().into_iter();
    let members: Vec<_> = names.map(|name| (name.clone(), element(&pair.member(&name)))).collect();
    let action = folded(pair, members.iter().map(|it| it.1.action));
    Diff::new(pair, action, Shape::Map { members, origin })
}

fn list(pair: &Pair<'_>, elements: Vec<Diff>, origin: Origin) -> Diff {
    let action = folded(pair, elements.iter().map(|it| it.action));
    Diff::new(pair, action, Shape::List { elements, origin })
}

fn set(pair: &Pair<'_>, element: impl Fn(&Pair<'_>) -> Diff) -> Diff {
    let elements: Vec<_> = matched(pair).into_iter().map(|step| element(&at(pair, step))).collect();
    let action = folded(pair, elements.iter().map(|it| it.action));
    Diff::new(pair, action, Shape::Set { elements })
}

/// The blocks of one name in a body.
fn group(body: &Pair<'_>, nested: &NestedBlock) -> Group {
    let pair = body.attribute(&nested.name);
    let (before, after) = pair.sensitive();
    let of = |pair: &Pair<'_>| Diff::of_block(pair, &nested.block);
    let whole = before || after || pair.is_unknown();
    let blocks: Vec<(Option<String>, Diff)> = match nested.nesting {
        // What is sensitive in one of a set makes all of them so. How many there are can be seen.
        BlockNesting::Set if (before || after) && !pair.is_unknown() => {
            let bare = pair.bare();
            let hidden = |diff: Diff| {
                let is_kept = diff.action == Action::NoOp && before != after;
                let action = if is_kept { Action::Update } else { diff.action };
                Diff { action, shape: Shape::Sensitive { before, after }, ..diff }
            };
            let steps = matched(&bare).into_iter();
            steps.map(|step| (None, hidden(of(&at(&bare, step))))).collect()
        }
        _ if whole => vec![(None, of(&pair))],
        BlockNesting::Single | BlockNesting::Group => vec![(None, of(&pair))],
        BlockNesting::List => pairs(&pair).iter().map(|it| (None, of(it))).collect(),
        BlockNesting::Set => matched(&pair).into_iter().map(|step| (None, of(&at(&pair, step)))).collect(),
        BlockNesting::Map => {
            let names = pair.names().into_iter();
            names.map(|name| (Some(name.clone()), of(&pair.member(&name)))).collect()
        }
    };
    let there = |diff: &Diff| match &diff.shape {
        Shape::Body { attributes, blocks } => {
            diff.action != Action::NoOp || !attributes.is_empty() || !blocks.is_empty()
        }
        _ => true,
    };
    let blocks = blocks.into_iter().filter(|(_, diff)| there(diff)).collect();
    Group { name: nested.name.to_string(), blocks, forces: pair.forces() }
}
