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
    let topics = [
        ("lifecycle", lifecycle::scenarios()),
        ("many", many::scenarios()),
        ("outside", outside::scenarios()),
        ("requests", requests::scenarios()),
        ("deprecated", deprecated::scenarios()),
        ("ephemeral", ephemeral::scenarios()),
        ("refused", refused::scenarios()),
        ("files", files::scenarios()),
        ("probe", probe::scenarios()),
        ("demo", demo::scenarios()),
    ];
    let of = |(topic, all): (&'static str, Vec<Scenario>)| {
        all.into_iter().map(move |scenario| Scenario { topic, ..scenario })
    };
    topics.into_iter().flat_map(of).collect()
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
