//! `GetFunctions`: the signatures of all functions, checked.

use crate::diag::Result;
use crate::dynamic::Function;
use crate::protocol::{GetFunctionsRequest, GetFunctionsResponse};
use crate::server::Server;
use crate::server::schema_cache::checked_signature;

pub(super) fn handle(server: &Server, _request: &GetFunctionsRequest) -> Result<GetFunctionsResponse> {
    let mut response = GetFunctionsResponse::default();
    for (name, function) in server.inner.types.catalogue()?.of::<dyn Function>() {
        if let Some(signature) = response.diagnostics.record(checked_signature(function.as_ref(), name)) {
            response.functions.push((name.to_owned(), signature));
        }
    }
    Ok(response)
}
