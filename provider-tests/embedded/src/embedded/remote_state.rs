//! The data source `terraform_remote_state`, for the backend `local`.

use std::path::Path;

use ferroform::ty::Type;
use ferroform::value::{Entries, Value};

use crate::state::State;

/// What is wrong: a summary and a detail, and the argument that it is about.
pub(super) struct Failure {
    pub(super) summary: &'static str,
    pub(super) detail: String,
    pub(super) argument: Option<&'static str>,
}

impl Failure {
    fn new(summary: &'static str, detail: impl Into<String>) -> Self {
        Self { summary, detail: detail.into(), argument: None }
    }
}

/// The summaries of what keeps a state from being read.
pub(super) const UNREAD: [&str; 2] = [NOT_FOUND, BROKEN];
const NOT_FOUND: &str = "Unable to find remote state";
const BROKEN: &str = "Error loading state error";

/// The backends of Terraform, apart from the local one.
const BACKENDS: [&str; 12] =
    ["azurerm", "consul", "cos", "gcs", "http", "inmem", "kubernetes", "oci", "oss", "pg", "remote", "s3"];

/// The name of the data source.
pub(super) const NAME: &str = "terraform_remote_state";

pub(super) fn ty() -> Type {
    Type::object([
        ("backend", Type::String),
        ("config", Type::Dynamic),
        ("defaults", Type::Dynamic),
        ("outputs", Type::Dynamic),
        ("workspace", Type::String),
    ])
}

/// Whether a configuration can be read at all, if it is known.
pub(super) fn validate(config: &Value) -> Result<(), Failure> {
    let Value::Object(members) = config else { return Ok(()) };
    let only_real = |what: &str| {
        let detail = format!(
            "The embedded core does not support {what}: this configuration needs a real core, Terraform or OpenTofu."
        );
        Err(Failure::new("Needs a real core", detail))
    };
    match members.get("backend").and_then(Value::as_str) {
        None | Some("local") => {}
        Some(other) if BACKENDS.contains(&other) => return only_real("backends other than \"local\""),
        Some(other) => {
            let detail = format!("There is no backend {other:?}.");
            let failure = Failure::new("Invalid backend configuration", detail);
            return Err(Failure { argument: Some("backend"), ..failure });
        }
    }
    if members.get("workspace").and_then(Value::as_str).is_some_and(|workspace| workspace != "default") {
        return only_real("workspaces");
    }
    validate_config(members.get("config").unwrap_or(&Value::Null))?;
    let defaults = members.get("defaults").unwrap_or(&Value::Null);
    match defaults.peel() {
        Value::Null | Value::Unknown(_) | Value::Object(_) | Value::Map(_) => Ok(()),
        _ => {
            let failure = Failure::new("Invalid default values", "The default values must be an object.");
            Err(Failure { argument: Some("defaults"), ..failure })
        }
    }
}

/// Whether `config` fits the backend, as far as that is known.
fn validate_config(config: &Value) -> Result<(), Failure> {
    let wrong = |what: String| {
        let detail = format!("The configuration does not fit the backend \"local\": {what}.");
        let failure = Failure::new("Invalid backend configuration", detail);
        Err(Failure { argument: Some("config"), ..failure })
    };
    let members = match config.peel() {
        _ if !config.is_wholly_known() => return Ok(()),
        Value::Object(members) | Value::Map(members) => members,
        Value::Null => return Ok(()),
        _ => return wrong("it is no object".to_owned()),
    };
    for (name, value) in members.iter() {
        if !["path", "workspace_dir"].contains(&&**name) {
            return wrong(format!("there is no argument {name:?}"));
        }
        if !matches!(value.peel(), Value::Null | Value::String(_) | Value::Number(_) | Value::Bool(_)) {
            return wrong(format!("{name:?} must be a string"));
        }
    }
    match members.get("path").and_then(Value::as_str) {
        Some("") => Err(Failure::new("Invalid local state file path", "The path must not be empty.")),
        _ => Ok(()),
    }
}

/// The configuration with the outputs of the state, whose path is relative to the directory.
pub(super) fn read(config: Value, directory: &Path) -> Result<Value, Failure> {
    validate(&config)?;
    let Value::Object(mut members) = config else { return Ok(config) };
    let path = members.get("config").and_then(|config| member(config, "path"));
    let path = path.and_then(Value::as_str).unwrap_or("terraform.tfstate");
    // An empty file counts as no state, as in Terraform 1.15.5.
    let bytes = std::fs::read(directory.join(path)).ok().filter(|bytes| !bytes.is_empty());
    let bytes = bytes.ok_or_else(|| {
        Failure::new(NOT_FOUND, "No stored state was found for the given workspace in the given backend.")
    })?;
    let state = State::from_bytes(&bytes)
        .map_err(|error| Failure::new(BROKEN, format!("The state cannot be read: {error}.")))?;
    let outputs =
        state.outputs.into_iter().map(|(name, output)| (name, Value::dynamic(output.ty, output.value)));
    let mut all: Vec<(String, Value)> = outputs.collect();
    for (name, value) in entries(members.get("defaults")) {
        if all.iter().all(|(known, _)| *known != name) {
            all.push((name, value));
        }
    }
    members.insert("outputs", object(all));
    Ok(Value::Object(members))
}

/// The members of an object, each with its type.
fn entries(value: Option<&Value>) -> Vec<(String, Value)> {
    let Some(Value::Dynamic(dynamic)) = value else { return Vec::new() };
    let (ty, value) = (&dynamic.ty, &dynamic.value);
    let of = |name: &str| match ty {
        Type::Object(object) => object.attribute(name).cloned().unwrap_or(Type::Dynamic),
        ty => ty.element().cloned().unwrap_or(Type::Dynamic),
    };
    let members: Option<&Entries> = match value {
        Value::Object(members) | Value::Map(members) => Some(members),
        _ => None,
    };
    let members = members.into_iter().flat_map(Entries::iter);
    members.map(|(name, value)| (name.to_string(), Value::dynamic(of(name), value.clone()))).collect()
}

/// An object of values that name their types, as one that names its type.
fn object(members: Vec<(String, Value)>) -> Value {
    let parts = members.into_iter().map(|(name, value)| match value {
        Value::Dynamic(dynamic) => ((name.clone(), dynamic.value), (name, dynamic.ty)),
        value => ((name.clone(), value), (name, Type::Dynamic)),
    });
    let (values, types): (Vec<_>, Vec<_>) = parts.unzip();
    Value::dynamic(Type::object(types), Value::object(values))
}

fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value.peel() {
        Value::Object(members) | Value::Map(members) => members.get(name),
        _ => None,
    }
}
