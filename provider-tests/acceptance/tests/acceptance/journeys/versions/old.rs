//! A provider whose upgrades go wrong in every way.

use std::sync::Arc;

use async_trait::async_trait;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{
    Change, Context, DataSource, Import, Imported, Provider, Resource, StoredValue, UpgradePaths,
};
use ferroform::schema::{Attribute, Block, ForImport, IdentityAttribute, IdentitySchema, Schema};
use ferroform::testing::{UpgradeChecker, record_upgrades};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::config::{Config, resource};
use ferroform_testing::embedded::PlanOptions;
use serde_json::{Value as Json, json};

use super::engine::{Engine, Identities, Provided, instance, source};
use super::moves::PRIVATE;

/// What an upgrade comes to.
#[derive(Clone, Copy)]
enum Outcome {
    /// Nothing is upgraded at all.
    NotSupported,
    Fails,
    Panics,
    Gives(fn() -> Value),
}

/// A resource type with a state upgrade and an identity upgrade from version 0.
#[derive(Clone, Copy)]
struct Type0 {
    name: &'static str,
    state: Outcome,
    identity: Outcome,
    /// The errors of its states of version 0.
    summary: &'static str,
    parts: &'static [&'static str],
}

fn good() -> Value {
    Value::object([("name", Value::from("a"))])
}

fn good_identity() -> Value {
    Value::object([("id", Value::from("a")), ("zone", Value::Null)])
}

/// The one whose upgrades are right.
const GOOD: Type0 = Type0 {
    name: "old_good",
    state: Outcome::Gives(good),
    identity: Outcome::Gives(good_identity),
    summary: "",
    parts: &[],
};

impl Type0 {
    fn all() -> impl Iterator<Item = &'static Self> {
        STATES.iter().chain(&IDENTITIES).chain([&GOOD])
    }
}

const BUG: &[&str] = &["bug in the provider"];

/// Those with a wrong upgrade of the state; and below of the identity.
const STATES: [Type0; 7] = {
    const fn state(
        name: &'static str,
        state: Outcome,
        summary: &'static str,
        parts: &'static [&'static str],
    ) -> Type0 {
        Type0 { name, state, identity: Outcome::Gives(good_identity), summary, parts }
    }
    [
        state("old_silent", Outcome::NotSupported, "No State Upgrade", &["`old_silent`", "version 0;"]),
        state(
            "old_failing",
            Outcome::Fails,
            "Out Of Order",
            &["from version 0 to version 1", "Come back later."],
        ),
        state("old_panicking", Outcome::Panics, "Provider Panicked", &["half-way"]),
        state("old_null", Outcome::Gives(|| Value::Null), "Invalid State Upgrade", &["old_null"]),
        state(
            "old_unknown",
            Outcome::Gives(|| Value::object([("name", Value::unknown())])),
            "Provider Returned An Unknown Value",
            &[],
        ),
        state("old_partial", Outcome::Gives(|| Value::object::<&str>([])), "Invalid Provider Value", &[]),
        state(
            "old_wrong",
            Outcome::Gives(|| Value::object([("name", Value::list([]))])),
            "Invalid Provider Value",
            &[],
        ),
    ]
};

const IDENTITIES: [Type0; 7] = {
    const fn identity(
        name: &'static str,
        identity: Outcome,
        summary: &'static str,
        parts: &'static [&'static str],
    ) -> Type0 {
        Type0 { name, state: Outcome::Gives(good), identity, summary, parts }
    }
    const INVALID: &str = "Invalid Identity Upgrade";
    [
        identity(
            "old_id_silent",
            Outcome::NotSupported,
            "No Identity Upgrade",
            &["`old_id_silent`", "version 0;"],
        ),
        identity("old_id_failing", Outcome::Fails, "Out Of Order", &["Come back later."]),
        identity("old_id_panicking", Outcome::Panics, "Provider Panicked", &["half-way"]),
        identity("old_id_null", Outcome::Gives(|| Value::Null), INVALID, BUG),
        identity(
            "old_id_unknown",
            Outcome::Gives(|| Value::object([("id", Value::unknown()), ("zone", Value::Null)])),
            INVALID,
            BUG,
        ),
        identity(
            "old_id_partial",
            Outcome::Gives(|| Value::object([("id", Value::Null), ("zone", Value::from("z"))])),
            INVALID,
            BUG,
        ),
        identity(
            "old_id_wrong",
            Outcome::Gives(|| Value::object([("id", Value::list([])), ("zone", Value::Null)])),
            INVALID,
            BUG,
        ),
    ]
};

