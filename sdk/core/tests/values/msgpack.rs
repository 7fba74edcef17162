use ferroform::diag::Diagnostic;
use ferroform::ty::Type;
use ferroform::value::{Bound, Number, Refinements, Unknown, Value};
use ferroform_core::codec::msgpack::{decode, encode};

/// The bytes of a text such as `92 c4 "name"`: hexadecimal bytes, and text in quotes.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    let mut all = Vec::new();
    for (at, part) in text.split('|').enumerate() {
        if at % 2 == 1 {
            all.extend_from_slice(part.as_bytes());
        } else {
            all.extend(
                part.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("hexadecimal")),
            );
        }
    }
    all
}

/// The bytes decode to the value, and the value encodes to the bytes.
fn check(wire: &str, ty: &Type, value: &Value) {
    check_decode(wire, ty, value);
    assert_eq!(encode(value, ty).expect(wire), bytes(wire), "{wire}");
}

/// The bytes decode to the value, which has other bytes of its own.
fn check_decode(wire: &str, ty: &Type, value: &Value) {
    assert_eq!(&decode(&bytes(wire), ty).expect(wire), value, "{wire}");
}

fn check_error(wire: &str, ty: &Type, expect: &str) {
    assert_eq!(decode(&bytes(wire), ty).expect_err(wire).to_string(), expect, "{wire}");
}

fn check_encode_error(value: &Value, ty: &Type, expect: &str) {
    assert_eq!(encode(value, ty).expect_err(expect).to_string(), expect);
}

fn number(text: &str) -> Value {
    Value::Number(text.parse().expect("a number"))
}

fn float(number: f64) -> Value {
    Value::Number(Number::from_f64(number).expect("finite"))
}

#[test]
fn primitives_as_hosts_send_them() {
    check("c0", &Type::String, &Value::Null);
    check("c2", &Type::Bool, &Value::Bool(false));
    check("c3", &Type::Bool, &Value::Bool(true));
    check("a2 c3 a9", &Type::String, &Value::from("e\u{301}"));
    check_decode("a3 |e\u{301}|", &Type::String, &Value::from("\u{e9}"));
    check_decode("c4 02 |ab|", &Type::String, &Value::from("ab"));
    check(&format!("d9 20 |{}|", "x".repeat(32)), &Type::String, &Value::from("x".repeat(32)));
    check(&format!("da 01 00 |{}|", "x".repeat(256)), &Type::String, &Value::from("x".repeat(256)));
    check(&format!("db 00 01 00 00 |{}|", "x".repeat(65536)), &Type::String, &Value::from("x".repeat(65536)));
    check_error("a1 ff", &Type::String, "text that is not UTF-8");
}

#[test]
fn numbers_as_hosts_send_them() {
    for (wire, value) in [
        ("00", 0),
        ("7f", 127),
        ("cc 80", 128),
        ("cd 01 00", 256),
        ("ce 00 01 00 00", 65536),
        ("cf 7f ff ff ff ff ff ff ff", i64::MAX),
        ("e0", -32),
        ("d0 df", -33),
        ("d1 ff 7f", -129),
        ("d2 ff ff 7f ff", -32769),
        ("d3 80 00 00 00 00 00 00 00", i64::MIN),
    ] {
        check(wire, &Type::Number, &Value::from(value));
    }
    check("cf ff ff ff ff ff ff ff ff", &Type::Number, &Value::from(u64::MAX));
    check("cb 3f f8 00 00 00 00 00 00", &Type::Number, &float(1.5));
    check("cb 3f b9 99 99 99 99 99 9a", &Type::Number, &float(0.1));
    check("a3 |0.1|", &Type::Number, &number("0.1"));
    check("a7 |0.00001|", &Type::Number, &number("1e-5"));
    check("b3 |9223372036854775808|", &Type::Number, &number("9223372036854775808"));
    check(&format!("d9 65 |1{}|", "0".repeat(100)), &Type::Number, &number("1e100"));
    check_decode("ca 3d cc cc cd", &Type::Number, &float(f64::from(0.1_f32)));
    check_decode("cf 00 00 00 00 00 00 00 05", &Type::Number, &Value::from(5));
    check_error("cb 7f f8 00 00 00 00 00 00", &Type::Number, "a finite number is required");
    check_error("cb 7f f0 00 00 00 00 00 00", &Type::Number, "a finite number is required");
    check_error("ab |1e999999999|", &Type::Number, "a number of at most 1024 digits is required");
    check_error("a3 |Inf|", &Type::Number, "a number is required");
}

