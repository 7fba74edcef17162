use std::collections::HashSet;

use ferroform::path;
use ferroform::path::Path;
use ferroform::ty::{ObjectType, Type};
use ferroform::value::{Bound, Entries, Refinements, Set, Unknown, Value};

fn set<const N: usize>(elements: [Value; N]) -> Set {
    elements.into_iter().collect()
}

fn object(name: Value) -> Value {
    Value::object([("name", name), ("size", 1.into())])
}

#[test]
fn sets_keep_each_known_element_once() {
    assert_eq!(set([1, 2, 1].map(Value::from)).as_slice(), [1, 2].map(Value::from));
    assert_eq!(set([object(Value::unknown()), object(Value::unknown())]).len(), 2);
    assert_eq!(set([Value::unknown(), "a".into(), Value::unknown(), "a".into()]).len(), 3);
    let many: Set = (0..1000).chain(500..1500).map(Value::from).collect();
    assert_eq!(many.len(), 1500);
    assert_eq!(many.iter().nth(1200), Some(&1200.into()));
    assert!((0..1500).all(|number| many.contains(&number.into())) && !many.contains(&1500.into()));
    let few: Set = (0..1000).map(|number| Value::from(number % 3)).collect();
    assert_eq!(few.as_slice(), [0, 1, 2].map(Value::from));
    let unknown: Set = (0..100).map(|_| Value::unknown()).chain((0..10).map(|_| 1.into())).collect();
    assert_eq!(unknown.len(), 101);
    assert!(unknown.contains(&1.into()));
}

#[test]
fn sets_compare_by_membership() {
    let forward: Set = (0..100).map(|number| object(number.into())).collect();
    let backward: Set = (0..100).rev().map(|number| object(number.into())).collect();
    let other: Set = (1..101).map(|number| object(number.into())).collect();
    assert_eq!(forward, backward);
    assert_ne!(forward, other);
    assert_eq!(HashSet::from([forward.clone(), backward]).len(), 1);
    assert_ne!(set(["a".into(), Value::unknown()]), set(["a".into(), "b".into()]));
    assert_ne!(
        set([object(Value::unknown()), object(Value::unknown()), object("a".into())]),
        set([object(Value::unknown()), object("b".into()), object("a".into())])
    );
    assert_eq!(
        Value::set([Value::set([1.into(), 2.into()]), Value::set([3.into()])]),
        Value::set([Value::set([3.into()]), Value::set([2.into(), 1.into()])])
    );
}

#[test]
fn large_sets_take_no_quadratic_time() {
    // Comparing each element with each other would be 10^10 steps, which no test run would survive.
    let elements = || (0..100_000).map(|number| object(Value::from(number)));
    let forward: Set = elements().collect();
    let backward: Set = elements().rev().collect();
    assert_eq!(forward, backward);
    let unknown = || (0..100_000).map(|_| object(Value::unknown())).collect::<Set>();
    assert_eq!(unknown(), unknown());
}

#[test]
fn paths_lead_through_dynamic_wrappers() {
    let inner = Type::object([("list", Type::list(Type::Number))]);
    let mut value =
        Value::object([("any", Value::dynamic(inner, Value::object([("list", Value::list([7.into()]))])))]);
    assert_eq!(value.get(&path!(any.list[0])), Some(&7.into()));
    assert_eq!(value.get(&path!(any.list[1])), None);
    assert_eq!(value.get(&path!(any.list["0"])), None);
    assert_eq!(value.get(&Path::root()), Some(&value));
    *value.get_mut(&path!(any.list[0])).expect("the same path") = 8.into();
    assert_eq!(value.get(&path!(any.list)).and_then(Value::elements), Some([8.into()].as_slice()));
    let mut seen = Vec::new();
    value.walk(|path, value| seen.push((path.to_string(), value.kind())));
    let expect = [("", "object"), ("any", "object"), ("any.list", "list"), ("any.list[0]", "number")];
    assert_eq!(seen, expect.map(|(path, kind)| (path.to_owned(), kind)));
}

