//! The edge cases of managed resources, on the embedded core and on real ones, over both protocols: a provider written
//! with the derive, whose objects are files.

mod actions;
mod blocks;
mod drift;
mod failures;
mod planning;
mod secrets;
mod support;
mod validation;

use std::process::ExitCode;

use ferroform_testing::case;

fn main() -> ExitCode {
    let cases = [
        planning::cases(),
        blocks::cases(),
        drift::cases(),
        failures::cases(),
        secrets::cases(),
        validation::cases(),
        actions::cases(),
    ];
    case::main(cases.into_iter().flatten())
}
