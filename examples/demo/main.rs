//! The provider `demo` as a program: a provider for core, and a tour of itself for a person.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "core has not started what a person talks to")]

use std::env;
use std::ffi::OsString;
use std::io::{IsTerminal as _, stdout};
use std::path::Path;
use std::process::ExitCode;

use ferroform::Protocol;
use ferroform_examples::demo::{self, Release};
use ferroform_examples::{Colour, started_by_core};
use ferroform_testing::play::Play;

const HELP: &str = "\
A provider that needs nothing but a folder. Core starts it without arguments; for a person there is:

  demo                  a tour of the provider in a temporary folder
  demo plan DIR         plan a folder of .tf files, without Terraform; `demo help` lists the other commands
  demo install DIR      link the provider into DIR, and print the CLI configuration that makes core use it
  demo --debug          wait for core to attach, and print how it does
  demo check-upgrades   read what the older releases stored, or a state file: see `demo check-upgrades --help`
  demo record-upgrades  keep what is in a state file for that check
  demo --help           this text
  demo --as-version N   the same as release 0, 1 or 2, for example `demo --as-version 0 --debug`

Environment:
  DEMO_AS_VERSION=0     serve release 0, 1 or 2, for a core that starts the provider
  DEMO_PROTOCOL=5       serve protocol 5, which has blocks instead of nested attributes (otherwise 6)
  NO_COLOR=1            no colours in the tour
";

fn main() -> ExitCode {
    let protocol = match env::var_os("DEMO_PROTOCOL") {
        None => Protocol::V6,
        Some(version) if version == "6" => Protocol::V6,
        Some(version) if version == "5" => Protocol::V5,
        Some(version) => return fail(&format!("DEMO_PROTOCOL is {version:?}; it has to be 5 or 6")),
    };
    let mut arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let release = match Release::asked_for(&mut arguments, env::var_os("DEMO_AS_VERSION")) {
        Ok(release) => release,
        Err(error) => return fail(&error),
    };
    if started_by_core() {
        return demo::serve(release, protocol);
    }
    let words: Vec<_> = arguments.iter().map(|it| it.to_string_lossy()).collect();
    match words.iter().map(|it| &**it).collect::<Vec<_>>().as_slice() {
        [] => tour(protocol),
        ["help"] => {
            print!("{}", Play::help("demo"));
            ExitCode::SUCCESS
        }
        [command, ..] if Play::knows(command) => demo::play(release, protocol)
            .main_with(arguments.iter().map(|it| it.to_string_lossy().into_owned())),
        ["install", directory] => install(Path::new(directory)),
        ["--debug"] | ["check-upgrades" | "record-upgrades", ..] => demo::serve(release, protocol),
        ["--help" | "-h", ..] => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => fail("these arguments mean nothing to this program; try --help"),
    }
}

fn tour(protocol: Protocol) -> ExitCode {
    let colour = match stdout().is_terminal() && env::var_os("NO_COLOR").is_none() {
        true => Colour::Ansi,
        false => Colour::None,
    };
    match demo::tour(protocol, colour, &mut stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
    }
}

fn install(directory: &Path) -> ExitCode {
    match env::current_exe()
        .and_then(|program| ferroform_examples::install(demo::ADDRESS, &program, directory))
    {
        Ok(configuration) => {
            print!("{configuration}");
            ExitCode::SUCCESS
        }
        Err(error) => fail(&format!("cannot install: {error}")),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("demo: {message}");
    ExitCode::FAILURE
}
