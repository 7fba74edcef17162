//! Attribute types of several values: lists, sets, maps and tuples.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use super::error::{LIMIT, add, collect_results, mismatch};
use super::macro_support::not_decoded;
use super::{Attr, AttributeValue, Decode, Encode, Nested, SetOf};
use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::path::{Path, Step};
use crate::schema::{AttributeType, Equivalence, NestedObject, Nesting, ValidationTarget, Validator, walk};
use crate::ty::Type;
use crate::value::{Entries, Value};

/// An element that may be null. In a field, `Option` is what makes an attribute optional; that is for the derive.
impl<T: AttributeValue> AttributeValue for Option<T> {
    // The `Attr` around each element says already whether it is null.
    type Draft = T::Draft;
    type Planned = Option<T::Planned>;
    type Prior = Option<T::Prior>;

    const NULLABLE: bool = true;
    const HAS_BLOCKS: bool = T::HAS_BLOCKS;
    const NESTED: Nested = T::NESTED;

    fn attribute_type() -> AttributeType {
        T::attribute_type()
    }

    fn equivalence() -> Equivalence {
        T::equivalence()
    }

    fn validators() -> Vec<Validator> {
        T::validators()
    }
}

/// The collections of std and [`SetOf`], whose views are the same but for drafts, in which elements may be unknown.
macro_rules! std_collections {
    ($($collection:ident [$($key:ty)?] of $element:ident: $draft:ty, $nesting:ident, $ty:ident;)*) => {$(
        impl<T: $element> AttributeValue for $collection<$($key,)? T> {
            type Draft = $draft;
            type Planned = $collection<$($key,)? T::Planned>;
            type Prior = $collection<$($key,)? T::Prior>;

            const HAS_BLOCKS: bool = T::HAS_BLOCKS;
            const NESTED: Nested = T::NESTED.collection();

            fn attribute_type() -> AttributeType {
                collection::<T>(Nesting::$nesting, Type::$ty)
            }

            fn equivalence() -> Equivalence {
                T::equivalence().of_elements()
            }

            fn validators() -> Vec<Validator> {
                vec![elements(element::<T>())]
            }
        }
    )*};
}

std_collections! {
    Vec[] of AttributeValue: Vec<Attr<T::Draft>>, List, list;
    SetOf[] of AttributeValue: SetOf<Attr<T::Draft>>, Set, set;
}

// Separate, since messages of the compiler list these lines when a model is put into one of the sets.
std_collections! {
    BTreeSet[] of OrderedElement: SetOf<Attr<T::Draft>>, Set, set;
    HashSet[] of HashedElement: SetOf<Attr<T::Draft>>, Set, set;
    BTreeMap[String] of AttributeValue: BTreeMap<String, Attr<T::Draft>>, Map, map;
    HashMap[String] of AttributeValue: HashMap<String, Attr<T::Draft>>, Map, map;
}

/// A type with an order in each of its views. A trait of its own, so that a model in a set has one error that names
/// [`SetOf`], in place of one for each bound and view.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a `BTreeSet`",
    label = "a set of models must be a `SetOf`",
    note = "use `SetOf<{Self}>` if `{Self}` is a model or a type with an equivalence of its own",
    note = "add `#[derive(PartialEq, Eq, PartialOrd, Ord)]` if `{Self}` is an enum of words"
)]
pub trait OrderedElement: AttributeValue<Planned: Ord, Prior: Ord> + Ord {}

#[diagnostic::do_not_recommend]
impl<T: AttributeValue<Planned: Ord, Prior: Ord> + Ord> OrderedElement for T {}

/// A type with a hash in each of its views; see [`OrderedElement`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a `HashSet`",
    label = "a set of models must be a `SetOf`",
    note = "use `SetOf<{Self}>` if `{Self}` is a model or a type with an equivalence of its own",
    note = "add `#[derive(PartialEq, Eq, Hash)]` if `{Self}` is an enum of words"
)]
pub trait HashedElement: AttributeValue<Planned: Eq + Hash, Prior: Eq + Hash> + Eq + Hash {}

#[diagnostic::do_not_recommend]
impl<T: AttributeValue<Planned: Eq + Hash, Prior: Eq + Hash> + Eq + Hash> HashedElement for T {}

