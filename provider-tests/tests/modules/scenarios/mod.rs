//! Generated scenarios: what no person has thought of, played on the embedded core and on the real one.
//!
//! `cargo test -p ferroform-testing --test modules -- --ignored scenarios` plays them on both. The environment says which:
//! `FERROFORM_SEED` is the number of the first one, `FERROFORM_COUNT` says how many, and `FERROFORM_SCENARIOS` is the path of
//! a file that is played instead, in the form of the corpus; `FERROFORM_WRITE` is the path of a file to which they are
//! written without being played. Each one that differs is reported as small as it gets.

mod between_modules;
mod generate;
mod provided;
mod syntax;

use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use ferroform_testing::real::Core;
use libtest_mimic::Failed;
use serde_json::Value as Json;

use crate::corpus::{self, Case, Outcome};
use crate::generated::number;
use syntax::Scenario;

/// The cores that play at the same time.
const AT_ONCE: usize = 2;

/// The most attempts to make one smaller, unless `FERROFORM_ATTEMPTS` says otherwise.
const ATTEMPTS: u64 = 120;

/// The numbers of the scenarios that are recorded as a topic of the corpus.
const SAMPLE: RangeInclusive<u64> = 3_000_002..=3_000_045;

/// Those of them that use a provider.
const PROVIDED: [u64; 10] = [
    10_000_201, 10_000_203, 10_000_205, 10_000_207, 10_000_209, 10_000_215, 10_000_216, 10_000_220,
    10_000_221, 10_000_223,
];

/// The sample that is recorded, as text of the corpus.
pub(crate) fn sample() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| texts(SAMPLE.chain(PROVIDED)));
    &TEXT
}

fn texts(numbers: impl Iterator<Item = u64>) -> String {
    numbers.map(|number| generate::scenario(number).text(&format!("scenario_{number}"))).collect()
}

/// Plays scenarios on both cores.
pub(crate) fn campaign(core: &Core) -> Result<(), Failed> {
    if let Ok(path) = std::env::var("FERROFORM_SCENARIOS") {
        let text = format!("\n{}", std::fs::read_to_string(path)?).leak();
        let cases = corpus::cases(text);
        let reports =
            cases.iter().filter_map(|case| Some(format!("{}: {}", case.name, difference(core, case)?)));
        return concluded(&reports.collect::<Vec<_>>(), cases.len() as u64);
    }
    let first = number("FERROFORM_SEED", 1)?;
    let count = number("FERROFORM_COUNT", 100)?;
    let attempts = number("FERROFORM_ATTEMPTS", ATTEMPTS)?;
    if let Ok(path) = std::env::var("FERROFORM_WRITE") {
        return Ok(std::fs::write(path, texts(first..first + count))?);
    }
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|threads| {
        for _ in 0..AT_ONCE {
            threads.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed) as u64;
                    if at >= count {
                        return;
                    }
                    if let Some(report) = play_or_report(core, first + at, attempts) {
                        found.lock().unwrap_or_else(PoisonError::into_inner).push(report);
                    }
                }
            });
        }
    });
    concluded(&found.into_inner().unwrap_or_else(PoisonError::into_inner), count)
}

fn concluded(reports: &[String], count: u64) -> Result<(), Failed> {
    let agree = count - reports.len() as u64;
    if reports.is_empty() {
        return Ok(());
    }
    Err(format!("{}\n{agree} of {count} scenarios agree", reports.join("\n")).into())
}

/// The same as [`play`]. A scenario in which a core fails as the test does not expect is one that differs.
fn play_or_report(core: &Core, seed: u64, most: u64) -> Option<String> {
    catch_unwind(AssertUnwindSafe(|| play(core, seed, most))).unwrap_or_else(|payload| {
        let text = generate::scenario(seed).text(&format!("scenario {seed}"));
        let why = payload.downcast_ref::<String>().map_or("", String::as_str);
        Some(format!("{text}\n  one of the cores fails in a way that the test does not expect: {why}\n"))
    })
}

