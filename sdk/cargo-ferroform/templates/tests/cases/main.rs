//! Cases, each on the embedded core and on every real one that is there.

mod note;

use std::fs;
use std::process::ExitCode;

use ferroform_testing::prelude::*;
use tempfile::TempDir;

use @CRATE@::@CAMEL@;

/// What a case works against: a folder for the notes. For a service it is a fake of its API.
pub(crate) type Backend = TempDir;

/// A case with a backend of its own, for which the provider is configured, and which must be empty in the end.
pub(crate) fn case(name: &str) -> Case<Backend> {
    Case::with_backend(name, |_| TempDir::new().expect("a folder can be made"))
        .provider(Provider::of::<@CAMEL@>("@NAMESPACE@/@NAME@"))
        .provider_config(|root| provider("@NAME@").set("root", root.path()))
        .expect_no_leftovers(|root| {
            let left = fs::read_dir(root.path()).expect("it is there");
            left.map(|entry| entry.expect("an entry").path().display().to_string()).collect::<Vec<_>>()
        })
}

fn main() -> ExitCode {
    Suite::new().case(note::lifecycle()).main()
}
