//! The order in which objects are changed that depend on each other. All others may be changed in any order.

use ferroform_testing::client::Transcript;
use serde_json::{Map, Value as Json, json};

use crate::embedded::Embedded;
use crate::scenario::Scenario;
use crate::side::{Seen, name_in, run};

/// The objects that were changed, in their order.
pub(crate) fn changed(transcript: &Transcript) -> Vec<String> {
    let entries = transcript.entries();
    let changes = entries.iter().filter(|entry| entry.method == "ApplyResourceChange");
    changes.filter_map(|entry| Some(key(entry.type_name.as_ref()?, name_in(&entry.request)))).collect()
}

/// What an object is called here: its type, and its name in the request and in the state.
pub(crate) fn key(type_name: &str, name: &str) -> String {
    format!("{type_name} {name}")
}

/// The changes of each two objects of which one depends on the other, by the state before or the one after.
pub(crate) fn orders(before: Option<&Seen>, seen: &Seen) -> Json {
    let mut orders = Map::new();
    for state in before.into_iter().chain([seen]).map(|seen| &seen.state) {
        for (one, other) in dependent(state) {
            let both = |it: &&String| **it == one || **it == other;
            let order: Vec<&String> = seen.changed.iter().filter(both).collect();
            if order.contains(&&one) && order.contains(&&other) {
                orders.insert(format!("{one} and {other}"), json!(order));
            }
        }
    }
    orders.into()
}

/// What depends, and what it depends on.
fn dependent(state: &Json) -> Vec<(String, String)> {
    let resources = || state["resources"].as_array().into_iter().flatten();
    let instances = |resource: &Json| resource["instances"].as_array().cloned().unwrap_or_default();
    let name_of = |resource: &Json, instance: &Json| {
        let named = ["name", "label"].into_iter().find_map(|name| instance["attributes"][name].as_str());
        key(resource["type"].as_str().unwrap_or_default(), named.unwrap_or_default())
    };
    let address = |resource: &Json| match (&resource["type"], &resource["name"]) {
        (Json::String(type_name), Json::String(name)) => format!("{type_name}.{name}"),
        _ => String::new(),
    };
    let mut pairs = Vec::new();
    for resource in resources() {
        for instance in instances(resource) {
            let needed = instance["dependencies"].as_array().cloned().unwrap_or_default();
            for other in resources().filter(|other| needed.contains(&json!(address(other)))) {
                let of_other = instances(other);
                let pair = |it: &Json| (name_of(resource, &instance), name_of(other, it));
                pairs.extend(of_other.iter().map(pair));
            }
        }
    }
    pairs
}

/// What is told of a case in which an object is replaced, and one that depends on it changes with it.
pub(crate) fn check(scenarios: &[Scenario]) {
    let case = scenarios.iter().find(|it| it.name == "a replacement spreads").expect("the case");
    let seen = run(&mut Embedded::new(&case.subject), case);
    let [first, second] = seen.as_slice() else { panic!("{} steps", seen.len()) };
    let (old, new, other) = ("wrong_thing a", "wrong_thing b", "wrong_thing x");
    assert_eq!(orders(None, first), json!({"wrong_thing x and wrong_thing a": [old, other]}));
    let expect = json!({
        "wrong_thing x and wrong_thing a": [old, other],
        "wrong_thing x and wrong_thing b": [new, other],
    });
    assert_eq!(orders(Some(first), second), expect);
}
