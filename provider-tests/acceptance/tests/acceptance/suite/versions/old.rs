//! A provider whose upgrades go wrong in every way.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{
    Catalogue, Change, Context, IdentityContext, Import, Imported, PlannedChange, Provider, Resource,
    StoredValue, UpgradePaths, phase,
};
use ferroform::schema::{Attribute, Block, ForImport, IdentityAttribute, IdentitySchema, Schema};
use ferroform::testing::{UpgradeChecker, UpgradeRecorder};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::config::{Config, resource};
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::real::Product;
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

/// A resource type with a state upgrade and an identity upgrade from version 0 to version 3.
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

/// The same with an identity that may change.
const MUTABLE: Type0 = Type0 { name: "old_mutable", ..GOOD };

impl Type0 {
    fn all() -> impl Iterator<Item = &'static Self> {
        STATES.iter().chain(&IDENTITIES).chain([&GOOD, &MUTABLE])
    }
}

const BUG: &[&str] = &["bug in the provider", "from version 0 made", "version 3"];
const KNOWN: &str = "the versions 0 and 3";

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
    const INVALID: &str = "Invalid State Upgrade";
    [
        state("old_silent", Outcome::NotSupported, "No State Upgrade", &["`old_silent`", "version 0;"]),
        state(
            "old_failing",
            Outcome::Fails,
            "Out Of Order",
            &["from version 0 to version 3", "Come back later."],
        ),
        state(
            "old_panicking",
            Outcome::Panics,
            "Provider Panicked",
            &["The text of the panic", "`old_panicking`", "from version 0 to version 3"],
        ),
        state("old_null", Outcome::Gives(|| Value::Null), INVALID, BUG),
        state("old_unknown", Outcome::Gives(|| Value::object([("name", Value::unknown())])), INVALID, BUG),
        state("old_partial", Outcome::Gives(|| Value::object::<&str>([])), INVALID, BUG),
        state("old_wrong", Outcome::Gives(|| Value::object([("name", Value::list([]))])), INVALID, BUG),
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
        identity(
            "old_id_failing",
            Outcome::Fails,
            "Out Of Order",
            &["Come back later.", "from version 0 to version 3"],
        ),
        identity(
            "old_id_panicking",
            Outcome::Panics,
            "Provider Panicked",
            &["The text of the panic", "`old_id_panicking`", "from version 0 to version 3"],
        ),
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
    let mut engine = start(&[("old", Arc::<Old>::default())]);
    let knows = engine.identities() == Identities::Known;
    let of_identities = IDENTITIES.iter().filter(|_| knows);
    for it in STATES.iter().chain(of_identities) {
        engine.set_state(&state(it.name, (0, 0)));
        engine.refuses(&config(it.name), it.summary, it.parts);
    }
    damaged(&mut engine);
    // Versions that nobody has an upgrade for. Core refuses newer states by itself.
    let gap = ("No State Upgrade", &["version 7;", "newer release"][..]);
    let newer = ("Resource instance managed by newer provider version", &[][..]);
    engine.set_state(&state("old_failing", (2, 3)));
    engine.refuses(&config("old_failing"), "No State Upgrade", &["version 2;", KNOWN, "older release"]);
    engine.set_state(&state("old_failing", (7, 3)));
    let seen = engine.plan(&config("old_failing"), &PlanOptions::default());
    let (summary, parts) = if seen.errors.iter().any(|it| it.summary == newer.0) { newer } else { gap };
    engine.refuses(&config("old_failing"), summary, parts);
    if knows {
        engine.set_state(&state(GOOD.name, (3, 7)));
        let newer = match engine.product() {
            Product::OpenTofu => "Resource identity managed by newer provider version",
            _ => newer.0,
        };
        engine.refuses(&config(GOOD.name), newer, &[]);
        engine.set_state(&state(GOOD.name, (3, 2)));
        engine.refuses(&config(GOOD.name), "No Identity Upgrade", &["version 2;", KNOWN, "older release"]);
    }
}

