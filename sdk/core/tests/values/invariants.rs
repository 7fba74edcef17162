//! What holds for every value, whatever it is.

use std::hash::{BuildHasher, RandomState};

use ferroform::ty::{ObjectType, Type};
use ferroform::value::{Bound, Number, Refinements, Unknown, Value, convert};
use ferroform_core::codec::json::{self, UnknownAttributes};
use ferroform_core::codec::{msgpack, type_json};
use proptest::collection::vec;
use proptest::prelude::*;

/// Whether generated values may have unknown parts.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Known {
    Wholly,
    Partly,
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-e]{1,2}", "\\PC{0,3}"]
}

/// A type without dynamic places.
fn closed_type() -> BoxedStrategy<Type> {
    let leaf = prop_oneof![Just(Type::String), Just(Type::Number), Just(Type::Bool)];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(Type::list),
            inner.clone().prop_map(Type::set),
            inner.clone().prop_map(Type::map),
            vec((name(), inner.clone()), 0..4).prop_map(Type::object),
            vec(inner, 0..4).prop_map(Type::tuple),
        ]
    })
    .boxed()
}

/// A type that may have dynamic places, at most as the whole element of a collection.
fn open_type() -> BoxedStrategy<Type> {
    let leaf = prop_oneof![
        2 => closed_type(),
        1 => Just(Type::Dynamic),
        1 => Just(Type::list(Type::Dynamic)),
        1 => Just(Type::map(Type::Dynamic)),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            vec((name(), inner.clone()), 0..4).prop_map(Type::object),
            vec(inner, 0..4).prop_map(Type::tuple),
        ]
    })
    .boxed()
}

fn number() -> BoxedStrategy<Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        (-300..300).prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<i128>().prop_map(Number::from),
        any::<f64>().prop_filter_map("finite", |number| Number::from_f64(number).ok()),
        (-40..40).prop_map(|number| Number::from_f64(f64::from(number) / 8.0).expect("finite")),
        "-?[0-9]{1,30}(\\.[0-9]{1,30})?(e-?[0-9]{1,2})?".prop_map(|text| text.parse().expect("a number")),
        "-?[0-9]{150,200}(\\.[0-9]{1,200})?".prop_map(|text| text.parse().expect("a number")),
    ]
    .boxed()
}

fn refinements() -> impl Strategy<Value = Refinements> {
    let bound = || {
        proptest::option::of(
            (number(), any::<bool>()).prop_map(|(limit, inclusive)| Bound { limit, inclusive }),
        )
    };
    let length = || proptest::option::of(any::<u64>());
    (any::<bool>(), proptest::option::of("[a-z]{0,40}"), bound(), bound(), length(), length()).prop_map(
        |(not_null, prefix, lower, upper, min_length, max_length)| Refinements {
            not_null,
            prefix: prefix.map(Into::into),
            lower,
            upper,
            min_length,
            max_length,
        },
    )
}

/// A value of a type.
fn value(ty: &Type, known: Known) -> BoxedStrategy<Value> {
    let element = |ty: &Type| -> BoxedStrategy<Vec<Value>> {
        match ty {
            Type::Dynamic => one_type(known),
            ty => vec(value(ty, known), 0..12).boxed(),
        }
    };
    let present: BoxedStrategy<Value> = match ty {
        Type::String => "\\PC{0,8}".prop_map(Value::from).boxed(),
        Type::Number => number().prop_map(Value::Number).boxed(),
        Type::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Type::List(ty) => element(ty).prop_map(Value::list).boxed(),
        Type::Set(ty) => element(ty).prop_map(Value::set).boxed(),
        Type::Map(ty) => (element(ty), vec(name(), 12))
            .prop_map(|(elements, names)| Value::map(names.into_iter().zip(elements)))
            .boxed(),
        Type::Object(object) => attributes(object, known),
        Type::Tuple(types) => {
            types.iter().map(|ty| value(ty, known)).collect::<Vec<_>>().prop_map(Value::tuple).boxed()
        }
        Type::Dynamic => closed_type()
            .prop_flat_map(move |ty| {
                value(&ty, known).prop_map(move |value| Value::dynamic(ty.clone(), value))
            })
            .boxed(),
    };
    match known {
        Known::Wholly => prop_oneof![8 => present, 1 => Just(Value::Null)].boxed(),
        Known::Partly => prop_oneof![
            16 => present,
            2 => Just(Value::Null),
            1 => Just(Value::unknown()),
            1 => refinements().prop_map(|known| Value::Unknown(Unknown::refined(known))),
        ]
        .boxed(),
    }
}

