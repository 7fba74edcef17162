//! What the newest real core does in each case, recorded: the embedded core is always compared with that, and the real core
//! itself when the case, the recording, the core or the code here has changed.
//!
//! `FERROFORM_RECORD=1` records the cases whose names the command line selects.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use ferroform_testing::case::Recording;
use ferroform_testing::real::LockedCore;
use serde_json::{Map, Value as Json, json};

use crate::compare::{Aspect, Comparable};
use crate::scenario::Scenario;

/// The core from which the recordings are.
pub(crate) const CORE: &str = "1.15.5";

/// The sources of the cases of each topic.
const TOPICS: [(&str, &[&str]); 11] = [
    (
        "table",
        &[
            include_str!("table/answer.rs"),
            include_str!("table/change.rs"),
            include_str!("table/mod.rs"),
            include_str!("table/plan.rs"),
            include_str!("table/schema.rs"),
            include_str!("table/stream.rs"),
        ],
    ),
    ("demo", &[include_str!("corpus/demo.rs")]),
    ("deprecated", &[include_str!("corpus/deprecated.rs")]),
    ("ephemeral", &[include_str!("corpus/ephemeral.rs")]),
    ("files", &[include_str!("corpus/files.rs")]),
    ("lifecycle", &[include_str!("corpus/lifecycle.rs")]),
    ("many", &[include_str!("corpus/many.rs")]),
    ("outside", &[include_str!("corpus/outside.rs")]),
    ("probe", &[include_str!("corpus/probe.rs")]),
    ("refused", &[include_str!("corpus/refused.rs")]),
    ("requests", &[include_str!("corpus/requests.rs")]),
];

/// What takes the steps and says what came of them.
const DRIVER: [&str; 10] = [
    include_str!("calls.rs"),
    include_str!("compare.rs"),
    include_str!("corpus/mod.rs"),
    include_str!("provider.rs"),
    include_str!("provider_under_test.rs"),
    include_str!("real.rs"),
    include_str!("scenario.rs"),
    include_str!("scene.rs"),
    include_str!("sent_bytes.rs"),
    include_str!("side.rs"),
];

/// A recorded step.
pub(crate) struct RecordedStep(Map<String, Json>);

impl Comparable for RecordedStep {
    fn compared(&self) -> Vec<(Aspect, Json)> {
        // What a recording lacks differs from whatever there is.
        let of = |aspect: Aspect| {
            let recorded = self.0.get(&format!("{aspect:?}")).cloned();
            (aspect, recorded.unwrap_or_else(|| json!("not recorded")))
        };
        Aspect::ALL.map(of).into()
    }
}

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/recorded")
}

fn file(topic: &str) -> PathBuf {
    folder().join(format!("{topic}.jsonl"))
}

/// The recording of a case.
pub(crate) fn recording(scenario: &Scenario) -> Recording {
    let name = format!("{}/{}", scenario.topic, scenario.name);
    Recording::new(folder().join("keys.tsv"), name, |name| {
        let (topic, case) = name.split_once('/').unwrap_or_default();
        let core = &LockedCore::find(CORE).map_err(io::Error::other)?.library_sha256;
        let sources = TOPICS.iter().find(|(known, _)| *known == topic).map(|(_, sources)| *sources);
        let texts = sources.unwrap_or_default().iter().chain(&DRIVER).copied().chain([core.as_str()]);
        let text = fs::read_to_string(file(topic))?;
        let start = format!("{{\"name\":{},", json!(case));
        let line = text.lines().find(|line| line.starts_with(&start)).ok_or(io::ErrorKind::NotFound)?;
        Ok(texts.chain([line]).map(|part| part.as_bytes().to_vec()).collect())
    })
}

/// The steps of a case as they are recorded.
///
/// # Errors
/// The file is broken, or it has no such case.
pub(crate) fn steps(scenario: &Scenario) -> Result<Vec<RecordedStep>, String> {
    static TOPICS: OnceLock<Mutex<BTreeMap<&str, BTreeMap<String, Json>>>> = OnceLock::new();
    let topics = TOPICS.get_or_init(Mutex::default);
    let mut topics = topics.lock().unwrap_or_else(PoisonError::into_inner);
    if !topics.contains_key(scenario.topic) {
        topics.insert(scenario.topic, read(scenario.topic)?);
    }
    let found = topics.get(scenario.topic).and_then(|cases| cases.get(&scenario.name));
    let found =
        found.and_then(Json::as_array).ok_or("nothing is recorded; record it with FERROFORM_RECORD=1")?;
    Ok(found.iter().map(|step| RecordedStep(step.as_object().cloned().unwrap_or_default())).collect())
}

fn read(topic: &str) -> Result<BTreeMap<String, Json>, String> {
    let lines: Vec<Json> = Recording::lines(file(topic))?;
    let named = |mut it: Json| (it["name"].as_str().unwrap_or_default().to_owned(), it["steps"].take());
    Ok(lines.into_iter().map(named).collect())
}

/// Stores what a real core did in a case, and drops the recordings of cases that are gone.
pub(crate) fn store(scenario: &Scenario, seen: &[impl Comparable]) -> Result<(), String> {
    static WRITING: Mutex<()> = Mutex::new(());
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut cases = if file(scenario.topic).exists() { read(scenario.topic)? } else { BTreeMap::new() };
    let known = names(scenario.topic);
    cases.retain(|name, _| known.contains(name));
    let step = |seen: &_| -> Json {
        let compared = Comparable::compared(seen).into_iter();
        compared.map(|(aspect, json)| (format!("{aspect:?}"), json)).collect::<Map<_, _>>().into()
    };
    cases.insert(scenario.name.clone(), seen.iter().map(step).collect());
    let line = |(name, steps): (&String, &Json)| format!("{{\"name\":{},\"steps\":{steps}}}\n", json!(name));
    let text: String = cases.iter().map(line).collect();
    fs::create_dir_all(folder())
        .and_then(|()| fs::write(file(scenario.topic), text))
        .map_err(|it| it.to_string())
}

fn names(topic: &str) -> Vec<String> {
    crate::comparable().into_iter().filter(|it| it.topic == topic).map(|it| it.name).collect()
}

/// Each recording is of a case that there is.
pub(crate) fn check() {
    for (topic, _) in TOPICS {
        let known = names(topic);
        assert!(!known.is_empty(), "there is no topic {topic:?}");
        for name in read(topic).expect("a recording").keys() {
            assert!(known.contains(name), "{}: there is no case {name:?} any more", file(topic).display());
        }
    }
}
