//! What the programs of the examples do for a person.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "core has not started what a person talks to")]

use std::env;
use std::fmt::Display;
use std::io::{IsTerminal as _, StdoutLock, stdout};
use std::path::Path;
use std::process::ExitCode;

use ferroform::Protocol;

use crate::{Colour, install};

/// An example as a program.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// The name, which begins every complaint.
    pub name: &'static str,
    /// The source address of the provider.
    pub address: &'static str,
    /// What `--help` prints.
    pub help: &'static str,
}

impl Program {
    /// The protocol that a variable names: `5`, or `6`, which is also meant where it is not set.
    ///
    /// # Errors
    /// It names another one: the program ends so.
    pub fn protocol(&self, variable: &str) -> Result<Protocol, ExitCode> {
        match env::var_os(variable) {
            None => Ok(Protocol::V6),
            Some(version) if version == "6" => Ok(Protocol::V6),
            Some(version) if version == "5" => Ok(Protocol::V5),
            Some(version) => Err(self.fail(format!("{variable} is {version:?}; it has to be 5 or 6"))),
        }
    }

    /// Shows the tour, in colours where somebody looks at it.
    pub fn tour<E: Display>(
        &self,
        tour: impl FnOnce(Colour, &mut StdoutLock<'static>) -> Result<(), E>,
    ) -> ExitCode {
        let colour = match stdout().is_terminal() && env::var_os("NO_COLOR").is_none() {
            true => Colour::Ansi,
            false => Colour::None,
        };
        match tour(colour, &mut stdout().lock()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => self.fail(error),
        }
    }

    /// Links this program into a directory, and prints the CLI configuration that makes core use it.
    #[must_use]
    pub fn install(&self, directory: &Path) -> ExitCode {
        match env::current_exe().and_then(|program| install(self.address, &program, directory)) {
            Ok(configuration) => {
                print!("{configuration}");
                ExitCode::SUCCESS
            }
            Err(error) => self.fail(format!("cannot install: {error}")),
        }
    }

    /// Prints the help.
    #[must_use]
    pub fn help(&self) -> ExitCode {
        print!("{}", self.help);
        ExitCode::SUCCESS
    }

    /// Says what went wrong.
    pub fn fail(&self, message: impl Display) -> ExitCode {
        eprintln!("{}: {message}", self.name);
        ExitCode::FAILURE
    }
}
