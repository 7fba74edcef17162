//! Identities that hold more than the state: through create, read, import, move and upgrade.

use std::path::Path;

use ferroform_testing::config::{Config, ResourceBlock, object, provider, resource};
use ferroform_testing::embedded::PlanOptions;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::engine::{Engine, instance, source};
use super::moves::fine;

fn root() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The provider in a region, and one resource.
fn config(root: &Path, region: &str, resource: ResourceBlock) -> Config {
    Config::new().provider(provider("cloud").set("root", root).set("region", region)).resource(resource)
}

fn bucket(name: &str) -> ResourceBlock {
    resource("cloud_bucket", "this").set("name", name)
}

/// Stores one object as an older release did.
fn set(engine: &mut Engine, type_name: &str, attributes: &Json, identity: &Json) {
    let instance = json!({
        "schema_version": 0, "attributes": attributes, "identity_schema_version": 0, "identity": identity,
    });
    let resource = json!({
        "mode": "managed",
        "type": type_name,
        "name": "this",
        "provider": format!("provider[\"{}\"]", source("cloud")),
        "instances": [instance],
    });
    let state = json!({
        "version": 4, "terraform_version": "1.12.2", "serial": 1, "lineage": "old", "outputs": {},
        "resources": [resource], "check_results": null,
    });
    engine.set_state(state.to_string().as_bytes());
}

/// Checks the identity in the state.
#[track_caller]
fn identity_is(engine: &Engine, address: &str, version: i64, expect: &Json) {
    let state = engine.state_json();
    let found = instance(&state, address);
    assert_eq!(
        (&found["identity"], &found["identity_schema_version"]),
        (expect, &json!(version)),
        "{found:#}"
    );
}

/// The example of the page about versions: what an upgrade of an identity makes stays through refresh, plan and apply.
pub(super) fn upgraded(engine: &mut Engine) {
    for (old, new) in [(json!(true), json!("true")), (json!(false), json!("false")), (Json::Null, Json::Null)]
    {
        let (root, expect) = (root(), json!({"id": "s-7", "new_string_attribute": new}));
        let config = |on: bool| config(root.path(), "eu", resource("cloud_switch", "this").set("on", on));
        let identity = json!({"id": "s-7", "old_bool_attribute": old});
        set(engine, "cloud_switch", &json!({"id": "s-7", "on": true}), &identity);
        engine.settled(&config(true));
        fine("an output", engine.apply(&config(true).output("mark", "x")));
        identity_is(engine, "cloud_switch.this", 1, &expect);
        fine("an update", engine.apply(&config(false)));
        identity_is(engine, "cloud_switch.this", 1, &expect);
        engine.settled(&config(false));

        // The update is the first that the new release does.
        set(engine, "cloud_switch", &json!({"id": "s-7", "on": true}), &identity);
        fine("an update", engine.apply(&config(false)));
        identity_is(engine, "cloud_switch.this", 1, &expect);
    }
}

/// Account and region of the client, through a life, imports and an upgrade.
pub(super) fn of_client(engine: &mut Engine) {
    let root = root();
    let at = |region: &str, bucket: ResourceBlock| config(root.path(), region, bucket);
    let full = |region: &str, name: &str| json!({"account": "123", "region": region, "name": name});
    const THIS: &str = "cloud_bucket.this";

    fine("a create", engine.apply(&at("eu", bucket("a"))));
    identity_is(engine, THIS, 1, &full("eu", "a"));
    engine.settled(&at("eu", bucket("a")));
    // An object stays where it is when the provider looks elsewhere, and a new one is made there.
    engine.settled(&at("us", bucket("a")));
    fine("an update", engine.apply(&at("us", bucket("a").set("label", "x"))));
    identity_is(engine, THIS, 1, &full("eu", "a"));
    fine("a replacement", engine.apply(&at("eu", bucket("c"))));
    identity_is(engine, THIS, 1, &full("eu", "c"));
    engine.forget();
    fine("a create elsewhere", engine.apply(&at("us", bucket("b"))));
    identity_is(engine, THIS, 1, &full("us", "b"));

    let labelled = |label: &str| bucket("b").set("label", label);
    fine("a label", engine.apply(&at("us", labelled("x"))));
    for by in [
        vec![("name", "b")],
        vec![("name", "b"), ("region", "us")],
        vec![("account", "123"), ("name", "b"), ("region", "us")],
    ] {
        engine.forget();
        let config = at("us", labelled("x"));
        let import = config.clone().import_identity(THIS, object(by));
        assert_eq!(
            fine("an import", engine.plan(&import, &PlanOptions::default())).changes,
            [format!("{THIS} no-op (import)")]
        );
        fine("an import", engine.apply(&import));
        identity_is(engine, THIS, 1, &full("us", "b"));
        engine.settled(&config);
    }
    engine.forget();
    let wrong = object([("account", "456"), ("name", "b")]);
    engine.refuses(&at("us", labelled("x")).import_identity(THIS, wrong), "Wrong Account", &["its account"]);
    fine("the command", engine.import(&at("us", labelled("x")), THIS, "b"));
    identity_is(engine, THIS, 1, &full("us", "b"));

    // What release 0 stored, of which the provider of today would look in another region.
    let old = json!({"name": "b", "label": "x"});
    set(engine, "cloud_bucket", &old, &json!({"arn": "123:us:b"}));
    engine.settled(&at("eu", labelled("x")));
    fine("an upgrade", engine.apply(&at("eu", labelled("y"))));
    identity_is(engine, THIS, 1, &full("us", "b"));
}

/// A folder with an identity becomes an object of another type, whose identity has a newer version, or the same one with
/// other values.
pub(super) fn moved(engine: &mut Engine) {
    for (to, version, identity) in [
        ("cloud_bucket", 1, json!({"account": "123", "region": "eu", "name": "a"})),
        ("cloud_shelf", 0, json!({"region": "eu", "name": "shelf a"})),
    ] {
        let root = root();
        engine.forget();
        let folder = config(root.path(), "eu", resource("cloud_folder", "this").set("name", "a"));
        fine(to, engine.apply(&folder));
        identity_is(engine, "cloud_folder.this", 0, &json!({"region": "eu", "name": "a"}));
        let target = format!("{to}.this");
        let config = config(root.path(), "eu", resource(to, "this").set("name", "a"))
            .moved("cloud_folder.this", &target);
        for options in [PlanOptions::default().without_refresh(), PlanOptions::default()] {
            let planned = fine(to, engine.plan(&config, &options));
            assert_eq!(planned.changes, [format!("{target} no-op <- cloud_folder.this")], "{options:?}");
        }
        fine(to, engine.apply(&config));
        identity_is(engine, &target, version, &identity);
        engine.settled(&config);
    }
}
