//! The rules of the guide to testing, `docs/testing.md`.

#[allow(dead_code, reason = "the cases of the guide use the rest")]
mod cloud;

use ferroform::path;
use ferroform::value::Value;
use ferroform_testing::case::Provider;
use ferroform_testing::config::{body, provider};
use ferroform_testing::conformance::{Conformance, ResourceTest};
use proptest::strategy::Strategy as _;

use cloud::{Backend, Cloud};

ferroform_testing::conformance! {
    Conformance::new(
        Provider::of::<Cloud>("example.com/acme/cloud"),
        Backend::new,
    )
    .provider_config(|backend| provider("cloud").set("endpoint", backend.folder.as_path()))
    .expect_no_leftovers(Backend::servers)
    .resource(
        ResourceTest::new("cloud_server", |_: &Backend| body().set("name", "web").set("size", 1))
            .changed(|_| body().set("name", "web").set("size", 2).set("token", "abc"))
            .change_outside(|backend, _| backend.servers().iter().for_each(|id| backend.resize(id, 7)))
            .import_id(path!(id))
            .values(&path!(name), "[a-z]{1,8}".prop_map(Value::from))
            .values(&path!(token), "[a-z]{1,8}".prop_map(Value::from))
            .values(&path!(size), (1..=64_i64).prop_map(Value::from)),
    )
}
