//! What a core does, seen from outside.

use std::collections::BTreeMap;

use ferroform_testing::diagnostic::Diagnostic;
use ferroform_testing::plan::Mode;
use serde_json::{Value as Json, json};

use crate::calls::{Calls, Order};
use crate::scenario::{Command, Scenario, Step};

/// What becomes of a plan.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterPlan {
    Show,
    ShowAndApply,
}

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
    /// What was said to the provider.
    pub(crate) calls: Calls,
    /// What was sent of private data and stored states.
    pub(crate) kept: Vec<Json>,
    /// The calls about two objects, one of which depends on the other, in one sequence.
    pub(crate) order: BTreeMap<String, Vec<String>>,
    /// The plan as JSON, where one was shown.
    pub(crate) plan: Option<Json>,
    /// The objects that a query has found.
    pub(crate) found: Vec<Json>,
    /// The state afterwards, as it is stored.
    pub(crate) state: Json,
    /// The folder of the provider.
    pub(crate) root: Option<String>,
}

/// Takes all steps.
pub(crate) fn run(side: &mut dyn Side, scenario: &Scenario) -> Vec<Seen> {
    scenario.subject.clear();
    let mut before = Json::Null;
    let root = scenario.subject.root().map(|root| root.to_string_lossy().into_owned());
    let take = |step: &Step| {
        if let (Some(outside), Some(root)) = (&step.outside, scenario.subject.root()) {
            outside(root);
        }
        let seen = side.take(step);
        let config = text(&step.command);
        let dependent = dependent(&before, &config).into_iter().chain(dependent(&seen.state, &config));
        let least = if destroys(step) { Order::WhereAllIsDestroyed } else { Order::Always };
        let in_order = |pair: &[String; 2]| seen.calls.in_order(pair, least);
        let order = dependent.map(|pair| (pair.join(" after "), in_order(&pair))).collect();
        before.clone_from(&seen.state);
        Seen { order, root: root.clone(), ..seen }
    };
    scenario.steps.iter().map(take).collect()
}

/// Whether everything is to be destroyed in a step, which is planned in the order in which it is done.
fn destroys(step: &Step) -> bool {
    match &step.command {
        Command::Destroy(_) => true,
        Command::Apply(_, options) | Command::Plan(_, options) => options.mode == Mode::Destroy,
        _ => false,
    }
}

/// The configuration of a command, as it is written down. There is none of what only the embedded core can play.
fn text(command: &Command) -> String {
    command.config().and_then(|config| config.to_hcl().ok()).unwrap_or_default()
}

/// The pairs of objects in a state of which the first depends on the second.
///
/// None of them is about a resource one instance of which is referred to: a change waits for that instance only, so
/// its calls and those about the others come in any order. What is stored depends on the resource nevertheless.
fn dependent(state: &Json, config: &str) -> Vec<[String; 2]> {
    let resources = || state["resources"].as_array().into_iter().flatten();
    let objects = |resource: &Json| -> Vec<String> {
        let instances = resource["instances"].as_array().into_iter().flatten();
        let named = instances.filter_map(|it| {
            let attributes = &it["attributes"];
            attributes["name"].as_str().or_else(|| attributes["label"].as_str())
        });
        named.map(|name| format!("{} {name}", resource["type"].as_str().unwrap_or_default())).collect()
    };
    let address = |it: &Json| {
        let part = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
        let data = if it["mode"] == "data" { "data." } else { "" };
        format!("{data}{}.{}", part("type"), part("name"))
    };
    let mut pairs = Vec::new();
    for resource in resources() {
        let instances = resource["instances"].as_array().into_iter().flatten();
        let on: Vec<&Json> =
            instances.flat_map(|it| it["dependencies"].as_array().into_iter().flatten()).collect();
        let whole = |it: &&Json| !config.contains(&format!("{}[", address(it)));
        for other in resources().filter(|it| on.contains(&&json!(address(it)))).filter(whole) {
            for one in objects(resource) {
                pairs.extend(objects(other).into_iter().map(|other| [one.clone(), other]));
            }
        }
    }
    pairs
}

/// The state with the only object of a resource tainted.
pub(crate) fn taint(state: &mut Json, type_name: &str, name: &str) {
    let resources = state["resources"].as_array_mut().into_iter().flatten();
    for resource in resources.filter(|it| it["type"] == type_name && it["name"] == name) {
        resource["instances"][0]["status"] = json!("tainted");
    }
}
