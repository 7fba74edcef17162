//! `GetProviderSchema`: every schema, checked, and built one at a time while the answer is encoded.

use std::sync::{Arc, Mutex, PoisonError};

use crate::diag::Diagnostics;
use crate::dynamic;
use crate::protocol::{GetProviderSchemaRequest, GetProviderSchemaResponse, SchemaKind, SchemaSource};
use crate::schema::{Schema, SchemaRole};
use crate::server::types::mistaken;
use crate::server::{CAPABILITIES, Server};

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
    fn checked(&self, what: &str, role: SchemaRole, schema: Schema) -> Option<Schema> {
        match schema.check_as(role) {
            Ok(()) => Some(schema),
            Err(mistakes) => {
                let mut all = self.mistakes.lock().unwrap_or_else(PoisonError::into_inner);
                all.push(mistaken(what, &mistakes));
                None
            }
        }
    }
}

impl SchemaSource for Schemas {
    fn provider(&self) -> Schema {
        let what = "the provider configuration";
        self.checked(what, SchemaRole::Provider, self.provider.schema()).unwrap_or_default()
    }

    fn schemas(&self, kind: SchemaKind, each: &mut dyn FnMut(&str, Schema)) {
        let mut give = |name: &str, role, schema: Option<Schema>| {
            if let Some(schema) = schema.and_then(|schema| self.checked(name, role, schema)) {
                each(name, schema);
            }
        };
        match kind {
            SchemaKind::Resource => {
                for name in self.provider.resource_names() {
                    let resource = self.provider.resource(&name);
                    give(&name, SchemaRole::Resource, resource.map(|resource| resource.schema()));
                }
            }
            SchemaKind::DataSource => {
                for name in self.provider.data_source_names() {
                    let data_source = self.provider.data_source(&name);
                    give(&name, SchemaRole::DataSource, data_source.map(|data_source| data_source.schema()));
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
