//! What two cores have to agree on.

use serde_json::Value as Json;

/// What is compared of plans and states.
const COMPARED: [&str; 13] = [
    "configuration",
    "prior_state",
    "checks",
    "relevant_attributes",
    "resource_changes",
    "resource_drift",
    "deferred_changes",
    "output_changes",
    "planned_values",
    "applyable",
    "complete",
    "errored",
    "values",
];

/// Keeps of a plan or state, embedded or real, what has to be the same on all cores, with lists in which order means
/// nothing sorted. Versions and times are left out.
///
/// ```
/// use ferroform_embedded::json::normalise;
/// use serde_json::json;
///
/// let real = json!({"format_version": "1.2", "timestamp": "2026-01-01T00:00:00Z", "complete": true});
/// assert_eq!(normalise(&real), json!({"complete": true}));
/// ```
#[must_use]
pub fn normalise(json: &Json) -> Json {
    let Some(members) = json.as_object() else { return json.clone() };
    let kept = members.iter().filter(|(name, _)| COMPARED.contains(&name.as_str()));
    let mut json = Json::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect());
    for list in ["resource_changes", "resource_drift", "deferred_changes", "relevant_attributes"] {
        sort(json.get_mut(list));
        let changes = json.get_mut(list).and_then(Json::as_array_mut);
        for change in changes.into_iter().flatten() {
            sort(change.pointer_mut("/change/replace_paths"));
            sort(change.pointer_mut("/resource_change/change/replace_paths"));
        }
    }
    let providers = json.pointer_mut("/configuration/provider_config").and_then(Json::as_object_mut);
    for provider in
        providers.into_iter().flat_map(serde_json::Map::values_mut).filter_map(Json::as_object_mut)
    {
        provider.remove("version_constraint");
    }
    // What it says beside the values is of the core.
    if let Some(prior) = json.get_mut("prior_state").and_then(Json::as_object_mut) {
        prior.retain(|name, _| name == "values");
    }
    for root in ["/values/root_module", "/planned_values/root_module", "/prior_state/values/root_module"] {
        json.pointer_mut(root).map(module);
    }
    json
}

/// Sorts what is in a module and in those below it.
fn module(module: &mut Json) {
    sort(module.get_mut("resources"));
    sort(module.get_mut("child_modules"));
    for resource in module.get_mut("resources").and_then(Json::as_array_mut).into_iter().flatten() {
        sort(resource.get_mut("depends_on"));
    }
    let children = module.get_mut("child_modules").and_then(Json::as_array_mut);
    children.into_iter().flatten().for_each(self::module);
}

/// Sorts a list, if it is there: by address where its elements have one.
fn sort(list: Option<&mut Json>) {
    let Some(list) = list.and_then(Json::as_array_mut) else { return };
    let text = |element: &Json, pointer: &str| {
        element.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned()
    };
    list.sort_by_cached_key(|element| {
        let address = ["/address", "/resource_change/address"].map(|pointer| text(element, pointer)).concat();
        let deposed = ["/deposed", "/deposed_key"].map(|pointer| text(element, pointer)).concat();
        let rest = if address.is_empty() { element.to_string() } else { String::new() };
        (address, deposed, rest)
    });
}
