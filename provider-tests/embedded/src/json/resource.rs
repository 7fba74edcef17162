//! What all forms say about a resource instance, and the tree of modules that holds them.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::address::{InstanceAddress, InstanceKey, ModuleInstance, ProviderAddress};

/// The address of an instance, whole and in parts.
pub(super) fn address(address: &InstanceAddress, provider: &ProviderAddress) -> Map<String, Json> {
    let resource = &address.resource;
    let mut json = Map::new();
    json.insert("address".to_owned(), address.to_string().into());
    json.insert("mode".to_owned(), resource.mode.in_json().into());
    json.insert("type".to_owned(), resource.type_name.as_str().into());
    json.insert("name".to_owned(), resource.name.as_str().into());
    json.insert("provider_name".to_owned(), provider.to_string().into());
    match &address.key {
        InstanceKey::None => None,
        InstanceKey::Index(index) => json.insert("index".to_owned(), (*index).into()),
        InstanceKey::Key(key) => json.insert("index".to_owned(), key.as_str().into()),
    };
    json
}

/// A module with its resources and child modules.
#[derive(Default)]
pub(super) struct Module {
    resources: Vec<Json>,
    children: BTreeMap<(String, InstanceKey), Module>,
}

impl Module {
    /// Adds a resource of this module or of one below it.
    pub(super) fn add(&mut self, module: &ModuleInstance, resource: Map<String, Json>) {
        let module =
            module.0.iter().fold(self, |parent, step| parent.children.entry(step.clone()).or_default());
        module.resources.push(Json::Object(resource));
    }

    /// The root module.
    pub(super) fn into_json(self) -> Json {
        self.members(&mut ModuleInstance::default()).into()
    }

    fn members(self, address: &mut ModuleInstance) -> Map<String, Json> {
        let mut json = Map::new();
        if !address.0.is_empty() {
            json.insert("address".to_owned(), address.to_string().into());
        }
        if !self.resources.is_empty() {
            json.insert("resources".to_owned(), self.resources.into());
        }
        let children = self.children.into_iter().map(|(step, child)| {
            address.0.push(step);
            let json = Json::Object(child.members(address));
            address.0.pop();
            json
        });
        let children: Vec<Json> = children.collect();
        if !children.is_empty() {
            json.insert("child_modules".to_owned(), children.into());
        }
        json
    }
}
