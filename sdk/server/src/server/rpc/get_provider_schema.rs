//! `GetProviderSchema`: every schema, checked, and built one at a time while the answer is encoded.

use std::sync::{Arc, Mutex, PoisonError};

use crate::diag::{Diagnostics, Result};
use crate::dynamic::{self, Catalogue, Function};
use crate::protocol::{GetProviderSchemaRequest, GetProviderSchemaResponse, SchemaSource};
use crate::schema::{FunctionSignature, Kind, Schema, SchemaRole};
use crate::server::rpc::get_functions::checked_signature;
use crate::server::schema_cache::{META, checked};
use crate::server::{CAPABILITIES, Server, provider_code};

pub(in crate::server) fn handle(
    server: &Server,
    _request: &GetProviderSchemaRequest,
) -> Result<GetProviderSchemaResponse> {
    let catalogue = server.inner.types.catalogue()?.clone();
    let diagnostics = catalogue.mistakes();
    let source =
        Schemas { provider: Arc::clone(&server.inner.provider), catalogue, mistakes: Mutex::default() };
    let schemas: Option<Arc<dyn SchemaSource>> = Some(Arc::new(source));
    Ok(GetProviderSchemaResponse { server_capabilities: CAPABILITIES(), diagnostics, schemas })
}

/// The schemas of a provider; those with mistakes are left out and reported.
struct Schemas {
    provider: Arc<dyn dynamic::Provider>,
    catalogue: Catalogue,
    mistakes: Mutex<Diagnostics>,
}

impl Schemas {
    fn checked(&self, what: &str, role: SchemaRole, schema: impl FnOnce() -> Schema) -> Option<Schema> {
        self.record(provider_code::isolated_sync(schema).and_then(|schema| checked(schema, role, what)))
    }

    /// Keeps what was found, or remembers what is wrong with it.
    fn record<T>(&self, found: Result<T>) -> Option<T> {
        self.mistakes.lock().unwrap_or_else(PoisonError::into_inner).record(found)
    }
}

impl SchemaSource for Schemas {
    fn provider(&self) -> Schema {
        let what = "the provider configuration";
        self.checked(what, SchemaRole::Provider, || self.provider.schema()).unwrap_or_default()
    }

    fn provider_meta(&self) -> Option<Schema> {
        // A mistake is reported with those of the other schemas, and leaves the block out.
        let schema = self.record(provider_code::isolated_sync(|| self.provider.meta_schema()))??;
        self.checked(META, SchemaRole::ProviderMeta, || schema)
    }

    fn schemas(&self, kind: Kind, each: &mut dyn FnMut(&str, Schema)) {
        for (name, offer) in self.catalogue.kind(kind) {
            let schema = || offer.schema().unwrap_or_default();
            if let Some(schema) = self.checked(name, SchemaRole::Of(kind), schema) {
                each(name, schema);
            }
        }
    }

    fn functions(&self, each: &mut dyn FnMut(&str, FunctionSignature)) {
        for (name, function) in self.catalogue.of::<dyn Function>() {
            if let Some(signature) = self.record(checked_signature(function.as_ref(), name)) {
                each(name, signature);
            }
        }
    }

    fn mistakes(&self) -> Diagnostics {
        self.mistakes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
