//! Expressions and functions against what a real core makes of them.
//!
//! `vectors.jsonl` holds one expression with its result a line, recorded from Terraform 1.15.5. Where that core is
//! there, a test records the vectors again and compares; `FERROFORM_RECORD=1` writes them instead.

mod calls;
mod files;
mod phrases;
mod record;
mod robust;
mod vector;

use std::process::ExitCode;

use ferroform_testing::real::{Availability, Core, Resolver};
use libtest_mimic::{Arguments, Failed, Trial};

/// The core from which the vectors are.
const RECORDED: &str = "1.15.5";

fn main() -> ExitCode {
    let mut trials = vec![
        Trial::test("vectors", || vector::all_agree().map_err(Failed::from)),
        Trial::test("vectors_cover_every_function", || vector::cover_every_function().map_err(Failed::from)),
    ];
    trials.extend(robust::trials());
    let name = format!("terraform_{RECORDED}::vectors");
    let resolver = Resolver::from_environment().expect("the variables can be used");
    trials.push(match resolver.resolve(&RECORDED.parse().expect("a core")) {
        Ok(Availability::Present(core)) => Trial::test(name, move || recorded(&core).map_err(Failed::from)),
        Ok(Availability::Absent(absence)) => {
            Trial::test(format!("{name} (not run: {absence})"), || Ok(())).with_ignored_flag(true)
        }
        Err(error) => {
            let error = error.to_string();
            Trial::test(name, move || Err(error.into()))
        }
    });
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Compares what the core says today with the recorded vectors, or records them.
fn recorded(core: &Core) -> Result<(), String> {
    let rows = record::record(core, &record::expressions())?;
    if std::env::var_os("FERROFORM_RECORD").is_some() {
        return vector::write(&rows);
    }
    vector::compare_with_file(&rows)
}
