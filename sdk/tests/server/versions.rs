//! Upgrades of states and identities, typed, through the protocol.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{StoredValue, UpgradePaths};
use ferroform::model::{Draft, Identity, Model, Planned, Prior};
use ferroform::protocol::{
    ConfigureProviderRequest, DynamicValue, GetProviderSchemaRequest, GetResourceIdentitySchemasRequest,
    RawState, UpgradeResourceIdentityRequest, UpgradeResourceStateRequest,
};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{Context, IdentityUpgrades, RawJson, Resource, Upgrades};
use ferroform::schema::{ForImport, IdentityAttribute, IdentitySchema, Schema};
use ferroform::server::Server;
use ferroform::testing;
use ferroform::ty::Type;
use ferroform::value::Value;
use proptest::prelude::*;

use crate::support::{
    THING, Thing, ask, details, encoded_by, message, object, response, serving, shown, summaries,
};

/// Counts how often it is asked.
#[derive(Default)]
pub(crate) struct Api {
    asked: AtomicUsize,
}

impl Api {
    async fn size_of(&self, name: &str) -> u64 {
        tokio::task::yield_now().await;
        (name.len() + self.asked.fetch_add(1, Ordering::SeqCst)) as u64
    }
}

#[derive(Model)]
struct RecordV0 {
    name: String,
    tags: Option<Vec<String>>,
}

#[derive(Model)]
#[model(version = 2)]
struct RecordV2 {
    title: String,
    size: Option<String>,
}

#[derive(Model)]
#[model(version = 3)]
struct RecordV3 {
    title: String,
}

#[derive(Model)]
#[model(nested)]
struct Owner {
    mail: Option<String>,
}

/// Its versions 0, 1, 2, 3 and 4 were released before.
#[derive(Model)]
#[model(version = 7, identity_type = RecordIdentity)]
struct Record {
    title: String,
    size: Option<u64>,
    owner: Option<Owner>,
}

#[derive(Identity)]
struct RecordIdentityV0 {
    id: String,
    old_bool_attribute: Option<bool>,
}

#[derive(Identity)]
#[identity(version = 1)]
struct RecordIdentityV1 {
    id: String,
}

#[derive(Identity)]
#[identity(version = 5)]
struct RecordIdentity {
    id: String,
    new_string_attribute: Option<String>,
}

impl From<&Record> for RecordIdentity {
    fn from(record: &Record) -> Self {
        Self { id: record.title.clone(), new_string_attribute: None }
    }
}

impl Resource for Record {
    type Client = Api;
    const NAME: &str = "record";

    async fn create(_: &mut Context<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { title: plan.title, size: plan.size, owner: None })
    }

    async fn read(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        Ok(None)
    }

    async fn update(cx: &mut Context<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(cx, plan).await
    }

    async fn delete(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }

    fn upgrades() -> Upgrades<Self> {
        Upgrades::<Self>::new()
            .released([0, 1, 2, 3, 4])
            .from(|old: RecordV0| {
                let size = old.tags.map(|tags| tags.len().to_string());
                Ok(RecordV2 { title: old.name, size })
            })
            .same(1, 0)
            .from(|old: Prior<RecordV2>| {
                let size = old.size.map(|size| size.parse()).transpose()?;
                let title = old.title.ok_or_else(|| Error::new("No Title", "There is none."))?;
                Ok(Record { title, size, owner: None })
            })
            .from_async(|mut cx, old: Prior<RecordV3>| async move {
                cx.warn("Size Was Asked For", "");
                let title = old.title.unwrap_or_default();
                if title == "panic" {
                    panic!("half-way");
                }
                let size = Some(cx.client.size_of(&title).await);
                Ok(Record { title, size, owner: None })
            })
            .from_json(4, |stored: RawJson| {
                let mut json: serde_json::Map<String, serde_json::Value> = stored.parse()?;
                if let Some(name) = json.remove("label") {
                    json.insert("title".to_owned(), name);
                }
                RawJson::from_value(&json)?.prior::<Record>()
            })
            .from_flatmap(0, |flat| {
                let title = flat.get("name").cloned().unwrap_or_default();
                let size = flat.get("tags.#").and_then(|count| count.parse().ok());
                Ok(Record { title, size, owner: None })
            })
    }

    fn identity_upgrades() -> IdentityUpgrades<Self> {
        IdentityUpgrades::<Self>::new()
            .released([0, 1, 2, 3])
            .from(|old: RecordIdentityV0| {
                let new_string_attribute = old.old_bool_attribute.map(|it| it.to_string());
                Ok(RecordIdentity { id: old.id, new_string_attribute })
            })
            .from(|old: RecordIdentityV1| Ok(RecordIdentity { id: old.id, new_string_attribute: None }))
            .from_json(2, |stored: RawJson| {
                let id = stored.parse::<serde_json::Value>()?.get("nr").map(ToString::to_string);
                let id = id.ok_or_else(|| Error::new("No Number", "The old identity has no number."))?;
                Ok(RecordIdentityV3 { id })
            })
            .from_async(|cx, old: RecordIdentityV3| async move {
                let size = cx.client.size_of(&old.id).await;
                Ok(RecordIdentity { id: old.id, new_string_attribute: Some(size.to_string()) })
            })
    }
}

