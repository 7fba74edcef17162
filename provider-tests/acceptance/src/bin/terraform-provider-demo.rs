//! The provider of `examples/demo`. `DEMO_PROTOCOL` is `5` or `6`, `DEMO_AS_VERSION` an older release.

use std::env;
use std::process::ExitCode;

use ferroform::Protocol;
use ferroform_examples::demo::{self, Release};

fn main() -> ExitCode {
    let protocol = match env::var("DEMO_PROTOCOL").as_deref() {
        Ok("5") => Protocol::V5,
        _ => Protocol::V6,
    };
    let release = env::var("DEMO_AS_VERSION").ok().and_then(|release| release.parse().ok());
    demo::serve(release.unwrap_or(Release::Current), protocol)
}
