//! Cases for what steps and checks there are.

use ferroform::path;
use ferroform_testing::case::{
    Captured, Case, Run, Step, StepOutcome, change, drift, error, no_changes, object, value,
};
use ferroform_testing::client::Fault;
use ferroform_testing::config::{Config, reference, resource};
use ferroform_testing::plan::Action;
use ferroform_testing::secrets::Secrets;
use ferroform_testing::sweep::{Sweeper, Sweepers, random_name};
use serde_json::json;

use crate::cloud::Backend;
use crate::{case, web};

pub(crate) fn vanished() -> Case<Backend> {
    case("vanished")
        .step(Step::apply(web(1)))
        .step(Step::change_outside(Backend::lose_all))
        .step(Step::apply(web(1)).plan(change("cloud_server.web").action(Action::Create)))
}

const ID: Captured = Captured::new("the id");

pub(crate) fn drifted() -> Case<Backend> {
    case("drifted")
        .step(Step::apply(web(1)).capture(&ID, "cloud_server.web", path!(id)))
        .step(Step::run(|run: &Run<'_, Backend>| run.backend.resize(run.values.text(&ID), 7)))
        .step(
            Step::apply(web(1))
                .plan(drift("cloud_server.web").before(path!(size), 1).after(path!(size), 7))
                .plan(change("cloud_server.web").action(Action::Update)),
        )
}

/// The variable is never set, so the table has an example of a case that is skipped.
pub(crate) fn live() -> Case<Backend> {
    case("live")
        .requires_env(["CLOUD_TOKEN"])
        .skip_on_error(|error| error.summary.contains("Quota").then(|| "the quota is used up".to_owned()))
        .step(Step::apply(web(1)))
}

fn sweepers(cloud: &Backend) -> Sweepers<'_> {
    let list = || Ok(cloud.servers());
    Sweepers::new("test-").sweeper(Sweeper::new("cloud_server", list, |id| {
        cloud.delete(id);
        Ok(())
    }))
}

/// What an interrupted run has left is found and deleted, and nothing else.
pub(crate) fn swept() -> Case<Backend> {
    case("swept").step(Step::change_outside(|cloud: &Backend| {
        let mine = random_name("test");
        for id in [mine.as_str(), "production"] {
            std::fs::write(cloud.folder.join(id), "web\n1\n").expect("the folder is there");
        }
        assert_eq!(sweepers(cloud).leaks().to_string(), format!("cloud_server {mine}: left behind\n"));
        assert!(sweepers(cloud).sweep().is_clean());
        assert_eq!(cloud.servers(), ["production"]);
        cloud.delete("production");
    }))
}

pub(crate) fn imported() -> Case<Backend> {
    case("imported")
        .step(Step::apply(web(3)).capture(&ID, "cloud_server.web", path!(id)))
        .step(Step::import_id(web(3), "cloud_server.web", &ID))
}

pub(crate) fn upgraded() -> Case<Backend> {
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
        .step(Step::change_outside(|backend: &Backend| {
            std::fs::write(backend.folder.join("i-1"), "web\n1\n").expect("the folder is there");
        }))
        .step(Step::state_file(stored))
        .step(Step::apply(web(1)).plan(no_changes()))
}

pub(crate) fn interrupted() -> Case<Backend> {
    case("interrupted")
        .step(
            Step::apply(web(1))
                .fault("ApplyResourceChange", Fault::ResetBefore)
                .expect(error("Plugin did not respond").about("cloud_server.web")),
        )
        .step(Step::apply(web(1)).state(object("cloud_server.web").ready()))
}

pub(crate) fn secret() -> Case<Backend> {
    let web = resource("cloud_server", "web").set("name", "web").set("size", 1);
    let with_token = Config::new().resource(web.set("token", "t0ken-canary"));
    let secrets = Secrets::new().sensitive("t0ken-canary");
    case("secret")
        .step(Step::apply(with_token).check(move |outcome: &StepOutcome<'_, Backend>| secrets.check(outcome)))
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

pub(crate) fn referring() -> Case<Backend> {
    case("referring").step(
        Step::apply(fleet())
            .capture(&ID, "cloud_server.web[0]", path!(id))
            .state(object("cloud_server.standby").has(path!(name), &ID))
            .state(value("first", &ID)),
    )
}