/// A scenario that differs, as small as it gets, and where.
fn play(core: &Core, seed: u64, most: u64) -> Option<String> {
    let differs = |scenario: &Scenario| {
        let text: &'static str = scenario.text("scenario").leak();
        let case = corpus::cases(text).into_iter().next()?;
        difference(core, &case)
    };
    let mut smallest = generate::scenario(seed);
    let mut difference = differs(&smallest)?;
    let first = kind(&difference);
    let mut attempts = 0;
    'smaller: loop {
        for smaller in smallest.smaller() {
            attempts += 1;
            if attempts > most {
                break 'smaller;
            }
            if let Some(found) = differs(&smaller).filter(|found| kind(found) == first) {
                (smallest, difference) = (smaller, found);
                continue 'smaller;
            }
        }
        break;
    }
    Some(format!("{}{difference}\n", smallest.text(&format!("scenario {seed}"))))
}

/// What kind of difference it is: the part of the first step that differs, and what is said there, without places. A
/// smaller scenario with another difference tells nothing of this one.
fn kind(difference: &str) -> String {
    let mut lines = difference.lines().filter(|line| !line.trim().is_empty());
    let part = lines.next().and_then(|line| line.trim().split_once('/')).map_or("", |(_, part)| part);
    let said = matches!(part, "plan" | "validate" | "apply");
    let said: Vec<&str> = lines.take(2).filter(|_| said).flat_map(|line| line.split('"')).collect();
    let said = said.into_iter().map(|it| it.split_once(" @ ").map_or(it, |(summary, _)| summary));
    format!("{}{}", part.split_once('/').map_or(part, |(first, _)| first), said.collect::<String>())
}

fn difference(core: &Core, case: &Case) -> Option<String> {
    let (expected, found) = (corpus::run_real(core, case), corpus::run_embedded(case));
    let replaces = expected.iter().any(Outcome::replaces);
    corpus::difference(&expected, &found).filter(|text| !is_excused(text, replaces))
}

/// Whether a difference is none of the embedded core: the one that `docs/contributing/differences.md` lists for providers, which is
/// what is sensitive in the planned values of an object that is replaced; or the order of a set, which is that of generated IDs.
fn is_excused(difference: &str, replaces: bool) -> bool {
    let lines: Vec<&str> = difference.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.chunks(3).all(|part| {
        let [at, expected, found] = part else { return false };
        let name = at.rsplit('/').next().unwrap_or_default();
        let value = |side: &str| {
            let (_, value) = side.trim().split_once(' ')?;
            Some(serde_json::json!({ name: serde_json::from_str::<Json>(value.trim()).ok()? }))
        };
        let (Some(expected), Some(found)) = (value(expected), value(found)) else { return false };
        let agree = |change: fn(Json) -> Json| change(expected.clone()) == change(found.clone());
        replaces && at.contains("/planned/planned_values/") && agree(without_sensitive)
            || at.contains("/attributes/") && agree(without_order_of_ids)
    })
}

/// The sets of the provider `sample`.
const SETS: [&str; 7] = ["filter", "label", "match", "names", "scope", "some", "target"];

/// The value with its sets in an order that does not depend on generated IDs.
fn without_order_of_ids(value: Json) -> Json {
    match value {
        Json::Array(parts) => parts.into_iter().map(without_order_of_ids).collect(),
        Json::Object(parts) => {
            let parts = parts.into_iter().map(|(name, part)| {
                let mut part = without_order_of_ids(part);
                if let Json::Array(elements) = &mut part
                    && SETS.contains(&name.as_str())
                {
                    elements.sort_by_key(ToString::to_string);
                }
                (name, part)
            });
            Json::Object(parts.collect())
        }
        other => other,
    }
}

fn without_sensitive(value: Json) -> Json {
    match value {
        Json::Array(parts) => parts.into_iter().map(without_sensitive).collect(),
        Json::Object(parts) => {
            let kept = parts.into_iter().filter(|(name, _)| name != "sensitive_values");
            Json::Object(kept.map(|(name, part)| (name, without_sensitive(part))).collect())
        }
        other => other,
    }
}
