//! The provider of `examples/demo`. `DEMO_PROTOCOL` is `5` or `6`.

use std::env;
use std::process::ExitCode;

use ferroform::Protocol;
use ferroform_examples::demo;

fn main() -> ExitCode {
    demo::serve(match env::var("DEMO_PROTOCOL").as_deref() {
        Ok("5") => Protocol::V5,
        _ => Protocol::V6,
    })
}
