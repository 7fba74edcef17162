//! `ReadResource`: refreshes a stored object. An error keeps the stored state byte for byte; only a read that says
//! so, by returning no state, makes the object gone. A null state does not say so.

use crate::cancel::Cancellation;
use crate::diag::{Error, Result};
use crate::plan;
use crate::protocol::{ReadResourceRequest, ReadResourceResponse};
use crate::server::{Server, author, deferral_refused, failed, values};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ReadResourceRequest,
) -> ReadResourceResponse {
    let mut cx = server.context_or_put_off(stop, request.client_capabilities);
    let mut response = ReadResourceResponse {
        new_state: request.current_state.clone(),
        private: request.private.clone(),
        new_identity: request.current_identity.clone(),
        ..ReadResourceResponse::default()
    };
    let outcome: Result = async {
        let of = server.types().resource(&request.type_name)?;
        cx.provider_meta = server.meta(&request.provider_meta)?;
        let prior = values::decode(&request.current_state, &of.known.ty, "stored state")?;
        cx.private = values::private(&request.private, |warning| cx.diagnostics.push(warning))?;
        let put_off = cx.deferred.is_some();
        let read =
            if put_off { Ok(None) } else { author::act(of.resource.read(&mut cx, prior.clone())).await };
        if cx.deferred.is_some() {
            match request.client_capabilities.deferral_allowed {
                true => response.deferred = cx.deferred,
                false => cx.diagnostics.push(deferral_refused()),
            }
            return read.map(|_| ());
        }
        let Some(mut state) = read? else {
            if !cx.diagnostics.has_errors() {
                response.new_state = values::null();
                response.new_identity = None;
            }
            return Ok(());
        };
        if state.is_null() {
            return Err(nothing(&request.type_name));
        }
        plan::respell(&mut state, &prior);
        for breach in
            plan::known(&state).into_iter().chain(plan::write_only_null(&of.known.schema.block, &state))
        {
            cx.diagnostics.push(breach.diagnostic(&request.type_name, "read"));
        }
        if cx.diagnostics.has_errors() {
            return Ok(());
        }
        let mut state = values::without_write_only(&of.known.schema.block, state);
        values::reify_blocks(&of.known.schema.block.blocks, &mut state);
        response.new_state = values::encode(&state, &of.known.ty, "state")?;
        response.private = cx.private.encode();
        Ok(())
    }
    .await;
    if let Err(error) = outcome {
        cx.diagnostics.extend(failed(error));
    }
    response.diagnostics = cx.diagnostics;
    response
}

fn nothing(type_name: &str) -> Error {
    Error::new(
        "Provider Returned No Object",
        format!(
            "`read` of `{type_name}` returned null as the state of the object. This is a bug in the provider: for an \
             object that is gone `read` must return no state at all."
        ),
    )
}
