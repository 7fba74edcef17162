//! The provider `corner`. `CORNER_PROTOCOL` is `5` or `6`.

use std::env;
use std::process::ExitCode;

use ferroform::{Protocol, Serve};
use ferroform_acceptance::corner;

fn main() -> ExitCode {
    let protocol = match env::var("CORNER_PROTOCOL").as_deref() {
        Ok("5") => Protocol::V5,
        _ => Protocol::V6,
    };
    Serve::new(corner::provider(protocol)).address("ferroform/corner").only(protocol).run()
}
