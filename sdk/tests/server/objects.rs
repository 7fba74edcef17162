//! Identities through the calls about one object, imports, moves and generated configurations.

use std::sync::Arc;

use bytes::Bytes;
use ferroform::diag::Result;
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{
    CreateContext, DeleteContext, Import, ImportContext, Imported, Moves, ReadContext, Resource, Source,
    UpdateContext,
};
use ferroform::schema::{Attribute, IdentityAttribute, IdentitySchema, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, DynamicValue, GenerateResourceConfigRequest, ImportResourceStateRequest,
    MoveResourceStateRequest, PlanResourceChangeRequest, RawState, ReadResourceRequest,
};
use ferroform_server::server::Server;

use crate::server::support::{
    THING, Thing, ask, capable, config, details, encoded, encoded_by, message, object, planned, response,
    serving, shown, summaries, with_id,
};

/// The identity of [`Thing`] as a schema, to encode by.
fn identity_schema() -> Schema {
    let mut schema = Schema::default();
    schema.block.attributes = vec![Attribute::optional("id", Type::String)];
    schema
}

fn identity(id: Value) -> Option<DynamicValue> {
    Some(encoded_by(&identity_schema(), &Value::object([("id", id)])))
}

fn shown_identity(identity: Option<&DynamicValue>) -> String {
    identity.map_or_else(|| "none".to_owned(), |identity| shown(&identity_schema(), identity))
}

enum Changes {
    Never,
    Declared,
}

fn identified(changes: &Changes, thing: Thing) -> Server {
    let attributes = vec![IdentityAttribute::required("id", Type::String)];
    let schema = IdentitySchema::new(attributes);
    let schema = if matches!(changes, Changes::Declared) { schema.mutable() } else { schema };
    serving(Thing { identity_schema: Some(schema), ..thing })
}

#[test]
fn a_failed_create_has_no_unknown_identity() {
    let damaged = DynamicValue::Msgpack(Bytes::from_static(b"\xc1"));
    let sent = |type_name: &str, prior_state: DynamicValue| {
        message!(ApplyResourceChangeRequest {
            type_name: type_name.to_owned(),
            prior_state: prior_state,
            planned_state: damaged.clone(),
            config: encoded(&config("a")),
            planned_identity: identity(Value::unknown()),
        })
    };
    let failed = |request| {
        let response =
            response!(ApplyResourceChange, ask(&identified(&Changes::Never, Thing::default()), request));
        assert!(response.diagnostics.has_errors());
        response.new_identity
    };
    assert_eq!(failed(sent(THING, encoded(&Value::Null))), None);
    assert_eq!(failed(sent(THING, encoded(&object("1", "a")))), None);
    assert_eq!(failed(sent("double_other", encoded(&Value::Null))), None);
    // Without the schema nothing tells a known identity of an object that exists from another one.
    assert_eq!(failed(sent("double_other", encoded(&object("1", "a")))), identity(Value::unknown()));
}

/// Reads an object with a stored identity, of which `read` returns this.
fn read(found: Option<Value>, stored: Option<DynamicValue>, changes: &Changes) -> (String, String) {
    let thing = Thing { read: Box::new(move |_, _| Ok(found.clone())), ..Thing::default() };
    let request = message!(ReadResourceRequest {
        type_name: THING.to_owned(),
        current_state: encoded(&object("1", "a")),
        current_identity: stored,
    });
    let response = response!(ReadResource, ask(&identified(changes, thing), request));
    (shown_identity(response.new_identity.as_ref()), summaries(&response.diagnostics))
}

#[track_caller]
fn check_read(found: Option<Value>, stored: Option<DynamicValue>, expect: (&str, &str)) {
    let (identity, said) = read(found, stored, &Changes::Never);
    assert_eq!((identity.as_str(), said.as_str()), expect);
}

