//! What is configured and stored when a provider is wrong.

use ferroform_acceptance::wrong::ACT;
use ferroform_testing::config::{
    ActionTrigger, Config, Event, ResourceBlock, action, body, data, list, object, reference, resource,
};
use ferroform_testing::embedded::PlanOptions;
use serde_json::{Value, json};

use crate::provider_under_test::ProviderUnderTest;
use crate::scenario::{Command, Scenario};
use crate::table::{Act, Row};

impl Row {
    /// What is done with the provider: it is wrong in the last step.
    pub(crate) fn scenario(&self) -> Scenario {
        let (before, last) = act(self.act);
        let scenario = Scenario::new(self.name);
        let scenario = before.into_iter().fold(scenario, Scenario::then);
        scenario.wrong(self.fault, last)
    }
}

/// What is done before, and what is done.
fn act(act: Act) -> (Option<Command>, Command) {
    let one = |block| Config::new().resource(block);
    let first = || Some(Command::ApplyAtOnce(one(whole("a", Some("first")))));
    let then = |before, block| (before, Command::ApplyAtOnce(one(block)));
    let imported = |config: Config| (None, Command::ApplyAtOnce(config));
    match act {
        Act::Create => then(None, whole("a", Some("first"))),
        Act::CreateBare => then(None, bare("a")),
        Act::CreateUnknown => (None, Command::ApplyAtOnce(unknown())),
        Act::Update => then(first(), whole("a", Some("second"))),
        Act::Unset => then(first(), whole("a", None)),
        Act::Replace => then(first(), whole("b", Some("first"))),
        Act::Destroy => (first(), Command::Destroy(one(whole("a", Some("first"))))),
        Act::Refresh => then(first(), whole("a", Some("first"))),
        Act::Upgrade => then(Some(Command::State(stored("wrong_thing", &thing(), 0, 1))), bare("a")),
        Act::UpgradeIdentity => then(Some(Command::State(stored("wrong_thing", &thing(), 1, 0))), bare("a")),
        Act::ImportId => imported(one(bare("a")).import("wrong_thing.this", "a")),
        Act::ImportIdentity => {
            imported(one(bare("a")).import_identity("wrong_thing.this", object([("id", "id-a")])))
        }
        Act::Move => {
            let former = json!({"id": "id-a", "label": "a"});
            let state = Command::State(stored("wrong_former", &former, 0, 0));
            (Some(state), Command::ApplyAtOnce(one(bare("a")).moved("wrong_former.this", "wrong_thing.this")))
        }
        Act::Query => (None, Command::Query(query(""))),
        Act::QueryWhole => (None, Command::Query(query("include_resource = true"))),
        Act::QueryOne => (None, Command::Query(query("limit = 1"))),
        Act::Invoke => {
            let options = PlanOptions::invoke(ACTION.parse().expect("an address"));
            (None, Command::Apply(Config::new().resource(action(ACT, "it")), options))
        }
        Act::BeforeCreate => (None, Command::ApplyAtOnce(acting(Event::BeforeCreate))),
        Act::AfterCreate => (None, Command::ApplyAtOnce(acting(Event::AfterCreate))),
        Act::Data => {
            (None, Command::ApplyAtOnce(Config::new().data(data("wrong_data", "this").set("name", "a"))))
        }
    }
}

/// The action.
const ACTION: &str = "action.wrong_act.it";

/// An object that triggers the action.
fn acting(event: Event) -> Config {
    let triggering = bare("a").action_trigger(ActionTrigger::on([event]).action(ACTION));
    Config::new().resource(action(ACT, "it")).resource(triggering)
}

/// A file of queries with one list.
fn query(argument: &str) -> String {
    format!("list \"wrong_thing\" \"all\" {{\n  provider = wrong\n  {argument}\n}}\n")
}

/// An object with a name only.
pub(crate) fn bare(name: &str) -> ResourceBlock {
    resource("wrong_thing", "this").set("name", name)
}

/// An object with everything that the type has.
pub(crate) fn whole(name: &str, note: Option<&str>) -> ResourceBlock {
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
pub(crate) fn thing() -> Value {
    json!({
        "id": "id-a", "name": "a", "note": null, "size": 1, "secret": null, "token": null, "tags": null, "hosts": null,
        "any": null, "one": null, "many": null, "keyed": null, "some": null, "single": null, "rule": [], "peer": [],
        "device": {}, "group": {"a": null, "b": null},
    })
}

/// A state file with one object.
pub(crate) fn stored(type_name: &str, attributes: &Value, schema: i64, identity: i64) -> Vec<u8> {
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
            "provider": format!("provider[\"{}\"]", ProviderUnderTest::Wrong.source()), "instances": [instance],
        }],
        "check_results": null,
    });
    state.to_string().into_bytes()
}