fn attributes(object: &ObjectType, known: Known) -> BoxedStrategy<Value> {
    let names: Vec<_> = object.attributes().iter().map(|(name, _)| name.clone()).collect();
    let values: Vec<_> = object.attributes().iter().map(|(_, ty)| value(ty, known)).collect();
    values.prop_map(move |values| Value::object(names.iter().zip(values))).boxed()
}

/// Elements for a collection of any type: all of one type, or null.
fn one_type(known: Known) -> BoxedStrategy<Vec<Value>> {
    closed_type()
        .prop_flat_map(move |ty| {
            let typed = value(&ty, known).prop_map(move |value| Value::dynamic(ty.clone(), value));
            vec(prop_oneof![8 => typed, 1 => Just(Value::Null)], 0..6)
        })
        .boxed()
}

fn typed(known: Known) -> impl Strategy<Value = (Type, Value)> {
    open_type().prop_flat_map(move |ty| value(&ty, known).prop_map(move |value| (ty.clone(), value)))
}

proptest! {
    #[test]
    fn msgpack_gives_back_what_it_was_given((ty, value) in typed(Known::Partly)) {
        value.conforms(&ty).expect("the value is of the type");
        let bytes = msgpack::encode(&value, &ty).expect("the value is of the type");
        let decoded = msgpack::decode(&bytes, &ty).expect("what was encoded decodes");
        prop_assert_eq!(&decoded, &value);
        prop_assert_eq!(msgpack::encode(&decoded, &ty).expect("the same value"), bytes);
    }

    #[test]
    fn truncated_msgpack_is_an_error((ty, value) in typed(Known::Partly), cut in any::<prop::sample::Index>()) {
        let bytes = msgpack::encode(&value, &ty).expect("the value is of the type");
        prop_assert!(msgpack::decode(&bytes[..cut.index(bytes.len())], &ty).is_err());
    }

    #[test]
    fn json_gives_back_what_it_was_given((ty, value) in typed(Known::Wholly)) {
        let text = json::encode(&value, &ty).expect("the value is of the type");
        let decoded = json::decode(&text, &ty, UnknownAttributes::Refuse).expect("what was encoded decodes");
        prop_assert_eq!(&json::encode(&decoded, &ty).expect("the same value"), &text);
        let read: serde_json::Value = serde_json::from_slice(&text).expect("the text is JSON to others too");
        let again = json::decode(read.to_string().as_bytes(), &ty, UnknownAttributes::Refuse);
        prop_assert!(again.is_ok(), "{:?}", again);
    }

    #[test]
    fn type_json_gives_back_what_it_was_given(ty in open_type()) {
        prop_assert_eq!(type_json::decode(type_json::encode(&ty).as_bytes()).expect("what was encoded decodes"), ty);
    }

    #[test]
    fn conversion_to_the_own_type_changes_nothing((ty, value) in typed(Known::Partly)) {
        prop_assert_eq!(convert(&value, &ty).expect("the value is of the type"), value);
    }

    #[test]
    fn numbers_are_totally_ordered(a in number(), b in number(), c in number()) {
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        if a <= b && b <= c {
            prop_assert!(a <= c);
        }
        let state = RandomState::new();
        for number in [&a, &b] {
            let text: Number = number.to_string().parse().expect("a number");
            // A float above 2^53 has a shorter text than its exact value, by which it compares.
            if number.to_f64().abs() < 9e15 {
                prop_assert_eq!(&text, number);
                prop_assert_eq!(state.hash_one(&text), state.hash_one(number));
            }
        }
    }

    #[test]
    fn sets_have_no_order(elements in vec(value(&Type::list(Type::Number), Known::Partly), 0..20), seed in any::<u64>()) {
        let mut shuffled = elements.clone();
        let keys = RandomState::new();
        shuffled.sort_by_cached_key(|element| keys.hash_one((element, seed)));
        let (a, b) = (Value::set(elements), Value::set(shuffled));
        prop_assert_eq!(keys.hash_one(&a), keys.hash_one(&b));
        prop_assert_eq!(a, b);
    }
}
