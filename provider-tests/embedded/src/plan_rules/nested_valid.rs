//! What a provider may plan for nested attributes.

use ferroform::path::Path;
use ferroform::schema::{NestedObject, Nesting};
use ferroform::value::Value;

use super::plan_valid::{Check, Triple};

/// Checks an attribute with nested attributes whose planned value differs from the configured one.
pub(super) fn object(check: &mut Check, schema: &NestedObject, values: Triple<'_>, path: &Path) {
    if !check.are_both(values, path) {
        return;
    }
    if values.planned.is_unknown() {
        return check.report(path, "planned to be unknown as a whole, but it is configured");
    }
    let each = |check: &mut Check, values: Triple<'_>, path: &Path| element(check, schema, values, path);
    match schema.nesting {
        Nesting::Single => check.attributes(&schema.attributes, values, path),
        Nesting::Set => set(check, values, path),
        Nesting::List if values.config.is_unknown() => {
            check.report(path, "planned to be known, but the configured list is not known yet");
        }
        Nesting::Map if values.config.is_unknown() => {
            check.report(path, "planned to be known, but the configured map is not known yet");
        }
        Nesting::List => check.list("element", values, path, &each),
        Nesting::Map => check.map("element", values, path, &each),
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
