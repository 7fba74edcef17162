//! What core refuses, whatever the provider answers.

use ferroform::diag::Diagnostic;
use ferroform_acceptance::wrong::{Change, Fault, Which};
use ferroform_server::protocol::{DynamicValue, Response, Rpc};
use ferroform_testing::config::{count_index, object, provider, reference, resource, sensitive, template};
use ferroform_testing::embedded::PlanOptions;

use super::{one, thing, two};
use crate::scenario::{Command, Scenario};
use crate::scene;

pub(super) fn scenarios() -> Vec<Scenario> {
    [requests(), imports(), providers(), promises()].into_iter().flatten().collect()
}

fn requests() -> Vec<Scenario> {
    let named =
        |name: &str| resource("wrong_thing", "this").set("name", template([name.into(), count_index()]));
    let counted = |name| one(named(name).count(2));
    let triggered = |by: &str| thing("this", "b").replace_triggered_by(by);
    let keyed = || thing("trigger", "a").count(1);
    vec![
        Scenario::new("an instance that was moved is still declared").apply(counted("old")).plan(
            counted("new").resource(thing("other", "b")).moved("wrong_thing.this[1]", "wrong_thing.other"),
        ),
        Scenario::new("an attribute that does not exist is ignored")
            .plan(one(thing("this", "a").ignore_changes(["colour"]))),
        Scenario::new("a trigger has no such instance")
            .apply(two(keyed(), thing("this", "b")))
            .plan(two(keyed(), triggered("wrong_thing.trigger[5]"))),
    ]
}

fn imports() -> Vec<Scenario> {
    let this = "wrong_thing.this";
    let identified = |id| one(thing("this", "a")).import_identity(this, object([("id", id)]));
    vec![
        Scenario::new("an import has an identity that is not known").plan(
            identified(reference("terraform_data.late.output"))
                .resource(resource("terraform_data", "late").set("input", "x")),
        ),
        Scenario::new("an import has a secret identity").plan(identified(sensitive("id-a"))),
        Scenario::new("an import has an identity of another type")
            .plan(one(thing("this", "a")).import_identity(this, object([("colour", "red")]))),
        Scenario::new("an import has an identity where there is none").plan(
            one(resource("wrong_former", "this").set("label", "a"))
                .import_identity("wrong_former.this", object([("id", "id-a")])),
        ),
    ]
}

fn providers() -> Vec<Scenario> {
    let plain = || one(thing("this", "a"));
    let aliased = String::from_utf8(scene::stored("wrong_thing", &scene::thing(), 1, 1)).expect("a text");
    let aliased = aliased.replace("wrong\\\"]", "wrong\\\"].other");
    let late = resource("terraform_data", "late").set("input", "x");
    let configured = provider("wrong").set("setting", reference("terraform_data.late.output"));
    let refusing = Fault { rpc: Rpc::ConfigureProvider, which: Which::All, change: Change::Answer(refuse) };
    vec![
        Scenario::new("a provider that an object needs is not configured")
            .then(Command::State(aliased.into_bytes()))
            .plan(ferroform_testing::config::Config::new()),
        Scenario::new("an import needs a configuration of the provider that is not known")
            .then(Command::Import(plain().resource(late).provider(configured), "wrong_thing.this", "a")),
        Scenario::new("a provider that nobody has configured refuses")
            .wrong(refusing, Command::Plan(plain(), PlanOptions::default())),
    ]
}

/// A provider of the legacy kind may break its promises.
fn promises() -> Vec<Scenario> {
    let base = || thing("base", "a").set("size", 2);
    let counted = || {
        resource("wrong_thing", "this").set("name", count_index()).count(reference("wrong_thing.base.size"))
    };
    let shrinking = Fault {
        rpc: Rpc::ApplyResourceChange,
        which: Which::All,
        change: Change::Legacy(|response| {
            if let Response::ApplyResourceChange(response) = response {
                response.new_state = DynamicValue::Json(scene::thing().to_string().into());
            }
        }),
    };
    vec![
        Scenario::new("a count is not what was promised")
            .wrong(shrinking, Command::ApplyAtOnce(two(base(), counted()))),
    ]
}

fn refuse(response: &mut Response) {
    if let Response::ConfigureProvider(response) = response {
        response.diagnostics.push(Diagnostic::error("No Setting", "The setting is missing."));
    }
}
