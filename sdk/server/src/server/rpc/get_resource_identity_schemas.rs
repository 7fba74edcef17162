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
        match load_identity_schema(resource.as_ref(), name) {
            Ok(Some(identity)) => {
                response.identity_schemas.push((name.to_owned(), identity.schema));
            }
            Ok(None) => {}
            Err(error) => response.diagnostics.extend(failed(error)),
        }
    }
    response
}
