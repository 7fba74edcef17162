//! Objects whose import id is composed of two names, and whose old releases knew less of them.

use std::fs;
use std::path::Path;

use ferroform_testing::config::{Config, ResourceBlock, object, provider, resource};
use ferroform_testing::embedded::PlanOptions;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::engine::{Engine, Identities, Seen, instance, source};
use super::moves::{PRIVATE, fine};

const THIS: &str = "corner_bucket.this";
const FORM: &[&str] = &["`{region}/{name}`", "import by identity"];

fn root() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn config(root: &Path) -> Config {
    Config::new().provider(provider("corner").set("root", root))
}

fn bucket(name: &str) -> ResourceBlock {
    resource("corner_bucket", name).set("region", "eu").set("name", name)
}

/// Makes two buckets, of which one is forgotten again.
fn one_of_two(engine: &mut Engine, root: &Path) -> Config {
    let both = config(root).resource(bucket("this").set("size", "1")).resource(bucket("other"));
    fine("two buckets", engine.apply(&both));
    forget(engine);
    both
}

/// Takes the bucket `this` out of the state.
fn forget(engine: &mut Engine) {
    let mut state = engine.state_json();
    let resources = state["resources"].as_array_mut().expect("resources");
    resources.retain(|resource| resource["name"] != "this");
    engine.set_state(state.to_string().as_bytes());
}

/// Checks what is stored of the bucket, and that nothing is to change.
#[track_caller]
fn stored(engine: &mut Engine, config: &Config) {
    let state = engine.state_json();
    let found = instance(&state, THIS);
    let expect = json!({"region": "eu", "name": "this", "size": "1", "id": "eu/this"});
    assert_eq!((&found["attributes"], &found["schema_version"]), (&expect, &json!(1)));
    if engine.identities() == Identities::Known {
        assert_eq!(found["identity"], json!({"region": "eu", "name": "this"}), "{found:#}");
        assert_eq!(found["identity_schema_version"], 1, "{found:#}");
    }
    engine.settled(config);
}

/// An id that is not composed as it has to be is refused with the form that it needs, by blocks and by the command, and
/// changes nothing; the right one, and the identity, find the object.
pub(super) fn imported(engine: &mut Engine) {
    let root = root();
    let both = one_of_two(engine, root.path());
    for wrong in ["this", "eu/", "/this", "eu-this"] {
        engine.refuses(&both.clone().import(THIS, wrong), "Malformed Import Id", FORM);
        let before = engine.state();
        let seen = engine.import(&both, THIS, wrong);
        refused(&seen, "Malformed Import Id");
        assert!(engine.state() == before, "{wrong}: the state has changed");
    }

    fine("the command", engine.import(&both, THIS, "eu/this"));
    stored(engine, &both);
    let mut by_block = |config: Config| {
        forget(engine);
        let seen = fine("a block", engine.plan(&config, &PlanOptions::default()));
        assert_eq!(seen.changes, [format!("{THIS} no-op (import)")]);
        fine("a block", engine.apply(&config));
        stored(engine, &both);
        engine.identities()
    };
    if by_block(both.clone().import(THIS, "eu/this")) == Identities::Known {
        let names = object([("region", "eu"), ("name", "this")]);
        by_block(both.clone().import_identity(THIS, names));
    }

    // What could not be read again is no id, and nothing is made.
    let odd = both.resource(resource("corner_bucket", "odd").set("region", "e/u").set("name", "odd"));
    let before = fs::read_dir(root.path()).expect("a folder").count();
    refused(&engine.apply(&odd), "No Import Id");
    assert_eq!(fs::read_dir(root.path()).expect("a folder").count(), before);
}

#[track_caller]
fn refused(seen: &Seen, summary: &str) {
    let [error] = seen.errors.as_slice() else { panic!("not one error but {seen:#?}") };
    assert_eq!(error.summary, summary, "{error:#?}");
}

