//! Results of checks, in plans and in states.

use bytes::Bytes;
use serde_json::{Map, Value as Json, json};

use crate::address::{InstanceKey, Mode, ModuleInstance};
use crate::checks::{CheckResult, Checkable, ObjectResult};

/// The member `checks` of a plan.
pub(super) fn in_plan(results: &[CheckResult]) -> Vec<Json> {
    let mut results: Vec<(String, &CheckResult)> = results.iter().map(|it| (it.of.to_string(), it)).collect();
    results.sort_by(|a, b| a.0.cmp(&b.0));
    results.into_iter().map(|(display, result)| of_plan(&display, result)).collect()
}

fn of_plan(display: &str, result: &CheckResult) -> Json {
    let mut address = json!({ "to_display": display });
    module(&mut address, result.of.module());
    match &result.of {
        Checkable::Resource(resource) => {
            address["mode"] = if resource.mode == Mode::Data { "data" } else { "managed" }.into();
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
