//! Texts that are applied, and what comes of them: what is said and planned, and the state.
//!
//! `runs.jsonl` holds what Terraform 1.15.5 makes of each. `FERROFORM_RECORD=1` records it again.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use ferroform_testing::embedded::{Core as Embedded, PlanOptions};
use ferroform_testing::language::module::{Inputs, load};
use ferroform_testing::plan::{Action, Mode, ResourceChange};
use ferroform_testing::real::Core;
use ferroform_testing::state::State;
use libtest_mimic::Failed;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::verdict;

/// The texts, by concept. `### NAME` begins a run, and `### then` what `main.tf` has after the first text was applied.
/// What is there at the end is destroyed.
const TEXTS: [&str; 6] = [
    include_str!("runs/conditions.tf"),
    include_str!("runs/ephemeral.tf"),
    include_str!("runs/provisioners.tf"),
    include_str!("runs/sequences.tf"),
    include_str!("runs/values.tf"),
    include_str!("runs/json.txt"),
];

struct Run {
    name: &'static str,
    texts: Vec<&'static str>,
}

/// The runs of which the embedded core makes something else, and why.
const DEPARTURES: [(&str, &str); 4] = [
    ("a_postcondition_with_an_unknown_attribute", "core tells of it twice, in other words"),
    ("an_object_that_refers_to_itself", "core tells of it twice"),
    ("a_division_by_zero", "core finds out when it stores the result"),
    ("a_module_output_whose_precondition_fails_at_apply", "what refers to the output is not held back"),
];

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/modules/runs.jsonl");

fn all() -> Vec<Run> {
    let mut all: Vec<Run> = Vec::new();
    for part in TEXTS.into_iter().flat_map(|text| text.split("\n### ").skip(1)) {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        match all.last_mut() {
            Some(run) if name == "then" => run.texts.push(text),
            _ => all.push(Run { name, texts: vec![text] }),
        }
    }
    all
}

/// What came of one text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The summaries in order, those of warnings with `W:` before them.
    told: Vec<String>,
    /// The action and the address of each change.
    changes: Vec<String>,
    /// The objects and outputs in the state.
    state: Json,
}

#[derive(Debug, Serialize, Deserialize)]
struct Recorded {
    name: String,
    outcomes: Vec<Outcome>,
}

/// Compares what comes of each text on the embedded core with what is recorded.
pub(crate) fn embedded() -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    compare(|run| runtime.block_on(run_embedded(run)), &DEPARTURES)
}

/// The same for a real core; or records what it makes of them.
pub(crate) fn real(core: &Core) -> Result<(), Failed> {
    if std::env::var_os("FERROFORM_RECORD").is_none() {
        return compare(|run| run_real(core, run), &[]);
    }
    let mut lines = String::new();
    for run in all() {
        let recorded = Recorded { name: run.name.to_owned(), outcomes: run_real(core, &run) };
        lines.push_str(&serde_json::to_string(&recorded)?);
        lines.push('\n');
    }
    Ok(std::fs::write(RECORD, lines)?)
}

