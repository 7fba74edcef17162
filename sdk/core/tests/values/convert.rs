use ferroform::path;
use ferroform::ty::{ObjectType, Type};
use ferroform::value::{Refinements, Unknown, Value, convert, unify};
use ferroform_core::codec::type_json;

fn check(value: &Value, ty: &Type, expect: &Value) {
    assert_eq!(&convert(value, ty).unwrap_or_else(|error| panic!("{value:?} to {ty:?}: {error}")), expect);
    expect.conforms(ty).expect("the result conforms");
}

fn check_error(value: &Value, ty: &Type, expect: &str) {
    assert_eq!(convert(value, ty).expect_err(expect).to_string(), expect);
}

fn number(text: &str) -> Value {
    Value::Number(text.parse().expect("a number"))
}

fn strings<const N: usize>(texts: [&str; N]) -> [Value; N] {
    texts.map(Value::from)
}

#[test]
fn primitives() {
    check(&1.into(), &Type::String, &"1".into());
    check(&number("1e3"), &Type::String, &"1000".into());
    check(&true.into(), &Type::String, &"true".into());
    check(&"1e3".into(), &Type::Number, &1000.into());
    check(&"0.1".into(), &Type::Number, &number("0.1"));
    check(&"true".into(), &Type::Bool, &true.into());
    check(&"0".into(), &Type::Bool, &false.into());
    check_error(&"many".into(), &Type::Number, "a number is required");
    check_error(&"True".into(), &Type::Bool, "a bool is required");
    check_error(&1.into(), &Type::Bool, "bool required");
    check_error(&true.into(), &Type::Number, "number required");
    check_error(&Value::list([]), &Type::String, "string required");
}

#[test]
fn sequences() {
    let tuple = Value::tuple(["b".into(), 1.into(), true.into()]);
    check(&tuple, &Type::list(Type::String), &Value::list(strings(["b", "1", "true"])));
    check(&tuple, &Type::set(Type::String), &Value::set(strings(["b", "1", "true"])));
    check(&Value::list(strings(["1", "1.0"])), &Type::set(Type::Number), &Value::set([1.into()]));
    check(
        &Value::set([2, 1].map(Value::from)),
        &Type::list(Type::Number),
        &Value::list([2, 1].map(Value::from)),
    );
    check(
        &tuple,
        &Type::tuple([Type::String, Type::String, Type::Bool]),
        &Value::tuple(["b".into(), "1".into(), true.into()]),
    );
    check_error(&tuple, &Type::tuple([Type::String]), "tuple required");
    check_error(&Value::list(strings(["a"])), &Type::tuple([Type::String]), "tuple required");
    check_error(&Value::map([("a", 1.into())]), &Type::list(Type::Number), "list of number required");
    check_error(&Value::tuple(["x".into()]), &Type::list(Type::Number), "element 0: a number is required");
}

