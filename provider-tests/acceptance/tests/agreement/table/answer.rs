//! Wrong results, stored objects, imports, moves and data.

use ferroform::path;
use ferroform::ty::Type;
use ferroform::value::{Set, Value};
use ferroform_acceptance::wrong::Change;
use ferroform_server::protocol::Rpc;
use ferroform_testing::plan_rules::summary::{
    DEFERRED, IMPORT_MISSING, IMPORT_NOTHING, IMPORT_NULL, IMPORT_SEVERAL, IMPORT_WRITE_ONLY,
    INCONSISTENT_RESULT, INVALID_IDENTITY, INVALID_IDENTITY_UPGRADE, INVALID_OBJECT, INVALID_RESULT,
    INVALID_UPGRADE,
};

use super::change::{
    bare, defer, foreign, insert, no_identity, no_moves, none, nothing, other_type, pair, push, remove, set,
    several, unknown_id,
};
use super::{Act, Row, row};

const APPLY: Rpc = Rpc::ApplyResourceChange;
const READ: Rpc = Rpc::ReadResource;
const UPGRADE: Rpc = Rpc::UpgradeResourceState;
const UPGRADE_IDENTITY: Rpc = Rpc::UpgradeResourceIdentity;
const IMPORT: Rpc = Rpc::ImportResourceState;
const MOVE: Rpc = Rpc::MoveResourceState;
const DATA: Rpc = Rpc::ReadDataSource;

/// Core's summary for a moved object that is not as it must be.
const RETURNED_INVALID: &str = "Provider returned invalid value";

/// Results that depart from the plan, or are none.
pub(super) fn results() -> Vec<Row> {
    use Act::{Create, CreateBare, Destroy, Update};
    let result = |name, act, change: fn(&mut Value)| {
        row(name, act, APPLY, Change::Object(change)).says(&[INCONSISTENT_RESULT])
    };
    vec![
        result("a created object is null", Create, |it| *it = Value::Null),
        result("an updated object is null", Update, |it| *it = Value::Null),
        result("a deleted object is still there", Destroy, |it| *it = bare()).says(&[INVALID_RESULT]),
        result("an attribute is not as planned", Create, |it| set(it, &path!(name), "other")).at(path!(name)),
        result("a sensitive attribute is not as planned", Create, |it| set(it, &path!(token), "other"))
            .at(path!(token)),
        result("a value appears where null was planned", CreateBare, |it| set(it, &path!(note), "made up"))
            .at(path!(note)),
        result("a planned value is null", Create, |it| set(it, &path!(note), Value::Null)).at(path!(note)),
        result("a value stays unknown", Create, |it| set(it, &path!(id), Value::unknown()))
            .says(&[INVALID_RESULT])
            .at(path!(id)),
        result("a nested value stays unknown", Create, |it| set(it, &path!(many[0].b), Value::unknown()))
            .says(&[INVALID_RESULT])
            .at(path!(many[0].b)),
        result("a write-only value is stored", Create, |it| set(it, &path!(secret), "kept"))
            .says(&[INVALID_OBJECT])
            .at(path!(secret)),
        row("a result is of another type", Create, APPLY, Change::Retyped(foreign)).undecodable(),
        row("a result is missing", Create, APPLY, Change::Answer(nothing)).says(&[INCONSISTENT_RESULT]),
        row("a result of the legacy kind is missing", Create, APPLY, Change::Legacy(nothing))
            .says(&[INVALID_RESULT]),
        row("an identity stays unknown", Create, APPLY, Change::Identity(unknown_id))
            .says(&[INVALID_IDENTITY]),
        row("an identity is of another type", Create, APPLY, Change::RetypedIdentity(foreign)).undecodable(),
    ]
}

/// Results that depart from the plan further down.
pub(super) fn nested_results() -> Vec<Row> {
    let result = |name, change: fn(&mut Value)| {
        row(name, Act::Create, APPLY, Change::Object(change)).says(&[INCONSISTENT_RESULT])
    };
    vec![
        result("an element of a map is lost", |it| remove(it, &path!(tags), "a")).at(path!(tags)),
        result("an element of a map appears", |it| insert(it, &path!(tags), "b", "2")).at(path!(tags)),
        result("an element of a set is lost", |it| set(it, &path!(hosts), Value::Set(Set::from_iter([]))))
            .at(path!(hosts)),
        result("a dynamic value changes its type", |it| {
            set(it, &path!(any), Value::dynamic(Type::Bool, Value::from(true)));
        })
        .at(path!(any)),
        result("a nested object is null", |it| set(it, &path!(one), Value::Null)).at(path!(one)),
        result("an element of a nested list is lost", |it| set(it, &path!(many), Value::list([])))
            .at(path!(many)),
        result("an element of a nested map is not as planned", |it| set(it, &path!(keyed["k"].a), "other"))
            .at(path!(keyed["k"].a)),
        result("an element of a nested set is not as planned", |it| {
            set(it, &path!(some), Value::set([pair("other")]));
        })
        .at(path!(some)),
        result("a block is null", |it| set(it, &path!(single), Value::Null)).at(path!(single)),
        result("a block of a list is lost", |it| set(it, &path!(rule), Value::list([]))).at(path!(rule)),
        result("a block of a set is not as planned", |it| set(it, &path!(peer), Value::set([pair("other")])))
            .at(path!(peer)),
        result("a block of a set appears", |it| push(it, &path!(peer), pair("more"))).at(path!(peer)),
        result("a block of a map is lost", |it| remove(it, &path!(device), "x")).at(path!(device)),
        result("a group is not as planned", |it| set(it, &path!(group.a), "other")).at(path!(group.a)),
    ]
}

