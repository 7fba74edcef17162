//! Mistakes in values: all at once, each at its path, none with the value.

use ferroform::diag::Diagnostics;
use ferroform::model::{AttributeValue, Decode, Draft, Planned};
use ferroform::path;
use ferroform::path::Path;
use ferroform::value::Value;

use crate::derive::fixture::{Bucket, Tier, decode, planned};

#[track_caller]
fn check<T: Decode>(value: Value, expect: &[&str]) {
    let error = decode::<T>(value).err().expect("the value does not fit");
    let found: Vec<String> = error.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), expect.len(), "{found:#?}");
    for (found, expect) in found.iter().zip(expect) {
        assert!(found.starts_with(expect), "{found:?} is not {expect:?}");
        assert!(!found.contains("canary"), "{found}");
    }
}

#[test]
fn integers_are_never_wrapped_or_rounded() {
    let number = |text: &str| Value::Number(text.parse().expect("a number"));
    check::<u8>(number("256"), &["Invalid Number: The value must be a whole number from 0 to 255."]);
    check::<i8>(number("-129"), &["Invalid Number: The value must be a whole number from -128 to 127."]);
    check::<u64>(
        number("-1"),
        &["Invalid Number: The value must be a whole number from 0 to 18446744073709551615."],
    );
    check::<i64>(number("1.5"), &["Invalid Number: The value must be a whole number"]);
    check::<i128>(number("1e300"), &["Invalid Number: The value must be a whole number"]);
    check::<f64>(number("1e400"), &["Invalid Number: The value must be a number within the range"]);
    check::<f32>(number("1e39"), &["Invalid Number: The value must be a number within the range"]);
    assert_eq!(decode::<i128>(number("-170141183460469231731687303715884105728")).ok(), Some(i128::MIN));
    assert_eq!(decode::<u64>(number("18446744073709551615")).ok(), Some(u64::MAX));
    assert_eq!(decode::<i64>(number("1e3")).ok(), Some(1000));
}

#[test]
fn elements_are_reported_where_they_stand() {
    let list = Value::list([Value::from("a"), Value::Null, Value::from(2)]);
    check::<Vec<String>>(list, &["[1]: Missing Value: A string", "[2]: Wrong Type: A string"]);
    let map = Value::map([("k", Value::unknown())]);
    check::<std::collections::BTreeMap<String, bool>>(map, &[r#"["k"]: Unknown Value: True or false"#]);
    check::<std::collections::BTreeSet<u8>>(Value::set([Value::from(900)]), &["[...]: Invalid Number"]);
    check::<(String, bool)>(Value::tuple([Value::Null, Value::Null]), &["[0]: Missing", "[1]: Missing"]);
    check::<(String, bool)>(Value::tuple([Value::Null]), &["Wrong Type: A tuple of 2 is needed here"]);
}

#[test]
fn an_endless_list_of_mistakes_is_cut() {
    let list = Value::list((0..100_000).map(|_| Value::from("canary")));
    check::<Vec<bool>>(list, &["["; 20]);
}

#[test]
fn all_mistakes_of_a_model_are_reported_together() {
    let Value::Object(mut entries) = planned("name", Value::Null) else { unreachable!("an object") };
    entries.insert("tier", Value::from("canary"));
    entries.insert("owner", Value::object([("name", Value::from(1)), ("mail", Value::from(true))]));
    entries
        .insert("rule", Value::list([Value::object([("action", Value::Null), ("count", Value::from(300))])]));
    check::<Planned<Bucket>>(
        Value::Object(entries),
        &[
            "name: Missing Value",
            r#"tier: Invalid Word: The value must be one of "standard", "very_fast", "glacier-1"."#,
            "owner.name: Wrong Type",
            "owner.mail: Wrong Type",
            "rule[0].action: Missing Value",
            "rule[0].count: Invalid Number",
        ],
    );
    check::<Planned<Bucket>>(Value::Null, &["Missing Value: An object"]);
    check::<Draft<Bucket>>(Value::from("canary"), &["Wrong Type: An object"]);
}

#[track_caller]
fn check_validators<T: AttributeValue>(value: &Value, expect: &[&str]) {
    let mut found = Diagnostics::default();
    for validator in T::validators() {
        validator.check(&ferroform::schema::ValidationTarget::alone(&path!(a), value), &mut found);
    }
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), expect.len(), "{found:#?}");
    for (found, expect) in found.iter().zip(expect) {
        assert!(found.starts_with(expect), "{found:?} is not {expect:?}");
    }
}

#[test]
fn the_type_validates_before_anything_is_decoded() {
    check_validators::<u8>(&Value::from(256), &["a: Invalid Number"]);
    check_validators::<u8>(&Value::Null, &[]);
    check_validators::<u8>(&Value::unknown(), &[]);
    check_validators::<Tier>(&Value::from("slow"), &["a: Invalid Word"]);
    let list = Value::list([Value::Null, Value::from(256), Value::unknown(), Value::from(1)]);
    check_validators::<Vec<u8>>(&list, &["a[0]: Missing Value", "a[1]: Invalid Number"]);
    check_validators::<Vec<Option<u8>>>(&list, &["a[1]: Invalid Number"]);
    let pair = Value::tuple([Value::Null, Value::list([Value::from(256)])]);
    check_validators::<(bool, Vec<u8>)>(&pair, &["a[0]: Missing Value", "a[1][0]: Invalid Number"]);
}

#[test]
fn the_root_is_the_path_when_there_is_no_other() {
    let error = decode::<Planned<Bucket>>(Value::Null).expect_err("it is null");
    assert!(error.iter().all(|diagnostic| diagnostic.path == Some(Path::root())));
}