fn compare(
    mut outcomes: impl FnMut(&Run) -> Vec<Outcome>,
    departures: &[(&str, &str)],
) -> Result<(), Failed> {
    let text = std::fs::read_to_string(RECORD)?;
    let recorded = text.lines().map(serde_json::from_str).collect::<Result<Vec<Recorded>, _>>()?;
    let expected: BTreeMap<&str, &Recorded> = recorded.iter().map(|it| (it.name.as_str(), it)).collect();
    let mut wrong = Vec::new();
    for run in all() {
        let found = outcomes(&run);
        let departs = departures.iter().any(|(name, _)| *name == run.name);
        match expected.get(run.name) {
            Some(expected) if departs && expected.outcomes != found => {}
            Some(_) if departs => wrong.push(format!("{}: this agrees now, so it is no departure", run.name)),
            Some(expected) if expected.outcomes == found => {}
            Some(expected) => wrong.push(difference(run.name, &expected.outcomes, &found)),
            None => wrong.push(format!("{}: nothing is recorded", run.name)),
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn difference(name: &str, expected: &[Outcome], found: &[Outcome]) -> String {
    let pairs = expected.iter().zip(found).enumerate().filter(|(_, (expected, found))| expected != found);
    let texts = pairs.map(|(at, (expected, found))| {
        format!("\n  text {at}\n    expected {expected:?}\n    found    {found:?}")
    });
    format!("{name}{}", texts.collect::<String>())
}

async fn run_embedded(run: &Run) -> Vec<Outcome> {
    let directory = tempfile::tempdir().unwrap();
    let mut state = State::default();
    let mut outcomes = Vec::new();
    for text in &run.texts {
        verdict::write(directory.path(), &placed(text, directory.path()));
        outcomes.push(step(directory.path(), &mut state, Mode::Normal).await);
    }
    if !state.resources.is_empty() {
        outcomes.push(step(directory.path(), &mut state, Mode::Destroy).await);
    }
    outcomes
}

async fn step(directory: &Path, state: &mut State, mode: Mode) -> Outcome {
    let core = Embedded::new();
    let mut outcome = Outcome { told: Vec::new(), changes: Vec::new(), state: Json::Null };
    match load(directory).and_then(|tree| tree.prepare(&Inputs::new())) {
        Err(problems) => {
            outcome.told = problems.iter().map(|it| verdict::told(it.severity, &it.summary)).collect()
        }
        Ok(prepared) => {
            let mut options = PlanOptions::default();
            options.mode = mode;
            let plan = core.plan(&prepared.config, state, &options).await;
            let told_of_plan = plan.diagnostics_before_apply().map(|it| (it.severity, it.summary.clone()));
            let mut said: Vec<_> = told_of_plan.collect();
            said.extend(prepared.warnings.iter().map(|it| (it.severity, it.summary.clone())));
            outcome.changes = plan.changes.iter().filter_map(shown).collect();
            if !plan.errored {
                let applied = core.apply(&plan).await;
                said.extend(applied.diagnostics.iter().map(|it| (it.severity, it.summary.clone())));
                *state = applied.state;
            }
            outcome.told = said.iter().map(|(severity, summary)| verdict::told(*severity, summary)).collect();
        }
    }
    let bytes = state.to_bytes().unwrap();
    outcome.state = objects(&serde_json::from_slice(&bytes).unwrap(), directory);
    sorted(outcome)
}

/// A change as the messages of real cores show it.
fn shown(change: &ResourceChange) -> Option<String> {
    let action = match change.action {
        Action::NoOp if change.previous_address.is_some() => "move",
        Action::NoOp if change.importing.is_some() => "import",
        Action::NoOp => return None,
        Action::Create => "create",
        Action::Read => "read",
        Action::Update => "update",
        Action::DeleteThenCreate | Action::CreateThenDelete => "replace",
        Action::Delete => "delete",
        Action::Forget | Action::CreateThenForget => "remove",
    };
    Some(format!("{action} {}", change.address))
}

fn run_real(core: &Core, run: &Run) -> Vec<Outcome> {
    let directory = tempfile::tempdir().unwrap();
    let mut outcomes = Vec::new();
    let command = |arguments: &[&str]| {
        let mut command = Command::new(&core.path);
        command.args(arguments).current_dir(directory.path()).env_clear();
        command.env("HOME", directory.path()).env("CHECKPOINT_DISABLE", "1").env("PATH", "/usr/bin:/bin");
        let output = command.output().expect("the core can be started");
        outcome(&String::from_utf8_lossy(&output.stdout), directory.path())
    };
    for text in &run.texts {
        verdict::write(directory.path(), &placed(text, directory.path()));
        if text.contains("module \"") {
            command(&["init", "-backend=false", "-json"]);
        }
        outcomes.push(command(&["apply", "-auto-approve", "-json"]));
    }
    let objects = outcomes.last().and_then(|last| last.state["objects"].as_object());
    if objects.is_some_and(|objects| !objects.is_empty()) {
        outcomes.push(command(&["destroy", "-auto-approve", "-json"]));
    }
    outcomes
}

/// What the messages of a command say, and the state behind it.
fn outcome(output: &str, directory: &Path) -> Outcome {
    let messages: Vec<Json> = output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let told = messages.iter().filter_map(|message| crate::summary(message.get("diagnostic")?)).collect();
    let changes =
        messages.iter().filter(|message| message["type"] == "planned_change").filter_map(|message| {
            let change = &message["change"];
            Some(format!("{} {}", change["action"].as_str()?, change["resource"]["addr"].as_str()?))
        });
    let changes = changes.collect();
    let state = std::fs::read(directory.join("terraform.tfstate")).unwrap_or_else(|_| b"{}".to_vec());
    let state = objects(&serde_json::from_slice(&state).expect("a state"), directory);
    sorted(Outcome { told, changes, state })
}

fn sorted(mut outcome: Outcome) -> Outcome {
    // A real core names the members of a cycle in any order.
    outcome.told.iter_mut().filter(|told| told.starts_with("Cycle")).for_each(|told| told.truncate(5));
    outcome.told.sort();
    outcome.changes.sort();
    outcome
}

/// The text with the directory in the place of its name.
fn placed(text: &str, directory: &Path) -> String {
    text.replace("DIRECTORY", &directory.display().to_string())
}

/// The objects by address and the outputs of a state file, without what is different each time.
fn objects(state: &Json, directory: &Path) -> Json {
    let mut objects = serde_json::Map::new();
    for resource in state["resources"].as_array().into_iter().flatten() {
        let text = |key: &str| resource[key].as_str().map(|text| format!("{text}.")).unwrap_or_default();
        let mode = if resource["mode"] == "data" { "data." } else { "" };
        let name = resource["name"].as_str().unwrap_or_default();
        for instance in resource["instances"].as_array().into_iter().flatten() {
            let key = instance.get("index_key").map(|key| format!("[{key}]")).unwrap_or_default();
            let deposed = instance.get("deposed").map(|_| " deposed").unwrap_or_default();
            let address = format!("{}{mode}{}{name}{key}{deposed}", text("module"), text("type"));
            let kept =
                ["status", "attributes", "sensitive_attributes", "dependencies", "create_before_destroy"];
            let kept = kept.into_iter().filter_map(|key| Some((key.to_owned(), instance.get(key)?.clone())));
            let object: serde_json::Map<_, _> = kept.filter(|(_, value)| *value != json!([])).collect();
            objects.insert(address, Json::Object(object));
        }
    }
    let outputs = state.get("outputs").cloned().unwrap_or_else(|| json!({}));
    steady(json!({ "objects": objects, "outputs": outputs }), &directory.display().to_string())
}

/// Without random ids, times and the names of temporary directories.
fn steady(value: Json, directory: &str) -> Json {
    match value {
        Json::String(text) if is_uuid(&text) => "<uuid>".into(),
        Json::String(text) if is_time(&text) => "<time>".into(),
        Json::String(text) => text.replace(directory, "DIRECTORY").into(),
        Json::Array(parts) => parts.into_iter().map(|part| steady(part, directory)).collect(),
        Json::Object(parts) => parts
            .into_iter()
            .map(|(name, part)| (name, steady(part, directory)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other,
    }
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<usize> = text.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

fn is_time(text: &str) -> bool {
    text.parse::<jiff::Timestamp>().is_ok()
}
