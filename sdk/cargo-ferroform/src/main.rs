//! `cargo ferroform`: makes, documents, packages and installs providers.
//!
//! The tool builds the provider of the current package, starts its binary and asks it over the provider protocol, as core
//! does. So a shipped provider carries no code of the tool.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the streams are the interface of a command line tool"
)]

mod add;
mod check;
mod docs;
mod failure;
mod files;
mod import;
mod install;
mod new;
mod package;
mod provider;
mod released;
mod schema;
mod target;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::failure::Outcome;

/// Make, document, package and install Terraform and OpenTofu providers.
#[derive(Debug, Parser)]
#[command(name = "cargo ferroform", bin_name = "cargo ferroform", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    New(new::Arguments),
    Add(add::Arguments),
    #[command(name = "import-schema")]
    Import(import::Arguments),
    Schema(schema::Arguments),
    Check(check::Arguments),
    Docs(docs::Arguments),
    Package(package::Arguments),
    Install(install::Arguments),
    /// Print a script that completes the commands of `cargo-ferroform` in a shell.
    ///
    /// Load it where the shell starts, for bash by this line in `~/.bashrc`:
    ///
    ///     source <(cargo ferroform completions bash)
    #[command(verbatim_doc_comment)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

impl Command {
    fn run(&self) -> Outcome {
        match self {
            Self::New(arguments) => new::run(arguments),
            Self::Add(arguments) => add::run(arguments),
            Self::Import(arguments) => import::run(arguments),
            Self::Schema(arguments) => schema::run(arguments),
            Self::Check(arguments) => check::run(arguments),
            Self::Docs(arguments) => docs::run(arguments),
            Self::Package(arguments) => package::run(arguments),
            Self::Install(arguments) => install::run(arguments),
            Self::Completions { shell } => {
                // Shells know the program by its own name.
                let (mut command, program) = (Cli::command(), "cargo-ferroform");
                clap_complete::generate(*shell, &mut command, program, &mut std::io::stdout());
                Ok(())
            }
        }
    }
}

fn main() -> ExitCode {
    // Cargo starts its plugins with their own name as the first argument.
    let arguments = std::env::args_os().enumerate().filter(|(at, it)| *at != 1 || it != "ferroform");
    let cli = Cli::parse_from(arguments.map(|(_, it)| it));
    match cli.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
