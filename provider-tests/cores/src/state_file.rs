//! Changes of a state file that keep everything else in it, to the last digit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::error::Error;
use crate::address::{InstanceAddress, InstanceKey};

/// An object of which only some members are looked at.
type Members = BTreeMap<String, Box<RawValue>>;

/// Marks the current object of an instance as tainted, as `taint` does, and returns the new file.
pub(super) fn taint(state: &[u8], address: &InstanceAddress) -> Result<Vec<u8>, Error> {
    let mut top: Members = read(state)?;
    let mut resources: Vec<Members> = member(&top, "resources")?.unwrap_or_default();
    let resource = resources.iter_mut().find(|resource| names(resource, address));
    let missing = || Error::malformed("the state file", format!("it has no object at {address}"));
    let resource = resource.ok_or_else(missing)?;
    let mut instances: Vec<Members> = member(resource, "instances")?.unwrap_or_default();
    let current = |instance: &Members| !instance.contains_key("deposed") && key(instance) == address.key;
    let instance = instances.iter_mut().find(|instance| current(instance)).ok_or_else(missing)?;
    instance.insert("status".to_owned(), raw(&"tainted")?);
    resource.insert("instances".to_owned(), raw(&instances)?);
    top.insert("resources".to_owned(), raw(&resources)?);
    // A state that differs must have another number, or a saved plan would be taken for one of this state.
    let serial = member::<u64>(&top, "serial")?.unwrap_or_default();
    top.insert("serial".to_owned(), raw(&serial.saturating_add(1))?);
    serde_json::to_vec_pretty(&top).map_err(malformed)
}

fn names(resource: &Members, address: &InstanceAddress) -> bool {
    let word = |name: &str| member::<String>(resource, name).ok().flatten();
    let mode = address.resource.mode.in_json();
    let module = Some(address.resource.module.to_string()).filter(|module| !module.is_empty());
    word("mode").as_deref() == Some(mode)
        && word("type").as_ref() == Some(&address.resource.type_name)
        && word("name").as_ref() == Some(&address.resource.name)
        && word("module") == module
}

fn key(instance: &Members) -> InstanceKey {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Key {
        Index(u64),
        Key(String),
    }
    match member(instance, "index_key") {
        Ok(Some(Key::Index(index))) => InstanceKey::Index(index),
        Ok(Some(Key::Key(key))) => InstanceKey::Key(key),
        _ => InstanceKey::None,
    }
}

fn read<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, Error> {
    serde_json::from_slice(json).map_err(malformed)
}

/// A member of an object; `None` when it is not there or null.
fn member<'a, T: Deserialize<'a>>(of: &'a Members, name: &str) -> Result<Option<T>, Error> {
    let Some(value) = of.get(name) else { return Ok(None) };
    serde_json::from_str(value.get()).map_err(malformed)
}

fn raw(value: &(impl Serialize + ?Sized)) -> Result<Box<RawValue>, Error> {
    serde_json::value::to_raw_value(value).map_err(malformed)
}

/// The message of the JSON reader holds a position and no content.
fn malformed(error: serde_json::Error) -> Error {
    Error::malformed("the state file", error)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{"version":4,"serial":7,"resources":[
        {"mode":"managed","type":"a_b","name":"c","instances":[
            {"index_key":"x","deposed":"00000001","attributes":{"n":1}},
            {"index_key":"x","attributes":{"n":0.10000000000000000000000000000001}}]},
        {"module":"module.m[0]","mode":"managed","type":"a_b","name":"c","instances":[{"index_key":0}]}]}"#;

    /// Taints an instance, and compares what came of it, or the message.
    fn check(address: &str, expect: Result<&str, &str>) {
        let address: InstanceAddress = address.parse().expect("an address");
        match (taint(STATE.as_bytes(), &address), expect) {
            (Ok(state), Ok(expect)) => {
                let text = String::from_utf8(state).expect("text");
                let compact: String = text.split_whitespace().collect();
                assert!(compact.contains(expect), "{expect} is not in {compact}");
                assert!(
                    compact.contains(r#""serial":8"#)
                        && compact.contains("0.10000000000000000000000000000001")
                );
                assert_eq!(compact.matches("tainted").count(), 1, "{compact}");
            }
            (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
            (found, _) => panic!("{address} gave {found:?}"),
        }
    }

    #[test]
    fn the_current_object_of_an_instance_is_tainted() {
        check(r#"a_b.c["x"]"#, Ok(r#""index_key":"x","status":"tainted""#));
        check("module.m[0].a_b.c[0]", Ok(r#""index_key":0,"status":"tainted""#));
        check("a_b.c", Err("it has no object at a_b.c"));
        check("data.a_b.c", Err("it has no object at data.a_b.c"));
    }
}
