//! Results of checks, in plans and in states.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::address::{InstanceAddress, InstanceKey, ModuleInstance};
use crate::checks::{CheckResult, Checkable, ObjectResult, Status};
use crate::state::StateError;

/// The member `checks`, of a plan and of a state.
pub(super) fn shown(results: &[CheckResult]) -> Vec<Json> {
    let mut results: Vec<(String, &CheckResult)> = results.iter().map(|it| (it.of.to_string(), it)).collect();
    results.sort_by(|a, b| a.0.cmp(&b.0));
    results.into_iter().map(|(display, result)| one(&display, result)).collect()
}

fn one(display: &str, result: &CheckResult) -> Json {
    let mut address = json!({ "to_display": display });
    module(&mut address, result.of.module());
    match &result.of {
        Checkable::Resource(resource) => {
            address["mode"] = resource.mode.in_json().into();
            address["type"] = resource.type_name.as_str().into();
            address["name"] = resource.name.as_str().into();
        }
        Checkable::Output(_, name) | Checkable::Check(_, name) | Checkable::Variable(_, name) => {
            address["name"] = name.as_str().into();
        }
    }
    // An output has another name in states.
    address["kind"] = match &result.of {
        Checkable::Output(..) => "output_value",
        of => kind(of),
    }
    .into();
    let mut json = json!({ "address": address, "status": result.status().as_str() });
    let objects = result.objects.iter().flatten().map(|object| {
        let mut address = json!({ "to_display": result.address(object) });
        module(&mut address, &object.module);
        match &object.key {
            InstanceKey::None => {}
            InstanceKey::Index(index) => address["instance_key"] = (*index).into(),
            InstanceKey::Key(key) => address["instance_key"] = key.as_str().into(),
        }
        let mut json = json!({ "address": address, "status": object.status.as_str() });
        let problems = object.messages.iter().map(|message| json!({ "message": message }));
        super::plan::put(&mut json, "problems", problems.collect());
        (result.address(object), json)
    });
    let mut objects: Vec<(String, Json)> = objects.collect();
    objects.sort_by(|a, b| a.0.cmp(&b.0));
    super::plan::put(&mut json, "instances", objects.into_iter().map(|(_, json)| json).collect());
    json
}

/// What it is, in a state.
fn kind(of: &Checkable) -> &'static str {
    match of {
        Checkable::Resource(_) => "resource",
        Checkable::Output(..) => "output",
        Checkable::Check(..) => "check",
        Checkable::Variable(..) => "var",
    }
}

fn module(address: &mut Json, module: &ModuleInstance) {
    if !module.0.is_empty() {
        address["module"] = module.to_string().into();
    }
}

/// The member `check_results` of a state; `None` if there are no conditions.
pub(crate) fn in_state(results: &[CheckResult]) -> Option<Bytes> {
    if results.is_empty() {
        return None;
    }
    let all: Vec<Json> = results
        .iter()
        .map(|result| {
            let object = |it: &ObjectResult| {
                let mut json = Map::new();
                json.insert("object_addr".to_owned(), result.address(it).into());
                json.insert("status".to_owned(), it.status.as_str().into());
                if !it.messages.is_empty() {
                    json.insert("failure_messages".to_owned(), it.messages.clone().into());
                }
                Json::Object(json)
            };
            // Core writes none as null, too.
            let objects = result.objects.as_ref().filter(|objects| !objects.is_empty());
            let objects: Option<Vec<Json>> = objects.map(|objects| objects.iter().map(object).collect());
            json!({
                "object_kind": kind(&result.of),
                "config_addr": result.of.to_string(),
                "status": result.status().as_str(),
                "objects": objects,
            })
        })
        .collect();
    Some(Json::from(all).to_string().into())
}

/// What has come of the conditions of a block, as a state stores it.
#[derive(Deserialize)]
struct StoredCheck {
    object_kind: String,
    config_addr: String,
    status: String,
    objects: Option<Vec<StoredObject>>,
}

#[derive(Deserialize)]
struct StoredObject {
    object_addr: String,
    status: String,
    #[serde(default)]
    failure_messages: Vec<String>,
}

/// The results in the member `check_results` of a state.
pub(super) fn stored(results: &Bytes) -> Result<Vec<CheckResult>, StateError> {
    let all: Option<Vec<StoredCheck>> = serde_json::from_slice(results).map_err(unreadable)?;
    let result = |stored: StoredCheck| {
        let StoredCheck { object_kind: kind, config_addr, objects, .. } = &stored;
        let (of, _) = checkable(kind, config_addr)?;
        let object = |it: &StoredObject| {
            let (of, key) = checkable(kind, &it.object_addr)?;
            let (module, messages) = (of.module().clone(), it.failure_messages.clone());
            Ok(ObjectResult { module, key, status: status(&it.status)?, messages })
        };
        let objects = match objects {
            Some(objects) => Some(objects.iter().map(object).collect::<Result<_, StateError>>()?),
            // No instances are stored as those that nobody knows of.
            None if status(&stored.status)? == Status::Pass => Some(Vec::new()),
            None => None,
        };
        Ok(CheckResult { of, objects })
    };
    all.unwrap_or_default().into_iter().map(result).collect()
}

/// What has conditions, in the module that the address names, and its key.
fn checkable(kind: &str, address: &str) -> Result<(Checkable, InstanceKey), StateError> {
    if kind == "resource" {
        let InstanceAddress { resource, key } = address.parse().map_err(unreadable)?;
        return Ok((Checkable::Resource(resource), key));
    }
    let (word, of): (&str, fn(ModuleInstance, String) -> Checkable) = match kind {
        "output" => ("output", Checkable::Output),
        "check" => ("check", Checkable::Check),
        "var" => ("var", Checkable::Variable),
        kind => return Err(unreadable(format!("nothing is known of the kind {kind:?}"))),
    };
    let (around, name) = address.rsplit_once('.').unwrap_or_default();
    let module = around.strip_suffix(word).map(|module| module.strip_suffix('.').unwrap_or(module));
    let module = module.ok_or_else(|| unreadable(format!("{address:?} is no address of its kind")))?;
    Ok((of(module.parse().map_err(unreadable)?, name.to_owned()), InstanceKey::None))
}

fn status(word: &str) -> Result<Status, StateError> {
    let all = [Status::Pass, Status::Unknown, Status::Fail, Status::Error];
    let known = all.into_iter().find(|status| status.as_str() == word);
    known.ok_or_else(|| unreadable(format!("nothing is known of the status {word:?}")))
}

fn unreadable(problem: impl std::fmt::Display) -> StateError {
    StateError::new(format!("the results of checks cannot be read: {problem}"))
}
