//! `GetProviderSchema`: every schema, checked, and built one at a time while the answer is encoded.

use std::sync::{Arc, Mutex, PoisonError};

use crate::diag::Diagnostics;
use crate::dynamic;
use crate::protocol::{GetProviderSchemaRequest, GetProviderSchemaResponse, SchemaKind, SchemaSource};
use crate::schema::{Schema, SchemaRole};
use crate::server::types::{META, mistaken};
use crate::server::{CAPABILITIES, Server, author};

pub(super) fn handle(server: &Server, _request: GetProviderSchemaRequest) -> GetProviderSchemaResponse {
    let source = Schemas { provider: Arc::clone(server.provider()), mistakes: Mutex::default() };
    GetProviderSchemaResponse {
        server_capabilities: CAPABILITIES(),
        diagnostics: server.provider().mistakes(),
        schemas: Some(Arc::new(source)),
    }
}

/// The schemas of a provider; those with mistakes are left out and reported.
struct Schemas {
    provider: Arc<dyn dynamic::Provider>,
    mistakes: Mutex<Diagnostics>,
}

impl Schemas {
    fn checked(&self, what: &str, role: SchemaRole, schema: impl FnOnce() -> Schema) -> Option<Schema> {
        let checked = author::call(schema).and_then(|schema| match schema.check_as(role) {
            Ok(()) => Ok(schema),
            Err(mistakes) => Err(mistaken(what, &mistakes).into()),
        });
        self.mistakes.lock().unwrap_or_else(PoisonError::into_inner).record(checked)
    }
}

impl SchemaSource for Schemas {
    fn provider(&self) -> Schema {
        let what = "the provider configuration";
        self.checked(what, SchemaRole::Provider, || self.provider.schema()).unwrap_or_default()
    }

    fn provider_meta(&self) -> Option<Schema> {
        // A mistake is reported with those of the other schemas, and leaves the block out.
        let schema = self
            .mistakes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .record(author::call(|| self.provider.meta_schema()))??;
        self.checked(META, SchemaRole::ProviderMeta, || schema)
    }

    fn schemas(&self, kind: SchemaKind, each: &mut dyn FnMut(&str, Schema)) {
        match kind {
            SchemaKind::Resource => {
                for name in self.provider.resource_names() {
                    let Some(resource) = self.provider.resource(&name) else { continue };
                    if let Some(schema) = self.checked(&name, SchemaRole::Resource, || resource.schema()) {
                        each(&name, schema);
                    }
                }
            }
            SchemaKind::DataSource => {
                for name in self.provider.data_source_names() {
                    let Some(source) = self.provider.data_source(&name) else { continue };
                    if let Some(schema) = self.checked(&name, SchemaRole::DataSource, || source.schema()) {
                        each(&name, schema);
                    }
                }
            }
            SchemaKind::EphemeralResource
            | SchemaKind::ListResource
            | SchemaKind::StateStore
            | SchemaKind::Action => {}
        }
    }

    fn mistakes(&self) -> Diagnostics {
        self.mistakes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
