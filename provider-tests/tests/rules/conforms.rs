//! Checks of any answer.

use ferroform::schema::{Attribute, BlockNesting, NestedObject, Nesting};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::plan_rules::{assert_wholly_known, assert_write_only_null, conforms};

use super::*;

fn secret() -> Vec<Attribute> {
    vec![Attribute::optional("w", Type::String).write_only()]
}

#[test]
fn write_only_values_are_found_wherever_they_are() {
    let check = |block: Block, value: Value, paths: &[&str]| {
        let problems = assert_write_only_null(&block, &value);
        let found: Vec<String> = problems.iter().map(|problem| problem.path.to_string()).collect();
        assert_eq!(found, paths);
        assert!(!texts(&problems).concat().contains("s3cret"));
    };
    let w = || object!(w = "s3cret");
    check(attributes(secret()), w(), &["w"]);
    check(attributes(secret()), object!(w = NULL), &[]);
    check(attributes(secret()), object!(w = unknown()), &["w"]);
    check(attributes(secret()), NULL, &[]);
    let attribute = |nesting| nested(optional, nesting, secret());
    check(attribute(Nesting::Single), object!(n = w()), &["n.w"]);
    check(attribute(Nesting::Single), object!(n = unknown()), &[]);
    check(attribute(Nesting::List), object!(n = Value::list([object!(w = NULL), w()])), &["n[1].w"]);
    check(attribute(Nesting::Set), object!(n = Value::set([w()])), &["n[...].w"]);
    check(attribute(Nesting::Map), object!(n = Value::map([("k", w())])), &[r#"n["k"].w"#]);
    let block = |nesting| nested_block(nesting, attributes(secret()));
    check(block(BlockNesting::Single), object!(b = w()), &["b.w"]);
    check(block(BlockNesting::Group), object!(b = w()), &["b.w"]);
    check(block(BlockNesting::List), object!(b = Value::list([w()])), &["b[0].w"]);
    check(block(BlockNesting::Set), object!(b = Value::set([w()])), &["b[...].w"]);
    check(block(BlockNesting::Map), object!(b = Value::map([("k", w())])), &[r#"b["k"].w"#]);
    let whole = Attribute::optional("n", NestedObject::new(Nesting::Single, secret())).write_only();
    check(attributes(vec![whole]), object!(n = w()), &["n"]);
}

#[test]
fn every_unknown_is_found() {
    let value = object!(a = unknown(), b = Value::list(["x".into(), unknown()]), c = Value::set([unknown()]));
    let paths: Vec<String> =
        assert_wholly_known(&value).iter().map(|problem| problem.path.to_string()).collect();
    assert_eq!(paths, ["a", "b[1]", "c[...]"]);
    assert!(assert_wholly_known(&NULL).is_empty());
}

#[test]
fn values_have_the_type_of_the_schema() {
    let block = attributes(vec![Attribute::optional("a", Type::list(Type::Number))]);
    assert!(conforms(&block, &object!(a = NULL)).is_empty());
    assert!(conforms(&block, &NULL).is_empty());
    let found = texts(&conforms(&block, &object!(a = Value::list(["x".into()]))));
    assert_eq!(found, ["a[0]: number required, not string"]);
    assert_eq!(
        texts(&conforms(&block, &object!(a = NULL, z = NULL)))[0],
        ": object required, not surplus attribute \"z\""
    );
}
