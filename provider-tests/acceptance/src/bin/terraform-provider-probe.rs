//! The provider `probe`. `PROBE_PROTOCOL` is `5` or `6`; `PROBE_MISTAKE` adds a resource type with a schema mistake.

use std::env;
use std::process::ExitCode;
use std::sync::Arc;

use ferroform::{Protocol, Serve};
use ferroform_acceptance::probe::Probe;

fn main() -> ExitCode {
    let protocol = match env::var("PROBE_PROTOCOL").as_deref() {
        Ok("5") => Protocol::V5,
        _ => Protocol::V6,
    };
    let mistake = env::var("PROBE_MISTAKE").ok();
    Serve::new(Arc::new(Probe::new(protocol, mistake.as_deref())))
        .address("ferroform/probe")
        .only(protocol)
        .run()
}
