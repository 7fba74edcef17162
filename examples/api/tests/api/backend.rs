//! The service of a run.

use std::net::{Ipv4Addr, SocketAddr};

use ferroform_example_api::service::Service;
use ferroform_testing::case::Start;
use serde_json::Value as Json;

/// A service of its own for each run.
pub(crate) struct Backend {
    pub(crate) service: Service,
}

impl Backend {
    pub(crate) fn new(start: &Start) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let file = start.directory().join("service.sqlite");
        Self { service: Service::start(&file, address).expect("the service starts") }
    }

    /// The names of what the service has, and of the tokens that are valid.
    pub(crate) fn left(&self) -> Vec<String> {
        let all = ["queues", "subscriptions"].map(|collection| self.objects(collection));
        let objects = all.iter().flatten().map(|object| object["name"].to_string());
        objects.chain(self.service.tokens()).collect()
    }

    pub(crate) fn objects(&self, collection: &str) -> Vec<Json> {
        self.service.objects(collection).expect("the service has a database")
    }
}