/// Several by one block: one wrong id and none is imported.
pub(super) fn imported_for_each(engine: &mut Engine) {
    let root = root();
    let both = config(root.path()).resource(bucket("a")).resource(bucket("b"));
    fine("two buckets", engine.apply(&both));
    engine.forget();
    let head = head(root.path());
    let mut write = |b: &str| {
        let text = format!(
            r#"{head}
locals {{
  ids = {{ a = "eu/a", b = "{b}" }}
}}
resource "corner_bucket" "all" {{
  for_each = local.ids
  region   = "eu"
  name     = each.key
}}
import {{
  for_each = local.ids
  to       = corner_bucket.all[each.key]
  id       = each.value
}}
"#
        );
        engine.write(&[("main.tf", text)]);
        engine.plan_written(&PlanOptions::default())
    };
    let seen = write("b");
    refused(&seen, "Malformed Import Id");
    assert!(FORM.iter().all(|part| seen.errors[0].detail.contains(part)), "{seen:#?}");
    let seen = write("eu/b");
    let expect = ["corner_bucket.all[\"a\"] no-op (import)", "corner_bucket.all[\"b\"] no-op (import)"];
    assert_eq!(seen.changes, expect, "{seen:#?}");
    fine("both", engine.apply_written());
    engine.settled_as_written();
}

fn head(root: &Path) -> String {
    let (source, root) = (source("corner"), root.display());
    format!(
        "terraform {{\n  required_providers {{\n    corner = {{ source = \"{source}\" }}\n  }}\n}}\n\
         provider \"corner\" {{\n  root = \"{root}\"\n}}\n"
    )
}

/// The generated configuration of what is imported has neither timeouts nor a secret, and then nothing is to change.
pub(super) fn generated(engine: &mut Engine) {
    let root = root();
    let login = r#"{"password": "s3cret-4711", "token": "", "tokens": "1"}"#;
    for (file, text) in [("eu.b.json", r#"{"size": "1"}"#), ("t.json", r#"{"text": "x"}"#), ("l.json", login)]
    {
        fs::write(root.path().join(file), text).expect("written");
    }
    let import =
        |(kind, id): (&str, &str)| format!("import {{\n  to = corner_{kind}.this\n  id = \"{id}\"\n}}\n");
    let imports: String = [("bucket", "eu/b"), ("task", "t"), ("login", "l")].map(import).concat();
    engine.write(&[("main.tf", head(root.path()) + &imports)]);
    let written = engine.generate();
    for part in [r#""eu""#, r#""corner_task" "this""#, r#""corner_login" "this""#] {
        assert!(written.contains(part), "{part}: {written}");
    }
    for part in ["timeouts", "s3cret", "id "] {
        assert!(!written.contains(part), "{part}: {written}");
    }
    fine("what was generated", engine.apply_written());
    engine.settled_as_written();
}

/// What release 0 stored: a bucket without its region, and with an identity that is one text.
fn old(name: &str, identity: &str) -> Json {
    json!({
        "schema_version": 0,
        "attributes": {"name": name, "size": "1", "owner": {"since": [1, 2]}},
        "private": PRIVATE,
        "identity_schema_version": 0,
        "identity": {"id": identity},
    })
}

fn set(engine: &mut Engine, instance: &Json) {
    let resource = json!({
        "mode": "managed",
        "type": "corner_bucket",
        "name": "this",
        "provider": format!("provider[\"{}\"]", source("corner")),
        "instances": [instance],
    });
    let state = json!({
        "version": 4, "terraform_version": "1.8.4", "serial": 1, "lineage": "old", "outputs": {},
        "resources": [resource], "check_results": null,
    });
    engine.set_state(state.to_string().as_bytes());
}

/// An upgrade asks the service for what was not stored; identities are upgraded from their JSON; and states of the
/// current version lack what the schema has gained and have what it has lost.
pub(super) fn upgraded(engine: &mut Engine) {
    let root = root();
    let config = config(root.path()).resource(bucket("this").set("size", "1"));
    fine("a bucket", engine.apply(&config));
    set(engine, &old("this", "eu/this"));
    engine.settled(&config);
    let marked = config.clone().output("mark", "x");
    fine("the upgrade", engine.apply(&marked));
    assert_eq!(instance(&engine.state_json(), THIS)["private"], PRIVATE);
    stored(engine, &marked);

    let without = self::config(root.path()).resource(bucket("this"));
    fs::write(root.path().join("eu.this.json"), "{}").expect("written");
    let attributes = json!({"region": "eu", "name": "this", "id": "eu/this", "owner": {"since": [1, 2]}});
    set(engine, &json!({"schema_version": 1, "attributes": attributes}));
    engine.settled(&without);

    set(engine, &old("that", "eu/that"));
    engine.refuses(
        &config,
        "Bucket Not Found",
        &["`corner_bucket`", "from version 0 to version 1", "No region"],
    );
    if engine.identities() == Identities::Known {
        set(engine, &old("this", "this"));
        engine.refuses(&config, "Malformed Import Id", &["`corner_bucket`", "from version 0 to version 1"]);
    }
}
