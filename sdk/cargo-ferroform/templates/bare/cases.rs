//! Cases, each on the embedded core and on every real one that is there.

use std::process::ExitCode;

use ferroform_testing::prelude::*;

use @CRATE@::@CAMEL@;

/// What a case works against: put a fake of the service here.
pub(crate) struct Backend;

/// A case with a backend of its own, for which the provider is configured.
pub(crate) fn case(name: &str) -> Case<Backend> {
    Case::with_backend(name, |_| Backend)
        .provider(Provider::of::<@CAMEL@>("@NAMESPACE@/@NAME@"))
        .provider_config(|_| provider("@NAME@").set("endpoint", "http://localhost"))
}

fn main() -> ExitCode {
    Suite::new().main()
}
