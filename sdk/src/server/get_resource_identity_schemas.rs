//! `GetResourceIdentitySchemas`: the identity schemas of all types that have one, checked.

use crate::protocol::{GetResourceIdentitySchemasRequest, GetResourceIdentitySchemasResponse};
use crate::server::types::known_identity;
use crate::server::{Server, failed};

pub(super) fn handle(
    server: &Server,
    _request: GetResourceIdentitySchemasRequest,
) -> GetResourceIdentitySchemasResponse {
    let provider = server.provider();
    let mut response = GetResourceIdentitySchemasResponse::default();
    for name in provider.resource_names() {
        let Some(resource) = provider.resource(&name) else { continue };
        match known_identity(resource.as_ref(), &name) {
            Ok(Some(identity)) => {
                response.identity_schemas.insert(name, identity.schema);
            }
            Ok(None) => {}
            Err(error) => response.diagnostics.extend(failed(error)),
        }
    }
    response
}
