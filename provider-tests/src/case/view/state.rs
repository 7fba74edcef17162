//! A state, as its file holds it (format 4).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};

use super::members;
use super::tree::Tree;
use crate::address::{Mode, quoted};

/// A state.
#[derive(Clone, PartialEq)]
pub struct StateView {
    json: Json,
}

/// An object in a state.
#[derive(Clone)]
pub struct ObjectView<'a> {
    address: String,
    managed: bool,
    json: &'a Json,
    /// `true` where the value is sensitive.
    sensitive: Json,
    /// Which instance of which resource it is.
    place: (usize, usize),
}

impl StateView {
    /// The state that this JSON is; null for no state.
    #[must_use]
    pub fn new(json: Json) -> Self {
        Self { json }
    }

    /// The JSON, secrets in clear.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// All objects, deposed ones and those of data sources included, in the order of the state.
    #[must_use]
    pub fn objects(&self) -> Vec<ObjectView<'_>> {
        let resources = members(&self.json, "resources").enumerate();
        resources
            .flat_map(|(at, resource)| {
                let address = resource_address(resource);
                let managed = resource["mode"] != "data";
                members(resource, "instances").enumerate().map(move |(in_it, json)| {
                    let key = match &json["index_key"] {
                        Json::String(key) => format!("[{}]", quoted(key)),
                        Json::Number(index) => format!("[{index}]"),
                        _ => String::new(),
                    };
                    let (address, sensitive) = (format!("{address}{key}"), marks(json));
                    ObjectView { address, managed, json, sensitive, place: (at, in_it) }
                })
            })
            .collect()
    }

    /// The current object at an address.
    #[must_use]
    pub fn object(&self, address: &str) -> Option<ObjectView<'_>> {
        self.objects().into_iter().find(|object| object.address == address && object.deposed().is_none())
    }

    /// The current objects of managed resources and those that await deletion: what a destroy has to remove.
    #[must_use]
    pub fn managed(&self) -> Vec<ObjectView<'_>> {
        self.objects().into_iter().filter(|object| object.managed).collect()
    }

    /// The value of a root output.
    #[must_use]
    pub fn output(&self, name: &str) -> Option<Tree<'_>> {
        let output = self.json.get("outputs")?.get(name)?;
        Some(Tree::new(&output["value"], &Json::Null, &output["sensitive"]))
    }

    /// The names of the root outputs.
    #[must_use]
    pub fn outputs(&self) -> Vec<&str> {
        let outputs = self.json["outputs"].as_object().into_iter().flatten();
        outputs.map(|(name, _)| name.as_str()).collect()
    }

    /// Marks the current object at an address as tainted. Whether there is one.
    pub(crate) fn taint(&mut self, address: &str) -> bool {
        self.edit(address, |instances, at| instances[at]["status"] = json!("tainted"))
    }

    /// Forgets the current object at an address, as `state rm` does. Whether there was one.
    pub(crate) fn forget(&mut self, address: &str) -> bool {
        let found = self.edit(address, |instances, at| drop(instances.remove(at)));
        if let Some(resources) = self.json.get_mut("resources").and_then(Json::as_array_mut) {
            resources.retain(|resource| members(resource, "instances").next().is_some());
        }
        found
    }

    fn edit(&mut self, address: &str, change: impl FnOnce(&mut Vec<Json>, usize)) -> bool {
        let Some((resource, instance)) = self.object(address).map(|it| it.place) else { return false };
        if let Some(instances) = self.json["resources"][resource]["instances"].as_array_mut() {
            change(instances, instance);
        }
        let serial = self.json["serial"].as_u64().unwrap_or_default();
        self.json["serial"] = json!(serial + 1);
        true
    }
}

impl<'a> ObjectView<'a> {
    /// The address of the instance.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The deposed key, if it is not the current object.
    #[must_use]
    pub fn deposed(&self) -> Option<&'a str> {
        self.json.get("deposed")?.as_str()
    }

    /// The attributes, as stored: also those of an older schema version.
    #[must_use]
    pub fn attributes(&self) -> Tree<'_> {
        let stored = ["attributes", "attributes_flat"];
        let value = stored.iter().find_map(|name| self.json.get(*name)).unwrap_or(&Json::Null);
        Tree::new(value, &Json::Null, &self.sensitive)
    }

    /// The identity; null if there is none.
    #[must_use]
    pub fn identity(&self) -> Tree<'a> {
        Tree::plain(&self.json["identity"])
    }

    /// The provider's private data; empty if there is none.
    #[must_use]
    pub fn private(&self) -> Vec<u8> {
        let text = self.json["private"].as_str().unwrap_or_default();
        STANDARD.decode(text).unwrap_or_default()
    }

    /// Whether the next plan replaces it.
    #[must_use]
    pub fn is_tainted(&self) -> bool {
        self.json["status"] == "tainted"
    }

    /// Whether its replacement is created first.
    #[must_use]
    pub fn create_before_destroy(&self) -> bool {
        self.json["create_before_destroy"].as_bool().unwrap_or_default()
    }

    /// The version of the schema it was written with.
    #[must_use]
    pub fn schema_version(&self) -> i64 {
        self.json["schema_version"].as_i64().unwrap_or_default()
    }

    /// The version of the identity schema it was written with.
    #[must_use]
    pub fn identity_schema_version(&self) -> i64 {
        self.json["identity_schema_version"].as_i64().unwrap_or_default()
    }

    /// The addresses of the resources it depends on.
    #[must_use]
    pub fn dependencies(&self) -> Vec<&'a str> {
        members(self.json, "dependencies").filter_map(Json::as_str).collect()
    }

    /// Address and id, for people.
    pub(crate) fn label(&self) -> String {
        let deposed = self.deposed().map(|key| format!(" (deposed {key})")).unwrap_or_default();
        let id = self.attributes().member("id");
        let id = if id.is_null() { String::new() } else { format!(" (id {id})") };
        format!("{}{deposed}{id}", self.address)
    }
}

fn resource_address(resource: &Json) -> String {
    let part = |name: &str| resource.get(name).and_then(Json::as_str).unwrap_or_default();
    let module = if part("module").is_empty() { String::new() } else { format!("{}.", part("module")) };
    let prefix = Mode::prefix_of_json(part("mode"));
    format!("{module}{prefix}{}.{}", part("type"), part("name"))
}

/// The tree of marks that `sensitive_attributes` says; list elements are members named by their index.
fn marks(instance: &Json) -> Json {
    let mut root = Json::Null;
    for path in members(instance, "sensitive_attributes") {
        let mut tree = &mut root;
        for step in path.as_array().into_iter().flatten() {
            // What is in a sensitive value is marked with it.
            if *tree == true {
                break;
            }
            let value = &step["value"];
            // An index is an object with its type beside its value.
            let value = value.get("value").unwrap_or(value);
            tree = &mut tree[value.as_str().map_or_else(|| value.to_string(), str::to_owned)];
        }
        *tree = Json::Bool(true);
    }
    root
}

/// Shows no values.
impl fmt::Debug for StateView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.objects()).finish()
    }
}

/// Shows no values.
impl fmt::Debug for ObjectView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address)
    }
}
