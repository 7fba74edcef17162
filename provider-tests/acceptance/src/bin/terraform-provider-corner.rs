//! The provider `corner`. `CORNER_PROTOCOL` is `5` or `6`.

use std::process::ExitCode;

use ferroform::{Protocol, Serve};
use ferroform_acceptance::{corner, protocol};

fn main() -> ExitCode {
    let protocol = protocol("CORNER_PROTOCOL").unwrap_or(Protocol::V6);
    Serve::new(corner::provider(protocol)).address("ferroform/corner").only(protocol).run()
}
