//! Fixtures of what older releases stored: recorded, and checked.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use ferroform::diag::Result;
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext, Upgrades};
use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock, NestedObject, Nesting, Schema};
use ferroform::testing::{UpgradeCheck, UpgradeChecker, UpgradeRecorder};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::json::{self, UnknownAttributes};

use crate::server::support::{Double, THING, Thing, block_on};
use crate::server::versions::Cloud;

#[test]
fn a_state_file_is_checked_without_a_change() {
    let state = br#"{"version":4,"resources":[
        {"mode":"managed","type":"cloud_record","name":"a","module":"module.m","instances":[
            {"index_key":"k","schema_version":0,"attributes":{"name":"a"},"identity_schema_version":1,"identity":{"id":"a"}},
            {"index_key":1,"schema_version":7,"attributes":{"title":"a"}}]},
        {"mode":"managed","type":"cloud_record","name":"b","instances":[
            {"schema_version":5,"attributes":{},"identity_schema_version":5}]},
        {"mode":"managed","type":"cloud_record","name":"f","instances":[{"schema_version":7,"attributes":{"title":"a"},
            "identity_schema_version":5,"identity":{"id":"a","new_string_attribute":null}}]},
        {"mode":"managed","type":"cloud_record","name":"g","instances":[{"schema_version":7,"attributes":{"title":["a"]},
            "identity_schema_version":5,"identity":{"id":["a"],"new_string_attribute":null}}]},
        {"mode":"data","type":"cloud_record","name":"c","instances":[{}]},
        {"mode":"managed","type":"other_thing","name":"d","provider":"provider[\"registry.terraform.io/acme/other\"]",
            "instances":[{"schema_version":9}]},
        {"mode":"managed","type":"cloud_gone","name":"e","provider":"provider[\"registry.terraform.io/acme/cloud\"].west",
            "instances":[{"schema_version":1}]}]}"#;
    let checks = block_on(UpgradeChecker::new(assemble::<Cloud>()).state(state)).expect("it is a state");
    let lines: Vec<String> = checks.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            r#"module.m.cloud_record.a["k"] state 0 -> 2 -> 7: ok"#,
            r#"module.m.cloud_record.a["k"] identity 1 -> 5: ok"#,
            "module.m.cloud_record.a[1] state 7: ok",
            "module.m.cloud_record.a[1] identity 0 -> 5: ok",
            "cloud_record.b state 5: No State Upgrade",
            "cloud_record.f state 7: ok",
            "cloud_record.f identity 5: ok",
            "cloud_record.g state 7: Unreadable State",
            "cloud_record.g identity 5: Unreadable Identity",
            "cloud_gone.e state 1: Unknown Resource Type",
        ]
    );
    for wrong in [&b"{"[..], br#"{"version":3}"#, b"[]", b""] {
        assert!(block_on(UpgradeChecker::new(assemble::<Cloud>()).state(wrong)).is_err());
    }
}

fn lines(checks: &[UpgradeCheck]) -> Vec<String> {
    checks.iter().map(ToString::to_string).collect()
}