/// States of the current version that are not what the provider has stored.
fn damaged(engine: &mut Engine) {
    let (knows, product) = (engine.identities() == Identities::Known, engine.product());
    let mut check = |key: &str, damage: Json, is_summary: &dyn Fn(&str) -> bool, parts: &[&str]| {
        let mut instance = json!({
            "schema_version": 3,
            "attributes": {"name": "a"},
            "identity_schema_version": 3,
            "identity": {"id": "a", "zone": null},
        });
        instance[key] = damage;
        engine.set_state(&of_instance(GOOD.name, &instance));
        engine.refuses_with(&config(GOOD.name), is_summary, parts);
    };
    let restore = "Restore the state from a backup";
    let unreadable = [restore, "`old_good`", "string required"];
    check("attributes", json!({"name": []}), &|it| it == "Unreadable State", &unreadable);
    // Not JSON, in base 64.
    check("private", json!("Z2FyYmFnZQ=="), &|it| it == "Corrupt Private State", &[restore]);
    if knows {
        // Core does not show it to the provider.
        let undecoded = |it: &str| match product {
            Product::OpenTofu => it == "attribute \"id\": string required, but have tuple",
            _ => it.starts_with("failed to decode identity: "),
        };
        check("identity", json!({"id": [], "zone": null}), &undecoded, &[]);
    }
}

