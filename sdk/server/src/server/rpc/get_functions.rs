//! `GetFunctions`: the signatures of all functions, checked.

use crate::dynamic::Function;
use crate::protocol::{GetFunctionsRequest, GetFunctionsResponse};
use crate::server::schema_cache::checked_signature;
use crate::server::{Server, failed};

pub(super) fn handle(server: &Server, _request: GetFunctionsRequest) -> GetFunctionsResponse {
    let mut response = GetFunctionsResponse::default();
    let catalogue = match server.types().catalogue() {
        Ok(catalogue) => catalogue,
        Err(error) => return GetFunctionsResponse { diagnostics: failed(error), ..response },
    };
    for (name, function) in catalogue.of::<dyn Function>() {
        if let Some(signature) = response.diagnostics.record(checked_signature(function.as_ref(), name)) {
            response.functions.push((name.to_owned(), signature));
        }
    }
    response
}
