//! Cases, each on the embedded core and on every real one that is there.

mod note;

use std::fs;
use std::process::ExitCode;

use ferroform::Serve;
use ferroform::provider::assemble;
use ferroform_testing::case::{Case, Provider, Suite};
use ferroform_testing::config::provider;
use tempfile::TempDir;

use @CRATE@::@CAMEL@;

/// What a case works on: a folder for the notes. For a service it is a fake of its API.
pub(crate) type World = TempDir;

/// A case with a world of its own, for which the provider is configured, and in which nothing may be left.
pub(crate) fn case(name: &str) -> Case<World> {
    Case::new(name, |_| TempDir::new().expect("a folder can be made"))
        .provider(Provider::in_process("@NAMESPACE@/@NAME@", |_| Serve::new(assemble::<@CAMEL@>())))
        .configured(|root| provider("@NAME@").set("root", root.path()))
        .empty_after(|root| {
            let left = fs::read_dir(root.path()).expect("it is there");
            left.map(|entry| entry.expect("an entry").path().display().to_string()).collect::<Vec<_>>()
        })
}

fn main() -> ExitCode {
    Suite::new().case(note::lifecycle()).main()
}
