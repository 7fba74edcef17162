//! The provider `probe`. `PROBE_PROTOCOL` is `5` or `6`; `PROBE_MISTAKE` adds a resource type with a schema mistake.

use std::env;
use std::process::ExitCode;
use std::sync::Arc;

use ferroform::{Protocol, Serve};
use ferroform_acceptance::probe::Probe;
use ferroform_acceptance::protocol;

fn main() -> ExitCode {
    let protocol = protocol("PROBE_PROTOCOL").unwrap_or(Protocol::V6);
    let mistake = env::var("PROBE_MISTAKE").ok();
    Serve::new(Arc::new(Probe::new(protocol, mistake.as_deref())))
        .address("ferroform/probe")
        .only(protocol)
        .run()
}
