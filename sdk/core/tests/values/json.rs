use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::json::{UnknownAttributes, decode, encode};

/// The text decodes to the value, and the value encodes to the text.
fn check(json: &str, ty: &Type, value: &Value) {
    check_decode(json, ty, value);
    assert_eq!(String::from_utf8(encode(value, ty).expect(json)).as_deref(), Ok(json));
}

/// The text decodes to the value, which has another text of its own.
fn check_decode(json: &str, ty: &Type, value: &Value) {
    assert_eq!(&decode(json.as_bytes(), ty, UnknownAttributes::Refuse).expect(json), value, "{json}");
}

fn check_error(json: &[u8], ty: &Type, expect: &str) {
    for policy in [UnknownAttributes::Refuse, UnknownAttributes::Ignore] {
        let error = decode(json, ty, policy).expect_err(expect);
        assert_eq!(error.to_string(), expect, "{}", String::from_utf8_lossy(json));
    }
}

fn number(text: &str) -> Value {
    Value::Number(text.parse().expect("a number"))
}

#[test]
fn primitives() {
    check("null", &Type::String, &Value::Null);
    check("true", &Type::Bool, &Value::Bool(true));
    check(r#""a\"b\\c\n\u0001\u003c\u003e\u0026\u2028""#, &Type::String, &"a\"b\\c\n\u{1}<>&\u{2028}".into());
    check_decode(r#""\u00e9\ud83d\ude00\/\b\f\r\t""#, &Type::String, &"é😀/\u{8}\u{c}\r\t".into());
    check_decode(r#""e\u0301""#, &Type::String, &"é".into());
    check_decode(r#""\ud83d!\ud83d\u0041\ude00""#, &Type::String, &"\u{fffd}!\u{fffd}A\u{fffd}".into());
    check_decode(" \n\t 1 \r", &Type::Number, &Value::from(1));
}

#[test]
fn numbers_keep_their_digits() {
    for text in [
        "0",
        "-5",
        "9223372036854775807",
        "18446744073709551616",
        "0.1",
        "1.5",
        "1234567890.12345678901234567890123",
    ] {
        check(text, &Type::Number, &number(text));
    }
    check_decode("1e3", &Type::Number, &Value::from(1000));
    check_decode("-1.5E-2", &Type::Number, &number("-0.015"));
    for text in ["01", "1.", ".5", "+1", "1e", "-", "--1", "1e+", "0x1", "NaN", "Infinity"] {
        check_error(text.as_bytes(), &Type::Number, "the text is not valid JSON");
    }
    check_error(b"1e999999999", &Type::Number, "a number of at most 1024 digits is required");
}

#[test]
fn primitives_of_another_kind_are_taken_as_core_takes_them() {
    check_decode(r#""12""#, &Type::Number, &Value::from(12));
    check_decode(r#""true""#, &Type::Bool, &Value::Bool(true));
    check_decode("0", &Type::Bool, &Value::Bool(false));
    check_decode("12.50", &Type::String, &"12.50".into());
    check_decode("true", &Type::String, &"true".into());
    check_error(r#""many""#.as_bytes(), &Type::Number, "a number is required");
    check_error(r#""yes""#.as_bytes(), &Type::Bool, "a bool is required");
    check_error(b"true", &Type::Number, "number required, not bool");
}

#[test]
fn containers() {
    check("[1,null]", &Type::list(Type::Number), &Value::list([1.into(), Value::Null]));
    check("[]", &Type::list(Type::Number), &Value::list([]));
    check("{}", &Type::map(Type::Number), &Value::map::<&str>([]));
    check(
        r#"["a",true]"#,
        &Type::tuple([Type::String, Type::Bool]),
        &Value::tuple(["a".into(), true.into()]),
    );
    check(r#"{"a":1,"b":2}"#, &Type::map(Type::Number), &Value::map([("b", 2.into()), ("a", 1.into())]));
    let object = Type::object([("a", Type::String), ("b", Type::Number)]);
    check(r#"{"a":"x","b":null}"#, &object, &Value::object([("a", "x".into()), ("b", Value::Null)]));
    check_decode(r#"{ "b" : 1 }"#, &object, &Value::object([("a", Value::Null), ("b", 1.into())]));
    check_decode("{}", &object, &Value::object([("a", Value::Null), ("b", Value::Null)]));
    check_decode(r#"{"b":1,"b":2}"#, &object, &Value::object([("a", Value::Null), ("b", 2.into())]));
}

#[test]
fn sets_are_written_in_canonical_order() {
    let check = |json: &str, ty: Type, elements: &[Value]| {
        let mut elements = elements.to_vec();
        for _ in 0..elements.len() {
            elements.rotate_left(1);
            check(json, &Type::set(ty.clone()), &Value::set(elements.clone()));
        }
    };
    check(r#"["B","a","b",null]"#, Type::String, &["a".into(), Value::Null, "b".into(), "B".into()]);
    check("[-1,2,10]", Type::Number, &[10, 2, -1].map(Value::from));
    check("[false,true]", Type::Bool, &[true.into(), false.into()]);
    let point = |x: i32| Value::object([("x", x.into()), ("y", "s".into())]);
    // Compound elements are sorted by text, in which 10 stands before 2.
    check(
        r#"[{"x":10,"y":"s"},{"x":2,"y":"s"},null]"#,
        Type::object([("x", Type::Number), ("y", Type::String)]),
        &[point(2), point(10), Value::Null],
    );
}

#[test]
fn dynamic_values_bring_their_type() {
    let value = Value::dynamic(Type::list(Type::Number), Value::list([1.into()]));
    check(r#"{"value":[1],"type":["list","number"]}"#, &Type::Dynamic, &value);
    check_decode(r#"{"type":["list","number"],"value":[1]}"#, &Type::Dynamic, &value);
    check("null", &Type::Dynamic, &Value::Null);
    check_error(b"1", &Type::Dynamic, "dynamic required, not number");
    check_error(b"[1]", &Type::Dynamic, "an object with a value and its type required, not list");
    check_error(br#"{"value":1}"#, &Type::Dynamic, "a dynamic value has no type");
    check_error(br#"{"type":"bool"}"#, &Type::Dynamic, "a dynamic value has no value");
    check_error(br#"{"a":1}"#, &Type::Dynamic, "a dynamic value has one value and one type, nothing else");
    check_error(
        br#"{"value":{"a":1,"b":1},"type":["object",{"a":"number"}]}"#,
        &Type::Dynamic,
        "b: unsupported attribute",
    );
    check_error(
        br#"[{"value":[true],"type":["list","number"]}]"#,
        &Type::list(Type::Dynamic),
        "[0][0]: number required, not bool",
    );
}

#[test]
fn unknown_attributes_are_refused_or_left_out() {
    let ty = Type::list(Type::object([("a", Type::Number)]));
    let json = br#"[{"z":[{"deep":["]",{}]},1.5e3,"\"",null,true],"a":1}]"#;
    let value = decode(json, &ty, UnknownAttributes::Ignore).expect("the attribute is left out");
    assert_eq!(value, Value::list([Value::object([("a", 1.into())])]));
    let error = decode(json, &ty, UnknownAttributes::Refuse).expect_err("the attribute is refused");
    assert_eq!(error.to_string(), "[0].z: unsupported attribute");
}

#[test]
fn errors_name_the_path_and_no_value() {
    let ty = Type::object([("a", Type::map(Type::set(Type::Bool)))]);
    check_error(br#"{"a":{"k":[true,7]}}"#, &ty, r#"a["k"][...]: a bool is required"#);
    check_error(br#"{"a":{"k":[true"#, &ty, r#"a["k"]: the JSON text ends before the value does"#);
    check_error(br#"{"a":{"k":5}}"#, &ty, r#"a["k"]: set of bool required, not number"#);
    check_error(b"{\"a\":{\"\xff\":[]}}", &ty, "a: text that is not UTF-8");
    check_error(br#"{"a":null} x"#, &ty, "the text is not valid JSON");
    check_error(br#"{"a":null,}"#, &ty, "the text is not valid JSON");
    check_error(b"", &ty, "the JSON text ends before the value does");
    check_error(b"\"a\nb\"", &Type::String, "a control character in a JSON string");
    check_error(br#""\x""#, &Type::String, "an escape that JSON does not define");
    let unknown = Value::object([("a", Value::map([("k", Value::set([Value::unknown()]))]))]);
    let error = encode(&unknown, &ty).expect_err("unknown values have no JSON");
    assert_eq!(error.to_string(), r#"a["k"][...]: a known value is required, not unknown"#);
}
