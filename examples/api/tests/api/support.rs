//! The service of a run, and configurations that name it.

use std::sync::Arc;

use ferroform::{Serve, dynamic};
use ferroform_example_api::provider::{self, ADDRESS};
use ferroform_example_api::service::Behaviour;
use ferroform_testing::case::{Case, Provider, Run, RunsOn, Source, Step, kind};
use ferroform_testing::config::{Config, ResourceBlock, list, object, provider as provider_block, resource};
use serde_json::Value as Json;

pub(crate) use crate::backend::Backend;

/// A queue that most cases have.
pub(crate) const A: &str = "api_queue.a";
/// A subscription to it.
pub(crate) const B: &str = "api_subscription.b";

impl Backend {
    /// The only queue that there is.
    pub(crate) fn queue(&self) -> Json {
        let queues = self.objects("queues");
        assert_eq!(queues.len(), 1, "{queues:?}");
        queues.into_iter().next().unwrap_or_default()
    }

    /// Changes the only queue as somebody else would do it.
    pub(crate) fn edit(&self, change: impl FnOnce(&mut Json)) {
        let id = self.queue()["id"].as_str().expect("a queue has an id").to_owned();
        self.service.edit("queues", &id, change).expect("the queue can be changed");
    }

    /// Deletes the only queue as somebody else would do it.
    pub(crate) fn remove(&self) {
        let id = self.queue()["id"].as_str().expect("a queue has an id").to_owned();
        self.service.remove("queues", &id).expect("the queue can be deleted");
    }
}

/// A case for the newest core and the oldest one that has all that the provider uses, each over a protocol of its own.
pub(crate) fn case(name: &str) -> Case<Backend> {
    of(in_process(provider::provider), name)
}

/// A provider in the process of the test.
pub(crate) fn in_process(provider: fn() -> Arc<dyn dynamic::Provider>) -> Provider<Backend> {
    Provider::in_process(ADDRESS, move |_: &Backend| Serve::new(provider()))
}

/// The same with another provider.
pub(crate) fn of(provider: Provider<Backend>, name: &str) -> Case<Backend> {
    Case::with_backend(name, Backend::new)
        .provider(provider)
        .runs_on(RunsOn::InTurns(&["1.15.5", "1.11.4"]))
        .expect_no_leftovers(Backend::left)
}

/// A configuration for the service of the run.
pub(crate) fn at_service(config: Config) -> Source<Backend> {
    Source::with(move |run: &Run<'_, Backend>| {
        let endpoint = run.backend.service.endpoint();
        config.clone().provider(provider_block("api").set("endpoint", endpoint).set("poll", 1))
    })
}

/// A configuration of these alone.
pub(crate) fn only<const N: usize>(blocks: [ResourceBlock; N]) -> Source<Backend> {
    at_service(blocks.into_iter().fold(Config::new(), Config::resource))
}

pub(crate) fn queue() -> ResourceBlock {
    resource("api_queue", "a").set("name", "Orders")
}

/// A queue with everything, written in another form than the service does.
pub(crate) fn full() -> ResourceBlock {
    kept("90m", "core")
}

/// The same with another retention and another label.
pub(crate) fn kept(retention: &str, team: &str) -> ResourceBlock {
    queue()
        .set("policy", r#"{ "read": ["all"], "admin": [] }"#)
        .set("retention", retention)
        .set("labels", object([("team", team)]))
        .set("regions", list(["us", "eu"]))
}

pub(crate) fn behave(behaviour: Behaviour) -> Step<kind::Edit, Backend> {
    Step::change_outside(move |backend: &Backend| {
        backend.service.requests();
        backend.service.behave(behaviour.clone());
    })
}
