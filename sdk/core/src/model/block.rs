//! Models as nested blocks.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::{BlockValue, Model, SetOf};
use crate::schema::{Block, BlockNesting};
use crate::ty::Type;
use crate::value::{Entries, Set, Value, add_types, concrete_type};

/// A block that must be written exactly once.
impl<M: Model> BlockValue for M {
    const NESTING: BlockNesting = BlockNesting::Single;
    const MIN_ITEMS: u32 = 1;
    const MAX_ITEMS: u32 = 1;

    fn element() -> Block {
        M::block()
    }
}

macro_rules! blocks {
    ($($ty:ty => $nesting:ident;)*) => {$(
        impl<M: Model> BlockValue for $ty {
            const NESTING: BlockNesting = BlockNesting::$nesting;

            fn element() -> Block {
                M::block()
            }
        }
    )*};
}

blocks! {
    Option<M> => Single;
    Vec<M> => List;
    SetOf<M> => Set;
    BTreeMap<String, M> => Map;
    HashMap<String, M> => Map;
}

/// The value of a block as its views are decoded from it: absent blocks as empty collections, and blocks that
/// hold dynamic attributes as a plain list or map. Core passes those as a dynamic tuple or object, in which
/// the attributes have lost the wrapper that says their type.
pub(super) fn from_core<B: BlockValue>(value: &Value) -> Cow<'_, Value> {
    let value = match value {
        Value::Null | Value::Tuple(_) | Value::Object(_) => value.clone(),
        Value::Dynamic(dynamic) => {
            let element = B::element().ty();
            let constraint = match &dynamic.ty {
                Type::Tuple(types) => Type::tuple(types.iter().map(|_| element.clone())),
                Type::Object(object) => {
                    Type::object(object.attributes().iter().map(|(key, _)| (key, element.clone())))
                }
                other => other.clone(),
            };
            let mut value = dynamic.value.clone();
            add_types(&mut value, &dynamic.ty, &constraint);
            value
        }
        plain => return Cow::Borrowed(plain),
    };
    Cow::Owned(match (value, B::NESTING) {
        (Value::Null, BlockNesting::List) => Value::List(Vec::new()),
        (Value::Null, BlockNesting::Set) => Value::Set(Set::default()),
        (Value::Null, BlockNesting::Map) => Value::Map(Entries::default()),
        (Value::Tuple(elements), BlockNesting::List) => Value::List(elements),
        (Value::Object(entries), BlockNesting::Map) => Value::Map(entries),
        (other, _) => other,
    })
}

/// The counterpart of [`from_core`].
pub(super) fn to_core<B: BlockValue>(value: Value) -> Value {
    let element = match B::NESTING {
        BlockNesting::List | BlockNesting::Map => B::element().ty(),
        BlockNesting::Single | BlockNesting::Group | BlockNesting::Set => return value,
    };
    if !element.has_dynamic() {
        return value;
    }
    let (value, constraint) = match value {
        Value::List(elements) => {
            let constraint = Type::tuple(elements.iter().map(|_| element.clone()));
            (Value::Tuple(elements), constraint)
        }
        Value::Map(entries) => {
            let constraint = Type::object(entries.keys().map(|key| (key, element.clone())));
            (Value::Object(entries), constraint)
        }
        // Null or unknown as a whole.
        other => return other,
    };
    let ty = concrete_type(&value, &constraint);
    Value::dynamic(ty, bare(value))
}

/// The value without the wrappers of its parts, whose types the type of the whole has by now.
fn bare(value: Value) -> Value {
    match value {
        Value::Dynamic(dynamic) => bare(dynamic.value),
        Value::List(elements) => Value::List(elements.into_iter().map(bare).collect()),
        Value::Tuple(elements) => Value::Tuple(elements.into_iter().map(bare).collect()),
        Value::Set(set) => Value::set(set.into_iter().map(bare)),
        Value::Map(entries) => Value::map(entries.into_iter().map(|(key, value)| (key, bare(value)))),
        Value::Object(entries) => Value::object(entries.into_iter().map(|(name, value)| (name, bare(value)))),
        other @ (Value::Null | Value::Unknown(_) | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            other
        }
    }
}
