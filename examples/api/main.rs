//! The provider `api` as a program: a provider for core, and for a person the service that it is for.
#![allow(clippy::print_stdout, reason = "core has not started what a person talks to")]

use std::env;
use std::ffi::OsStr;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;

use ferroform_example_api::provider::{self, ADDRESS};
use ferroform_example_api::service::Service;
use ferroform_example_api::tour;
use ferroform_examples::{Program, started_by_core};

/// Where the service is if it is started by a person.
const PORT: u16 = 8480;

const HELP: &str = "\
A provider for an HTTP service, and the service. Core starts it without arguments; for a person there is:

  api                   a tour: the provider against a service that is as awkward as real ones
  api service FILE      start the service on http://127.0.0.1:8480, with its objects in that SQLite file
  api install DIR       link the provider into DIR, and print the CLI configuration that makes core use it
  api --debug           wait for core to attach, and print how it does
  api --help            this text

Environment:
  API_PROTOCOL=5        serve protocol 5 (otherwise 6)
  NO_COLOR=1            no colours in the tour
";

const PROGRAM: Program = Program { name: "api", address: ADDRESS, help: HELP };

fn main() -> ExitCode {
    let protocol = match PROGRAM.protocol("API_PROTOCOL") {
        Ok(protocol) => protocol,
        Err(failure) => return failure,
    };
    if started_by_core() {
        return provider::serve(protocol);
    }
    let mut arguments = env::args_os().skip(1);
    let (first, second, third) = (arguments.next(), arguments.next(), arguments.next());
    match (first.as_deref().map(OsStr::to_string_lossy).as_deref(), second, third) {
        (None, ..) => PROGRAM.tour(|colour, out| tour(protocol, colour, out)),
        (Some("service"), Some(file), None) => serve(Path::new(&file)),
        (Some("install"), Some(directory), None) => PROGRAM.install(Path::new(&directory)),
        (Some("--debug"), None, None) => provider::serve(protocol),
        (Some("--help" | "-h"), ..) => PROGRAM.help(),
        _ => PROGRAM.fail("these arguments mean nothing to this program; try --help"),
    }
}

fn serve(file: &Path) -> ExitCode {
    match Service::start(file, SocketAddr::from((Ipv4Addr::LOCALHOST, PORT))) {
        Ok(service) => {
            println!("The service is at {} until this program is interrupted.", service.endpoint());
            println!(
                "Make it awkward, for example: curl -X PUT {}/behaviour --json '{{\"lag\":3}}'",
                service.endpoint()
            );
            service.wait();
            ExitCode::SUCCESS
        }
        Err(error) => PROGRAM.fail(format!("cannot start the service: {error}")),
    }
}