/// A collection of models is a nested attribute; every other one has a plain type.
fn collection<T: AttributeValue>(nesting: Nesting, plain: fn(Type) -> Type) -> AttributeType {
    match T::attribute_type() {
        AttributeType::Nested(object) if object.nesting == Nesting::Single => {
            AttributeType::Nested(NestedObject { nesting, ..object })
        }
        element => AttributeType::Plain(plain(element.ty())),
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode(self) -> Value {
        self.map_or(Value::Null, T::encode)
    }
}

impl<T: Decode> Decode for Option<T> {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        if value.is_null() { Ok(None) } else { T::decode(value, at).map(Some) }
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(self) -> Value {
        Value::list(self.into_iter().map(T::encode))
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        match value {
            Value::List(elements) => {
                each(elements.iter().enumerate().map(|(at, element)| (Step::Index(at), element)), at)
            }
            other => Err(mismatch("a list", other, at)),
        }
    }
}

macro_rules! sets {
    ($($set:ident: $($bound:ident)+;)*) => {$(
        impl<T: Encode> Encode for $set<T> {
            fn encode(self) -> Value {
                Value::set(self.into_iter().map(T::encode))
            }
        }

        impl<T: Decode $(+ $bound)+> Decode for $set<T> {
            fn decode(value: &Value, at: &mut Path) -> Result<Self> {
                match value {
                    Value::Set(set) => each(set.iter().map(|element| (Step::Element, element)), at),
                    other => Err(mismatch("a set", other, at)),
                }
            }
        }
    )*};
}

sets! {
    SetOf: Sized;
    BTreeSet: Ord;
    HashSet: Eq Hash;
}

macro_rules! maps {
    ($($map:ident),*) => {$(
        impl<T: Encode> Encode for $map<String, T> {
            fn encode(self) -> Value {
                Value::map(self.into_iter().map(|(key, element)| (key, element.encode())))
            }
        }

        impl<T: Decode> Decode for $map<String, T> {
            fn decode(value: &Value, at: &mut Path) -> Result<Self> {
                match value {
                    Value::Map(entries) => {
                        let mut map = Self::default();
                        // Keys come sorted; `from_iter` of a `BTreeMap` would bring code to sort them.
                        map.extend(entries_of(entries, at)?);
                        Ok(map)
                    }
                    other => Err(mismatch("a map", other, at)),
                }
            }
        }
    )*};
}

maps!(BTreeMap, HashMap);

/// The decoded elements of a map with their keys.
fn entries_of<'v, T: Decode>(
    entries: &'v Entries,
    at: &mut Path,
) -> Result<impl Iterator<Item = (String, T)> + use<'v, T>> {
    let steps = entries.iter().map(|(key, element)| (Step::Key(key.as_ref().to_owned().into()), element));
    let elements: Vec<T> = each(steps, at)?;
    Ok(entries.keys().map(str::to_owned).zip(elements))
}

/// Decodes every element, each at its step, and reports the mistakes of all of them.
fn each<'v, T: Decode, C: FromIterator<T>>(
    elements: impl Iterator<Item = (Step, &'v Value)>,
    at: &mut Path,
) -> Result<C> {
    let decoded = Vec::with_capacity(elements.size_hint().0);
    collect_results(elements, decoded, |(step, element)| at.within(Some(step), |at| T::decode(element, at)))
}

/// The check of an element: it is not null where the type has no null, and passes the checks of its type.
fn element<T: AttributeValue>() -> Validator {
    let inner = T::validators();
    let texts: Vec<&str> = inner.iter().map(|validator| &*validator.description).collect();
    let description = match (texts.as_slice(), T::NULLABLE) {
        ([], true) => "elements may be null".to_owned(),
        ([], false) => "no element is null".to_owned(),
        (texts, _) => format!("each element: {}", texts.join(", ")),
    };
    Validator::new(description, move |path, element, diagnostics| {
        if element.is_null() && !T::NULLABLE {
            diagnostics.push(null_element().at(path.clone()));
            return;
        }
        let subject = ValidationTarget::alone(path, element);
        inner.iter().for_each(|validator| validator.check(&subject, diagnostics));
    })
}

