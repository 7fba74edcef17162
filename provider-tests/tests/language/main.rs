//! Expressions and functions against what a real core makes of them.
//!
//! `vectors.jsonl` holds one expression with its result a line, recorded from Terraform 1.15.5. Where that core is
//! there, a test records the vectors again and compares; `FERROFORM_RECORD=1` writes them instead. `generated.jsonl` holds
//! the same for a sample of the generated expressions; the test `expressions::campaign` plays any number of others.

#[path = "../support/agreement.rs"]
mod agreement;
mod calls;
mod campaign;
mod cases;
#[path = "../support/departures.rs"]
mod departures;
mod files;
mod generate;
#[path = "../support/generated.rs"]
mod generated;
mod phrases;
mod record;
mod robust;
mod rounding;
mod rules;
mod vector;

use std::io;
use std::process::ExitCode;

use ferroform_testing::case::{Recording, Trials};
use ferroform_testing::real::{Availability, Core, LockedCore, Resolver, default_cores};
use libtest_mimic::{Failed, Trial};
use vector::{CHOSEN, GENERATED};

/// The core from which the vectors are.
const RECORDED: &str = "terraform@1.15.5";

fn main() -> ExitCode {
    let mut trials = Trials::new();
    let resolver = Resolver::from_environment().expect("the variables can be used");
    let found = resolver.resolve(&RECORDED.parse().expect("a core"));
    for (topic, name) in [("vectors", CHOSEN), ("generated vectors", GENERATED)] {
        trials.test(("embedded", topic), || vector::all_agree(name, &topics(name)));
        trials.recorded(&found, (RECORDED, topic), recording(topic), move |core| {
            recorded(core, name).map_err(Failed::from)
        });
    }
    trials.recorded(&found, (RECORDED, "rounding"), recording_of_rounding("rounding"), |core| {
        rounding::recorded(core).map_err(Failed::from)
    });
    if let Ok(Availability::Present(core)) = &found {
        let core = core.clone();
        let campaign =
            Trial::test("expressions::campaign", move || campaign::run(&core).map_err(Failed::from));
        trials.others([campaign.with_ignored_flag(true)]);
    }
    trials.others([
        Trial::test("vectors_cover_every_function", || vector::cover_every_function().map_err(Failed::from)),
        Trial::test("vectors_are_from_the_newest_pinned_core", || {
            let newest = default_cores().last().map(|core| format!("terraform@{}", core.version));
            assert_eq!(newest.as_deref(), Some(RECORDED), "record with it, and name it in RECORDED");
            Ok(())
        }),
        Trial::test("rules_of_differences_are_narrow", || {
            rules::are_narrow();
            Ok(())
        }),
    ]);
    trials.others(robust::trials());
    let conclusion = trials.main();
    agreement::print();
    conclusion
}

/// The recording of vectors: the expressions, the vectors, the core, and what asks the core.
fn recording(topic: &str) -> Recording {
    let keys = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/language/keys.tsv");
    Recording::new(keys, topic, |topic| {
        let name = if topic == "vectors" { CHOSEN } else { GENERATED };
        let core = LockedCore::find("1.15.5").map_err(io::Error::other)?.library_sha256.clone();
        let asked =
            [include_str!("record.rs"), vector::SETUP, include_str!("files.rs"), &core].map(Vec::from);
        let recorded = [expressions(name).join("\n").into_bytes(), std::fs::read(vector::file(name))?];
        Ok(asked.into_iter().chain(recorded).collect())
    })
}

/// The recording of long numbers.
fn recording_of_rounding(name: &str) -> Recording {
    let keys = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/language/keys.tsv");
    Recording::new(keys, name, |_| {
        let core = LockedCore::find("1.15.5").map_err(io::Error::other)?.library_sha256.clone();
        let asked = [include_str!("rounding.rs"), include_str!("record.rs"), &core].map(Vec::from);
        Ok(asked.into_iter().chain([std::fs::read(rounding::file())?]).collect())
    })
}

/// The expressions of a file of vectors, by topic.
fn topics(name: &str) -> Vec<(&'static str, Vec<String>)> {
    if name == CHOSEN { record::topics() } else { vec![("generated", campaign::sample())] }
}

/// The expressions of a file of vectors.
fn expressions(name: &str) -> Vec<String> {
    topics(name).into_iter().flat_map(|(_, expressions)| expressions).collect()
}

/// Compares what the core says today with the recorded vectors, or records them.
fn recorded(core: &Core, name: &str) -> Result<(), String> {
    let rows = record::record(core, &expressions(name))?;
    if std::env::var_os("FERROFORM_RECORD").is_some() {
        return vector::write(name, &rows);
    }
    vector::compare_with_file(name, &rows)
}
