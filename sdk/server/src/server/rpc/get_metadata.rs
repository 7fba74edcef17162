//! `GetMetadata`: names of everything, without building a schema.

use crate::diag::Result;
use crate::protocol::{GetMetadataRequest, GetMetadataResponse};
use crate::schema::Kind;
use crate::server::{CAPABILITIES, Server};

pub(super) fn handle(server: &Server, _request: &GetMetadataRequest) -> Result<GetMetadataResponse> {
    let catalogue = server.inner.types.catalogue()?;
    Ok(GetMetadataResponse {
        server_capabilities: CAPABILITIES(),
        diagnostics: catalogue.mistakes(),
        data_sources: catalogue.names(Kind::DataSource),
        resources: catalogue.names(Kind::Resource),
        functions: catalogue.names(Kind::Function),
        ephemeral_resources: catalogue.names(Kind::EphemeralResource),
        list_resources: catalogue.names(Kind::ListResource),
        state_stores: catalogue.names(Kind::StateStore),
        actions: catalogue.names(Kind::Action),
    })
}
