//! Scenarios of providers that are sound, and of one whose service fails.

mod demo;
mod deprecated;
mod ephemeral;
mod files;
mod lifecycle;
mod many;
mod outside;
mod probe;
mod refused;
mod requests;

use ferroform_acceptance::wrong::{Change, Fault, Which};
use ferroform_server::protocol::Rpc;
use ferroform_testing::config::{Config, ResourceBlock, resource};

use crate::scenario::Scenario;
use crate::table::change::fail;

/// All of them.
pub(crate) fn scenarios() -> Vec<Scenario> {
    let of_wrong = [
        lifecycle::scenarios(),
        many::scenarios(),
        outside::scenarios(),
        requests::scenarios(),
        deprecated::scenarios(),
        ephemeral::scenarios(),
        refused::scenarios(),
    ];
    let of_sdk = [files::scenarios(), probe::scenarios(), demo::scenarios()];
    of_wrong.into_iter().chain(of_sdk).flatten().collect()
}

/// A `wrong_thing`.
fn thing(label: &str, name: &str) -> ResourceBlock {
    resource("wrong_thing", label).set("name", name)
}

/// A configuration with one resource.
fn one(block: ResourceBlock) -> Config {
    Config::new().resource(block)
}

/// A configuration with two resources.
fn two(first: ResourceBlock, second: ResourceBlock) -> Config {
    one(first).resource(second)
}

/// Changes fail: those of objects that are there, or of others.
fn failing(which: Which) -> Fault {
    Fault { rpc: Rpc::ApplyResourceChange, which, change: Change::Answer(fail) }
}
