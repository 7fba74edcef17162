//! The provider `cloud`. `CLOUD_PROTOCOL` is `5` or `6`.

use std::process::ExitCode;

use ferroform::provider::assemble;
use ferroform::{Protocol, Serve};
use ferroform_acceptance::cloud::Cloud;

fn main() -> ExitCode {
    let serve = Serve::new(assemble::<Cloud>());
    match std::env::var("CLOUD_PROTOCOL").as_deref() {
        Ok("5") => serve.only(Protocol::V5).run(),
        Ok("6") => serve.only(Protocol::V6).run(),
        _ => serve.run(),
    }
}
