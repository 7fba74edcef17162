//! What two cores have to agree on.

use std::collections::BTreeSet;
use std::fmt;

use ferroform_testing::json::normalise;
use serde_json::{Value as Json, json};

use crate::side::Seen;

/// The length of the tokens that `demo_token` makes by chance in the cases. Other texts there have other lengths.
pub(crate) const TOKEN: usize = 97;

/// What is compared of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Aspect {
    /// Whether it succeeded, and whether the plan has changes.
    Verdict,
    /// Severities and summaries of what was told.
    Diagnostics,
    /// The calls about each object, in their order, with the values sent.
    Calls,
    /// The calls about the provider as a whole, in their order, for each command.
    Provider,
    /// Private data and stored states that were sent.
    SentBytes,
    /// The calls about objects that depend on each other, in their order.
    Order,
    /// The plan as JSON.
    Plan,
    /// The objects that a query has found.
    Found,
    /// The state afterwards.
    State,
}

impl Aspect {
    /// All of them.
    pub(crate) const ALL: [Self; 9] = [
        Self::Verdict,
        Self::Diagnostics,
        Self::Calls,
        Self::Provider,
        Self::SentBytes,
        Self::Order,
        Self::Plan,
        Self::Found,
        Self::State,
    ];
}

/// A step whose outcome can be compared with that of another core.
pub(crate) trait Comparable {
    /// What is compared, in the order of [`Aspect::ALL`], without what differs in each run.
    fn compared(&self) -> Vec<(Aspect, Json)>;
}

/// A difference between the embedded core and a real one.
pub(crate) struct Difference {
    /// The number of the step, from 1.
    pub(crate) step: usize,
    pub(crate) aspect: Aspect,
    /// Where it is, and what each has.
    pub(crate) text: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}, {:?}: {}", self.step, self.aspect, self.text)
    }
}

/// All differences.
pub(crate) fn differences(embedded: &[impl Comparable], real: &[impl Comparable]) -> Vec<Difference> {
    let mut differences = Vec::new();
    if embedded.len() != real.len() {
        let text = format!("embedded has {} steps, real has {}", embedded.len(), real.len());
        differences.push(Difference {
            step: embedded.len().min(real.len()) + 1,
            aspect: Aspect::Verdict,
            text,
        });
    }
    for (step, (embedded, real)) in embedded.iter().zip(real).enumerate() {
        let (of_embedded, of_real) = (embedded.compared(), real.compared());
        for ((aspect, embedded), (_, real)) in of_embedded.into_iter().zip(of_real) {
            let mut texts = Vec::new();
            differing("", &embedded, &real, &mut texts);
            differences.extend(texts.into_iter().map(|text| Difference { step: step + 1, aspect, text }));
        }
    }
    differences
}

impl Comparable for Seen {
    fn compared(&self) -> Vec<(Aspect, Json)> {
        let mut all = Aspect::ALL.into_iter().zip(compared(self)).collect::<Vec<_>>();
        // The folder of the provider is another one in each run.
        if let Some(root) = &self.root {
            all.iter_mut().for_each(|(_, json)| replace(json, root));
        }
        all
    }
}

/// What is compared of a step, in the order of the aspects.
fn compared(seen: &Seen) -> [Json; 9] {
    let told = seen.diagnostics.iter().map(|it| format!("{:?}: {}", it.severity, in_order(&it.summary)));
    let mut told: Vec<String> = told.collect();
    told.sort();
    let mut plan = seen.plan.as_ref().map(normalise).unwrap_or_default();
    let mut state = stored(&seen.state);
    let mut calls = json!(seen.calls.of);
    let mut provider = json!(seen.calls.commands);
    let mut order = json!(seen.order);
    for json in [&mut plan, &mut state, &mut calls, &mut provider, &mut order] {
        mask(json);
    }
    // Calls about different objects come in any order.
    let mut kept = seen.kept.clone();
    kept.iter_mut().for_each(mask);
    kept.sort_by_cached_key(Json::to_string);
    [json!(seen.verdict), json!(told), calls, provider, json!(kept), order, plan, json!(seen.found), state]
}

/// The summary of a circle with its addresses in order; a real core names them in any.
fn in_order(summary: &str) -> String {
    let Some(names) = summary.strip_prefix("Cycle: ") else { return summary.to_owned() };
    let mut names: Vec<&str> = names.split(", ").collect();
    names.sort_unstable();
    format!("Cycle: {}", names.join(", "))
}

/// A stored state without what is each core's own, with lists in which order means nothing sorted.
fn stored(state: &Json) -> Json {
    let mut resources = state["resources"].as_array().cloned().unwrap_or_default();
    for resource in &mut resources {
        for instance in resource["instances"].as_array_mut().into_iter().flatten() {
            for list in ["sensitive_attributes", "dependencies"] {
                if let Some(list) = instance[list].as_array_mut() {
                    list.sort_by_cached_key(Json::to_string);
                }
            }
            if let Some(instance) = instance.as_object_mut() {
                instance.retain(|_, value| !value.is_null() && *value != json!([]));
            }
        }
        if let Some(instances) = resource["instances"].as_array_mut() {
            instances.sort_by_cached_key(|it| (it["index_key"].to_string(), it["deposed"].is_string()));
        }
    }
    resources.sort_by_cached_key(|it| format!("{}{}{}", it["mode"], it["type"], it["name"]));
    let outputs = state["outputs"].as_object().cloned().unwrap_or_default();
    json!({"resources": resources, "outputs": outputs})
}

/// Hides what is made by chance.
fn mask(json: &mut Json) {
    match json {
        Json::Object(members) => {
            for (name, value) in members {
                if matches!(name.as_str(), "deposed" | "deposed_key") && value.is_string() {
                    *value = json!("a key");
                }
                mask(value);
            }
        }
        Json::Array(elements) => elements.iter_mut().for_each(mask),
        Json::String(text) if is_uuid(text) => *text = "a uuid".to_owned(),
        Json::String(text) if text.chars().count() == TOKEN => *text = "a token".to_owned(),
        _ => {}
    }
}

/// Hides a folder in all texts.
fn replace(json: &mut Json, root: &str) {
    match json {
        Json::Object(members) => members.values_mut().for_each(|it| replace(it, root)),
        Json::Array(elements) => elements.iter_mut().for_each(|it| replace(it, root)),
        Json::String(text) if text.contains(root) => *text = text.replace(root, "ROOT"),
        _ => {}
    }
}

fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

/// The places where values differ, and how.
fn differing(at: &str, embedded: &Json, real: &Json, found: &mut Vec<String>) {
    match (embedded, real) {
        (Json::Object(one), Json::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                let member = |all: &serde_json::Map<String, Json>| all.get(name).cloned();
                match (member(one), member(other)) {
                    (Some(one), Some(other)) => differing(&format!("{at}/{name}"), &one, &other, found),
                    (Some(one), None) => found.push(format!("{at}/{name}: only embedded: {one}")),
                    (_, other) => {
                        found.push(format!("{at}/{name}: only real: {}", other.unwrap_or_default()))
                    }
                }
            }
        }
        (Json::Array(one), Json::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                differing(&format!("{at}/{index}"), one, other, found);
            }
        }
        _ if embedded == real => {}
        _ => found.push(format!("{at}: embedded {embedded}, real {real}")),
    }
}
