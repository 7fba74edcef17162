//! A provider written without the derive: its schema is plain data, its values are untyped.

use std::process::ExitCode;
use std::sync::Arc;

use ferroform::Serve;
use ferroform_acceptance::plain::Plain;

fn main() -> ExitCode {
    ferroform_acceptance::run(Serve::new(Arc::new(Plain::default())), "PLAIN_PROTOCOL")
}
