//! Blocks: absent ones, and those with dynamic attributes, which core passes as dynamic tuples and objects.

use std::collections::BTreeMap;

use ferroform::model::{Decode, Draft, Encode, Model, Planned, Prior};
use ferroform::ty::Type;
use ferroform::value::{Dynamic, Value};

use crate::derive::fixture::{Bucket, bucket_with, decode, planned};

#[derive(Model)]
struct Box_ {
    #[attr(block)]
    item: Vec<Item>,
    #[attr(block)]
    by: BTreeMap<String, Item>,
}

#[derive(Model)]
#[model(nested)]
struct Item {
    any: Option<Dynamic>,
    name: Option<String>,
    #[attr(block)]
    inner: Vec<Inner>,
}

#[derive(Model)]
#[model(nested)]
struct Inner {
    any: Dynamic,
}

fn item_ty(any: Type, inner: Type) -> Type {
    Type::object([("any", any), ("name", Type::String), ("inner", inner)])
}

fn item(any: Value, inner: Value) -> Value {
    Value::object([("any", any), ("name", Value::Null), ("inner", inner)])
}

/// Two items whose dynamic attributes differ in type, as core passes them.
fn from_core() -> Value {
    let inner_ty = Type::tuple([Type::object([("any", Type::Number)])]);
    let inner = Value::tuple([Value::object([("any", Value::from(5))])]);
    let none_ty = Type::tuple([]);
    let none = Value::tuple([]);
    let strings = Type::list(Type::String);
    let items_ty = Type::tuple([item_ty(strings, inner_ty), item_ty(Type::Dynamic, none_ty.clone())]);
    let items = Value::tuple([item(Value::list([]), inner), item(Value::Null, none.clone())]);
    let by_ty = Type::object([("k", item_ty(Type::Bool, none_ty))]);
    let by = Value::object([("k", item(Value::from(true), none))]);
    Value::object([("item", Value::dynamic(items_ty, items)), ("by", Value::dynamic(by_ty, by))])
}

#[track_caller]
fn check_round_trip<T: Decode + Encode>(value: &Value) {
    value.conforms(&Box_::schema().ty()).expect("the fixture is what core would send");
    let decoded: T = decode(value.clone()).expect("the value fits");
    assert_eq!(decoded.encode(), *value);
}

#[test]
fn dynamic_blocks_come_back_as_they_were() {
    check_round_trip::<Box_>(&from_core());
    check_round_trip::<Draft<Box_>>(&from_core());
    check_round_trip::<Planned<Box_>>(&from_core());
    check_round_trip::<Prior<Box_>>(&from_core());
    let empty = Box_ { item: Vec::new(), by: BTreeMap::new() }.encode();
    assert_eq!(empty, Box_::block().empty());
    check_round_trip::<Box_>(&empty);
}

#[test]
fn dynamic_attributes_in_blocks_have_their_types() {
    let planned: Planned<Box_> = decode(from_core()).expect("the value fits");
    let any = planned.item.first().and_then(|item| item.any.clone());
    assert_eq!(any, Some(Dynamic { ty: Type::list(Type::String), value: Value::list([]) }));
    let inner = planned.item.first().and_then(|item| item.inner.first()).map(|inner| inner.any.clone());
    assert_eq!(inner, Some(Dynamic { ty: Type::Number, value: Value::from(5) }));
    let draft: Draft<Box_> = decode(from_core()).expect("the value fits");
    let items = draft.item.known().expect("the list is known");
    assert!(items.iter().filter_map(|item| item.as_known()).any(|item| item.any.is_null()));
}

#[test]
fn absent_blocks_are_empty() {
    let plan: Planned<Bucket> = decode(planned("rule", Value::Null)).expect("the value fits");
    assert!(plan.rule.is_empty() && plan.lock.is_none());
    let draft: Draft<Bucket> = decode(bucket_with("label", Value::Null)).expect("the value fits");
    assert_eq!(draft.label.known().map(|set| set.len()), Ok(0));
    let error = decode::<Planned<Bucket>>(planned("root", Value::Null)).expect_err("it is required");
    assert!(error.to_string().starts_with("root: Missing Value"), "{error}");
}
