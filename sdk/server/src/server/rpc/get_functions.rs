//! `GetFunctions`: the signatures of all functions, checked.

use crate::diag::Result;
use crate::dynamic::Function;
use crate::protocol::{GetFunctionsRequest, GetFunctionsResponse};
use crate::schema::FunctionSignature;
use crate::server::schema_cache::schema_error;
use crate::server::{Server, provider_code};

pub(super) fn handle(server: &Server, _request: &GetFunctionsRequest) -> Result<GetFunctionsResponse> {
    let mut response = GetFunctionsResponse::default();
    for (name, function) in server.inner.types.catalogue()?.of::<dyn Function>() {
        if let Some(signature) = response.diagnostics.record(checked_signature(function.as_ref(), name)) {
            response.functions.push((name.to_owned(), signature));
        }
    }
    Ok(response)
}

/// The signature of a function.
///
/// # Errors
/// Mistakes in it.
pub(super) fn checked_signature(function: &dyn Function, name: &str) -> Result<FunctionSignature> {
    let signature = provider_code::isolated_sync(|| function.signature())?;
    let what = || format!("the function {name}");
    signature.check_as(name).map_err(|mistakes| schema_error(&what(), &mistakes))?;
    Ok(signature)
}
