//! What a provider may plan for nested attributes.

use ferroform::path::{Path, Step};
use ferroform::schema::{NestedObject, Nesting};
use ferroform::value::Value;

use super::body::{elements, entries, entry, to_key};
use super::plan_valid::{Check, Triple};

/// Checks an attribute with nested attributes whose planned value differs from the configured one.
pub(super) fn object(check: &mut Check, schema: &NestedObject, values: Triple<'_>, path: &Path) {
    let Triple { config, planned, .. } = values;
    match (config.is_null(), planned.is_null()) {
        (false, true) => return check.report(path, "planned to be absent, but it is configured"),
        (true, false) => return check.report(path, "planned to exist, but it is not configured"),
        (true, true) => return,
        (false, false) => {}
    }
    if planned.is_unknown() {
        return check.report(path, "planned to be unknown as a whole, but it is configured");
    }
    match schema.nesting {
        Nesting::Single => check.attributes(&schema.attributes, values, path),
        Nesting::List => list(check, schema, values, path),
        Nesting::Map => map(check, schema, values, path),
        Nesting::Set => set(check, values, path),
    }
}

fn list(check: &mut Check, schema: &NestedObject, values: Triple<'_>, path: &Path) {
    if values.config.is_unknown() {
        return check.report(path, "planned to be known, but the configured list is not known yet");
    }
    let (planned, config) = (elements(values.planned).len(), elements(values.config).len());
    if planned != config {
        return check.report(path, format!("planned with {planned} elements, but {config} are configured"));
    }
    for at in 0..planned {
        element(check, schema, values.element(at), &path.clone().step(Step::Index(at)));
    }
}

fn map(check: &mut Check, schema: &NestedObject, values: Triple<'_>, path: &Path) {
    if values.config.is_unknown() {
        return check.report(path, "planned to be known, but the configured map is not known yet");
    }
    for (key, _) in entries(values.config) {
        match entry(values.planned, key) {
            Some(_) => element(check, schema, values.entry(key), &to_key(path, key)),
            None => check.report(&to_key(path, key), "the element is configured, but not planned"),
        }
    }
    for (key, _) in entries(values.planned) {
        if entry(values.config, key).is_none() {
            check.report(&to_key(path, key), "the element is planned, but not configured");
        }
    }
}

/// One object of a list or map. Core compares its attributes one by one, be the object null or not.
fn element(check: &mut Check, schema: &NestedObject, values: Triple<'_>, path: &Path) {
    match (values.config.is_null(), values.planned.is_null()) {
        (true, false) => check.report(path, "the element is configured as null, but planned with a value"),
        (false, true) => check.report(path, "the element is configured, but planned as null"),
        _ => check.attributes(&schema.attributes, values, path),
    }
}

/// Elements of sets have no address at which they could be compared; their number can be.
fn set(check: &mut Check, values: Triple<'_>, path: &Path) {
    let Value::Set(config) = values.config.peel() else { return };
    let Value::Set(planned) = values.planned.peel() else { return };
    if !config.iter().all(Value::is_wholly_known) {
        return;
    }
    // Elements that are not known yet may turn out to be equal to others.
    let known = planned.iter().filter(|element| element.is_wholly_known()).count();
    let least = if known == planned.len() { known } else { known.max(1) };
    if !(least..=planned.len()).contains(&config.len()) {
        let (planned, config) = (planned.len(), config.len());
        check.report(path, format!("planned with {planned} elements, but {config} are configured"));
    }
}
