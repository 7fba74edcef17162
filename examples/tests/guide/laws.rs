//! The laws of the guide to testing, `docs/testing.md`.

#[allow(dead_code, reason = "the cases of the guide use the rest")]
mod cloud;

use ferroform::path;
use ferroform::provider::assemble;
use ferroform::value::Value;
use ferroform_testing::case::Provider;
use ferroform_testing::config::{body, provider};
use ferroform_testing::conformance::{Conformance, Subject};
use proptest::strategy::Strategy as _;

use cloud::{Cloud, World};

ferroform_testing::conformance! {
    Conformance::new(
        Provider::in_process("example.com/acme/cloud", |_| ferroform::Serve::new(assemble::<Cloud>())),
        World::new,
    )
    .configured(|world| provider("cloud").set("endpoint", world.folder.as_path()))
    .empty_after(World::servers)
    .resource(
        Subject::new("cloud_server", |_: &World| body().set("name", "web").set("size", 1))
            .changed(|_| body().set("name", "web").set("size", 2).set("token", "abc"))
            .drift(|world, _| world.servers().iter().for_each(|id| world.resize(id, 7)))
            .import_id(path!(id))
            .values(&path!(name), "[a-z]{1,8}".prop_map(Value::from))
            .values(&path!(token), "[a-z]{1,8}".prop_map(Value::from))
            .values(&path!(size), (1..=64_i64).prop_map(Value::from)),
    )
}