#[test]
fn numbers_go_back_in_the_form_in_which_they_came() {
    let wire = bytes("94 a1 |5| cb 40 14 00 00 00 00 00 00 05 a4 |0.25|");
    let ty = Type::list(Type::Number);
    let value = decode(&wire, &ty).expect("numbers");
    assert_eq!(encode(&value, &ty).expect("numbers"), wire);
    let Value::List(elements) = value else { panic!("not a list") };
    assert!(elements.iter().take(3).all(|element| *element == Value::from(5)));
}

#[test]
fn containers() {
    let object = Type::object([("a", Type::String), ("b", Type::Number)]);
    let value = Value::object([("a", Value::from("x")), ("b", Value::Null)]);
    check("82 a1 |a| a1 |x| a1 |b| c0", &object, &value);
    check_decode("82 a1 |b| c0 a1 |a| a1 |x|", &object, &value);
    check("80", &Type::object::<&str>([]), &Value::object::<&str>([]));
    check("92 01 02", &Type::list(Type::Number), &Value::list([1, 2].map(Value::from)));
    check_decode("93 02 01 02", &Type::set(Type::Number), &Value::set([1, 2].map(Value::from)));
    check("92 a1 |x| c3", &Type::tuple([Type::String, Type::Bool]), &Value::tuple(["x".into(), true.into()]));
    check(
        "82 a1 |a| c0 a1 |b| 01",
        &Type::map(Type::Number),
        &Value::map([("a", Value::Null), ("b", 1.into())]),
    );
    check_decode("82 a1 |b| 01 a1 |b| 02", &Type::map(Type::Number), &Value::map([("b", Value::from(2))]));
    let many = Value::list((0..16).map(Value::from));
    check("dc 00 10 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f", &Type::list(Type::Number), &many);
    check_decode("01 ff ff", &Type::Number, &Value::from(1));
}

#[test]
fn errors_name_the_path_and_no_value() {
    let object = Type::object([("a", Type::String), ("b", Type::list(Type::Number))]);
    check_error("82 a1 |a| 05 a1 |b| c0", &object, "a: string required, not number");
    check_error("82 a1 |a| c0 a1 |b| 92 01 c3", &object, "b[1]: number required, not bool");
    check_error("81 a1 |a| c0", &object, "b: missing required attribute");
    check_error("80", &object, "a: missing required attribute");
    check_error("82 a1 |a| c0 a1 |c| c0", &object, "c: unsupported attribute");
    check_error("83 a1 |a| c0 a1 |b| c0 a1 |c| c0", &object, "c: unsupported attribute");
    check_error("82 a1 |a| c0 a1 |a| c0", &object, "a: attribute given twice");
    check_error("81 01 c0", &object, "a string required as key, not number");
    check_error(
        "81 a1 |k| 81 a1 |a| c3",
        &Type::map(Type::map(Type::String)),
        r#"["k"]["a"]: string required, not bool"#,
    );
    check_error(
        "91 93 01",
        &Type::set(Type::tuple([Type::Number])),
        "[...]: the bytes end before the value does",
    );
    check_error(
        "91 92 01 02",
        &Type::set(Type::tuple([Type::Number])),
        "[...]: tuple of 1 elements required, not of 2",
    );
    check_error("90", &Type::map(Type::String), "map of string required, not list");
    check_error("c1", &Type::String, "a byte that msgpack does not define");
    check_error("", &Type::String, "the bytes end before the value does");
}

