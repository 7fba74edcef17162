//! Wrong plans.

use ferroform::path;
use ferroform::ty::Type;
use ferroform::value::{Set, Value};
use ferroform_acceptance::wrong::{Change, Which};
use ferroform_server::protocol::Rpc;
use ferroform_testing::plan_rules::summary::{DEFERRED, INCONSISTENT_FINAL_PLAN, INVALID_IDENTITY};

use super::change::{
    bare, defer, foreign, insert, no_path, pair, push, remove, replace_for_note, set, unknown_id,
};
use super::{Act, Row, row};

const PLAN: Rpc = Rpc::PlanResourceChange;

/// Plans that depart from the configuration in plain attributes.
pub(super) fn attributes() -> Vec<Row> {
    use Act::{Create, CreateBare, CreateUnknown, Unset};
    let plan = |name, act, change: fn(&mut Value)| row(name, act, PLAN, Change::Object(change));
    vec![
        plan("a planned object is null", Create, |it| *it = Value::Null),
        plan("a required attribute is planned otherwise", Create, |it| set(it, &path!(name), "other"))
            .at(path!(name)),
        plan("an optional attribute is planned otherwise", Create, |it| set(it, &path!(note), "other"))
            .at(path!(note)),
        plan("a configured attribute is planned null", Create, |it| set(it, &path!(note), Value::Null))
            .at(path!(note)),
        plan("a configured attribute is planned unknown", Create, |it| {
            set(it, &path!(note), Value::unknown())
        })
        .at(path!(note)),
        plan("an attribute that is not computed gets a value", CreateBare, |it| {
            set(it, &path!(note), "made up")
        })
        .at(path!(note)),
        plan("a configured computed attribute is planned otherwise", Create, |it| set(it, &path!(size), 7))
            .at(path!(size)),
        plan("a write-only attribute is planned", Create, |it| set(it, &path!(secret), "kept"))
            .at(path!(secret)),
        plan("a sensitive attribute is planned otherwise", Create, |it| set(it, &path!(token), "other"))
            .at(path!(token)),
        plan("an element of a map is planned otherwise", Create, |it| set(it, &path!(tags["a"]), "other"))
            .at(path!(tags)),
        plan("an element is added to a map", Create, |it| insert(it, &path!(tags), "b", "2")).at(path!(tags)),
        plan("an element is lost from a set", Create, |it| {
            set(it, &path!(hosts), Value::Set(Set::from_iter([])))
        })
        .at(path!(hosts)),
        plan("a dynamic attribute is planned as another type", Create, |it| {
            set(it, &path!(any), Value::dynamic(Type::Bool, Value::from(true)));
        })
        .at(path!(any)),
        plan("a value is guessed for an unknown one", CreateUnknown, |it| set(it, &path!(note), "guess"))
            .at(path!(note)),
        plan("a prior value is kept that is configured no more", Unset, |it| set(it, &path!(note), "first"))
            .at(path!(note)),
    ]
}

/// Plans that depart from the configuration in nested attributes.
pub(super) fn nested() -> Vec<Row> {
    use Act::{Create, CreateBare};
    let plan = |name, act, change: fn(&mut Value)| row(name, act, PLAN, Change::Object(change));
    vec![
        plan("a nested object is planned otherwise", Create, |it| set(it, &path!(one.a), "other"))
            .at(path!(one.a)),
        plan("a nested object is planned null", Create, |it| set(it, &path!(one), Value::Null))
            .at(path!(one)),
        plan("a nested object is made up", CreateBare, |it| set(it, &path!(one), pair("made up")))
            .at(path!(one)),
        plan("a nested object is planned unknown", Create, |it| set(it, &path!(one), Value::unknown()))
            .at(path!(one)),
        plan("an element is lost from a nested list", Create, |it| set(it, &path!(many), Value::list([])))
            .at(path!(many)),
        plan("an element is added to a nested list", Create, |it| push(it, &path!(many), pair("more")))
            .at(path!(many)),
        plan("an element of a nested list is planned otherwise", Create, |it| {
            set(it, &path!(many[0].a), "other")
        })
        .at(path!(many[0].a)),
        plan("an element is lost from a nested map", Create, |it| remove(it, &path!(keyed), "k"))
            .at(path!(keyed)),
        plan("an element is added to a nested map", Create, |it| {
            insert(it, &path!(keyed), "l", pair("more"))
        })
        .at(path!(keyed)),
        plan("an element of a nested map is planned otherwise", Create, |it| {
            set(it, &path!(keyed["k"].a), "other");
        })
        .at(path!(keyed["k"].a)),
        plan("elements are added to a nested set", Create, |it| {
            set(it, &path!(some), Value::set([pair("x"), pair("y"), pair("z")]));
        })
        .at(path!(some)),
    ]
}

