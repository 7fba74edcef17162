//! The provider against its service, on the embedded core and on real ones: each thing that the service does, and what
//! becomes of it.

mod awkward;
mod failure;
mod lifecycle;
mod mistakes;
mod support;
mod world;

use std::process::ExitCode;

use ferroform_testing::case::Suite;

fn main() -> ExitCode {
    [lifecycle::cases(), awkward::cases(), failure::cases(), mistakes::cases()]
        .into_iter()
        .flatten()
        .fold(Suite::new(), Suite::case)
        .main()
}