/// The check of all elements of a collection.
fn elements(element: Validator) -> Validator {
    Validator::new(element.description.clone(), move |path, value, diagnostics| {
        let before = diagnostics.len();
        walk::objects(value, &mut |step, value| {
            if let Some(step) = step.filter(|_| diagnostics.len() < before + LIMIT) {
                element.check(&ValidationTarget::alone(&path.clone().step(step), value), diagnostics);
            }
        });
    })
}

fn null_element() -> Diagnostic {
    Diagnostic::error("Missing Value", "This element must not be null. Set a value or remove the element.")
}

/// A tuple: a fixed number of elements, each of its own type.
macro_rules! tuples {
    ($($length:literal: $($name:ident $at:tt)+;)*) => {$(
        impl<$($name: AttributeValue),+> AttributeValue for ($($name,)+) {
            type Draft = ($(Attr<$name::Draft>,)+);
            type Planned = ($($name::Planned,)+);
            type Prior = ($($name::Prior,)+);

            const HAS_BLOCKS: bool = $($name::HAS_BLOCKS)||+;
            const NESTED: Nested = Nested::Plain$(.tuple($name::NESTED))+;

            fn attribute_type() -> AttributeType {
                AttributeType::Plain(Type::tuple([$($name::attribute_type().ty()),+]))
            }

            fn equivalence() -> Equivalence {
                Equivalence::of_members(vec![$($name::equivalence()),+])
            }

            fn validators() -> Vec<Validator> {
                vec![members(vec![$(element::<$name>()),+])]
            }
        }

        impl<$($name: Encode),+> Encode for ($($name,)+) {
            fn encode(self) -> Value {
                Value::tuple([$(self.$at.encode()),+])
            }
        }

        impl<$($name: Decode),+> Decode for ($($name,)+) {
            fn decode(value: &Value, at: &mut Path) -> Result<Self> {
                let mut members = Members::open(value, $length, at)?;
                let decoded = ($(members.take::<$name>($at, at),)+);
                members.finish(move || Some(($(decoded.$at?,)+)))
            }
        }
    )*};
}

tuples! {
    1: A 0;
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 D 3;
    5: A 0 B 1 C 2 D 3 E 4;
    6: A 0 B 1 C 2 D 3 E 4 F 5;
}

/// The check of each member of a tuple by that of an element.
fn members(checks: Vec<Validator>) -> Validator {
    let texts = (0..).zip(&checks).map(|(at, check)| format!("{at}: {}", check.description));
    let description = texts.collect::<Vec<_>>().join("; ");
    Validator::new(description, move |path, value, diagnostics| {
        let Value::Tuple(values) = value else { return };
        for (at, (check, member)) in checks.iter().zip(values).enumerate() {
            let path = path.clone().index(at);
            let mut found = Diagnostics::default();
            check.check(&ValidationTarget::alone(&path, member), &mut found);
            let blamed = |it: Diagnostic| if it.path.is_none() { it.at(path.clone()) } else { it };
            diagnostics.extend(found.into_iter().map(blamed));
        }
    })
}

/// The members of a tuple while it is decoded.
struct Members<'v> {
    values: std::slice::Iter<'v, Value>,
    errors: Option<Error>,
}

impl<'v> Members<'v> {
    fn open(value: &'v Value, length: usize, at: &Path) -> Result<Self> {
        match value {
            Value::Tuple(values) if values.len() == length => {
                Ok(Self { values: values.iter(), errors: None })
            }
            other => Err(mismatch(&format!("a tuple of {length}"), other, at)),
        }
    }

    fn take<T: Decode>(&mut self, index: usize, at: &mut Path) -> Option<T> {
        let value = self.values.next().unwrap_or(&Value::Null);
        let result = at.within(Some(Step::Index(index)), |at| T::decode(value, at));
        result.map_err(|error| add(&mut self.errors, error)).ok()
    }

    fn finish<T>(self, tuple: impl FnOnce() -> Option<T>) -> Result<T> {
        match self.errors {
            Some(errors) => Err(errors),
            None => tuple().ok_or_else(not_decoded),
        }
    }
}