/// Each wrong upgrade has one error that says what to do, and the state stays as it is, to the byte.
pub(super) fn wrong(start: &dyn Fn(&[Provided]) -> Engine) {
    let mut engine = start(&[("old", Arc::new(Old))]);
    let knows = engine.identities() == Identities::Known;
    let of_identities = IDENTITIES.iter().filter(|_| knows);
    for it in STATES.iter().chain(of_identities) {
        engine.set_state(&state(it.name, (0, 0)));
        engine.refuses(&config(it.name), it.summary, it.parts);
    }
    // Versions that nobody has an upgrade for. Core refuses newer states by itself.
    let gap = ("No State Upgrade", &["version 7;", "newer release"][..]);
    let newer = ("Resource instance managed by newer provider version", &[][..]);
    engine.set_state(&state("old_failing", (7, 1)));
    let seen = engine.plan(&config("old_failing"), &PlanOptions::default());
    let (summary, parts) = if seen.errors.iter().any(|it| it.summary == newer.0) { newer } else { gap };
    engine.refuses(&config("old_failing"), summary, parts);
    if knows {
        engine.set_state(&state(GOOD.name, (1, 7)));
        engine.refuses(&config(GOOD.name), "No Identity Upgrade", &["version 7;", "newer release"]);
    }
}

