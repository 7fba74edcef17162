//! A provider written without the derive: its schema is plain data, its values are untyped.

use std::process::ExitCode;

use ferroform::{Protocol, Serve};
use ferroform_acceptance::plain::Plain;

fn main() -> ExitCode {
    let serve = Serve::new(std::sync::Arc::new(Plain::default()));
    match std::env::var("PLAIN_PROTOCOL").as_deref() {
        Ok("5") => serve.only(Protocol::V5).run(),
        Ok("6") => serve.only(Protocol::V6).run(),
        _ => serve.run(),
    }
}