#[test]
fn maps_and_objects() {
    let object = Value::object([("b", 1.into()), ("a", "x".into())]);
    check(&object, &Type::map(Type::String), &Value::map([("a", "x".into()), ("b", "1".into())]));
    let ab = Type::object([("a", Type::String), ("b", Type::String)]);
    check(&object, &ab, &Value::object([("a", "x".into()), ("b", "1".into())]));
    check(&object, &Type::object([("a", Type::String)]), &Value::object([("a", "x".into())]));
    check(
        &Value::map([("a", "x".into()), ("b", "y".into()), ("c", "z".into())]),
        &ab,
        &Value::object([("a", "x".into()), ("b", "y".into())]),
    );
    let optional = ObjectType::with_optional([("a", Type::String), ("c", Type::Bool)], ["c"]).into();
    check(&object, &optional, &Value::object([("a", "x".into()), ("c", Value::Null)]));
    check_error(&Value::object([("a", "x".into())]), &ab, r#"attribute "b" is required"#);
    check_error(&Value::object::<&str>([]), &ab, r#"attributes "a" and "b" are required"#);
    check_error(&Value::map([("a", "x".into())]), &ab, r#"map has no element for required attribute "b""#);
    check_error(
        &Value::object([("a", Value::list([]))]),
        &Type::object([("a", Type::Number)]),
        r#"attribute "a": number required"#,
    );
    check_error(&Value::list([]), &Type::map(Type::String), "map of string required");
    check_error(&"x".into(), &ab, "object required");
    let nested = Value::object([("rules", Value::tuple([Value::object([("port", "x".into())])]))]);
    let ty = Type::object([("rules", Type::list(Type::object([("port", Type::Number)])))]);
    assert_eq!(convert(&nested, &ty).expect_err("no number").path, path!(rules[0].port));
}

#[test]
fn null_and_unknown_convert_to_anything() {
    for ty in [Type::Bool, Type::list(Type::Bool), Type::object([("a", Type::Bool)]), Type::Dynamic] {
        check(&Value::Null, &ty, &Value::Null);
        check(&Value::unknown(), &ty, &Value::unknown());
    }
    check(&Value::dynamic(Type::Number, Value::unknown()), &Type::String, &Value::unknown());
    let known = Refinements { not_null: true, prefix: Some("a".into()), ..Refinements::default() };
    let unknown = Value::Unknown(Unknown::refined(known));
    let Ok(Value::Unknown(kept)) = convert(&unknown, &Type::Number) else { panic!("not unknown") };
    assert_eq!(kept.refinements(), Some(&Refinements { not_null: true, ..Refinements::default() }));
}

#[test]
fn open_types_are_filled_in() {
    let string = |text: &str| Value::dynamic(Type::String, text.into());
    check(&"x".into(), &Type::Dynamic, &string("x"));
    check(&string("x"), &Type::Dynamic, &string("x"));
    check(&string("5"), &Type::Number, &5.into());
    let tuple = Value::tuple(["x".into(), 1.into()]);
    check(&tuple, &Type::Dynamic, &Value::dynamic(Type::tuple([Type::String, Type::Number]), tuple.clone()));
    check(&tuple, &Type::list(Type::Dynamic), &Value::list([string("x"), string("1")]));
    check(
        &Value::object([("a", 1.into()), ("b", "y".into())]),
        &Type::map(Type::Dynamic),
        &Value::map([("a", string("1")), ("b", string("y"))]),
    );
    check(
        &Value::tuple(["x".into(), Value::Null]),
        &Type::list(Type::Dynamic),
        &Value::list([string("x"), Value::Null]),
    );
    check(
        &Value::tuple([Value::object([("a", 1.into())]), Value::object([("a", "x".into())])]),
        &Type::set(Type::object([("a", Type::Dynamic)])),
        &Value::set([Value::object([("a", string("1"))]), Value::object([("a", string("x"))])]),
    );
    check(&Value::list([]), &Type::list(Type::Dynamic), &Value::list([]));
    check_error(
        &Value::tuple([1.into(), Value::tuple([])]),
        &Type::list(Type::Dynamic),
        "all list elements must have the same type",
    );
    check_error(
        &Value::list([1.into(), true.into()]),
        &Type::Dynamic,
        "all list elements must have the same type",
    );
}

/// Random types of up to three levels, of which most are variations of one, and what core makes of them.
#[test]
fn unification_finds_the_type_that_core_finds() {
    let types = |json: &str| type_json::decode(json.as_bytes()).expect(json);
    let rows = include_str!("unify.tsv").lines().filter(|line| !line.starts_with('#'));
    for row in rows {
        let (given, expect) = row.split_once('\t').expect(row);
        // A tuple of types is written like several types.
        let Type::Tuple(given) = types(&format!("[\"tuple\",{given}]")) else { panic!("{row}") };
        let expect = (expect != "null").then(|| types(expect));
        assert_eq!(unify(&given), expect, "{row}");
    }
    assert_eq!(unify(&[]), None);
}