/// A state in the flat form of Terraform 0.11 becomes a current one with its private data, can be recorded, and is
/// refused where nobody takes it.
pub(super) fn flat(start: &dyn Fn(&[Provided]) -> Engine) {
    let flat = |type_name: &str| {
        let instance = json!({
            "schema_version": 0,
            "attributes_flat": {"name": "a", "tags.#": "0"},
            "private": PRIVATE,
        });
        of_instance(type_name, &instance)
    };
    let mut engine = start(&[("old", Arc::new(Old))]);
    engine.set_state(&flat(GOOD.name));
    engine.settled(&config(GOOD.name));
    let seen = engine.apply(&config(GOOD.name).output("mark", "x"));
    assert!(seen.errors.is_empty(), "{seen:#?}");
    let state = engine.state_json();
    let found = instance(&state, &format!("{}.this", GOOD.name));
    assert_eq!((&found["attributes"], &found["schema_version"]), (&json!({"name": "a"}), &json!(1)));
    assert_eq!((&found["private"], found.get("attributes_flat")), (&json!(PRIVATE), None), "{found:#}");
    if engine.identities() == Identities::Known {
        assert_eq!(found["identity"], json!({"id": "a", "zone": null}));
    }

    engine.set_state(&flat("old_silent"));
    engine.refuses(&config("old_silent"), "State Too Old", &["`old_silent`", "Terraform 0.12"]);

    let folder = tempfile::tempdir().expect("a folder");
    for recorded in [flat(GOOD.name), state_with_private(), self::state(GOOD.name, (0, 0))] {
        record_upgrades(&Old, &recorded, folder.path()).expect("recorded");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let checks = runtime.block_on(UpgradeChecker::new(Arc::new(Old)).folder(folder.path())).expect("checked");
    let mut lines: Vec<_> =
        checks.iter().filter(|it| it.type_name == GOOD.name).map(ToString::to_string).collect();
    lines.sort();
    lines.dedup();
    let expect = ["flat state 0 -> 1: ok", "identity 0 -> 1: ok", "state 0 -> 1: ok", "state 1: ok"];
    assert_eq!(lines, expect.map(|expect| format!("{}.this {expect}", GOOD.name)));
    let texts = std::fs::read_dir(folder.path()).expect("a folder").flatten().map(|entry| entry.path());
    let with_private =
        |path: &std::path::PathBuf| std::fs::read_to_string(path).expect("a file").contains(PRIVATE);
    assert_eq!(texts.filter(with_private).count(), 2);
}

/// The current version, with private data.
fn state_with_private() -> Vec<u8> {
    let instance = json!({"schema_version": 1, "attributes": {"name": "a"}, "private": PRIVATE});
    of_instance(GOOD.name, &instance)
}

/// One id may stand for several objects. The command imports them all, and a block refuses them.
pub(super) fn several(start: &dyn Fn(&[Provided]) -> Engine) {
    let mut engine = start(&[("old", Arc::new(Old))]);
    let address = format!("{}.this", GOOD.name);
    let config = config(GOOD.name);
    let seen = engine.import(&config, &address, "a,b,c");
    assert!(seen.errors.is_empty(), "{seen:#?}");
    let state = engine.state_json();
    for (name, expect) in [("this", "a"), ("this-1", "b"), ("this-2", "c")] {
        let found = instance(&state, &format!("{}.{name}", GOOD.name));
        assert_eq!(found["attributes"], json!({"name": expect}), "{state:#}");
    }
    engine.forget();
    let seen = engine.plan(&config.import(&address, "a,b"), &PlanOptions::default());
    let [error] = seen.errors.as_slice() else { panic!("not one error but {seen:#?}") };
    assert_eq!(error.summary, "Multiple import states not supported");
}

fn config(type_name: &str) -> Config {
    Config::new().resource(resource(type_name, "this").set("name", "a"))
}

/// The state of one object with these versions of state and identity.
fn state(type_name: &str, (version, identity): (i64, i64)) -> Vec<u8> {
    let instance = json!({
        "schema_version": version,
        "attributes": {"name": "a"},
        "sensitive_attributes": [],
        "identity_schema_version": identity,
        "identity": {"id": "a"},
    });
    of_instance(type_name, &instance)
}

fn of_instance(type_name: &str, instance: &Json) -> Vec<u8> {
    let resource = json!({
        "mode": "managed",
        "type": type_name,
        "name": "this",
        "provider": format!("provider[\"{}\"]", source("old")),
        "instances": [instance],
    });
    let state = json!({
        "version": 4,
        "terraform_version": "1.8.4",
        "serial": 1,
        "lineage": "old",
        "outputs": {},
        "resources": [resource],
        "check_results": null,
    });
    state.to_string().into_bytes()
}

struct Old;

#[async_trait]
impl Provider for Old {
    fn name(&self) -> &str {
        "old"
    }

    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn configure(&self, _cx: &mut Context, _config: Value) -> Result {
        Ok(())
    }

    fn resource_names(&self) -> Vec<String> {
        Type0::all().map(|it| it.name.to_owned()).collect()
    }

    fn resource(&self, type_name: &str) -> Option<Arc<dyn Resource>> {
        let found = Type0::all().find(|it| it.name == type_name);
        found.map(|it| Arc::new(*it) as _)
    }

    fn data_source_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn data_source(&self, _type_name: &str) -> Option<Arc<dyn DataSource>> {
        None
    }
}

impl Outcome {
    fn versions(self) -> std::collections::BTreeMap<i64, Vec<i64>> {
        match self {
            Self::NotSupported => std::collections::BTreeMap::new(),
            _ => [(0, vec![1])].into(),
        }
    }

    fn come(self) -> Result<Value> {
        match self {
            Self::NotSupported | Self::Fails => Err(Error::new("Out Of Order", "Come back later.")),
            Self::Panics => panic!("half-way"),
            Self::Gives(value) => Ok(value()),
        }
    }
}

#[async_trait]
impl Resource for Type0 {
    fn schema(&self) -> Schema {
        let attributes = vec![Attribute::required("name", Type::String)];
        Schema { version: 1, ..Schema::new(Block { attributes, ..Block::default() }) }
    }

    async fn create(&self, _cx: &mut Context, change: Change) -> Result<Value> {
        Ok(change.planned)
    }

    async fn read(&self, _cx: &mut Context, prior: Value) -> Result<Option<Value>> {
        Ok(Some(prior))
    }

    async fn update(&self, _cx: &mut Context, _prior: Value, change: Change) -> Result<Value> {
        Ok(change.planned)
    }

    async fn delete(&self, _cx: &mut Context, _prior: Value) -> Result {
        Ok(())
    }

    /// The ids of several objects, one after the other.
    async fn import(&self, _cx: &mut Context, from: Import) -> Result<Vec<Imported>> {
        let object = |name: &str| Imported::new(Value::object([("name", Value::from(name))]));
        Ok(from.into_id()?.split(',').map(object).collect())
    }

    fn identity_schema(&self) -> Option<IdentitySchema> {
        let attribute = |name: &'static str, for_import| IdentityAttribute {
            name: name.into(),
            ty: Type::String,
            for_import,
            description: "".into(),
        };
        let attributes = vec![attribute("id", ForImport::Required), attribute("zone", ForImport::Optional)];
        Some(IdentitySchema { version: 1, mutable: false, attributes })
    }

    fn identity(&self, _state: &Value) -> Result<Value> {
        Ok(good_identity())
    }

    fn upgrade_paths(&self) -> UpgradePaths {
        UpgradePaths {
            state: self.state.versions(),
            flatmap: self.state.versions(),
            identity: self.identity.versions(),
        }
    }

    async fn upgrade(&self, _cx: &mut Context, _stored: StoredValue) -> Result<Value> {
        self.state.come()
    }

    async fn upgrade_identity(&self, _cx: &mut Context, _stored: StoredValue) -> Result<Value> {
        self.identity.come()
    }
}
