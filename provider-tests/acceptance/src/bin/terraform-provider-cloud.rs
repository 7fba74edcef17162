//! The provider `cloud`. `CLOUD_PROTOCOL` is `5` or `6`.

use std::process::ExitCode;

use ferroform::Serve;
use ferroform::provider::assemble;
use ferroform_acceptance::cloud::Cloud;

fn main() -> ExitCode {
    ferroform_acceptance::run(Serve::new(assemble::<Cloud>()), "CLOUD_PROTOCOL")
}
