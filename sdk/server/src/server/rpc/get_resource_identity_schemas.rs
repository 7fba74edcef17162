//! `GetResourceIdentitySchemas`: the identity schemas of all types that have one, checked.

use crate::diag::Result;
use crate::dynamic::Resource;
use crate::protocol::{GetResourceIdentitySchemasRequest, GetResourceIdentitySchemasResponse};
use crate::server::Server;
use crate::server::schema_cache::load_identity_schema;

pub(super) fn handle(
    server: &Server,
    _request: &GetResourceIdentitySchemasRequest,
) -> Result<GetResourceIdentitySchemasResponse> {
    let mut response = GetResourceIdentitySchemasResponse::default();
    for (name, resource) in server.inner.types.catalogue()?.of::<dyn Resource>() {
        let identity = response.diagnostics.record(load_identity_schema(resource.as_ref(), name));
        if let Some(identity) = identity.flatten() {
            response.identity_schemas.push((name.to_owned(), identity.schema));
        }
    }
    Ok(response)
}