#[test]
fn a_read_fills_an_absent_identity_and_keeps_a_stored_one() {
    let known = |id: &str| identity(Value::from(id));
    check_read(Some(object("1", "a")), None, (r#"{"id": "1"}"#, ""));
    check_read(Some(object("1", "a")), identity(Value::Null), (r#"{"id": "1"}"#, ""));
    check_read(Some(object("1", "a")), known("1"), (r#"{"id": "1"}"#, ""));
    check_read(
        Some(object("2", "a")),
        known("1"),
        (r#"{"id": "1"}"#, "error id: Provider Changed An Identity\n"),
    );
    let missing = Some(with_id(Value::Null, "a"));
    check_read(
        missing,
        known("1"),
        (r#"{"id": "1"}"#, "error id: Provider Returned An Incomplete Identity\n"),
    );
    let (identity, said) = read(Some(object("2", "a")), known("1"), &Changes::Declared);
    assert_eq!((identity.as_str(), said.as_str()), (r#"{"id": "2"}"#, ""));
}

#[test]
fn deleted_object_needs_no_identity() {
    check_read(None, None, ("none", ""));
    check_read(None, identity(Value::from("1")), ("none", ""));
}

/// Plans from these to this configuration; the planned identity.
#[track_caller]
fn check_plan(prior: &Value, stored: Option<DynamicValue>, thing: Thing, expect: (&str, &str)) {
    let mut proposed = config("b");
    if let (Value::Object(proposed), Some(entries)) = (&mut proposed, prior.as_entries()) {
        proposed.insert("id", entries.get("id").cloned().unwrap_or(Value::Null));
    }
    let request = message!(PlanResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: encoded(prior),
        proposed_new_state: encoded(&proposed),
        config: encoded(&config("b")),
        prior_identity: stored,
        client_capabilities: capable(),
    });
    let response = response!(PlanResourceChange, ask(&identified(&Changes::Never, thing), request));
    let found = (shown_identity(response.planned_identity.as_ref()), summaries(&response.diagnostics));
    assert_eq!((found.0.as_str(), found.1.as_str()), expect);
}

#[test]
fn an_identity_is_planned_where_it_is_known() {
    let known = || identity(Value::from("1"));
    let stated = object("1", "a");
    check_plan(&Value::Null, None, Thing::default(), ("none", ""));
    check_plan(&stated, known(), Thing::default(), (r#"{"id": "1"}"#, ""));
    check_plan(&stated, None, Thing::default(), (r#"{"id": "1"}"#, ""));
    let changing = |id: fn() -> Value| Thing {
        plan: Box::new(move |_, change| {
            if let Value::Object(planned) = &mut change.planned {
                planned.insert("id", id());
            }
            Ok(())
        }),
        ..Thing::default()
    };
    check_plan(&stated, known(), changing(Value::unknown), (r#"{"id": "1"}"#, ""));
    check_plan(&stated, None, changing(Value::unknown), ("none", ""));
    check_plan(
        &stated,
        known(),
        changing(|| Value::from("2")),
        (r#"{"id": "1"}"#, "error id: Provider Changed An Identity\n"),
    );
    let replacing = Thing {
        plan: Box::new(|cx, change| {
            cx.requires_replace(ferroform::path!(name));
            if let Value::Object(planned) = &mut change.planned {
                planned.insert("id", Value::unknown());
            }
            Ok(())
        }),
        ..Thing::default()
    };
    check_plan(&stated, known(), replacing, ("none", ""));
}

#[track_caller]
fn check_apply(
    thing: Thing,
    (prior, to): (Value, Value),
    stored: Option<DynamicValue>,
    expect: (&str, &str),
) {
    let configured = if to.is_null() { Value::Null } else { config("b") };
    let request = message!(ApplyResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: encoded(&prior),
        planned_state: encoded(&to),
        config: encoded(&configured),
        planned_identity: stored,
    });
    let response = response!(ApplyResourceChange, ask(&identified(&Changes::Never, thing), request));
    let found = (shown_identity(response.new_identity.as_ref()), summaries(&response.diagnostics));
    assert_eq!((found.0.as_str(), found.1.as_str()), expect);
}

#[test]
fn an_apply_stores_the_identity_of_what_it_stores() {
    let (known, unknown) = (|| identity(Value::from("1")), || identity(Value::unknown()));
    let failing = || Thing {
        create: Box::new(|_, _| Err(ferroform::diag::Error::new("Full", ""))),
        update: Box::new(|_, _| Err(ferroform::diag::Error::new("Full", ""))),
        delete: Box::new(|_, _| Err(ferroform::diag::Error::new("Full", ""))),
        ..Thing::default()
    };
    let checkpointing = Thing {
        create: Box::new(|cx, _| {
            cx.checkpoint(object("7", "b"));
            Err(ferroform::diag::Error::new("Full", ""))
        }),
        ..Thing::default()
    };
    check_apply(Thing::default(), (Value::Null, planned("b")), unknown(), (r#"{"id": "1"}"#, ""));
    check_apply(failing(), (Value::Null, planned("b")), unknown(), ("none", "error: Full\n"));
    check_apply(checkpointing, (Value::Null, planned("b")), unknown(), (r#"{"id": "7"}"#, "error: Full\n"));
    let update = || (object("1", "a"), object("1", "b"));
    check_apply(Thing::default(), update(), known(), (r#"{"id": "1"}"#, ""));
    // A state of a release without identities, updated without a refresh.
    check_apply(Thing::default(), update(), None, (r#"{"id": "1"}"#, ""));
    check_apply(failing(), update(), known(), (r#"{"id": "1"}"#, "error: Full\n"));
    check_apply(Thing::default(), (object("1", "a"), Value::Null), known(), ("none", ""));
    check_apply(failing(), (object("1", "a"), Value::Null), known(), (r#"{"id": "1"}"#, "error: Full\n"));
    let renaming = Thing { update: Box::new(|_, _| Ok(object("2", "b"))), ..Thing::default() };
    let moved = (object("1", "a"), with_id(Value::unknown(), "b"));
    check_apply(renaming, moved, known(), (r#"{"id": "1"}"#, "error id: Provider Changed An Identity\n"));
}

/// The state of `local_file` of another provider.
#[derive(Model)]
#[model(version = 1)]
struct LocalFile {
    filename: Option<String>,
}

#[derive(Model)]
struct Document {
    #[attr(replace, identity)]
    region: String,
    #[attr(replace, identity)]
    name: String,
    #[attr(computed)]
    size: Option<u64>,
    #[attr(default = true)]
    kept: bool,
    label: Option<String>,
    #[attr(deprecated = "Use `label`.")]
    tag: Option<String>,
    parts: Option<Vec<Part>>,
}

#[derive(Model)]
#[model(nested)]
struct Part {
    text: String,
    #[attr(computed)]
    length: u64,
}

fn document(region: String, name: String) -> Document {
    Document { region, name, size: None, kept: true, label: None, tag: None, parts: None }
}

impl Resource for Document {
    type Client = ();
    const NAME: &str = "document";

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(document(plan.region, plan.name))
    }

    async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        Ok(Some(document(prior.region, prior.name)))
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }

    fn moves() -> Moves<Self> {
        Moves::new()
            .from_json(Source::of("hashicorp/local", "local_file"), |_, json| {
                let taken = json.bytes().starts_with(br#"{"raw""#);
                Ok(taken.then(|| document("raw".to_owned(), "first".to_owned())))
            })
            .from(Source::of("hashicorp/local", "local_file"), |cx, old: Prior<LocalFile>| {
                cx.private.set("moved", &cx.version)?;
                Ok(document("eu".to_owned(), old.filename.unwrap_or_default()))
            })
            .from(Source::resource("cloud_scroll"), |cx, old: Prior<LocalFile>| {
                cx.warn("Scrolls Are Old", "");
                let region = if cx.identity.is_some() { "with identity" } else { "without" };
                Ok(document(region.to_owned(), old.filename.unwrap_or_default()))
            })
    }
}

/// As `Document`, with one attribute in its identity, an import of several, and a format.
#[derive(Model)]
#[identity(format = "{region}/{name}")]
struct Folder {
    #[attr(replace, identity)]
    region: String,
    #[attr(replace, identity)]
    name: String,
}

impl Resource for Folder {
    type Client = ();
    const NAME: &str = "folder";

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { region: plan.region, name: plan.name })
    }

    async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        Ok(Some(Self { region: prior.region, name: prior.name }))
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }

    async fn import(_: &mut ImportContext<'_, Self>, from: Import<Self>) -> Result<Imported<Self>> {
        let FolderIdentity { region, name } = from.into_identity()?;
        let names = name.split('+').map(str::to_owned);
        Ok(Imported::all(names.map(|name| Self { region: region.clone(), name })))
    }
}

struct Cloud;

impl Provider for Cloud {
    type Config = ();
    type Client = ();
    const NAME: &str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Document>().resource::<Folder>();
    }
}

/// By the attributes that identities have here.
fn pair_schema() -> Schema {
    let mut schema = Schema::default();
    schema.block.attributes =
        vec![Attribute::optional("name", Type::String), Attribute::optional("region", Type::String)];
    schema
}

fn configured() -> Server {
    let server = Server::new(assemble::<Cloud>());
    let config = encoded_by(&Schema::default(), &Value::object::<&str>([]));
    let request = message!(ferroform_server::protocol::ConfigureProviderRequest { config: config });
    assert!(response!(ConfigureProvider, ask(&server, request)).diagnostics.is_empty());
    server
}

#[track_caller]
fn check_import(type_name: &str, id: &str, by: Option<Value>, expect: (&[&str], &str)) -> String {
    let request = message!(ImportResourceStateRequest {
        type_name: type_name.to_owned(),
        id: id.to_owned(),
        identity: by.map(|identity| encoded_by(&pair_schema(), &identity)),
    });
    let response = response!(ImportResourceState, ask(&configured(), request));
    let found: Vec<String> = response
        .imported_resources
        .iter()
        .map(|object| shown(&pair_schema(), object.identity.as_ref().expect("there is an identity")))
        .collect();
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!((found.as_slice(), summaries(&response.diagnostics).as_str()), expect);
    details(&response.diagnostics)
}

#[test]
fn objects_are_imported_by_id_and_by_identity() {
    let pair = |region: &str, name: &str| {
        Value::object([("region", Value::from(region)), ("name", Value::from(name))])
    };
    let one = r#"{"name": "a", "region": "eu"}"#;
    check_import("cloud_folder", "eu/a", None, (&[one], ""));
    check_import("cloud_folder", "", Some(pair("eu", "a")), (&[one], ""));
    check_import("cloud_folder", "eu/a+b", None, (&[one, r#"{"name": "b", "region": "eu"}"#], ""));
    let malformed = check_import("cloud_folder", "a", None, (&[], "error: Malformed Import Id\n"));
    assert!(malformed.contains("`{region}/{name}`"), "{malformed}");
    check_import("cloud_folder", "", None, (&[], "error: Import Needs An Id\n"));
    // By default an identity becomes a stub, and an id needs a format.
    check_import("cloud_document", "", Some(pair("eu", "a")), (&[one], ""));
    let needs = check_import("cloud_document", "a", None, (&[], "error: Import Needs An Identity\n"));
    assert!(needs.contains("identity = { region = ..., name = ... }"), "{needs}");
}

fn moved(provider: &str, type_name: &str, version: i64, state: &str) -> (String, String, String) {
    let request = message!(MoveResourceStateRequest {
        source_provider_address: provider.to_owned(),
        source_type_name: type_name.to_owned(),
        source_schema_version: version,
        source_state: Some(RawState::Json(Bytes::copy_from_slice(state.as_bytes()))),
        source_private: Bytes::from_static(br#"{"ferroform":{"kept":true}}"#),
        source_identity: Some(RawState::Json(Bytes::from_static(b"{}"))),
        target_type_name: "cloud_document".to_owned(),
    });
    // Core moves before it configures.
    let response = response!(MoveResourceState, ask(&Server::new(assemble::<Cloud>()), request));
    let identity =
        response.target_identity.map_or_else(|| "none".to_owned(), |it| shown(&pair_schema(), &it));
    let private = String::from_utf8_lossy(&response.target_private).into_owned();
    (format!("{identity} {private}"), summaries(&response.diagnostics), details(&response.diagnostics))
}

#[track_caller]
fn check_move(source: (&str, &str, i64, &str), expect: (&str, &str)) -> String {
    let (found, said, details) = moved(source.0, source.1, source.2, source.3);
    assert_eq!((found.as_str(), said.as_str()), expect, "{details}");
    details
}

#[test]
fn the_first_mover_that_takes_an_object_wins() {
    const LOCAL: &str = "registry.terraform.io/hashicorp/local";
    let kept = r#"{"ferroform":{"kept":true}}"#;
    let raw = format!(r#"{{"name": "first", "region": "raw"}} {kept}"#);
    check_move((LOCAL, "local_file", 1, r#"{"raw":1}"#), (&raw, ""));
    let typed = r#"{"name": "a", "region": "eu"} {"ferroform":{"kept":true,"moved":1}}"#;
    check_move((LOCAL, "local_file", 1, r#"{"filename":"a","gone":1}"#), (typed, ""));
    check_move(
        ("registry.opentofu.org/hashicorp/local", "local_file", 1, r#"{"filename":"a"}"#),
        (typed, ""),
    );
    let scroll = format!(r#"{{"name": "a", "region": "with identity"}} {kept}"#);
    check_move(("x/y/z", "cloud_scroll", 1, r#"{"filename":"a"}"#), (&scroll, "warning: Scrolls Are Old\n"));
}

#[test]
fn unsupported_move_is_rejected() {
    const LOCAL: &str = "registry.terraform.io/hashicorp/local";
    let version =
        check_move((LOCAL, "local_file", 2, "{}"), ("none ", "error: Unsupported Source Schema Version\n"));
    assert!(version.contains("schema version 2") && version.contains("version 1 only"), "{version}");
    for source in [("registry.terraform.io/evilhashicorp/local", "local_file"), (LOCAL, "local_directory")] {
        let details = check_move((source.0, source.1, 1, "{}"), ("none ", "error: Move Not Supported\n"));
        assert!(details.contains(source.0) && details.contains(source.1), "{details}");
    }
    check_move(
        (LOCAL, "local_file", 1, r#"{"filename":{}}"#),
        ("none ", "error filename: Unreadable Value\n"),
    );
}

#[test]
fn a_generated_configuration_holds_what_one_would_write() {
    let schema = <Document as Model>::schema();
    let part = Value::object([("text", Value::from("x")), ("length", Value::from(1_u64))]);
    let state = Value::object([
        ("region", Value::from("eu")),
        ("name", Value::from("a")),
        ("size", Value::from(3_u64)),
        ("kept", Value::from(true)),
        ("label", Value::from("")),
        ("tag", Value::from("old")),
        ("parts", Value::list([part])),
    ]);
    let request = message!(GenerateResourceConfigRequest {
        type_name: "cloud_document".to_owned(),
        state: encoded_by(&schema, &state),
    });
    let response = response!(GenerateResourceConfig, ask(&Server::new(assemble::<Cloud>()), request));
    assert_eq!(summaries(&response.diagnostics), "");
    assert_eq!(
        shown(&schema, &response.config),
        r#"{"kept": null, "label": null, "name": "a", "parts": [{"length": null, "text": "x"}], "region": "eu", "size": null, "tag": null}"#
    );
    let unconfigured: Arc<dyn ferroform::dynamic::Provider> = assemble::<Cloud>();
    let request = message!(GenerateResourceConfigRequest { type_name: "cloud_none".to_owned() });
    let response = response!(GenerateResourceConfig, ask(&Server::new(unconfigured), request));
    assert_eq!(summaries(&response.diagnostics), "error: Unknown Type\n");
}