/// Plans that depart from the configuration in nested blocks.
pub(super) fn blocks() -> Vec<Row> {
    use Act::{Create, CreateBare};
    let plan = |name, act, change: fn(&mut Value)| row(name, act, PLAN, Change::Object(change));
    vec![
        plan("a block is planned null", Create, |it| set(it, &path!(single), Value::Null)).at(path!(single)),
        plan("a block is made up", CreateBare, |it| set(it, &path!(single), pair("made up")))
            .at(path!(single)),
        plan("a block is planned otherwise", Create, |it| set(it, &path!(single.a), "other"))
            .at(path!(single.a)),
        plan("a block is planned unknown", Create, |it| set(it, &path!(single), Value::unknown()))
            .at(path!(single)),
        plan("a block is lost from a list", Create, |it| set(it, &path!(rule), Value::list([])))
            .at(path!(rule)),
        plan("a block of a list is planned otherwise", Create, |it| set(it, &path!(rule[0].a), "other"))
            .at(path!(rule[0].a)),
        plan("a block of a list is planned unknown", Create, |it| set(it, &path!(rule[0]), Value::unknown()))
            .at(path!(rule[0])),
        plan("a list of blocks is planned null", CreateBare, |it| set(it, &path!(rule), Value::Null))
            .at(path!(rule)),
        plan("a list of blocks is planned unknown", Create, |it| set(it, &path!(rule), Value::unknown()))
            .at(path!(rule)),
        plan("a block of a set is planned unknown", Create, |it| {
            set(it, &path!(peer), Value::set([Value::unknown()]));
        })
        .at(path!(peer)),
        plan("a set of blocks is planned null", CreateBare, |it| set(it, &path!(peer), Value::Null))
            .at(path!(peer)),
        plan("a block of a map is lost by a plan", Create, |it| remove(it, &path!(device), "x"))
            .at(path!(device)),
        plan("a block of a map is planned otherwise", Create, |it| set(it, &path!(device["x"].a), "other"))
            .at(path!(device["x"].a)),
        plan("a group is planned otherwise", Create, |it| set(it, &path!(group.a), "other"))
            .at(path!(group.a)),
    ]
}

/// Plans that are no answer to the question.
pub(super) fn answers() -> Vec<Row> {
    vec![
        row("a plan is of another type", Act::Create, PLAN, Change::Retyped(foreign)).undecodable(),
        row(
            "a plan requires replacement for an attribute that does not exist",
            Act::Update,
            PLAN,
            Change::Answer(no_path),
        ),
        row(
            "an identity is planned unknown though the object exists",
            Act::Update,
            PLAN,
            Change::Identity(unknown_id),
        )
        .says(&[INVALID_IDENTITY]),
        row("an identity is planned with another type", Act::Update, PLAN, Change::RetypedIdentity(foreign))
            .undecodable(),
        row("a plan is put off", Act::Create, PLAN, Change::Answer(defer)).says(&[DEFERRED]),
        row("a deletion is planned with an object", Act::Destroy, PLAN, Change::Object(|it| *it = bare()))
            .only(Which::Deleting),
        row(
            "the second plan of a replacement keeps a write-only value",
            Act::Replace,
            PLAN,
            Change::Object(|it| {
                set(it, &path!(secret), "kept");
            }),
        )
        .only(Which::WithoutPrior)
        .at(path!(secret)),
        row(
            "the second plan of a replacement is of another type",
            Act::Replace,
            PLAN,
            Change::Retyped(foreign),
        )
        .only(Which::WithoutPrior)
        .undecodable(),
    ]
}

/// Plans that change when they are made again.
pub(super) fn again() -> Vec<Row> {
    let again = |name, change| {
        row(name, Act::Update, PLAN, change).only(Which::AfterFirst).says(&[INCONSISTENT_FINAL_PLAN])
    };
    vec![
        again("a known value is planned otherwise", Change::Object(|it| set(it, &path!(id), "other")))
            .at(path!(id)),
        again("a known value becomes unknown", Change::Object(|it| set(it, &path!(id), Value::unknown())))
            .at(path!(id)),
        again(
            "a nested value is planned otherwise",
            Change::Object(|it| set(it, &path!(many[0].b), "other")),
        )
        .at(path!(many[0].b)),
        again(
            "a block's value is planned otherwise",
            Change::Object(|it| set(it, &path!(rule[0].b), "other")),
        )
        .at(path!(rule[0].b)),
        again("an update becomes a replacement", Change::Answer(replace_for_note)),
    ]
}
