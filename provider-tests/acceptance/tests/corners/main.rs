//! The corners of managed resources, on the embedded core and on real ones, over both protocols: a provider written
//! with the derive, whose objects are files.

mod blocks;
mod failures;
mod planning;
mod support;
mod validation;

use std::process::ExitCode;

use ferroform_testing::case;

fn main() -> ExitCode {
    let cases = [planning::cases(), blocks::cases(), failures::cases(), validation::cases()];
    case::main(cases.into_iter().flatten())
}