#[derive(Identity)]
#[identity(version = 3)]
struct RecordIdentityV3 {
    id: String,
}

pub(crate) struct Cloud;

impl Provider for Cloud {
    type Config = ();
    type Client = Api;
    const NAME: &str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result<Api> {
        Ok(Api::default())
    }

    fn register(it: &mut Registry<Api>) {
        it.resource::<Record>();
    }
}

fn configured() -> Server {
    let server = Server::new(assemble::<Cloud>());
    let config = encoded_by(&Schema::default(), &Value::object::<&str>([]));
    let request = message!(ConfigureProviderRequest { config: config });
    assert!(response!(ConfigureProvider, ask(&server, request)).diagnostics.is_empty());
    server
}

fn json(text: &str) -> RawState {
    RawState::Json(Bytes::copy_from_slice(text.as_bytes()))
}

/// Upgrades a state; the result, the summaries, and the details.
fn upgrade(server: &Server, version: i64, raw: RawState) -> (String, String, String) {
    let request = message!(UpgradeResourceStateRequest {
        type_name: "cloud_record".to_owned(),
        version: version,
        raw_state: Some(raw),
    });
    let response = response!(UpgradeResourceState, ask(server, request));
    let state = shown(&<Record as Model>::schema(), &response.upgraded_state);
    (state, summaries(&response.diagnostics), details(&response.diagnostics))
}

#[track_caller]
fn check(version: i64, raw: &str, expect: (&str, &str)) -> String {
    let (state, summaries, details) = upgrade(&configured(), version, json(raw));
    assert_eq!((state.as_str(), summaries.as_str()), expect, "{details}");
    details
}

