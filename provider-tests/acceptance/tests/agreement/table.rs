//! What each wrong provider does, and what core says to it.

use ferroform::path;
use ferroform::path::Path;
use ferroform::protocol::{Deferred, DynamicValue, Response, Rpc};
use ferroform::ty::Type;
use ferroform::value::{Set, Value};
use ferroform_acceptance::wrong::{Change, Fault, Which};
use ferroform_testing::core::summary::{
    DEFERRED, FOREIGN_IDENTITY, IMPORT_MISSING, IMPORT_NOTHING, IMPORT_NULL, IMPORT_SEVERAL,
    IMPORT_WRITE_ONLY, INCONSISTENT_FINAL_PLAN, INCONSISTENT_RESULT, INVALID_IDENTITY,
    INVALID_IDENTITY_UPGRADE, INVALID_OBJECT, INVALID_PLAN, INVALID_RESULT, INVALID_UPGRADE,
};

/// A wrong provider.
#[derive(Debug)]
pub(crate) struct Row {
    /// The law that is broken, in words.
    pub(crate) name: &'static str,
    /// What is done when it is broken.
    pub(crate) act: Act,
    /// How it is broken.
    pub(crate) fault: Fault,
    /// What core says.
    pub(crate) says: Says,
    /// The attribute that the error names.
    pub(crate) path: Path,
}

/// What core says of a wrong provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// Errors of these summaries.
    Summaries(&'static [&'static str]),
    /// That the answer is none of the schema's type: the bare message of the decoder stands where a summary does.
    Undecodable,
}

/// What is done with the provider while it is wrong. What comes before is done while it is sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// Everything that the type has is configured and created.
    Create,
    /// Only what is required is configured and created.
    CreateBare,
    /// An attribute is configured with a value that is unknown until apply.
    CreateUnknown,
    /// An object with everything gets another note.
    Update,
    /// An object with everything loses its note.
    Unset,
    /// An object with everything gets another name, which replaces it.
    Replace,
    /// An object with everything is destroyed.
    Destroy,
    /// An object with everything is refreshed.
    Refresh,
    /// An object of an older schema is planned.
    Upgrade,
    /// An object with an older identity is planned.
    UpgradeIdentity,
    /// An object is imported by its id, by a block.
    ImportId,
    /// An object is imported by its identity, by a block.
    ImportIdentity,
    /// An object of another type is moved.
    Move,
    /// A data source is read.
    Data,
}

const PLAN: Rpc = Rpc::PlanResourceChange;
const APPLY: Rpc = Rpc::ApplyResourceChange;
const READ: Rpc = Rpc::ReadResource;
const UPGRADE: Rpc = Rpc::UpgradeResourceState;
const UPGRADE_IDENTITY: Rpc = Rpc::UpgradeResourceIdentity;
const IMPORT: Rpc = Rpc::ImportResourceState;
const MOVE: Rpc = Rpc::MoveResourceState;
const DATA: Rpc = Rpc::ReadDataSource;

/// All of them.
pub(crate) fn rows() -> Vec<Row> {
    [
        plan(),
        nested_plan(),
        plan_blocks(),
        plan_answers(),
        final_plan(),
        apply(),
        apply_nested(),
        stored(),
        others(),
    ]
    .concat_rows()
}

trait Concat {
    fn concat_rows(self) -> Vec<Row>;
}

impl<const N: usize> Concat for [Vec<Row>; N] {
    fn concat_rows(self) -> Vec<Row> {
        self.into_iter().flatten().collect()
    }
}

fn row(name: &'static str, act: Act, rpc: Rpc, change: Change) -> Row {
    let fault = Fault { rpc, which: Which::All, change };
    Row { name, act, fault, says: Says::Summaries(&[INVALID_PLAN]), path: Path::root() }
}

impl Row {
    fn says(self, summaries: &'static [&'static str]) -> Self {
        Self { says: Says::Summaries(summaries), ..self }
    }

    fn undecodable(self) -> Self {
        Self { says: Says::Undecodable, ..self }
    }

    fn at(self, path: Path) -> Self {
        Self { path, ..self }
    }

    fn only(self, which: Which) -> Self {
        Self { fault: Fault { which, ..self.fault }, ..self }
    }
}

