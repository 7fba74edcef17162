//! Values of plain types.

use std::sync::Arc;

use ferroform::ty::Type;
use ferroform::value::Value;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::ELEMENTS;

/// Values of a type, none of them null or unknown.
pub(super) fn plain(ty: &Type) -> BoxedStrategy<Value> {
    match ty {
        Type::String => text().prop_map(Value::from).boxed(),
        Type::Number => number().boxed(),
        Type::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Type::Dynamic => dynamic().boxed(),
        Type::List(element) => vec(plain(element), 0..=ELEMENTS).prop_map(Value::List).boxed(),
        Type::Set(element) => vec(plain(element), 0..=ELEMENTS).prop_map(Value::set).boxed(),
        Type::Map(element) => btree_map(key(), plain(element), 0..=ELEMENTS).prop_map(Value::map).boxed(),
        Type::Object(object) => {
            let members = object.attributes().iter();
            let (names, values): (Vec<Arc<str>>, Vec<_>) =
                members.map(|(name, ty)| (name.clone(), plain(ty))).unzip();
            values.prop_map(move |values| Value::object(names.iter().zip(values))).boxed()
        }
        Type::Tuple(elements) => {
            let values: Vec<_> = elements.iter().map(plain).collect();
            values.prop_map(Value::Tuple).boxed()
        }
    }
}

/// Keys of maps and labels of blocks.
pub(super) fn key() -> impl Strategy<Value = String> {
    "[a-c]"
}

/// Mostly words, and some with signs and letters that have to be quoted or normalised somewhere.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z][a-z0-9-]{0,7}",
        1 => "[ -~]{1,8}",
        1 => Just("e\u{301}\u{1f469}\u{200d}".to_owned()),
    ]
}

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => (0..100_i64).prop_map(Value::from),
        1 => any::<i32>().prop_map(|number| Value::from(i64::from(number))),
    ]
}

fn dynamic() -> impl Strategy<Value = Value> {
    let types = [
        Type::String,
        Type::Number,
        Type::Bool,
        Type::list(Type::String),
        Type::object([("name", Type::String), ("size", Type::Number)]),
    ];
    let strategies: Vec<_> = types
        .into_iter()
        .map(|ty| plain(&ty).prop_map(move |value| Value::dynamic(ty.clone(), value)).boxed())
        .collect();
    proptest::strategy::Union::new(strategies)
}
