//! Notes and cards; `SMALL_PROTOCOL=5` serves protocol 5 only, as older programs do.

use std::process::ExitCode;

use ferroform::{Protocol, Serve, provider};
use ferroform_acceptance::small::Small;

fn main() -> ExitCode {
    let serve = Serve::new(provider::assemble::<Small>());
    match std::env::var("SMALL_PROTOCOL").as_deref() {
        Ok("5") => serve.only(Protocol::V5).run(),
        _ => serve.run(),
    }
}
