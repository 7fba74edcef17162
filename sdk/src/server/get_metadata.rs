//! `GetMetadata`: names of everything, without building a schema.

use crate::protocol::{GetMetadataRequest, GetMetadataResponse};
use crate::server::{CAPABILITIES, Server};

pub(super) fn handle(server: &Server, _request: GetMetadataRequest) -> GetMetadataResponse {
    GetMetadataResponse {
        server_capabilities: CAPABILITIES(),
        diagnostics: server.provider().mistakes(),
        data_sources: server.provider().data_source_names(),
        resources: server.provider().resource_names(),
        ..GetMetadataResponse::default()
    }
}
