//! `ReadResource`: refreshes a stored object. An error keeps the stored state byte for byte; a read without
//! a state says that the object no longer exists. A null state does not say so.

use crate::cancel::Cancellation;
use crate::diag::{Error, Result};
use crate::dynamic::{Context, Resource};
use crate::plan;
use crate::protocol::{ReadResourceRequest, ReadResourceResponse};
use crate::schema::Operation;
use crate::server::deadline::Deadline;
use crate::server::identity::{self, IdentityOwner};
use crate::server::{Server, deferral, drift, moved, normalize, value_codec, write_only_values};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ReadResourceRequest,
) -> ReadResourceResponse {
    let mut cx = server.deferrable_context(stop, request.client_capabilities);
    let mut response = ReadResourceResponse {
        new_state: request.current_state.clone(),
        private: request.private.clone(),
        new_identity: request.current_identity.clone(),
        ..ReadResourceResponse::default()
    };
    let outcome: Result = async {
        let of = server.inner.types.of::<dyn Resource>(&request.type_name)?;
        cx.provider_meta = server.meta(&request.provider_meta)?;
        let prior = value_codec::decode(&request.current_state, &of.typed.ty, "stored state")?;
        cx.private = value_codec::private(&request.private, |warning| cx.diagnostics.push(warning))?;
        let identity = moved::current_identity(&mut cx.private, &of, request.current_identity.as_ref())?;
        cx.identity.clone_from(&identity);
        let is_deferred = cx.deferred.is_some();
        let deadline = Deadline::new(&mut cx, &of.typed.schema.block, Operation::Read, &prior)?;
        let read = if is_deferred {
            Ok(None)
        } else {
            deadline.act(of.resource.read(&mut Context::new(&mut cx), prior.clone())).await
        };
        if cx.deferred.is_some() {
            response.deferred = deferral(&mut cx);
            return read.map(|_| ());
        }
        let Some(mut state) = read? else {
            if !cx.diagnostics.has_errors() {
                response.new_state = value_codec::null();
                response.new_identity = None;
            }
            return Ok(());
        };
        if state.is_null() {
            return Err(nothing(&request.type_name));
        }
        let block = &of.typed.schema.block;
        normalize::absent_blocks(&block.blocks, &mut state);
        drift::report(&request.type_name, "read", &plan::refresh(block, &prior, &mut state));
        for violation in plan::wholly_known(&state).into_iter().chain(plan::write_only_null(block, &state)) {
            cx.diagnostics.push(violation.diagnostic(&request.type_name, "read"));
        }
        if cx.diagnostics.has_errors() {
            return Ok(());
        }
        let state = write_only_values::without_values(block, state);
        // Only of an object that exists: a deleted one needs no identity, also if none was stored.
        let subject = IdentityOwner { cx: &cx, of: &of, type_name: &request.type_name, method: "read" };
        let new_identity = identity::of_state(subject, &state, identity.as_ref())?;
        response.new_state = value_codec::encode(&state, &of.typed.ty, "state")?;
        if of.identity.is_some() {
            response.new_identity = new_identity;
        }
        response.private = cx.private.encode();
        Ok(())
    }
    .await;
    cx.diagnostics.record(outcome);
    response.diagnostics = cx.diagnostics;
    response
}

fn nothing(type_name: &str) -> Error {
    Error::new(
        "Provider Returned No Object",
        format!(
            "`read` of `{type_name}` returned null as the state of the object. This is a bug in the provider: for an \
             object that no longer exists `read` must return no state at all."
        ),
    )
}