#[test]
fn conformance_is_exact() {
    let ty = Type::object([("a", Type::set(Type::String)), ("b", Type::Dynamic)]);
    let check = |value: &Value, expect: Result<(), &str>| {
        assert_eq!(value.conforms(&ty).map_err(|error| error.to_string()), expect.map_err(str::to_owned));
    };
    let object = |a: Value, b: Value| Value::object([("a", a), ("b", b)]);
    check(&object(Value::set(["x".into()]), Value::dynamic(Type::Bool, true.into())), Ok(()));
    check(&object(Value::unknown(), Value::Null), Ok(()));
    check(&object(Value::list([]), Value::Null), Err("a: set of string required, not list"));
    check(&object(Value::set([1.into()]), Value::Null), Err("a[...]: string required, not number"));
    check(&object(Value::Null, true.into()), Err("b: dynamic required, not bool without a type"));
    check(
        &object(Value::Null, Value::dynamic(Type::String, 1.into())),
        Err("b: string required, not number"),
    );
    check(&Value::object([("a", Value::Null)]), Err(r#"object required, not no attribute "b""#));
    let surplus = Value::object([("a", Value::Null), ("b", Value::Null), ("c", Value::Null)]);
    check(&surplus, Err(r#"object required, not surplus attribute "c""#));
    assert!(Value::tuple([]).conforms(&Type::tuple([Type::Bool])).is_err());
}

#[test]
fn nulls_of_an_object_type_are_not_a_null_object() {
    let ty = ObjectType::new([("a", Type::Bool), ("b", Type::String)]);
    let value = Value::null_of(&ty);
    assert!(!value.is_null() && value.is_wholly_known());
    assert_eq!(value, Value::object([("a", Value::Null), ("b", Value::Null)]));
}

#[test]
fn entries_are_sorted_and_normalised() {
    let mut entries: Entries =
        [("b", 1), ("a", 2), ("b", 3)].map(|(key, value)| (key, value.into())).into_iter().collect();
    assert_eq!(entries.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(entries.get("b"), Some(&3.into()));
    assert_eq!(entries.insert("e\u{301}", 4.into()), None);
    assert_eq!(entries.insert("\u{e9}", 5.into()), Some(4.into()));
    assert_eq!(entries.remove("a"), Some(2.into()));
    entries.iter_mut().for_each(|(_, value)| *value = Value::Null);
    assert!(entries.len() == 2 && entries.values().all(Value::is_null));
    entries.retain(|key, _| key == "b");
    assert_eq!(entries.into_iter().count(), 1);
}

#[test]
fn unknowns_admit_what_agrees_with_them() {
    let check = |known: Refinements, admitted: &[Value], refused: &[Value]| {
        let unknown = Unknown::refined(known);
        admitted.iter().for_each(|value| assert!(unknown.admits(value), "{unknown:?} {value:?}"));
        refused.iter().for_each(|value| assert!(!unknown.admits(value), "{unknown:?} {value:?}"));
        assert!(unknown.admits(&Value::unknown()));
        assert_eq!(Value::Unknown(unknown), Value::unknown());
    };
    check(Refinements::default(), &[Value::Null, "a".into()], &[]);
    check(Refinements { not_null: true, ..Refinements::default() }, &["".into()], &[Value::Null]);
    let above = Refinements {
        lower: Some(Bound { limit: 1.into(), inclusive: false }),
        upper: Some(Bound { limit: 5.into(), inclusive: true }),
        ..Refinements::default()
    };
    check(above, &[2.into(), 5.into(), Value::Null], &[1.into(), 6.into()]);
    let some = Refinements { min_length: Some(1), max_length: Some(2), ..Refinements::default() };
    check(
        some,
        &[Value::list([1.into()]), Value::set([Value::unknown(), Value::unknown(), Value::unknown()])],
        &[Value::list([]), Value::map::<&str>([]), Value::set([1, 2, 3].map(Value::from))],
    );
}

#[test]
fn the_kind_tells_nothing_of_the_content() {
    let secret = Value::dynamic(Type::String, "secret".into());
    assert_eq!(secret.kind(), "string");
    assert_eq!(Value::dynamic(Type::String, Value::Null).kind(), "null");
    let error = Value::list([secret]).conforms(&Type::list(Type::Number)).expect_err("not a number");
    assert!(!error.to_string().contains("secret"));
}
