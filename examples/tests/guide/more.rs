//! Cases for what steps and checks there are.

use ferroform::path;
use ferroform_testing::case::{
    Captured, Case, Run, Seen, Step, change, drift, error, no_changes, object, value,
};
use ferroform_testing::client::Fault;
use ferroform_testing::config::{Config, reference, resource};
use ferroform_testing::plan::Action;
use ferroform_testing::secrets::Secrets;
use serde_json::json;

use crate::cloud::World;
use crate::{case, web};

pub(crate) fn vanished() -> Case<World> {
    case("vanished")
        .step(Step::apply(web(1)))
        .step(Step::drift(World::lose_all))
        .step(Step::apply(web(1)).plan(change("cloud_server.web").action(Action::Create)))
}

const ID: Captured = Captured::new("the id");

pub(crate) fn drifted() -> Case<World> {
    case("drifted")
        .step(Step::apply(web(1)).capture(&ID, "cloud_server.web", path!(id)))
        .step(Step::act(|run: &Run<'_, World>| run.world.resize(run.values.text(&ID), 7)))
        .step(
            Step::apply(web(1))
                .plan(drift("cloud_server.web").before(path!(size), 1).after(path!(size), 7))
                .plan(change("cloud_server.web").action(Action::Update)),
        )
}

pub(crate) fn imported() -> Case<World> {
    case("imported")
        .step(Step::apply(web(3)).capture(&ID, "cloud_server.web", path!(id)))
        .step(Step::import_id(web(3), "cloud_server.web", &ID))
}

pub(crate) fn upgraded() -> Case<World> {
    let stored = json!({
        "version": 4, "terraform_version": "1.5.0", "serial": 1, "outputs": {},
        "lineage": "11111111-2222-3333-4444-555555555555",
        "resources": [{
            "mode": "managed", "type": "cloud_server", "name": "web",
            "provider": "provider[\"example.com/acme/cloud\"]",
            "instances": [{
                "schema_version": 0,
                "attributes": { "id": "i-1", "name": "web", "size": 1 },
            }],
        }],
    });
    case("upgraded")
        .step(Step::drift(|world: &World| {
            std::fs::write(world.folder.join("i-1"), "web\n1\n").expect("the folder is there");
        }))
        .step(Step::state_file(stored))
        .step(Step::apply(web(1)).plan(no_changes()))
}

pub(crate) fn interrupted() -> Case<World> {
    case("interrupted")
        .step(
            Step::apply(web(1))
                .fault("ApplyResourceChange", Fault::ResetBefore)
                .expect(error("Plugin did not respond").about("cloud_server.web")),
        )
        .step(Step::apply(web(1)).state(object("cloud_server.web").ready()))
}

pub(crate) fn secret() -> Case<World> {
    let web = resource("cloud_server", "web").set("name", "web").set("size", 1);
    let with_token = Config::new().resource(web.set("token", "t0ken-canary"));
    let secrets = Secrets::new().sensitive("t0ken-canary");
    case("secret").step(Step::apply(with_token).check(move |seen: &Seen<'_, World>| secrets.check(seen)))
}

/// Two servers, and one that is called after the first.
fn fleet() -> Config {
    Config::new()
        .resource(resource("cloud_server", "web").set("name", "web").set("size", 1).count(2))
        .resource(
            resource("cloud_server", "standby")
                .set("name", reference("cloud_server.web[0].id"))
                .set("size", 1),
        )
        .output("first", reference("cloud_server.web[0].id"))
}

pub(crate) fn referring() -> Case<World> {
    case("referring").step(
        Step::apply(fleet())
            .capture(&ID, "cloud_server.web[0]", path!(id))
            .state(object("cloud_server.standby").has(path!(name), &ID))
            .state(value("first", &ID)),
    )
}
