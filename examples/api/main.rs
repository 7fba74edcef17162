//! The provider `api` as a program: a provider for core, and for a person the service that it is for.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "core has not started what a person talks to")]

use std::env;
use std::ffi::OsStr;
use std::io::{IsTerminal as _, stdout};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;

use ferroform::Protocol;
use ferroform_example_api::provider::{self, ADDRESS};
use ferroform_example_api::service::Service;
use ferroform_example_api::tour;
use ferroform_examples::{Colour, started_by_core};

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

fn main() -> ExitCode {
    let protocol = match env::var_os("API_PROTOCOL") {
        None => Protocol::V6,
        Some(version) if version == "6" => Protocol::V6,
        Some(version) if version == "5" => Protocol::V5,
        Some(version) => return fail(&format!("API_PROTOCOL is {version:?}; it has to be 5 or 6")),
    };
    if started_by_core() {
        return provider::serve(protocol);
    }
    let mut arguments = env::args_os().skip(1);
    let (first, second, third) = (arguments.next(), arguments.next(), arguments.next());
    match (first.as_deref().map(OsStr::to_string_lossy).as_deref(), second, third) {
        (None, ..) => show(protocol),
        (Some("service"), Some(file), None) => serve(Path::new(&file)),
        (Some("install"), Some(directory), None) => install(Path::new(&directory)),
        (Some("--debug"), None, None) => provider::serve(protocol),
        (Some("--help" | "-h"), ..) => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => fail("these arguments mean nothing to this program; try --help"),
    }
}

fn show(protocol: Protocol) -> ExitCode {
    let colour = match stdout().is_terminal() && env::var_os("NO_COLOR").is_none() {
        true => Colour::Ansi,
        false => Colour::None,
    };
    match tour(protocol, colour, &mut stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
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
        Err(error) => fail(&format!("cannot start the service: {error}")),
    }
}

fn install(directory: &Path) -> ExitCode {
    let installed = |program: std::path::PathBuf| ferroform_examples::install(ADDRESS, &program, directory);
    match env::current_exe().and_then(installed) {
        Ok(configuration) => {
            print!("{configuration}");
            ExitCode::SUCCESS
        }
        Err(error) => fail(&format!("cannot install: {error}")),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("api: {message}");
    ExitCode::FAILURE
}
