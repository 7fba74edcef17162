//! What is configured and stored when a provider is wrong.

use ferroform_testing::config::{Config, ResourceBlock, body, data, list, object, reference, resource};
use serde_json::{Value, json};

use crate::table::Act;

/// What comes before the act, and the act.
pub(crate) struct Scene {
    /// What is applied while the provider is sound.
    pub(crate) before: Option<Config>,
    /// The state file that is put in place while the provider is sound.
    pub(crate) state: Option<Vec<u8>>,
    /// What is planned and applied while it is wrong; nothing is left to destroy everything.
    pub(crate) config: Option<Config>,
}

/// The address of the provider.
pub(crate) const SOURCE: &str = "registry.terraform.io/acme/wrong";

impl Scene {
    /// The scene of an act.
    pub(crate) fn of(act: Act) -> Self {
        let whole = |name, note: Option<&str>| Config::new().resource(whole(name, note));
        let first = || Some(whole("a", Some("first")));
        let (before, state, config) = match act {
            Act::Create => (None, None, first()),
            Act::CreateBare => (None, None, Some(Config::new().resource(bare("a")))),
            Act::CreateUnknown => (None, None, Some(unknown())),
            Act::Update => (first(), None, Some(whole("a", Some("second")))),
            Act::Unset => (first(), None, Some(whole("a", None))),
            Act::Replace => (first(), None, Some(whole("b", Some("first")))),
            Act::Destroy => (first(), None, None),
            Act::Refresh => (first(), None, first()),
            Act::Upgrade => {
                (None, Some(stored("wrong_thing", thing(), 0, 1)), Some(Config::new().resource(bare("a"))))
            }
            Act::UpgradeIdentity => {
                (None, Some(stored("wrong_thing", thing(), 1, 0)), Some(Config::new().resource(bare("a"))))
            }
            Act::ImportId => {
                (None, None, Some(Config::new().resource(bare("a")).import("wrong_thing.this", "a")))
            }
            Act::ImportIdentity => {
                let identity = object([("id", "id-a")]);
                (
                    None,
                    None,
                    Some(Config::new().resource(bare("a")).import_identity("wrong_thing.this", identity)),
                )
            }
            Act::Move => {
                let former = json!({"id": "id-a", "label": "a"});
                let config = Config::new().resource(bare("a")).moved("wrong_former.this", "wrong_thing.this");
                (None, Some(stored("wrong_former", former, 0, 0)), Some(config))
            }
            Act::Data => (None, None, Some(Config::new().data(data("wrong_data", "this").set("name", "a")))),
        };
        Self { before, state, config }
    }
}

fn bare(name: &str) -> ResourceBlock {
    resource("wrong_thing", "this").set("name", name)
}

/// An object with everything that the type has.
fn whole(name: &str, note: Option<&str>) -> ResourceBlock {
    let pair = || object([("a", "x")]);
    let block = bare(name)
        .set("secret", "hush")
        .set("token", "t")
        .set("size", 2)
        .set("tags", object([("a", "1")]))
        .set("hosts", list(["h", "i"]))
        .set("any", "text")
        .set("one", pair())
        .set("many", list([pair()]))
        .set("keyed", object([("k", pair())]))
        .set("some", list([pair()]))
        .block("single", body().set("a", "x"))
        .block("rule", body().set("a", "x"))
        .block("peer", body().set("a", "x"))
        .labelled("device", "x", body().set("a", "x"))
        .block("group", body().set("a", "x"));
    match note {
        Some(note) => block.set("note", note),
        None => block,
    }
}

/// A note that is known only after apply.
fn unknown() -> Config {
    Config::new()
        .resource(resource("terraform_data", "late").set("input", "x"))
        .resource(bare("a").set("note", reference("terraform_data.late.output")))
}

/// A stored `wrong_thing` with a name only.
fn thing() -> Value {
    json!({
        "id": "id-a", "name": "a", "note": null, "size": 1, "secret": null, "token": null, "tags": null, "hosts": null,
        "any": null, "one": null, "many": null, "keyed": null, "some": null, "single": null, "rule": [], "peer": [],
        "device": {}, "group": {"a": null, "b": null},
    })
}

fn stored(type_name: &str, attributes: Value, schema: i64, identity: i64) -> Vec<u8> {
    let mut instance = json!({
        "schema_version": schema, "attributes": attributes, "sensitive_attributes": [],
        "identity_schema_version": identity,
    });
    if type_name == "wrong_thing" {
        instance["identity"] = json!({"id": "id-a"});
    }
    let state = json!({
        "version": 4, "terraform_version": "1.12.0", "serial": 1,
        "lineage": "11111111-2222-3333-4444-555555555555", "outputs": {},
        "resources": [{
            "mode": "managed", "type": type_name, "name": "this",
            "provider": format!("provider[\"{SOURCE}\"]"), "instances": [instance],
        }],
        "check_results": null,
    });
    state.to_string().into_bytes()
}
