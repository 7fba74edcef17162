//! A state, as its file holds it (format 4).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value as Json, json};

use super::tree::Tree;
use crate::address::Mode;
use crate::address::quoted;

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
}

const NULL: &Json = &Json::Null;

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
        let resources = members(&self.json, "resources");
        resources
            .flat_map(|resource| {
                let address = resource_address(resource);
                let managed = resource.get("mode").and_then(Json::as_str) != Some("data");
                members(resource, "instances").map(move |json| {
                    let key = match json.get("index_key") {
                        Some(Json::String(key)) => format!("[{}]", quoted(key)),
                        Some(Json::Number(index)) => format!("[{index}]"),
                        _ => String::new(),
                    };
                    let sensitive = marks(json.get("sensitive_attributes").unwrap_or(NULL));
                    ObjectView { address: format!("{address}{key}"), managed, json, sensitive }
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
        let sensitive = output.get("sensitive").unwrap_or(NULL);
        Some(Tree::new(output.get("value").unwrap_or(NULL), NULL, sensitive))
    }

    /// The names of the root outputs.
    #[must_use]
    pub fn outputs(&self) -> Vec<&str> {
        let outputs = self.json.get("outputs").and_then(Json::as_object).into_iter().flatten();
        outputs.map(|(name, _)| name.as_str()).collect()
    }

    /// Marks the current object at an address as tainted. Whether there is one.
    pub(crate) fn taint(&mut self, address: &str) -> bool {
        self.edit(address, |instances, at| {
            if let Some(instance) = instances.get_mut(at) {
                instance["status"] = json!("tainted");
            }
        })
    }

    /// Forgets the current object at an address, as `state rm` does. Whether there was one.
    pub(crate) fn forget(&mut self, address: &str) -> bool {
        let found = self.edit(address, |instances, at| {
            instances.remove(at);
        });
        if let Some(resources) = self.json.get_mut("resources").and_then(Json::as_array_mut) {
            resources.retain(|resource| members(resource, "instances").next().is_some());
        }
        found
    }

    fn edit(&mut self, address: &str, change: impl FnOnce(&mut Vec<Json>, usize)) -> bool {
        let place = |state: &Self| {
            let mut objects = state.objects().into_iter();
            let target = objects.find(|it| it.address == address && it.deposed().is_none())?.json;
            let mut resources = members(&state.json, "resources").enumerate();
            resources.find_map(|(at, resource)| {
                members(resource, "instances")
                    .position(|it| std::ptr::eq(it, target))
                    .map(|in_it| (at, in_it))
            })
        };
        let Some((resource, instance)) = place(self) else { return false };
        let instances = self.json.get_mut("resources").and_then(|all| all.get_mut(resource));
        let instances = instances.and_then(|it| it.get_mut("instances")).and_then(Json::as_array_mut);
        if let Some(instances) = instances {
            change(instances, instance);
        }
        let serial = self.json.get("serial").and_then(Json::as_u64).unwrap_or_default();
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
        let value = stored.iter().find_map(|name| self.json.get(*name)).unwrap_or(NULL);
        Tree::new(value, NULL, &self.sensitive)
    }

    /// The identity; null if there is none.
    #[must_use]
    pub fn identity(&self) -> Tree<'a> {
        Tree::plain(self.json.get("identity").unwrap_or(NULL))
    }

    /// The provider's private data; empty if there is none.
    #[must_use]
    pub fn private(&self) -> Vec<u8> {
        let text = self.json.get("private").and_then(Json::as_str).unwrap_or_default();
        STANDARD.decode(text).unwrap_or_default()
    }

    /// Whether the next plan replaces it.
    #[must_use]
    pub fn is_tainted(&self) -> bool {
        self.json.get("status").and_then(Json::as_str) == Some("tainted")
    }

    /// Whether its replacement is created first.
    #[must_use]
    pub fn create_before_destroy(&self) -> bool {
        self.json.get("create_before_destroy").and_then(Json::as_bool).unwrap_or_default()
    }

    /// The version of the schema it was written with.
    #[must_use]
    pub fn schema_version(&self) -> i64 {
        self.json.get("schema_version").and_then(Json::as_i64).unwrap_or_default()
    }

    /// The version of the identity schema it was written with.
    #[must_use]
    pub fn identity_schema_version(&self) -> i64 {
        self.json.get("identity_schema_version").and_then(Json::as_i64).unwrap_or_default()
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
fn marks(paths: &Json) -> Json {
    let mut root = Json::Null;
    for path in paths.as_array().into_iter().flatten() {
        let names = path.as_array().into_iter().flatten().map(|step| {
            let value = step.get("value").unwrap_or(NULL);
            // An index is an object with its type beside its value.
            let value = value.get("value").unwrap_or(value);
            value.as_str().map_or_else(|| value.to_string(), str::to_owned)
        });
        mark(&mut root, &mut names.collect::<Vec<_>>().into_iter());
    }
    root
}

fn mark(tree: &mut Json, names: &mut std::vec::IntoIter<String>) {
    if *tree == Json::Bool(true) {
        return;
    }
    let Some(name) = names.next() else {
        *tree = Json::Bool(true);
        return;
    };
    if !tree.is_object() {
        *tree = Json::Object(Map::new());
    }
    if let Some(members) = tree.as_object_mut() {
        mark(members.entry(name).or_insert(Json::Null), names);
    }
}

fn members<'a>(json: &'a Json, name: &str) -> impl Iterator<Item = &'a Json> + use<'a> {
    json.get(name).and_then(Json::as_array).into_iter().flatten()
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
