use ferroform::ty::{ObjectType, Type};
use ferroform_core::codec::type_json::{decode, encode};

/// The text decodes to the type, and the type encodes to the text.
fn check(json: &str, ty: &Type) {
    assert_eq!(&decode(json.as_bytes()).expect(json), ty);
    assert_eq!(encode(ty), json);
}

#[test]
fn every_type_has_a_text() {
    check(r#""string""#, &Type::String);
    check(r#""number""#, &Type::Number);
    check(r#""bool""#, &Type::Bool);
    check(r#""dynamic""#, &Type::Dynamic);
    check(r#"["list","string"]"#, &Type::list(Type::String));
    check(r#"["set",["map","bool"]]"#, &Type::set(Type::map(Type::Bool)));
    check(r#"["tuple",[]]"#, &Type::tuple([]));
    check(
        r#"["tuple",["string",["list","number"]]]"#,
        &Type::tuple([Type::String, Type::list(Type::Number)]),
    );
    check(r#"["object",{}]"#, &Type::object::<&str>([]));
    check(
        r#"["object",{"a":"bool","b \"c\"":"string"}]"#,
        &Type::object([("b \"c\"", Type::String), ("a", Type::Bool)]),
    );
    let optional =
        ObjectType::with_optional([("a", Type::Bool), ("b", Type::Bool), ("c", Type::Bool)], ["c", "a"]);
    check(r#"["object",{"a":"bool","b":"bool","c":"bool"},["a","c"]]"#, &optional.into());
    let spaced =
        decode(b" [ \"object\" , { \"b\" : \"bool\" , \"a\" : \"string\" } , [ ] ] ").expect("white space");
    assert_eq!(spaced, Type::object([("a", Type::String), ("b", Type::Bool)]));
}

#[test]
fn what_is_no_type_is_refused() {
    for json in [
        "1",
        "null",
        "true",
        "{}",
        "[]",
        r#""text""#,
        r#""any""#,
        r#"["list"]"#,
        r#"["list","string","string"]"#,
        r#"["list",1]"#,
        r#"["tuple","string"]"#,
        r#"["object",[]]"#,
        r#"["object",{},{}]"#,
        r#"["object",{},[1]]"#,
        r#"["object",{},[],1]"#,
        r#"["bag","string"]"#,
        r#"["string"]"#,
        r#"[1,"string"]"#,
    ] {
        let error = decode(json.as_bytes()).expect_err(json);
        assert_eq!(error.message(), "the JSON is not a type constraint", "{json}");
    }
    for json in [r#"["object",{"a":"bool","a":"bool"}]"#, r#"["object",{"a":"bool"},["b"]]"#] {
        let error = decode(json.as_bytes()).expect_err(json);
        assert_eq!(error.message(), "an object type with repeated or nonexistent attribute names");
    }
    let nested = decode(br#"["object",{"a":["tuple",["bool","list"]]}]"#).expect_err("nested");
    assert_eq!(nested.to_string(), "a[1]: the JSON is not a type constraint");
    assert!(decode(br#""string" "#).is_ok() && decode(br#""string" 1"#).is_err());
}
