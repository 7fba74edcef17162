//! `ImportResourceState`: finds an existing object by its id. Core reads it right afterwards.

use crate::cancel::Cancellation;
use crate::diag::{Error, Result};
use crate::plan;
use crate::protocol::{ImportResourceStateRequest, ImportResourceStateResponse, ImportedResource};
use crate::server::{Server, author, deferral_refused, failed, values};
use crate::value::Value;

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ImportResourceStateRequest,
) -> ImportResourceStateResponse {
    let mut cx = server.context_or_put_off(stop, request.client_capabilities);
    let mut response = ImportResourceStateResponse::default();
    let outcome: Result = async {
        let of = server.types().resource(&request.type_name)?;
        if request.id.is_empty() {
            return Err(no_id(&request.type_name));
        }
        let put_off = cx.deferred.is_some();
        let found =
            if put_off { None } else { author::act(of.resource.import(&mut cx, &request.id)).await? };
        let Some(state) = found.filter(|state| !state.is_null()) else {
            // An import that is put off has found nothing yet.
            return if cx.deferred.is_some() {
                Ok(())
            } else {
                Err(not_found(&request.type_name, &request.id))
            };
        };
        let block = &of.known.schema.block;
        let mut state = state;
        // Nothing is stored yet, so there is nothing to compare with; but keys of others are left out from the start.
        plan::refresh(block, &Value::Null, &mut state);
        for breach in
            plan::known(&state).into_iter().chain(plan::write_only_null(&of.known.schema.block, &state))
        {
            cx.diagnostics.push(breach.diagnostic(&request.type_name, "import"));
        }
        let mut state = values::without_write_only(&of.known.schema.block, state);
        values::reify_blocks(&of.known.schema.block.blocks, &mut state);
        response.imported_resources.push(ImportedResource {
            type_name: request.type_name.clone(),
            state: values::encode(&state, &of.known.ty, "imported state")?,
            private: cx.private.encode(),
            identity: None,
        });
        Ok(())
    }
    .await;
    if let Err(error) = outcome {
        cx.diagnostics.extend(failed(error));
    }
    if cx.deferred.is_some() {
        match request.client_capabilities.deferral_allowed {
            true => response.deferred = cx.deferred,
            false => cx.diagnostics.push(deferral_refused()),
        }
    }
    if cx.diagnostics.has_errors() {
        response.imported_resources.clear();
    }
    response.diagnostics = cx.diagnostics;
    response
}

fn no_id(type_name: &str) -> Error {
    Error::new(
        "Import Needs An Id",
        format!("Objects of type `{type_name}` are imported by an id; give one that is not empty."),
    )
}

fn not_found(type_name: &str, id: &str) -> Error {
    Error::new(
        "Object Not Found",
        format!("There is no object of type `{type_name}` with the import id {id:?}. Check the id."),
    )
}