/// Plans that depart from the configuration in plain attributes.
fn plan() -> Vec<Row> {
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
fn nested_plan() -> Vec<Row> {
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
            .at(path!(keyed["k"])),
        plan("an element is added to a nested map", Create, |it| {
            insert(it, &path!(keyed), "l", pair("more"))
        })
        .at(path!(keyed["l"])),
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
fn plan_blocks() -> Vec<Row> {
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
        plan("a block of a map is lost", Create, |it| remove(it, &path!(device), "x")).at(path!(device)),
        plan("a block of a map is planned otherwise", Create, |it| set(it, &path!(device["x"].a), "other"))
            .at(path!(device["x"].a)),
        plan("a group is planned otherwise", Create, |it| set(it, &path!(group.a), "other"))
            .at(path!(group.a)),
    ]
}

/// Plans that are no answer to the question.
fn plan_answers() -> Vec<Row> {
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
        row("a deletion is planned with an object", Act::Destroy, PLAN, Change::Object(|it| *it = bare())),
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
fn final_plan() -> Vec<Row> {
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

/// Results that depart from the plan, or are none.
fn apply() -> Vec<Row> {
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
        row("an identity stays unknown", Create, APPLY, Change::Identity(unknown_id)).says(&[INVALID_IDENTITY]),
        row("an identity is of another type", Create, APPLY, Change::RetypedIdentity(foreign))
            .undecodable(),
    ]
}

/// Results that depart from the plan further down.
fn apply_nested() -> Vec<Row> {
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
fn stored() -> Vec<Row> {
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
        read("a read identity is of another type", Change::RetypedIdentity(foreign))
            .says(&[INVALID_IDENTITY, FOREIGN_IDENTITY]),
        read("a read is put off", Change::Answer(defer)).says(&[DEFERRED]),
        upgrade("an upgraded value is unknown", Change::Object(|it| set(it, &path!(note), Value::unknown()))),
        upgrade("a write-only value is upgraded", Change::Object(|it| set(it, &path!(secret), "kept"))),
        upgrade("an upgraded object is of another type", Change::Retyped(foreign)).undecodable(),
        identity("an upgraded identity is unknown", Change::Identity(unknown_id)),
        identity("an upgraded identity is of another type", Change::RetypedIdentity(foreign)).undecodable(),
    ]
}

/// Wrong answers of imports, moves and data sources.
fn others() -> Vec<Row> {
    let import = |name, change, summary| row(name, Act::ImportId, IMPORT, change).says(summary);
    let moved = |name, change, summary| row(name, Act::Move, MOVE, change).says(summary);
    let data = |name, change, summary| row(name, Act::Data, DATA, change).says(summary);
    vec![
        import("an import finds several objects", Change::Answer(several), &[IMPORT_SEVERAL]),
        import("an import finds none", Change::Answer(none), &[IMPORT_NOTHING]),
        import("an imported object is null", Change::Object(|it| *it = Value::Null), &[IMPORT_NULL]),
        import(
            "a write-only value is imported",
            Change::Object(|it| set(it, &path!(secret), "kept")), &[IMPORT_WRITE_ONLY]),
        import("an import is put off", Change::Answer(defer), &[DEFERRED]),
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
            Change::Object(|it| set(it, &path!(note), Value::unknown())), &[RETURNED_INVALID]),
        moved(
            "a write-only value is moved",
            Change::Object(|it| set(it, &path!(secret), "kept")), &[RETURNED_INVALID]),
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
            Change::Object(|it| *it = Value::Null), &["Provider produced null object"]),
        data(
            "what a data source read is unknown",
            Change::Object(|it| set(it, &path!(value), Value::unknown())), &[INVALID_OBJECT]),
        data("what a data source read is of another type", Change::Retyped(foreign), &[INVALID_OBJECT]).undecodable(),
        data("a data source is put off", Change::Answer(defer), &[DEFERRED]),
    ]
}

/// Core's summary for a moved object that is not as it must be.
const RETURNED_INVALID: &str = "Provider returned invalid value";

/// Puts a value at a path that the object has.
fn set(object: &mut Value, path: &Path, value: impl Into<Value>) {
    if let Some(place) = object.get_mut(path) {
        *place = value.into();
    }
}

/// Adds an element to the map at a path.
fn insert(object: &mut Value, path: &Path, key: &str, value: impl Into<Value>) {
    if let Some(Value::Map(elements)) = object.get_mut(path) {
        elements.insert(key, value.into());
    }
}

/// Takes an element out of the map at a path.
fn remove(object: &mut Value, path: &Path, key: &str) {
    if let Some(Value::Map(elements)) = object.get_mut(path) {
        elements.remove(key);
    }
}

/// Adds an element to the list or set at a path.
fn push(object: &mut Value, path: &Path, value: Value) {
    match object.get_mut(path) {
        Some(Value::List(elements)) => elements.push(value),
        Some(place @ Value::Set(_)) => {
            let Value::Set(set) = std::mem::replace(place, Value::Null) else { return };
            *place = Value::set(set.into_elements().into_iter().chain([value]));
        }
        _ => {}
    }
}

/// A nested object.
fn pair(a: &str) -> Value {
    Value::object([("a", Value::from(a)), ("b", Value::from("computed"))])
}

/// An object with a name.
fn bare() -> Value {
    let Value::Object(mut attributes) = ferroform_acceptance::wrong::thing_schema().block.empty() else {
        return Value::Null;
    };
    attributes.insert("name", Value::from("bare"));
    Value::Object(attributes)
}

/// A value of a type that no schema here has.
fn foreign() -> (Type, Value) {
    (Type::object([("colour", Type::String)]), Value::object([("colour", Value::from("red"))]))
}

fn unknown_id(identity: &mut Value) {
    *identity = Value::object([("id", Value::unknown())]);
}

fn defer(response: &mut Response) {
    let reason = Some(Deferred::AbsentPrerequisite);
    match response {
        Response::PlanResourceChange(response) => response.deferred = reason,
        Response::ReadResource(response) => response.deferred = reason,
        Response::ImportResourceState(response) => response.deferred = reason,
        Response::ReadDataSource(response) => response.deferred = reason,
        _ => {}
    }
}

fn no_path(response: &mut Response) {
    if let Response::PlanResourceChange(response) = response {
        response.requires_replace.push(path!(nowhere));
    }
}

fn replace_for_note(response: &mut Response) {
    if let Response::PlanResourceChange(response) = response {
        response.requires_replace.push(path!(note));
    }
}

fn nothing(response: &mut Response) {
    if let Response::ApplyResourceChange(response) = response {
        response.new_state = DynamicValue::Absent;
    }
}

fn several(response: &mut Response) {
    if let Response::ImportResourceState(response) = response {
        let again = response.imported_resources.clone();
        response.imported_resources.extend(again);
    }
}

fn none(response: &mut Response) {
    if let Response::ImportResourceState(response) = response {
        response.imported_resources.clear();
    }
}

fn no_identity(response: &mut Response) {
    if let Response::ImportResourceState(response) = response {
        response.imported_resources.iter_mut().for_each(|object| object.identity = None);
    }
}

fn no_moves(response: &mut Response) {
    if let Response::GetProviderSchema(response) = response {
        response.server_capabilities.move_resource_state = false;
    }
}