#[test]
fn dynamic_values_bring_their_type() {
    check("c0", &Type::Dynamic, &Value::Null);
    check("d4 00 00", &Type::Dynamic, &Value::unknown());
    check("92 c4 08 |\"string\"| d4 00 00", &Type::Dynamic, &Value::dynamic(Type::String, Value::unknown()));
    check("92 c4 08 |\"number\"| c0", &Type::Dynamic, &Value::dynamic(Type::Number, Value::Null));
    check_decode("92 a8 |\"number\"| 01", &Type::Dynamic, &Value::dynamic(Type::Number, 1.into()));
    check_decode("92 c4 09 |\"dynamic\"| c0", &Type::Dynamic, &Value::Null);
    let block = |ty: Type| Type::object([("x", ty)]);
    let blocks = Value::dynamic(
        Type::tuple([block(Type::String), block(Type::Number)]),
        Value::tuple([Value::object([("x", Value::from("a"))]), Value::object([("x", Value::from(1))])]),
    );
    check(
        r#"92 c4 3f |["tuple",[["object",{"x":"string"}],["object",{"x":"number"}]]]| 92 81 a1 |x| a1 |a| 81 a1 |x| 01"#,
        &Type::Dynamic,
        &blocks,
    );
    check(
        r#"92 c4 0c |["tuple",[]]| 90"#,
        &Type::Dynamic,
        &Value::dynamic(Type::tuple([]), Value::tuple([])),
    );
    check_error("91 c0", &Type::Dynamic, "a type and a value required, not 1 items");
    check_error("92 c4 02 |{}| c0", &Type::Dynamic, "the JSON is not a type constraint");
    check_error("92 01 c0", &Type::Dynamic, "a type as JSON required, not number");
    check_error("a1 |x|", &Type::Dynamic, "dynamic required, not string");
}

#[test]
fn hosts_crash_on_mixed_elements_so_they_are_not_sent() {
    let any = Type::list(Type::Dynamic);
    let string = Value::dynamic(Type::String, "x".into());
    let number = Value::dynamic(Type::Number, 1.into());
    assert!(encode(&Value::list([string.clone(), Value::Null, string.clone()]), &any).is_ok());
    check_encode_error(
        &Value::list([string.clone(), number.clone()]),
        &any,
        "all list elements must have the same type",
    );
    let block = Type::object([("any", Type::Dynamic)]);
    let object = |value: &Value| Value::object([("any", value.clone())]);
    check_encode_error(
        &Value::map([("a", object(&string)), ("b", object(&number))]),
        &Type::map(block.clone()),
        "all map elements must have the same type",
    );
    check_encode_error(
        &Value::object([("rules", Value::list([object(&string), object(&Value::Null)]))]),
        &Type::object([("rules", Type::list(block))]),
        "rules: all list elements must have the same type",
    );
    check_encode_error(&"x".into(), &Type::Dynamic, "a value with its type required, not string alone");
}

#[test]
fn values_that_are_not_of_the_type_are_not_sent() {
    let ty = Type::object([("a", Type::String), ("b", Type::Bool)]);
    check_encode_error(&Value::object([("a", Value::Null)]), &ty, "b: missing required attribute");
    let surplus = Value::object([("a", Value::Null), ("b", Value::Null), ("c", Value::Null)]);
    check_encode_error(&surplus, &ty, "c: unsupported attribute");
    let wrong = Value::object([("a", Value::from(1)), ("b", Value::Null)]);
    check_encode_error(&wrong, &ty, "a: string required, not number");
    check_encode_error(
        &Value::tuple([]),
        &Type::tuple([Type::Bool]),
        "tuple of 1 elements required, not of 0",
    );
}

/// Refined unknowns compare equal whatever is known, so this looks at what is known as well.
fn check_refined(wire: &str, ty: &Type, refinements: Refinements) {
    let decoded = decode(&bytes(wire), ty).expect(wire);
    let Value::Unknown(unknown) = &decoded else { panic!("{wire}: {decoded:?}") };
    assert_eq!(unknown.refinements(), Some(&refinements), "{wire}");
    assert_eq!(encode(&Value::Unknown(Unknown::refined(refinements)), ty).expect(wire), bytes(wire));
}

