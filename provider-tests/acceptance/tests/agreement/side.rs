//! What a core does, seen from outside.

use std::collections::BTreeMap;

use ferroform_testing::client::{Entry, Transcript};
use ferroform_testing::diagnostic::Diagnostic;
use serde_json::{Value as Json, json};

use crate::scenario::{Scenario, Step};

/// A core with a state and a provider, for one scenario.
pub(crate) trait Side {
    /// Takes a step.
    fn take(&mut self, step: &Step) -> Seen;

    /// The state file, if there is one.
    fn stored(&self) -> Option<Vec<u8>>;
}

/// What a step has come to.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Whether the command did what it was to do, and whether its plan has changes.
    pub(crate) verdict: (bool, Option<bool>),
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The calls that are about resources and data sources, for each of them.
    pub(crate) calls: BTreeMap<String, Vec<String>>,
    /// The plan as JSON, where one was shown.
    pub(crate) plan: Option<Json>,
    /// The state afterwards, as it is stored.
    pub(crate) state: Json,
}

/// Takes all steps.
pub(crate) fn run(side: &mut dyn Side, scenario: &Scenario) -> Vec<Seen> {
    scenario.subject.clear();
    let take = |step: &Step| {
        if let (Some(outside), Some(root)) = (&step.outside, scenario.subject.root()) {
            outside(root);
        }
        side.take(step)
    };
    scenario.steps.iter().map(take).collect()
}

/// What was said since the last time about each object. Objects of a type are told apart by the name in the request;
/// calls about different objects may come in any order.
pub(crate) fn calls(transcript: &Transcript) -> BTreeMap<String, Vec<String>> {
    let entries = transcript.entries();
    transcript.clear();
    let mut calls: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in &entries {
        let Some(type_name) = &entry.type_name else { continue };
        let name = entry.request.iter().find_map(|line| name_in(line)).unwrap_or_default();
        let text = std::iter::once(entry.method.to_owned()).chain(lines(entry)).collect::<Vec<_>>();
        calls.entry(format!("{type_name} {name}")).or_default().push(text.join("\n"));
    }
    calls
}

/// The values of a request. What is shown by its length only may be written in different ways.
fn lines(entry: &Entry) -> impl Iterator<Item = String> {
    entry.request.iter().filter(|line| !line.ends_with(" bytes)")).cloned()
}

fn name_in(line: &str) -> Option<&str> {
    let after = |mark| line.split_once(mark).map(|(_, rest)| rest);
    let rest = after(" name = \"").or_else(|| after("{name = \"")).or_else(|| after("label = \""))?;
    rest.split_once('"').map(|(name, _)| name)
}

/// The state with the only object of a resource tainted.
pub(crate) fn taint(state: &mut Json, type_name: &str, name: &str) {
    let resources = state["resources"].as_array_mut().into_iter().flatten();
    for resource in resources.filter(|it| it["type"] == type_name && it["name"] == name) {
        resource["instances"][0]["status"] = json!("tainted");
    }
}
