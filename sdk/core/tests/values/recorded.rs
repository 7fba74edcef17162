//! Values in the bytes in which Terraform 1.15.5 sends them.
//!
//! `recorded.tsv` has a line for each: a name, the type of the attribute, the expression that is configured, and the
//! bytes. Elements of sets stand in the order in which core has them. The case `bytes of values` compares them with a
//! core, and records them.

use std::collections::BTreeMap;

use ferroform::ty::Type;
use ferroform::value::{Bound, Refinements, Unknown, Value};
use ferroform_core::codec::{msgpack, type_json};

#[test]
fn values_as_a_core_sends_them() {
    let mut expected: BTreeMap<String, Value> =
        [nothing_and_texts(), numbers(), unknowns(), containers(), dynamic()].concat().into_iter().collect();
    for line in include_str!("recorded.tsv").lines() {
        let [name, ty, expression, hex] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let ty = type_json::decode(ty.as_bytes()).expect(line);
        let bytes = bytes(hex);
        let value = expected.remove(name).expect(name);
        let decoded = msgpack::decode(&bytes, &ty).expect(line);
        assert_eq!(decoded, value, "{expression}");
        // Whatever is equal is also written alike, and unknown values are equal whatever is known of them.
        assert_eq!(msgpack::encode(&decoded, &ty).expect(name), bytes, "{name}, as it came");
        assert_eq!(msgpack::encode(&value, &ty).expect(name), bytes, "{name}, made here");
    }
    assert_eq!(expected, BTreeMap::new());
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at| hex.get(at..at + 2).expect("two digits");
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(digits(at), 16).expect("hexadecimal")).collect()
}

type Rows = Vec<(String, Value)>;

fn rows<const N: usize>(rows: [(&str, Value); N]) -> Rows {
    rows.map(|(name, value)| (name.to_owned(), value)).into()
}

fn nothing_and_texts() -> Rows {
    let long =
        [31, 32, 255, 256].map(|length| (format!("string_of_{length}"), Value::from("0".repeat(length))));
    let rest = rows([
        ("string_null", Value::Null),
        ("number_null", Value::Null),
        ("list_null", Value::Null),
        ("dynamic_null", Value::Null),
        ("object_null", Value::Null),
        ("false", false.into()),
        ("true", true.into()),
        ("string_empty", "".into()),
        ("string_short", "abc".into()),
        ("string_composed", "\u{e9}".into()),
        ("string_decomposed", "\u{e9}".into()),
        ("string_wide", "\u{1f980}".into()),
    ]);
    long.into_iter().chain(rest).collect()
}

fn number(text: &str) -> Value {
    Value::Number(text.parse().expect("a number"))
}

fn numbers() -> Rows {
    let integers = include_str!("recorded.tsv").lines().filter_map(|line| {
        let name = line.split('\t').next()?;
        let digits = name.strip_prefix("number_")?.replace("minus_", "-");
        digits.parse::<i128>().ok()?;
        Some((name.to_owned(), number(&digits)))
    });
    let rest = rows([
        ("number_half", number("1.5")),
        ("number_tenth", number("0.1")),
        ("number_minus_tenth", number("-0.1")),
        // Core computes with 512 bits and writes as many digits as tell the result from its neighbours.
        ("number_difference", number(&format!("0.01{}3", "0".repeat(153)))),
        ("number_third", number(&format!("0.{}5", "3".repeat(154)))),
        ("number_googol", number("1e100")),
        ("number_small", number("0.00001")),
        ("number_of_text", number("42")),
        ("number_long", number("3.14159265358979323846")),
    ]);
    integers.chain(rest).collect()
}

fn refined(known: Refinements) -> Value {
    Value::Unknown(Unknown::refined(known))
}

fn not_null() -> Refinements {
    Refinements { not_null: true, ..Refinements::default() }
}

fn prefix(text: &str) -> Refinements {
    Refinements { prefix: Some(text.into()), ..not_null() }
}

fn bounds(lower: Option<&str>, upper: Option<&str>) -> Value {
    let bound = |text: &str| Bound { limit: text.parse().expect("a number"), inclusive: true };
    refined(Refinements { lower: lower.map(bound), upper: upper.map(bound), ..not_null() })
}

fn lengths() -> Value {
    refined(Refinements { min_length: Some(1), max_length: Some(2), ..not_null() })
}

