//! What comes of a step, in the form that is compared.

use std::path::Path;

use ferroform::diag::Severity;
use ferroform_testing::json::normalise;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

/// What came of a step. Summaries are in order, those of warnings with `W:` before them.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// What `validate` says, of a configuration that cannot be planned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) validate: Vec<String>,
    /// What is said while planning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) plan: Vec<String>,
    /// The plan as `show -json` prints it.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub(super) planned: Json,
    /// What is said while applying.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) apply: Vec<String>,
    /// The objects, outputs and results of checks in the state.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub(super) state: Json,
    /// The results of checks as `show -json` prints them of the state.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub(super) checks: Json,
}

impl Outcome {
    pub(crate) fn validated(&mut self, told: Vec<String>) {
        self.validate = sorted(told);
    }

    pub(crate) fn planned(&mut self, told: Vec<String>) {
        self.plan = sorted(told);
    }

    pub(crate) fn plan(&mut self, plan: &Json, directory: &Path) {
        let mut kept = normalise(plan);
        // The state that a plan starts from is compared where it was written, by the step before.
        if let Some(members) = kept.as_object_mut() {
            members.remove("prior_state");
        }
        if let Some(checks) = plan.get("checks") {
            kept["checks"] = in_order(checks.clone());
        }
        self.planned = steady(kept, &directory.display().to_string());
    }

    pub(crate) fn applied(&mut self, told: Vec<String>) {
        self.apply = sorted(told);
    }

    /// Takes a state file.
    pub(crate) fn state(&mut self, file: &[u8], directory: &Path) {
        let state: Json = serde_json::from_slice(file).expect("a state");
        let mut kept = json!({
            "objects": objects(&state),
            "outputs": state.get("outputs").cloned().unwrap_or_else(|| json!({})),
        });
        if let Some(results) = state.get("check_results").filter(|it| !it.is_null()) {
            kept["check_results"] = in_order(results.clone());
        }
        if kept != json!({ "objects": {}, "outputs": {} }) {
            self.state = steady(kept, &directory.display().to_string());
        }
    }

    /// Takes a state as `show -json` prints it.
    pub(crate) fn shown(&mut self, state: &Json, directory: &Path) {
        let checks = state.get("checks").cloned().unwrap_or_default();
        self.checks = steady(in_order(checks), &directory.display().to_string());
    }

    /// What `show -json` printed of the state after the step before.
    pub(crate) fn shown_as_before(&mut self, before: Option<&Self>) {
        self.checks = before.map(|it| it.checks.clone()).unwrap_or_default();
    }

    pub(crate) fn into_told(self) -> impl Iterator<Item = String> {
        self.validate.into_iter().chain(self.plan).chain(self.apply)
    }
}

/// A summary as it is compared, with its place if it has one.
pub(crate) fn told(severity: Severity, summary: &str, place: Option<String>) -> String {
    let summary = match severity {
        // The members of a cycle have no order.
        Severity::Error if summary.starts_with("Cycle") => "Cycle".to_owned(),
        // Of an import into what is in the state, and not in the configuration, core says either, as chance has it.
        Severity::Error if summary == "Resource has no configuration" => {
            "Configuration for import target does not exist".to_owned()
        }
        Severity::Error => summary.to_owned(),
        Severity::Warning => format!("W:{summary}"),
    };
    // Which of the two names core points at is a matter of chance.
    let place = place.filter(|_| summary != "W:Duplicate required provider");
    place.map_or_else(|| summary.clone(), |place| format!("{summary} @ {place}"))
}

/// A place as it is compared.
pub(crate) fn place(file: &str, (line, column): (usize, usize), end: (usize, usize)) -> String {
    let end = if end.0 == line { end.1.to_string() } else { format!("{}:{}", end.0, end.1) };
    format!("{file}:{line}:{column}-{end}")
}

/// What is told without its place.
pub(crate) fn bare(told: &str) -> &str {
    told.split_once(" @ ").map_or(told, |(summary, _)| summary)
}

fn sorted(mut told: Vec<String>) -> Vec<String> {
    told.sort();
    told
}

/// The objects by address, without what is different each time.
fn objects(state: &Json) -> Json {
    let mut objects = Map::new();
    for resource in state["resources"].as_array().into_iter().flatten() {
        let text = |key: &str| resource[key].as_str().map(|text| format!("{text}.")).unwrap_or_default();
        let mode = if resource["mode"] == "data" { "data." } else { "" };
        let name = resource["name"].as_str().unwrap_or_default();
        for instance in resource["instances"].as_array().into_iter().flatten() {
            let key = instance.get("index_key").map(|key| format!("[{key}]")).unwrap_or_default();
            let deposed = instance.get("deposed").map(|_| " deposed").unwrap_or_default();
            let address = format!("{}{mode}{}{name}{key}{deposed}", text("module"), text("type"));
            let kept = [
                "status",
                "schema_version",
                "attributes",
                "sensitive_attributes",
                "identity",
                "dependencies",
                "create_before_destroy",
            ];
            let kept = kept.into_iter().filter_map(|key| Some((key.to_owned(), instance.get(key)?.clone())));
            let mut object: Map<_, _> = kept.filter(|(_, value)| *value != json!([])).collect();
            object.insert("provider".to_owned(), resource["provider"].clone());
            objects.insert(address, Json::Object(object));
        }
    }
    objects.into()
}

/// Lists in which order means nothing, sorted at each level.
fn in_order(value: Json) -> Json {
    match value {
        Json::Array(parts) => {
            let mut parts: Vec<Json> = parts.into_iter().map(in_order).collect();
            parts.sort_by_cached_key(Json::to_string);
            parts.into()
        }
        Json::Object(parts) => {
            parts.into_iter().map(|(name, part)| (name, in_order(part))).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}

/// Without random ids, times and the sign of zero, and with paths from the directory of the case on.
fn steady(value: Json, directory: &str) -> Json {
    match value {
        Json::String(text) if text.parse::<jiff::Timestamp>().is_ok() => "<time>".into(),
        Json::String(text) => without_ids(&text.replace(directory, "<directory>")).into(),
        Json::Array(parts) => {
            let mut parts: Vec<Json> = parts.into_iter().map(|part| steady(part, directory)).collect();
            // A set is in the order of its elements, so where a random one stands is random, too.
            let texts: Vec<&str> = parts.iter().filter_map(Json::as_str).collect();
            if texts.len() == parts.len() && texts.iter().any(|text| text.contains(RANDOM)) {
                parts.sort_by_cached_key(Json::to_string);
            }
            parts.into()
        }
        Json::Object(parts) => parts
            .into_iter()
            .map(|(name, part)| match name.as_str() {
                // The key is random.
                "deposed" if part.is_string() => (name, "<key>".into()),
                _ => (without_ids(&name), steady(part, directory)),
            })
            .collect::<Map<_, _>>()
            .into(),
        Json::Number(number) if number.as_f64() == Some(0.0) => 0.into(),
        other => other,
    }
}

/// The placeholder for a random ID.
const RANDOM: &str = "<uuid>";

fn without_ids(text: &str) -> String {
    const LENGTH: usize = 36;
    let mut steady = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if let Some(id) = rest.get(..LENGTH).filter(|id| is_uuid(id)) {
            steady.push_str(RANDOM);
            rest = &rest[id.len()..];
        } else {
            steady.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    steady
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<usize> = text.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}