#[test]
fn an_upgrade_may_ask_the_service() {
    let state = br#"{"version":4,"resources":[{"mode":"managed","type":"cloud_record","name":"a","instances":[
        {"schema_version":3,"attributes":{"title":"abc"}},{"schema_version":3,"attributes":{"title":"panic"}}]}]}"#;
    let checker = UpgradeChecker::new(assemble::<Cloud>());
    let check = |expect: [&str; 2]| {
        let checks = block_on(checker.state(state)).expect("it is a state");
        let of_state: Vec<_> = checks.iter().filter(|it| it.what == "state").cloned().collect();
        let prefix = "cloud_record.a state 3 -> 7: ";
        assert_eq!(lines(&of_state), expect.map(|expect| format!("{prefix}{expect}")));
    };
    check(["Provider Not Configured", "Provider Not Configured"]);
    let refused = block_on(checker.configure(br#"{"nothing":1}"#)).expect_err("there is no such attribute");
    assert!(refused.to_string().contains("Unreadable Value"), "{refused}");
    block_on(checker.configure(b"{}")).expect("configured");
    // An upgrader that panics is an error of its object, not the end of the check.
    check(["ok", "Provider Panicked"]);
}

#[test]
fn a_configuration_has_the_blocks_that_it_leaves_out() {
    let body = || Block::new([Attribute::optional("a", Type::String)]);
    let nestings = [
        ("group", BlockNesting::Group),
        ("list", BlockNesting::List),
        ("map", BlockNesting::Map),
        ("set", BlockNesting::Set),
        ("single", BlockNesting::Single),
    ];
    let blocks = nestings.map(|(name, nesting)| NestedBlock::new(name, nesting, body())).to_vec();
    let outer = body().blocks(blocks.clone());
    let blocks = [blocks, vec![NestedBlock::new("outer", BlockNesting::List, outer)]].concat();
    let seen = Arc::new(Mutex::new(Value::Null));
    let there = Arc::clone(&seen);
    let provider = Double {
        schema: Schema::new(Block::default().blocks(blocks)),
        configure: Box::new(move |_, config| {
            *there.lock().expect("no panic before") = config;
            Ok(())
        }),
        ..Double::default()
    };
    let checker = UpgradeChecker::new(Arc::new(provider));
    block_on(checker.configure(br#"{"outer": [{"a": "x"}]}"#)).expect("configured");
    let absent = [
        ("group", Value::object([("a", Value::Null)])),
        ("list", Value::list([])),
        ("map", Value::map::<&str>([])),
        ("set", Value::set([])),
        ("single", Value::Null),
    ];
    let outer = Value::object([vec![("a", "x".into())], absent.to_vec()].concat());
    let expect = Value::object([absent.to_vec(), vec![("outer", Value::list([outer]))]].concat());
    assert_eq!(*seen.lock().expect("no panic before"), expect);
}

#[derive(Model)]
struct KeyV0 {
    name: String,
}

#[derive(Model)]
#[model(version = 1)]
struct Key {
    name: String,
    #[attr(sensitive)]
    secret: Option<String>,
    parts: Option<Vec<Part>>,
    size: Option<f64>,
}

#[derive(Model)]
#[model(nested)]
struct Part {
    id: String,
    #[attr(sensitive)]
    pins: Vec<u16>,
}

impl Resource for Key {
    type Client = ();
    const NAME: &str = "key";

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Key { name: plan.name, secret: plan.secret, parts: None, size: plan.size })
    }

    async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        Ok(None)
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }

    fn upgrades() -> Upgrades<Self> {
        Upgrades::new()
            .from(|old: KeyV0| Ok(Key { name: old.name, secret: None, parts: None, size: None }))
            .from_flatmap(0, |flat| {
                let name = flat.get("name").cloned().unwrap_or_default();
                Ok(Key { name, secret: None, parts: None, size: None })
            })
    }
}

struct Safe;

impl Provider for Safe {
    type Config = ();
    type Client = ();
    const NAME: &str = "safe";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Key>();
    }
}

const STATE: &str = r#"{"version":4,"terraform_version":"1.15.5","serial":7,"lineage":"a-b-c","outputs":{"x":{"value":1,"type":"number"}},
    "resources":[
        {"mode":"managed","type":"safe_key","name":"a","provider":"provider[\"example.com/acme/safe\"]","each":"list","instances":[
            {"index_key":0,"schema_version":1,"private":"e30=","dependencies":["safe_key.b"],"attributes":{"name":"a","secret":"s3cret",
                "parts":[{"id":"p","pins":[1234,5678]}],"size":0.1234567890123456789012345}},
            {"index_key":1,"schema_version":1,"attributes":{"name":"b","secret":null,"parts":null,"size":1}}]},
        {"mode":"managed","type":"safe_key","name":"flat","provider":"provider[\"example.com/acme/safe\"]","instances":[
            {"schema_version":0,"attributes_flat":{"name":"c","secret":"s3cret"}}]},
        {"mode":"managed","type":"other_key","name":"d","provider":"provider[\"example.com/acme/other\"]","instances":[{"schema_version":0}]},
        {"mode":"data","type":"safe_key","name":"e","provider":"provider[\"example.com/acme/safe\"]","instances":[{"schema_version":0}]}],
    "check_results":null}"#;

/// What is kept of the flat state in [`STATE`], laid out as core does.
const FLAT: &str = r#"{
  "version": 4,
  "terraform_version": "1.15.5",
  "serial": 1,
  "lineage": "fixture",
  "outputs": {},
  "resources": [
    {
      "mode": "managed",
      "type": "safe_key",
      "name": "flat",
      "provider": "provider[\"example.com/acme/safe\"]",
      "instances": [
        {
          "schema_version": 0,
          "attributes_flat": {
            "name": "c",
            "secret": "a1aaaa"
          },
          "identity_schema_version": 0
        }
      ]
    }
  ]
}
"#;

