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
        names_by_kind: Kind::ALL.iter().map(|kind| (*kind, catalogue.names(*kind))).collect(),
    })
}
