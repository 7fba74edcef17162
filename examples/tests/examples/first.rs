//! The first test of the guide to testing, `docs/testing.md`.

#[allow(dead_code, reason = "the cases of the guide use the rest")]
#[path = "../guide/cloud.rs"]
mod cloud;

use cloud::Cloud;
use ferroform_testing::prelude::*;

#[test]
fn server_is_created() {
    let web = r#"resource "cloud_server" "web" { size = 1 }"#;
    Case::new("server")
        .provider(Provider::of::<Cloud>("acme/cloud"))
        .step(Step::apply(web).state(object("cloud_server.web").has(path!(size), 1)))
        .check();
}