/// Records a state into a new folder; the files by name.
fn recorded(state: &str, folder: &Path) -> Vec<(String, String)> {
    let files =
        UpgradeRecorder::new(assemble::<Safe>().as_ref()).record(state.as_bytes(), folder).expect("recorded");
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), fs::read_to_string(path).expect("written"))).collect()
}

#[test]
fn recorded_state_of_a_release_has_no_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = recorded(STATE, folder.path());
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["safe_key.flat-0.tfstate", "safe_key.state-1.tfstate"]);
    let (flat, typed) = (&files[0].1, &files[1].1);
    assert_eq!(flat, FLAT);
    for kept in
        [r#""private": "e30=""#, r#""pins":[1111,1111]"#, "0.1234567890123456789012345", r#""secret":null"#]
    {
        assert!(typed.contains(kept), "{kept}: {typed}");
    }
    for gone in ["s3cret", "1234,", "lineage\": \"a-b-c", "dependencies", "other_key", "\"x\""] {
        assert!(!flat.contains(gone) && !typed.contains(gone), "{gone}: {flat} {typed}");
    }
    // Recording what was recorded changes nothing.
    let again = tempfile::tempdir().expect("a folder");
    for (_, text) in &files {
        recorded(text, again.path());
    }
    for (name, text) in &files {
        assert_eq!(fs::read_to_string(again.path().join(name)).expect("written"), *text);
    }

    let odd = STATE
        .replace(r#"{"name":"a","secret":"s3cret","#, r#"{"parts":7,"name":"a","secret":"s3cret","was":"#);
    let refused = UpgradeRecorder::new(assemble::<Safe>().as_ref()).record(odd.as_bytes(), folder.path());
    assert!(refused.is_err());
}

/// The attributes that are kept of an object of `safe_key`.
fn kept(recorder: &UpgradeRecorder<'_>, attributes: &str) -> String {
    let state = format!(
        r#"{{"version":4,"resources":[{{"mode":"managed","type":"safe_key","name":"a","instances":[{{"schema_version":1,{attributes}}}]}}]}}"#
    );
    let folder = tempfile::tempdir().expect("a folder");
    let files = recorder.record(state.as_bytes(), folder.path()).expect("recorded");
    fs::read_to_string(&files[0]).expect("written")
}

#[test]
fn recorded_secrets_keep_their_form() {
    let provider = assemble::<Safe>();
    let recorder = UpgradeRecorder::new(provider.as_ref());
    for (secret, expect) in [
        ("-42.5", "-11.1"),
        ("true", "false"),
        ("postgres://Joe:s3cret@db:5432/x?y=1", "aaaaaaaa://Aaa:a1aaaa@aa:1111/a?a=1"),
        (
            r#" {"user": "joe", "pins": [7, null, true], "url": "{}"} "#,
            r#"{"user":"aaa","pins":[1,null,false],"url":"{}"}"#,
        ),
        (r#"{"user": joe}"#, r#"{"aaaa": aaa}"#),
        (r#"{"limit":-1.5e5}"#, r#"{"limit":-1.1e1}"#),
        (
            "-----BEGIN EC KEY-----\nMHcC+/=\n-----END EC KEY-----\n",
            "-----BEGIN EC KEY-----\nAAaA+/=\n-----END EC KEY-----\n",
        ),
        ("-----BEGIN s3cret-----", "-----AAAAA a1aaaa-----"),
        ("\u{c9}t\u{e9} \u{4e2d} \u{661}", "Aaa a 1"),
    ] {
        let quoted = |text: &str| serde_json::to_string(text).expect("JSON");
        let attributes = |secret: &str| format!(r#""attributes":{{"name":"a","secret":{}}}"#, quoted(secret));
        let found = kept(&recorder, &attributes(secret));
        assert!(found.contains(&format!(r#""secret":{}"#, quoted(expect))), "{secret}: {found}");
    }
    let deep = format!(r#""attributes":{{"secret":"{}"}}"#, "[".repeat(5_000) + &"]".repeat(5_000));
    assert!(kept(&recorder, &deep).contains("[[["));
    let flat =
        r#""attributes_flat":{"parts.#":"1","parts.0.pins.#":"1","parts.0.pins.0":"1234","parts.0.id":"p"}"#;
    let found = kept(&recorder, flat);
    for line in [r#""parts.#": "1""#, r#""parts.0.pins.0": "1111""#, r#""parts.0.id": "p""#] {
        assert!(found.contains(line), "{line}: {found}");
    }
}

/// A schema with a sensitive attribute in objects of each nesting, and a state of it.
fn nested_secrets() -> (Schema, Value) {
    let texts = || {
        let any = Attribute::optional("any", Type::Dynamic).sensitive();
        vec![Attribute::optional("secret", Type::String).sensitive(), any]
    };
    let plain = || vec![Attribute::optional("secret", Type::String).sensitive()];
    let object = |of: &str| {
        let any = Value::dynamic(Type::String, Value::from(format!("any of {of}").as_str()));
        Value::object([("secret", Value::from(format!("secret of {of}").as_str())), ("any", any)])
    };
    let without = |of: &str| Value::object([("secret", Value::from(format!("secret of {of}").as_str()))]);
    let nested = |name: &'static str, nesting| Attribute::optional(name, NestedObject::new(nesting, plain()));
    let blocks = |name: &'static str, nesting| NestedBlock::new(name, nesting, Block::new(plain()));
    let mixed = |name: &'static str, nesting| NestedBlock::new(name, nesting, Block::new(texts()));
    let (tuple, labelled) = (mixed("tuple", BlockNesting::List), mixed("labelled", BlockNesting::Map));
    let any = || Value::dynamic(Type::String, Value::from("any of a part"));
    let with_any = Type::object([("any", Type::Dynamic), ("size", Type::Number)]);
    let with_any_value = || Value::object([("any", any()), ("size", Value::from(4711))]);
    let value = Value::object([
        ("plain", with_any_value()),
        ("plains", Value::map([("key", Value::list([with_any_value()]))])),
        ("parts", Value::tuple([any(), Value::from("secret of a part")])),
        ("hidden", Value::object([("any", any())])),
        ("secret", Value::from("secret of root")),
        ("any", Value::dynamic(Type::Number, Value::from(4711))),
        ("single", without("single")),
        ("list", Value::list([without("list")])),
        ("set", Value::set([without("set")])),
        ("map", Value::map([("key", without("map"))])),
        ("block", without("block")),
        ("group", without("group")),
        ("blocks", Value::list([without("blocks")])),
        ("unordered", Value::set([without("unordered")])),
        ("keyed", Value::map([("key", without("keyed"))])),
        ("one", object("one")),
        ("tuple", tuple.dynamic_value(Value::tuple([object("tuple")]))),
        ("labelled", labelled.dynamic_value(Value::object([("key", object("labelled"))]))),
    ]);
    let attributes = texts().into_iter().chain([
        nested("single", Nesting::Single),
        nested("list", Nesting::List),
        nested("set", Nesting::Set),
        nested("map", Nesting::Map),
        Attribute::optional("plain", with_any.clone()).sensitive(),
        Attribute::optional("plains", Type::map(Type::list(with_any))).sensitive(),
        Attribute::optional("parts", Type::tuple([Type::Dynamic, Type::String])).sensitive(),
        Attribute::optional(
            "hidden",
            NestedObject::new(Nesting::Single, [Attribute::optional("any", Type::Dynamic)]),
        )
        .sensitive(),
    ]);
    let block = Block::new(attributes).blocks([
        blocks("block", BlockNesting::Single),
        blocks("group", BlockNesting::Group),
        blocks("blocks", BlockNesting::List),
        blocks("unordered", BlockNesting::Set),
        blocks("keyed", BlockNesting::Map),
        mixed("one", BlockNesting::Single),
        tuple,
        labelled,
    ]);
    (Schema::new(block), value)
}

#[test]
fn secrets_of_every_nesting_are_replaced() {
    let (schema, value) = nested_secrets();
    let stored = String::from_utf8(json::encode(&value, &schema.ty()).expect("JSON")).expect("text");
    let thing = Thing { schema: schema.clone(), ..Thing::default() };
    let provider = Double { resources: [(THING, Arc::new(thing))].into(), ..Double::default() };
    let state = format!(
        r#"{{"version":4,"resources":[{{"mode":"managed","type":"{THING}","name":"a","instances":[{{"schema_version":0,"attributes":{stored}}}]}}]}}"#
    );
    let folder = tempfile::tempdir().expect("a folder");
    let files = UpgradeRecorder::new(&provider).record(state.as_bytes(), folder.path()).expect("recorded");
    let recorded: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&files[0]).expect("written")).expect("JSON");
    let attributes = recorded["resources"][0]["instances"][0]["attributes"].to_string();
    for kept in ["secret of", "any of", "4711"] {
        assert!(stored.contains(kept) && !attributes.contains(kept), "{kept}: {attributes}");
    }
    // Everything else is as it was, types too.
    let redacted =
        json::decode(attributes.as_bytes(), &schema.ty(), UnknownAttributes::Refuse).expect("of the schema");
    let shape = |value: &Value| {
        let mut shape = Vec::new();
        value.walk(|path, value| shape.push((path.to_string(), value.kind())));
        shape
    };
    assert_eq!(shape(&redacted), shape(&value));
}

#[test]
fn the_author_gives_values_that_upgrades_need() {
    let provider = assemble::<Safe>();
    let recorder = UpgradeRecorder::new(provider.as_ref())
        .replace("safe_key", "secret", "2030-01-01")
        .replace("safe_key", "parts.pins", "[7]")
        .replace("safe_key", "size", "0.5");
    let found = kept(
        &recorder,
        r#""attributes":{"secret":"s","parts":[{"id":"p","pins":[1]},{"id":"q","pins":null}],"size":8}"#,
    );
    let expect =
        r#"{"secret":"2030-01-01","parts":[{"id":"p","pins":[7]},{"id":"q","pins":null}],"size":0.5}"#;
    assert!(found.contains(expect), "{found}");
    let flat = r#""attributes_flat":{"name":"a","secret":"s","parts.0.pins.0":"1"}"#;
    let found = kept(&recorder.replace("safe_key", "name", "\"b"), flat);
    for line in [r#""name": "\"b""#, r#""secret": "2030-01-01""#, r#""parts.0.pins.0": "[7]""#] {
        assert!(found.contains(line), "{line}: {found}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (type_name, path, value, summary) in [
        ("safe_key", "none", "", "Unknown Attribute"),
        ("safe_key", "parts.none", "", "Unknown Attribute"),
        ("safe_kye", "secret", "", "Unknown Attribute"),
        ("safe_key", "size", "large", "State Does Not Fit"),
    ] {
        let recorder = UpgradeRecorder::new(provider.as_ref()).replace(type_name, path, value);
        let error = recorder.record(STATE.as_bytes(), folder.path()).expect_err("refused").to_string();
        assert!(error.contains(summary), "{path}: {error}");
    }
}

#[test]
fn releases_that_share_a_version_keep_their_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = recorded(STATE, folder.path());
    assert_eq!(recorded(STATE, folder.path()), first);
    let later = |name: &str| recorded(&STATE.replace(r#""name":"c""#, name), folder.path());
    let second = later(r#""name":"d""#);
    assert_eq!(second[0].0, "safe_key.flat-0.2.tfstate");
    assert_eq!(second[1], first[1]);
    assert_eq!(later(r#""name":"e""#)[0].0, "safe_key.flat-0.3.tfstate");
    assert_eq!(later(r#""name":"d""#), second);
    assert_eq!(recorded(STATE, folder.path()), first);
    let checks = block_on(UpgradeChecker::new(assemble::<Safe>()).folder(folder.path())).expect("checked");
    assert_eq!(checks.iter().filter(|it| it.what == "flat state" && it.succeeded()).count(), 3);
}

#[test]
fn every_version_with_an_upgrade_needs_a_fixture() {
    let folder = tempfile::tempdir().expect("a folder");
    recorded(STATE, folder.path());
    let checker = UpgradeChecker::new(assemble::<Safe>());
    let check = || lines(&block_on(checker.folder(folder.path())).expect("checked"));
    let found = [
        "safe_key.flat flat state 0 -> 1: ok",
        "safe_key.a[0] state 1: ok",
        "safe_key.a[1] state 1: ok",
        "safe_key state 0 -> 1: No Fixture",
    ];
    assert_eq!(check(), found);
    let old = STATE.replace(r#""schema_version":0,"attributes_flat""#, r#""schema_version":0,"attributes""#);
    recorded(&old, folder.path());
    assert!(check().iter().all(|line| line.ends_with(": ok")), "{:?}", check());
    fs::write(folder.path().join("x.tfstate"), "{").expect("written");
    assert!(block_on(checker.folder(folder.path())).is_err());
    assert!(block_on(checker.folder(folder.path().join("none"))).is_err());
}
