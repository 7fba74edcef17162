//! `GetResourceIdentitySchemas`: the identity schemas of all types that have one, checked.

use crate::dynamic::Resource;
use crate::protocol::{GetResourceIdentitySchemasRequest, GetResourceIdentitySchemasResponse};
use crate::server::schema_cache::load_identity_schema;
use crate::server::{Server, failed};

pub(super) fn handle(
    server: &Server,
    _request: GetResourceIdentitySchemasRequest,
) -> GetResourceIdentitySchemasResponse {
    let mut response = GetResourceIdentitySchemasResponse::default();
    let catalogue = match server.types().catalogue() {
        Ok(catalogue) => catalogue,
        Err(error) => return GetResourceIdentitySchemasResponse { diagnostics: failed(error), ..response },
    };
    for (name, resource) in catalogue.of::<dyn Resource>() {
        let identity = response.diagnostics.record(load_identity_schema(resource.as_ref(), name));
        if let Some(identity) = identity.flatten() {
            response.identity_schemas.push((name.to_owned(), identity.schema));
        }
    }
    response
}
