//! The types of a provider.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::data_source::{self, DataSource};
use crate::diag::{Diagnostic, Diagnostics};
use crate::dynamic;
use crate::provider::ClientSlot;
use crate::resource::{self, Resource};

/// Collects the types of a provider whose client is `C`.
///
/// Registering is a table entry; the schema of a type is built when a call needs it.
pub struct Registry<C> {
    provider: &'static str,
    client: ClientSlot<C>,
    pub(super) resources: BTreeMap<String, Arc<dyn dynamic::Resource>>,
    pub(super) data_sources: BTreeMap<String, Arc<dyn dynamic::DataSource>>,
    pub(super) mistakes: Diagnostics,
}

impl<C: Send + Sync + 'static> Registry<C> {
    pub(super) fn new(provider: &'static str, client: ClientSlot<C>) -> Self {
        Self {
            provider,
            client,
            resources: BTreeMap::new(),
            data_sources: BTreeMap::new(),
            mistakes: Diagnostics::default(),
        }
    }

    /// Adds a managed resource type.
    pub fn resource<R: Resource<Client = C>>(&mut self) -> &mut Self {
        let resource = Arc::new(resource::Erased::<R>::new(self.client.clone()));
        self.dynamic_resource(R::NAME, resource)
    }

    /// Adds a data source type.
    pub fn data_source<D: DataSource<Client = C>>(&mut self) -> &mut Self {
        let data_source = Arc::new(data_source::Erased::<D>::new(self.client.clone()));
        self.dynamic_data_source(D::NAME, data_source)
    }

    /// Adds a managed resource type whose schema is known at run time only.
    pub fn dynamic_resource(&mut self, name: &str, resource: Arc<dyn dynamic::Resource>) -> &mut Self {
        let type_name = self.type_name(name);
        if self.resources.insert(type_name.clone(), resource).is_some() {
            self.mistakes.push(twice("resource", &type_name));
        }
        self
    }

    /// Adds a data source type whose schema is known at run time only.
    pub fn dynamic_data_source(
        &mut self,
        name: &str,
        data_source: Arc<dyn dynamic::DataSource>,
    ) -> &mut Self {
        let type_name = self.type_name(name);
        if self.data_sources.insert(type_name.clone(), data_source).is_some() {
            self.mistakes.push(twice("data source", &type_name));
        }
        self
    }

    fn type_name(&self, name: &str) -> String {
        if name.is_empty() { self.provider.to_owned() } else { format!("{}_{name}", self.provider) }
    }
}

fn twice(what: &str, type_name: &str) -> Diagnostic {
    Diagnostic::error(
        "Type Registered Twice",
        format!(
            "Two {what} types are named `{type_name}`. This is a bug in the provider: each needs its own name."
        ),
    )
}

impl<C> fmt::Debug for Registry<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("resources", &self.resources.keys())
            .field("data_sources", &self.data_sources.keys())
            .finish_non_exhaustive()
    }
}
