//! What a plan amounts to.

use ferroform::path;
use ferroform::path::Path;
use ferroform::schema::{Attribute, Nesting};
use ferroform::ty::Type;
use ferroform::value::{Unknown, Value};
use ferroform_testing::plan_rules::{
    ActionOptions, ChangeAction, ReplaceOrder, Replacement, decide_action, equal, requires_replace,
};

use super::*;

#[test]
fn the_action_follows_from_the_values() {
    let check = |prior: Value, planned: Value, replace: &[Path], expect: ChangeAction| {
        assert_eq!(decide_action(&prior, &planned, replace, ActionOptions::default()), expect);
    };
    let replace = ChangeAction::Replace(ReplaceOrder::DeleteThenCreate);
    check(NULL, object!(a = "x"), &[], ChangeAction::Create);
    check(object!(a = "x"), object!(a = "x"), &[], ChangeAction::NoOp);
    check(object!(a = "x"), object!(a = "y"), &[], ChangeAction::Update);
    check(object!(a = "x"), object!(a = unknown()), &[], ChangeAction::Update);
    check(object!(a = "x"), NULL, &[], ChangeAction::Delete);
    check(NULL, NULL, &[], ChangeAction::NoOp);
    check(object!(a = "x"), object!(a = "y"), &[path!(a)], replace);
    let set = |a: &str, b: &str| object!(a = Value::set([a.into(), b.into()]));
    check(set("x", "y"), set("y", "x"), &[], ChangeAction::NoOp);
}

#[test]
fn the_options_decide_order_and_force() {
    let forced = |order| ActionOptions { order, replacement: Replacement::Forced };
    for order in [ReplaceOrder::DeleteThenCreate, ReplaceOrder::CreateThenDelete] {
        let same = object!(a = "x");
        assert_eq!(decide_action(&same, &same, &[], forced(order)), ChangeAction::Replace(order));
        assert_eq!(decide_action(&NULL, &same, &[], forced(order)), ChangeAction::Create);
        assert_eq!(decide_action(&same, &NULL, &[], forced(order)), ChangeAction::Delete);
    }
}

#[test]
fn only_paths_that_change_replace() {
    let mut block = nested(optional, Nesting::List, key_and_value());
    block.attributes.push(Attribute::optional("a", Type::String));
    block.attributes.push(Attribute::optional("w", Type::String).write_only());
    let value = |a: Value, k: &str| object!(a = a, n = Value::list([kv(k, NULL)]), w = NULL);
    let check = |prior: Value, planned: Value, path: Path, kept: bool, problem: bool| {
        let (found, problems) = requires_replace(&block, &prior, &planned, std::slice::from_ref(&path));
        assert_eq!((found.contains(&path), !problems.is_empty()), (kept, problem), "{path}");
    };
    let before = || value("x".into(), "k");
    check(before(), value("y".into(), "k"), path!(a), true, false);
    check(before(), value("x".into(), "k"), path!(a), false, false);
    check(before(), value(unknown(), "k"), path!(a), true, false);
    check(before(), value("x".into(), "j"), path!(n[0].k), true, false);
    check(before(), value("x".into(), "j"), path!(n[0].v), false, false);
    check(before(), value("x".into(), "k"), path!(w), true, false);
    check(before(), value("x".into(), "k"), path!(z), false, true);
    check(before(), value("x".into(), "k"), path!(n[3].k), false, true);
    check(NULL, value("x".into(), "k"), path!(a), false, false);
    // What one side lacks counts as null there.
    let longer = object!(a = "x", n = Value::list([kv("k", NULL), kv("l", NULL)]), w = NULL);
    check(before(), longer, path!(n[1].k), true, false);
}

#[test]
fn equality_has_three_answers() {
    let check = |a: Value, b: Value, expect: Option<bool>| {
        assert_eq!(equal(&a, &b), expect, "{a:?} {b:?}");
        assert_eq!(equal(&b, &a), expect, "{b:?} {a:?}");
    };
    check(NULL, Value::dynamic(Type::String, NULL), Some(true));
    check(NULL, "x".into(), Some(false));
    check("x".into(), unknown(), None);
    check(unknown(), unknown(), None);
    check(NULL, Unknown::not_null().into(), Some(false));
    check(object!(a = "x", b = unknown()), object!(a = "y", b = unknown()), Some(false));
    check(object!(a = "x", b = unknown()), object!(a = "x", b = "y"), None);
    check(Value::list([]), Value::list([unknown()]), Some(false));
    check(Value::set([unknown()]), Value::set(["x".into()]), None);
    check(Value::from(1), "1.0".parse::<ferroform::value::Number>().unwrap().into(), Some(true));
}