#[test]
fn unknowns_keep_what_is_known() {
    let not_null = Refinements { not_null: true, ..Refinements::default() };
    check_refined("c7 03 0c 81 01 c2", &Type::String, not_null.clone());
    check_refined(
        "c7 09 0c 82 01 c2 02 a4 |pre-|",
        &Type::String,
        Refinements { prefix: Some("pre-".into()), ..not_null.clone() },
    );
    let bound = |limit: i32| Some(Bound { limit: limit.into(), inclusive: true });
    check_refined(
        "c7 0b 0c 83 01 c2 03 92 01 c3 04 92 05 c3",
        &Type::Number,
        Refinements { lower: bound(1), upper: bound(5), ..not_null.clone() },
    );
    check_refined(
        "c7 05 0c 82 05 02 06 0a",
        &Type::list(Type::String),
        Refinements { min_length: Some(2), max_length: Some(10), ..Refinements::default() },
    );
}

#[test]
fn every_other_extension_is_a_plain_unknown() {
    for wire in [
        "d4 00 00",
        "d4 05 00",
        "c7 00 0c",
        "c7 02 07 01 02",
        "c7 03 0c c3 c3 c3",
        "c7 03 0c 81 09 c3",
        "d4 0c 80",
    ] {
        let value = decode(&bytes(wire), &Type::String).expect(wire);
        let Value::Unknown(unknown) = value else { panic!("{wire}") };
        assert_eq!(unknown.refinements(), None, "{wire}");
    }
    let partly =
        decode(&bytes("c7 05 0c 82 01 c2 09 c3"), &Type::String).expect("an entry of a later version");
    assert!(
        matches!(partly, Value::Unknown(unknown) if unknown.refinements().is_some_and(|known| known.not_null))
    );
}

#[test]
fn refinements_without_meaning_for_the_type_are_not_sent() {
    let known = Refinements { prefix: Some("x".into()), min_length: Some(1), ..Refinements::default() };
    let unknown = Value::Unknown(Unknown::refined(known));
    assert_eq!(encode(&unknown, &Type::Bool).expect("unknown"), bytes("d4 00 00"));
    assert_eq!(encode(&unknown, &Type::Dynamic).expect("unknown"), bytes("d4 00 00"));
    assert_eq!(encode(&unknown, &Type::map(Type::Bool)).expect("unknown"), bytes("c7 03 0c 81 05 01"));
    let equal = || Some(Bound { limit: 0.into(), inclusive: false });
    let contradictory =
        Refinements { not_null: true, lower: equal(), upper: equal(), ..Refinements::default() };
    let unknown = Value::Unknown(Unknown::refined(contradictory));
    assert_eq!(encode(&unknown, &Type::Number).expect("unknown"), bytes("c7 03 0c 81 01 c2"));
    assert_eq!(encode(&unknown, &Type::Dynamic).expect("unknown"), bytes("d4 00 00"));
    let never =
        Refinements { not_null: true, min_length: Some(2), max_length: Some(1), ..Refinements::default() };
    let never = Value::Unknown(Unknown::refined(never));
    assert_eq!(encode(&never, &Type::Bool).expect("unknown"), bytes("c7 03 0c 81 01 c2"));
    assert_eq!(encode(&never, &Type::Dynamic).expect("unknown"), bytes("d4 00 00"));
    let long = Refinements { prefix: Some("é".repeat(200).into()), ..Refinements::default() };
    let sent = encode(&Value::Unknown(Unknown::refined(long)), &Type::String).expect("unknown");
    let Ok(Value::Unknown(cut)) = decode(&sent, &Type::String) else { panic!("not an unknown") };
    assert_eq!(cut.refinements().and_then(|known| known.prefix.as_deref()), Some("é".repeat(128).as_str()));
}

#[test]
fn errors_become_diagnostics_with_a_path() {
    let error =
        decode(&bytes("81 a1 |a| c3"), &Type::object([("a", Type::String)])).expect_err("not a string");
    assert_eq!(error.message(), "string required, not bool");
    let diagnostic = Diagnostic::from(error);
    assert_eq!(diagnostic.summary, "Value Not Readable");
    assert_eq!(diagnostic.path, Some(ferroform::path!(a)));
    let error = encode(&true.into(), &Type::String).expect_err("not a string").into_error();
    assert!(error.to_string().contains("This is a bug in the provider"), "{error}");
}