/// Wrong answers about stored objects.
pub(super) fn stored() -> Vec<Row> {
    let read = |name, change| row(name, Act::Refresh, READ, change).says(&[INVALID_OBJECT]);
    let upgrade = |name, change| row(name, Act::Upgrade, UPGRADE, change).says(&[INVALID_UPGRADE]);
    let identity = |name, change| {
        row(name, Act::UpgradeIdentity, UPGRADE_IDENTITY, change).says(&[INVALID_IDENTITY_UPGRADE])
    };
    vec![
        read("a read value is unknown", Change::Object(|it| set(it, &path!(note), Value::unknown()))),
        read("a write-only value is read", Change::Object(|it| set(it, &path!(secret), "kept")))
            .at(path!(secret)),
        read("a read object is of another type", Change::Retyped(foreign)).undecodable(),
        read("a read identity is unknown", Change::Identity(unknown_id)).says(&[INVALID_IDENTITY]),
        read("a read identity is of another type", Change::RetypedIdentity(foreign)).undecodable(),
        read("a read is put off", Change::Answer(defer)).says(&[DEFERRED]),
        upgrade("an upgraded value is unknown", Change::Object(|it| set(it, &path!(note), Value::unknown()))),
        upgrade("a write-only value is upgraded", Change::Object(|it| set(it, &path!(secret), "kept"))),
        upgrade("an upgraded object is of another type", Change::Retyped(foreign)).undecodable(),
        identity("an upgraded identity is unknown", Change::Identity(unknown_id)),
        identity("an upgraded identity is of another type", Change::RetypedIdentity(foreign)).undecodable(),
    ]
}

/// Wrong answers of imports, moves and data sources.
pub(super) fn others() -> Vec<Row> {
    let import = |name, change, summaries| row(name, Act::ImportId, IMPORT, change).says(summaries);
    let moved = |name, change, summaries| row(name, Act::Move, MOVE, change).says(summaries);
    let data = |name, change, summaries| row(name, Act::Data, DATA, change).says(summaries);
    vec![
        import("an import finds several objects", Change::Answer(several), &[IMPORT_SEVERAL]),
        import("an import finds none", Change::Answer(none), &[IMPORT_NOTHING]),
        import("an imported object is null", Change::Object(|it| *it = Value::Null), &[IMPORT_NULL]),
        import(
            "a write-only value is imported",
            Change::Object(|it| set(it, &path!(secret), "kept")),
            &[IMPORT_WRITE_ONLY],
        ),
        import("an imported object is of another type", Change::Answer(other_type), &[]).undecodable(),
        import("an import is put off", Change::Answer(defer), &[DEFERRED]),
        import(
            "an import without objects is put off",
            Change::Answer(|it| {
                none(it);
                defer(it);
            }),
            &[DEFERRED],
        ),
        row("an imported object is gone", Act::ImportId, READ, Change::Object(|it| *it = Value::Null))
            .says(&[IMPORT_MISSING]),
        row(
            "an object imported by identity has none",
            Act::ImportIdentity,
            IMPORT,
            Change::Answer(no_identity),
        )
        .says(&["import of wrong_thing.this didn't return an identity"]),
        moved(
            "a moved value is unknown",
            Change::Object(|it| set(it, &path!(note), Value::unknown())),
            &[RETURNED_INVALID],
        ),
        moved(
            "a write-only value is moved",
            Change::Object(|it| set(it, &path!(secret), "kept")),
            &[RETURNED_INVALID],
        ),
        moved("a moved identity is unknown", Change::Identity(unknown_id), &[INVALID_IDENTITY]),
        row(
            "moves across types are not supported",
            Act::Move,
            Rpc::GetProviderSchema,
            Change::Answer(no_moves),
        )
        .says(&["Unsupported `moved` across resource types"]),
        data(
            "what a data source read is null",
            Change::Object(|it| *it = Value::Null),
            &["Provider produced null object"],
        ),
        data(
            "what a data source read is unknown",
            Change::Object(|it| set(it, &path!(value), Value::unknown())),
            &[INVALID_OBJECT],
        ),
        data("what a data source read is of another type", Change::Retyped(foreign), &[INVALID_OBJECT])
            .undecodable(),
        data("a data source is put off", Change::Answer(defer), &[DEFERRED]),
    ]
}