#[test]
fn every_released_version_is_upgraded() {
    let asked = "warning: Size Was Asked For\n";
    check(0, r#"{"name":"a","tags":["x","y"]}"#, (r#"{"owner": null, "size": 2, "title": "a"}"#, ""));
    check(1, r#"{"name":"a","gone":1}"#, (r#"{"owner": null, "size": null, "title": "a"}"#, ""));
    check(
        2,
        r#"{"title":"a","size":"18446744073709551615"}"#,
        (r#"{"owner": null, "size": 18446744073709551615, "title": "a"}"#, ""),
    );
    check(3, r#"{"title":"abc"}"#, (r#"{"owner": null, "size": 3, "title": "abc"}"#, asked));
    check(4, r#"{"label":"a"}"#, (r#"{"owner": null, "size": null, "title": "a"}"#, ""));
    check(
        7,
        r#"{"title":"a","owner":{"mail":"m","gone":[1]},"gone":{}}"#,
        (r#"{"owner": {"mail": "m"}, "size": null, "title": "a"}"#, ""),
    );
    check(2, "null", ("null", ""));
    let flat = RawState::Flatmap(
        [("name", "a"), ("tags.#", "3")].map(|(key, text)| (key.to_owned(), text.to_owned())).into(),
    );
    let (state, said, _) = upgrade(&configured(), 0, flat.clone());
    assert_eq!((state.as_str(), said.as_str()), (r#"{"owner": null, "size": 3, "title": "a"}"#, ""));
    let (state, said, _) = upgrade(&configured(), 2, flat.clone());
    assert_eq!((state.as_str(), said.as_str()), ("nothing", "error: State Too Old\n"));
    let (state, said, _) = upgrade(&configured(), 8, flat);
    assert_eq!((state.as_str(), said.as_str()), ("nothing", "error: No State Upgrade\n"));
}

#[test]
fn what_cannot_be_upgraded_is_explained() {
    for version in [5, 8, -1] {
        let details = check(version, "{}", ("nothing", "error: No State Upgrade\n"));
        for part in ["`cloud_record`", &format!("version {version};"), "the versions 0, 1, 2, 3, 4 and 7"] {
            assert!(details.contains(part), "{part}: {details}");
        }
    }
    assert!(check(8, "{}", ("nothing", "error: No State Upgrade\n")).contains("newer release"));
    let failed = check(2, r#"{"size":"1"}"#, ("nothing", "error: No Title\n"));
    assert!(failed.contains("from version 2 to version 7") && failed.contains("There is none."), "{failed}");
    check(0, r#"{"name":{}}"#, ("nothing", "error name: Unreadable Value\n"));
    check(0, r#"{"tags":[]}"#, ("nothing", "error name: Missing Value\n"));
    check(0, r#"{"name""#, ("nothing", "error: Unreadable Value\n"));
    check(0, "", ("nothing", "error: Unreadable Value\n"));
    check(4, "[]", ("nothing", "error: Unreadable Value\n"));
    let panicked = check(
        3,
        r#"{"title":"panic"}"#,
        ("nothing", "warning: Size Was Asked For\nerror: Provider Panicked\n"),
    );
    assert!(panicked.contains("half-way"), "{panicked}");
    // The sync steps need no client.
    let unconfigured = Server::new(assemble::<Cloud>());
    assert_eq!(upgrade(&unconfigured, 0, json(r#"{"name":"a"}"#)).1, "");
    assert_eq!(upgrade(&unconfigured, 3, json(r#"{"title":"a"}"#)).1, "error: Provider Not Configured\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn upgrading_a_current_state_changes_nothing(title in ".*", size in any::<Option<u64>>()) {
        let state = serde_json::json!({"title": title, "size": size, "owner": null}).to_string();
        let server = Server::new(assemble::<Cloud>());
        let (once, said, _) = upgrade(&server, 7, json(&state));
        prop_assert_eq!(said, "");
        let value = Value::object([
            ("title", Value::string(title)),
            ("size", size.map_or(Value::Null, Value::from)),
            ("owner", Value::Null),
        ]);
        prop_assert_eq!(once, format!("{value:?}"));
    }

    #[test]
    fn upgrading_never_panics(version in -1..9_i64, title in ".*", size in any::<Option<String>>(), cut in 0..80_usize) {
        let text = serde_json::json!({"name": title, "label": title, "title": title, "size": size, "tags": [size]}).to_string();
        let text: String = text.chars().take(cut.max(1) * 2).collect();
        let (_, said, _) = upgrade(&configured(), version, json(&text));
        prop_assert!(!said.contains("Panicked"), "{}", said);
    }
}

fn identity_schema() -> Schema {
    let ty = RecordIdentity::schema().expect("it has attributes");
    let mut schema = Schema::default();
    schema.block.attributes = ty
        .attributes
        .iter()
        .map(|attribute| ferroform::schema::Attribute::optional(attribute.name.clone(), attribute.ty.clone()))
        .collect();
    schema
}

fn upgrade_identity(server: &Server, type_name: &str, version: i64, raw: &str) -> (String, String, String) {
    let request = message!(UpgradeResourceIdentityRequest {
        type_name: type_name.to_owned(),
        version: version,
        raw_identity: Some(json(raw)),
    });
    let response = response!(UpgradeResourceIdentity, ask(server, request));
    let identity = response.upgraded_identity.unwrap_or(DynamicValue::Absent);
    (shown(&identity_schema(), &identity), summaries(&response.diagnostics), details(&response.diagnostics))
}

#[track_caller]
fn check_identity(version: i64, raw: &str, expect: (&str, &str)) -> String {
    let (identity, summaries, details) = upgrade_identity(&configured(), "cloud_record", version, raw);
    assert_eq!((identity.as_str(), summaries.as_str()), expect, "{details}");
    details
}

#[test]
fn every_released_identity_is_upgraded() {
    check_identity(
        0,
        r#"{"id":"a","old_bool_attribute":true}"#,
        (r#"{"id": "a", "new_string_attribute": "true"}"#, ""),
    );
    check_identity(
        0,
        r#"{"id":"a","old_bool_attribute":null}"#,
        (r#"{"id": "a", "new_string_attribute": null}"#, ""),
    );
    check_identity(1, r#"{"id":"a"}"#, (r#"{"id": "a", "new_string_attribute": null}"#, ""));
    check_identity(2, r#"{"nr":7}"#, (r#"{"id": "7", "new_string_attribute": "1"}"#, ""));
    check_identity(3, r#"{"id":"abc"}"#, (r#"{"id": "abc", "new_string_attribute": "3"}"#, ""));
    // Core does not ask for the current version; the answer is what is there.
    check_identity(5, r#"{"id":"a"}"#, (r#"{"id": "a", "new_string_attribute": null}"#, ""));
}

#[test]
fn an_identity_that_was_never_stored_stays_absent() {
    check_identity(0, "", ("null", ""));
    check_identity(0, "null", ("null", ""));
}

#[test]
fn what_is_no_known_identity_is_explained() {
    for version in [4, 6] {
        let details = check_identity(version, r#"{"id":"a"}"#, ("nothing", "error: No Identity Upgrade\n"));
        assert!(
            details.contains("the versions 0, 1, 2, 3 and 5") && details.contains("`cloud_record`"),
            "{details}"
        );
    }
    assert!(check_identity(6, "{}", ("nothing", "error: No Identity Upgrade\n")).contains("newer release"));
    check_identity(0, r#"{"id":[]}"#, ("nothing", "error id: Unreadable Value\n"));
    check_identity(0, r#"{"old_bool_attribute":true}"#, ("nothing", "error id: Missing Value\n"));
    check_identity(2, "{}", ("nothing", "error: No Number\n"));
    check_identity(1, "{", ("nothing", "error: Unreadable Value\n"));
}

fn identity_schema_of_version(version: i64) -> IdentitySchema {
    let attribute = |name: &'static str, for_import| IdentityAttribute {
        name: name.into(),
        ty: Type::String,
        for_import,
        description: "".into(),
    };
    let attributes =
        vec![attribute("id", ForImport::Required), attribute("new_string_attribute", ForImport::Optional)];
    IdentitySchema { version, mutable: false, attributes }
}

/// A type whose identity upgrade gives this value.
fn upgrading_to(made: fn() -> Result<Value>) -> Server {
    serving(Thing {
        identity_schema: Some(identity_schema_of_version(5)),
        upgrade_paths: UpgradePaths { identity: [(0, vec![5])].into(), ..UpgradePaths::default() },
        upgrade_identity: Box::new(move |_, _: StoredValue| made()),
        ..Thing::default()
    })
}

#[test]
fn an_upgrader_must_make_a_whole_identity() {
    let check = |made: fn() -> Result<Value>, expect: &str| {
        let (identity, said, details) = upgrade_identity(&upgrading_to(made), THING, 0, r#"{"id":"a"}"#);
        assert_eq!((identity.as_str(), said.as_str()), ("nothing", expect), "{details}");
        assert!(details.contains("bug in the provider") && details.contains(THING), "{details}");
    };
    check(|| Ok(Value::Null), "error: Invalid Identity Upgrade\n");
    check(
        || Ok(Value::object([("id", Value::unknown()), ("new_string_attribute", Value::Null)])),
        "error id: Invalid Identity Upgrade\n",
    );
    check(
        || Ok(Value::object([("id", Value::Null), ("new_string_attribute", Value::from("x"))])),
        "error id: Invalid Identity Upgrade\n",
    );
    check(
        || Ok(Value::object([("id", Value::list([])), ("new_string_attribute", Value::Null)])),
        "error id: Invalid Identity Upgrade\n",
    );
    check(
        || Ok(Value::object([("id", Value::from("x"))])),
        "error new_string_attribute: Invalid Identity Upgrade\n",
    );
}

#[test]
fn a_type_without_identity_upgrades_says_so() {
    let thing = Thing { identity_schema: Some(identity_schema_of_version(5)), ..Thing::default() };
    let (identity, said, details) = upgrade_identity(&serving(thing), THING, 0, r#"{"id":"a"}"#);
    assert_eq!((identity.as_str(), said.as_str()), ("nothing", "error: No Identity Upgrade\n"), "{details}");
    assert!(details.contains("schema version 0;") && details.contains(THING), "{details}");
}

#[test]
fn a_type_without_an_identity_has_none_to_upgrade() {
    let server = serving(Thing::default());
    assert_eq!(upgrade_identity(&server, THING, 0, "{}").1, "error: No Resource Identity\n");
    let schemas = GetResourceIdentitySchemasRequest::default();
    let schemas = response!(GetResourceIdentitySchemas, ask(&server, schemas));
    assert!(schemas.identity_schemas.is_empty() && schemas.diagnostics.is_empty());
    let schemas = GetResourceIdentitySchemasRequest::default();
    let schemas = response!(GetResourceIdentitySchemas, ask(&configured(), schemas)).identity_schemas;
    assert_eq!(
        schemas.get("cloud_record").map(|schema| (schema.version, schema.attributes.len())),
        Some((5, 2))
    );
}

#[test]
fn an_upgraded_state_must_be_storable() {
    let check = |made: fn() -> Result<Value>, expect: &str| {
        let mut thing = Thing {
            upgrade_paths: UpgradePaths { state: [(0, vec![1])].into(), ..UpgradePaths::default() },
            upgrade: Box::new(move |_, _| made()),
            ..Thing::default()
        };
        thing.schema.version = 1;
        let request = message!(UpgradeResourceStateRequest {
            type_name: THING.to_owned(),
            raw_state: Some(json("{}"))
        });
        let response = response!(UpgradeResourceState, ask(&serving(thing), request));
        assert_eq!(summaries(&response.diagnostics), expect);
        assert_eq!(response.upgraded_state, DynamicValue::Absent);
    };
    check(|| Ok(Value::Null), "error: Invalid State Upgrade\n");
    check(|| Ok(crate::support::planned("a")), "error id: Provider Returned An Unknown Value\n");
    check(|| Ok(Value::list([])), "error: Invalid Provider Value\n");
    check(
        || {
            let Value::Object(mut state) = object("1", "a") else { return Ok(Value::Null) };
            state.insert("secret", Value::from("hunter2"));
            Ok(Value::Object(state))
        },
        "error secret: Provider Returned A Write-Only Value\n",
    );
}

mod mistaken {
    use super::*;

    #[derive(Model)]
    #[model(version = 3)]
    pub(super) struct Gap {
        name: String,
    }

    impl Resource for Gap {
        type Client = ();
        const NAME: &str = "gap";

        async fn create(_: &mut Context<'_, Self>, plan: Planned<Self>) -> Result<Self> {
            Ok(Self { name: plan.name })
        }

        async fn read(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
            Ok(None)
        }

        async fn update(_: &mut Context<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
            Ok(Self { name: plan.name })
        }

        async fn delete(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result {
            Ok(())
        }

        fn upgrades() -> Upgrades<Self> {
            Upgrades::<Self>::new()
                .from_json(1, |json| json.prior::<Gap>())
                .from_json(1, |json| json.prior::<Gap>())
                .from_json(4, |json| json.prior::<Gap>())
                .from(|old: Prior<RecordV0>| Ok(RecordV3 { title: old.name.unwrap_or_default() }))
        }
    }

    pub(super) struct Mistaken;

    impl Provider for Mistaken {
        type Config = ();
        type Client = ();
        const NAME: &str = "mistaken";

        async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
            Ok(())
        }

        fn register(it: &mut Registry<()>) {
            it.resource::<Gap>();
        }
    }
}

#[test]
fn mistakes_are_found_before_anything_is_served() {
    assert_eq!(testing::mistakes(assemble::<Cloud>().as_ref()), Vec::<String>::new());
    testing::check::<Cloud>();
    let found = testing::mistakes(assemble::<mistaken::Mistaken>().as_ref()).join("\n");
    for part in [
        "two upgrades from version 1 to version 3",
        "from version 4 leads to version 3, which is not later",
        "from version 0 makes another Rust type",
        "no upgrade from version 2 to the current version 3",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
    let server = Server::new(assemble::<mistaken::Mistaken>());
    let schema = response!(GetProviderSchema, ask(&server, GetProviderSchemaRequest::default()));
    assert_eq!(summaries(&schema.diagnostics).lines().next(), Some("error: Invalid Upgrades"));
}

#[test]
fn a_shape_does_not_change_unnoticed() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let provider = assemble::<Cloud>();
    let compare = |recording| testing::compare_shapes(provider.as_ref(), folder.path(), recording);
    let file = folder.path().join("cloud_record.txt");
    assert!(compare(testing::Recording::Keep).join("\n").contains("not recorded yet"));
    assert!(compare(testing::Recording::Update).is_empty() && compare(testing::Recording::Keep).is_empty());
    let shape = std::fs::read_to_string(&file).expect("it was written");
    assert_eq!(
        shape,
        "identity 5\n  id: string, required for import\n  new_string_attribute: string, optional for import\n\
         state 7\n  owner: object\n  owner.mail: string\n  size: number\n  title: string\n"
    );
    let changed = |from: &str, to: &str, expect: &[&str], updates: bool| {
        std::fs::write(&file, shape.replace(from, to)).expect("it can be written");
        let found = compare(testing::Recording::Keep).join("\n");
        for part in expect {
            assert!(found.contains(part), "{part}: {found}");
        }
        assert_eq!(compare(testing::Recording::Update).is_empty(), updates, "{found}");
    };
    changed("  size: number\n", "", &["+ size: number", "which old states survive"], true);
    changed(
        "  size: number\n",
        "  size: string\n",
        &["- size: string (changed)", "a breaking change"],
        false,
    );
    changed(
        "  id: string, required for import\n",
        "",
        &["+ id: string", "identity: a breaking change"],
        false,
    );
    changed("state 7", "state 4", &["version 4 became 7"], true);
    changed("state 7", "state 5", &["no upgrade from version 5"], false);
    changed("state 7", "state 9", &["went back from 9 to 7"], false);
    changed("identity 5", "identity 4", &["no upgrade from version 4"], false);
}

#[test]
fn one_client_serves_all_upgrades() {
    let server = Arc::new(configured());
    let (first, ..) = upgrade(&server, 3, json(r#"{"title":"abc"}"#));
    let (second, ..) = upgrade(&server, 3, json(r#"{"title":"abc"}"#));
    assert!(first.contains(r#""size": 3"#) && second.contains(r#""size": 4"#), "{first} {second}");
}
