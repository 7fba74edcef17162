//! Objects that change, come and go outside of core.

use ferroform::path;
use ferroform::value::Value;
use ferroform_acceptance::wrong::{Change, Fault, Which};
use ferroform_server::protocol::Rpc;
use ferroform_testing::config::{Config, object, reference, resource};
use ferroform_testing::embedded::PlanOptions;
use serde_json::json;

use super::{one, thing, two};
use crate::scenario::{Command, Scenario};
use crate::scene::{self, stored};
use crate::table::change::set;

pub(super) fn scenarios() -> Vec<Scenario> {
    [drift(), imports(), stored_objects()].into_iter().flatten().collect()
}

/// Objects are read with another note.
fn drifted() -> Fault {
    let change = Change::Object(|it| set(it, &path!(note), "elsewhere"));
    Fault { rpc: Rpc::ReadResource, which: Which::All, change }
}

/// Objects are gone.
fn vanished() -> Fault {
    Fault { rpc: Rpc::ReadResource, which: Which::All, change: Change::Object(|it| *it = Value::Null) }
}

fn drift() -> Vec<Scenario> {
    let noted = || one(thing("this", "a").set("note", "x"));
    let pair = || two(thing("base", "a"), thing("this", "b").set("note", reference("wrong_thing.base.note")));
    let apply = |config, options| Command::Apply(config, options);
    vec![
        Scenario::new("a change outside is undone")
            .apply(noted())
            .wrong(drifted(), apply(noted(), PlanOptions::default())),
        Scenario::new("a change outside is recorded")
            .apply(noted())
            .wrong(drifted(), apply(noted(), PlanOptions::refresh_only()))
            .plan(noted()),
        Scenario::new("nothing changed outside")
            .apply(noted())
            .then(apply(noted(), PlanOptions::refresh_only())),
        Scenario::new("a change outside is found by refresh")
            .apply(noted())
            .wrong(drifted(), Command::Refresh(noted())),
        Scenario::new("a change outside is not looked for")
            .apply(noted())
            .wrong(drifted(), apply(noted(), PlanOptions::default().without_refresh())),
        Scenario::new("a change outside spreads")
            .apply(pair())
            .wrong(drifted(), Command::Plan(pair(), PlanOptions::default())),
        Scenario::new("an object has vanished")
            .apply(noted())
            .wrong(vanished(), Command::Apply(noted(), PlanOptions::default())),
        Scenario::new("a vanished object is recorded")
            .apply(noted())
            .wrong(vanished(), apply(noted(), PlanOptions::refresh_only())),
        Scenario::new("a vanished object is found by refresh")
            .apply(noted())
            .wrong(vanished(), Command::Refresh(noted())),
        Scenario::new("an object that vanished is destroyed")
            .apply(noted())
            .wrong(vanished(), Command::Destroy(noted())),
        Scenario::new("an object that vanished is no longer configured")
            .apply(noted())
            .wrong(vanished(), apply(Config::new(), PlanOptions::default())),
    ]
}

fn imports() -> Vec<Scenario> {
    let this = "wrong_thing.this";
    let plain = || one(thing("this", "a"));
    let noted = || one(thing("this", "a").set("note", "x"));
    let former = || Command::State(stored("wrong_former", &json!({"id": "id-a", "label": "a"}), 0, 0));
    vec![
        Scenario::new("an object is imported by a block")
            .apply(plain().import(this, "a"))
            .plan(plain().import(this, "a")),
        Scenario::new("an object is imported and changed").apply(noted().import(this, "a")),
        Scenario::new("an object is imported and replaced").apply(plain().import(this, "b")),
        Scenario::new("an object is imported by its identity")
            .apply(plain().import_identity(this, object([("id", "id-a")]))),
        Scenario::new("an object is imported by the command")
            .then(Command::Import(plain(), this, "a"))
            .plan(plain()),
        Scenario::new("an object is imported where one is").apply(plain()).then(Command::Import(
            plain(),
            this,
            "a",
        )),
        Scenario::new("an object is imported where nothing is configured").then(Command::Import(
            plain(),
            "wrong_thing.other",
            "a",
        )),
        Scenario::new("an import has an object beside it").then(former()).then(Command::Import(
            two(thing("this", "a"), resource("wrong_former", "this").set("label", "a")),
            this,
            "a",
        )),
        Scenario::new("an import has an object beside it that is not configured")
            .then(former())
            .then(Command::Import(plain(), this, "a")),
        Scenario::new("an import has an empty id").plan(plain().import(this, "")),
    ]
}

/// Objects of other versions of the provider.
fn stored_objects() -> Vec<Scenario> {
    let plain = || one(thing("this", "a"));
    let state = |schema, identity| Command::State(stored("wrong_thing", &scene::thing(), schema, identity));
    let former = || Command::State(stored("wrong_former", &json!({"id": "id-a", "label": "a"}), 0, 0));
    let mut secret = scene::thing();
    secret["token"] = "t".into();
    vec![
        Scenario::new("an older object is upgraded").then(state(0, 0)).apply(plain()),
        Scenario::new("a secret is stored without a mark")
            .then(Command::State(stored("wrong_thing", &secret, 1, 1)))
            .apply(one(thing("this", "a").set("token", "t"))),
        Scenario::new("an object is of a newer version").then(state(2, 1)).plan(plain()),
        Scenario::new("an identity is of a newer version").then(state(1, 2)).plan(plain()),
        Scenario::new("an object is moved across types")
            .then(former())
            .apply(plain().moved("wrong_former.this", "wrong_thing.this"))
            .plan(plain()),
    ]
}
