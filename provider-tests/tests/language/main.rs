//! Expressions and functions against what a real core makes of them.
//!
//! `vectors.jsonl` holds one expression with its result a line, recorded from Terraform 1.15.5. Where that core is
//! there, a test records the vectors again and compares; `FERROFORM_RECORD=1` writes them instead.

mod calls;
mod cases;
mod files;
mod phrases;
mod record;
mod robust;
mod vector;

use std::process::ExitCode;

use ferroform_testing::case::Trials;
use ferroform_testing::real::{Core, Resolver};
use libtest_mimic::{Failed, Trial};

/// The core from which the vectors are.
const RECORDED: &str = "terraform@1.15.5";

fn main() -> ExitCode {
    let mut trials = Trials::new();
    trials.test(("embedded", "vectors"), || vector::all_agree().map_err(Failed::from));
    let resolver = Resolver::from_environment().expect("the variables can be used");
    let found = resolver.resolve(&RECORDED.parse().expect("a core"));
    trials.on_core(&found, (RECORDED, "vectors"), |core| recorded(core).map_err(Failed::from));
    trials.others([Trial::test("vectors_cover_every_function", || {
        vector::cover_every_function().map_err(Failed::from)
    })]);
    trials.others(robust::trials());
    trials.main()
}

/// Compares what the core says today with the recorded vectors, or records them.
fn recorded(core: &Core) -> Result<(), String> {
    let rows = record::record(core, &record::expressions())?;
    if std::env::var_os("FERROFORM_RECORD").is_some() {
        return vector::write(&rows);
    }
    vector::compare_with_file(&rows)
}