fn unknowns() -> Rows {
    let plain = ["string", "number", "bool", "list", "set", "map", "object", "dynamic"];
    let plain = plain.map(|name| (format!("unknown_{name}"), Value::unknown()));
    let rest = rows([
        ("unknown_not_null", refined(not_null())),
        ("unknown_template", refined(not_null())),
        ("unknown_prefix", refined(prefix("start-"))),
        ("unknown_prefix_wide", refined(prefix("caf\u{e9}-"))),
        ("unknown_number_bounds", bounds(Some("1"), Some("5"))),
        ("unknown_number_fractions", bounds(Some("0.1"), Some("1e100"))),
        ("unknown_length", bounds(Some("0"), Some("9223372036854775807"))),
        ("unknown_list_lengths", lengths()),
        ("unknown_set_lengths", lengths()),
        ("unknown_map_lengths", lengths()),
        ("unknown_in_list", Value::list([Value::unknown(), "a".into()])),
        ("unknown_in_set", Value::set(["a".into(), Value::unknown()])),
        ("unknown_in_map", Value::map([("a", Value::unknown()), ("b", "x".into())])),
        ("unknown_string_in_dynamic", Value::dynamic(Type::String, Value::unknown())),
        ("unknown_prefix_in_dynamic", Value::dynamic(Type::String, refined(prefix("start-")))),
        (
            "unknown_in_dynamic",
            Value::dynamic(
                Type::tuple([Type::Number, Type::String]),
                Value::tuple([1.into(), Value::unknown()]),
            ),
        ),
    ]);
    plain.into_iter().chain(rest).collect()
}

fn texts<const N: usize>(texts: [&str; N]) -> [Value; N] {
    texts.map(Value::from)
}

fn containers() -> Rows {
    let pair = |a: &str, b: Value| Value::object([("a", Value::from(a)), ("b", b)]);
    rows([
        ("list_empty", Value::list([])),
        ("list", Value::list([1.into(), Value::Null, number("2.5")])),
        ("list_of_16", Value::list((0..16).map(Value::from))),
        (
            "list_of_lists",
            Value::list([Value::list(texts(["a"])), Value::list([]), Value::list(texts(["b", "c"]))]),
        ),
        ("set_empty", Value::set([])),
        ("set_of_strings", Value::set(texts(["a", "b", "c"]))),
        ("set_of_numbers", Value::set([(-1).into(), number("0.5"), 2.into(), 10.into()])),
        ("set_of_objects", Value::set([pair("x", Value::Null), pair("y", 1.into())])),
        ("map_empty", Value::map::<&str>([])),
        ("map", Value::map([("a", Value::Null), ("b", 2.into())])),
        ("map_of_16", Value::map((0..16).map(|at| (format!("key-{at:02}"), Value::from(at))))),
        ("map_of_composed_key", Value::map([("\u{e9}", "x".into())])),
        ("object", Value::object([("a", Value::Null), ("b", Value::list([true.into()])), ("c", 1.into())])),
        ("tuple", Value::tuple(["x".into(), true.into(), Value::Null])),
    ])
}

fn dynamic() -> Rows {
    let mixed =
        || Value::dynamic(Type::tuple([Type::Number, Type::String]), Value::tuple([1.into(), "x".into()]));
    let object = Type::object([("a", Type::Dynamic), ("b", Type::tuple([Type::Bool]))]);
    rows([
        ("dynamic_string", Value::dynamic(Type::String, "x".into())),
        ("dynamic_number", Value::dynamic(Type::Number, 1.into())),
        ("dynamic_fraction", Value::dynamic(Type::Number, number("0.1"))),
        ("dynamic_bool", Value::dynamic(Type::Bool, true.into())),
        ("dynamic_mixed", mixed()),
        ("dynamic_empty_tuple", Value::dynamic(Type::tuple([]), Value::tuple([]))),
        (
            "dynamic_object",
            Value::dynamic(object, Value::object([("a", Value::Null), ("b", Value::tuple([true.into()]))])),
        ),
        ("dynamic_list", Value::dynamic(Type::list(Type::String), Value::list(texts(["a"])))),
        ("dynamic_set", Value::dynamic(Type::set(Type::String), Value::set(texts(["a", "b"])))),
        ("dynamic_map", Value::dynamic(Type::map(Type::Number), Value::map([("a", 1.into())]))),
        ("dynamic_in_object", Value::object([("a", mixed())])),
    ])
}