/// The identity of an object that is there cannot become another one, unless it is declared mutable.
pub(super) fn changed(start: &dyn Fn(&[Provided]) -> Engine) {
    let mut engine = start(&[("old", Arc::<Old>::default())]);
    let stored = |type_name: &str| {
        let instance = json!({
            "schema_version": 3,
            "attributes": {"name": "a"},
            "identity_schema_version": 3,
            "identity": {"id": "b", "zone": null},
        });
        of_instance(type_name, &instance)
    };
    engine.set_state(&stored(GOOD.name));
    let parts = ["`old_good`", "at `id`", "bug in the provider", "`mutable`"];
    engine.refuses(&config(GOOD.name), "Provider Changed An Identity", &parts);
    engine.set_state(&stored(MUTABLE.name));
    let seen = engine.apply(&config(MUTABLE.name).output("mark", "x"));
    assert!(seen.errors.is_empty(), "{seen:#?}");
    let state = engine.state_json();
    let found = instance(&state, &format!("{}.this", MUTABLE.name));
    assert_eq!(found["identity"], json!({"id": "a", "zone": null}), "{found:#}");
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
    let provider = Old::default();
    let saw = Arc::clone(&provider.saw);
    let mut engine = start(&[("old", Arc::new(provider))]);
    engine.set_state(&flat(GOOD.name));
    engine.settled(&config(GOOD.name));
    assert_eq!(*saw.lock().expect("no panic before"), ["plan", "read"].into());
    let seen = engine.apply(&config(GOOD.name).output("mark", "x"));
    assert!(seen.errors.is_empty(), "{seen:#?}");
    let state = engine.state_json();
    let found = instance(&state, &format!("{}.this", GOOD.name));
    assert_eq!((&found["attributes"], &found["schema_version"]), (&json!({"name": "a"}), &json!(3)));
    assert_eq!((&found["private"], found.get("attributes_flat")), (&json!(PRIVATE), None), "{found:#}");
    if engine.identities() == Identities::Known {
        assert_eq!(found["identity"], json!({"id": "a", "zone": null}));
    }

    engine.set_state(&flat("old_silent"));
    let parts = ["`old_silent`", "schema version 0", "reads of no version", "Terraform 0.12"];
    engine.refuses(&config("old_silent"), "State Too Old", &parts);

    let folder = tempfile::tempdir().expect("a folder");
    for recorded in [flat(GOOD.name), state_with_private(), self::state(GOOD.name, (0, 0))] {
        UpgradeRecorder::new(&Old::default()).record(&recorded, folder.path()).expect("recorded");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let checks =
        runtime.block_on(UpgradeChecker::new(Arc::<Old>::default()).folder(folder.path())).expect("checked");
    let mut lines: Vec<_> =
        checks.iter().filter(|it| it.type_name == GOOD.name).map(ToString::to_string).collect();
    lines.sort();
    lines.dedup();
    let expect = ["flat state 0 -> 3: ok", "identity 0 -> 3: ok", "state 0 -> 3: ok", "state 3: ok"];
    assert_eq!(lines, expect.map(|expect| format!("{}.this {expect}", GOOD.name)));
    let texts = std::fs::read_dir(folder.path()).expect("a folder").flatten().map(|entry| entry.path());
    let with_private =
        |path: &std::path::PathBuf| std::fs::read_to_string(path).expect("a file").contains(PRIVATE);
    assert_eq!(texts.filter(with_private).count(), 2);
}

/// The current version, with private data.
fn state_with_private() -> Vec<u8> {
    let instance = json!({"schema_version": 3, "attributes": {"name": "a"}, "private": PRIVATE});
    of_instance(GOOD.name, &instance)
}

/// One id may stand for several objects. The command imports them all, and a block refuses them.
pub(super) fn several(start: &dyn Fn(&[Provided]) -> Engine) {
    let mut engine = start(&[("old", Arc::<Old>::default())]);
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

#[derive(Default)]
struct Old {
    /// The calls that saw private data.
    saw: Arc<Mutex<BTreeSet<&'static str>>>,
}

/// One of its types.
struct OldType {
    of: Type0,
    saw: Arc<Mutex<BTreeSet<&'static str>>>,
}

impl OldType {
    fn look(&self, call: &'static str, private: &ferroform::private::Private) {
        if private.get::<u32>("kept").is_ok_and(|kept| kept == Some(1)) {
            self.saw.lock().expect("no panic before").insert(call);
        }
    }
}

#[async_trait]
impl Provider for Old {
    fn name(&self) -> &str {
        "old"
    }

    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, _config: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        let of = |it: &Type0| {
            let old: Arc<dyn Resource> = Arc::new(OldType { of: *it, saw: Arc::clone(&self.saw) });
            (it.name, old)
        };
        Type0::all().map(of).collect()
    }
}

impl Outcome {
    fn versions(self) -> std::collections::BTreeMap<i64, Vec<i64>> {
        match self {
            Self::NotSupported => std::collections::BTreeMap::new(),
            _ => [(0, vec![3])].into(),
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
impl Resource for OldType {
    fn schema(&self) -> Schema {
        let attributes = vec![Attribute::required("name", Type::String)];
        Schema::new(Block::new(attributes)).version(3)
    }

    async fn plan(&self, cx: &mut Context<'_, phase::Plan>, _plan: &mut PlannedChange) -> Result {
        self.look("plan", cx.private());
        Ok(())
    }

    async fn create(&self, _cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        Ok(change.planned)
    }

    async fn read(&self, cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        self.look("read", cx.private());
        Ok(Some(prior))
    }

    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        Ok(change.planned)
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, _prior: Value) -> Result {
        Ok(())
    }

    /// The ids of several objects, one after the other.
    async fn import(&self, _cx: &mut Context<'_, phase::Import>, from: Import) -> Result<Vec<Imported>> {
        let object = |name: &str| Imported::new(Value::object([("name", Value::from(name))]));
        Ok(from.into_id()?.split(',').map(object).collect())
    }

    fn identity_schema(&self) -> Option<IdentitySchema> {
        let attribute =
            |name: &'static str, for_import| IdentityAttribute::new(name, Type::String, for_import);
        let attributes = vec![attribute("id", ForImport::Required), attribute("zone", ForImport::Optional)];
        let schema = IdentitySchema::new(attributes).version(3);
        Some(if self.of.name == MUTABLE.name { schema.mutable() } else { schema })
    }

    fn identity(&self, _cx: IdentityContext<'_>, _state: &Value) -> Result<Value> {
        Ok(good_identity())
    }

    fn upgrade_paths(&self) -> UpgradePaths {
        let mut paths = UpgradePaths::new(self.of.state.versions());
        paths.flatmap.clone_from(&paths.state);
        paths.identity = self.of.identity.versions().into_iter().collect();
        paths
    }

    async fn upgrade(&self, _cx: &mut Context<'_, phase::Upgrade>, _stored: StoredValue) -> Result<Value> {
        self.of.state.come()
    }

    async fn upgrade_identity(
        &self,
        _cx: &mut Context<'_, phase::Upgrade>,
        _stored: StoredValue,
    ) -> Result<Value> {
        self.of.identity.come()
    }
}
