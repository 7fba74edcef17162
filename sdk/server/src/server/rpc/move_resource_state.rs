//! `MoveResourceState`: a stored object of another type, or of another provider, becomes one of this type. Core asks
//! an unconfigured provider.

use crate::cancel::Cancellation;
use crate::diag::{Error, Result};
use crate::dynamic::{CallState, Context, MoveSource, Resource};
use crate::plan;
use crate::protocol::{ClientCapabilities, MoveResourceStateRequest, MoveResourceStateResponse};
use crate::server::identity::{self, IdentityOwner};
use crate::server::{Server, moved, normalize, provider_code, unless_failed, value_codec, write_only_values};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: MoveResourceStateRequest,
) -> MoveResourceStateResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let outcome = take(server, &mut cx, request).await;
    let response = unless_failed(&mut cx, outcome).unwrap_or_default();
    MoveResourceStateResponse { diagnostics: cx.diagnostics, ..response }
}

async fn take(
    server: &Server,
    cx: &mut CallState,
    request: MoveResourceStateRequest,
) -> Result<MoveResourceStateResponse> {
    let type_name = &request.target_type_name;
    let of = server.inner.types.of::<dyn Resource>(type_name)?;
    let block = &of.typed.schema.block;
    let refused = refused(&request);
    let Some(state) = request.source_state else { return Err(refused) };
    cx.private = value_codec::private(&request.source_private, |warning| cx.diagnostics.push(warning))?;
    moved::forget(&mut cx.private);
    let mut source = MoveSource::new(request.source_provider_address, request.source_type_name, state);
    source.version = request.source_schema_version;
    let is_identity_sent = moved::is_identity_sent(request.source_identity.as_ref());
    source.identity = request.source_identity;
    let state = provider_code::isolated(of.resource.move_state(&mut Context::new(cx), source))
        .await?
        .ok_or(refused)?;
    for violation in plan::wholly_known(&state).into_iter().chain(plan::write_only_null(block, &state)) {
        cx.diagnostics.push(violation.diagnostic(type_name, "moves"));
    }
    let mut state = write_only_values::without_values(block, state);
    normalize::absent_blocks(&block.blocks, &mut state);
    let target_state = value_codec::encode(&state, &of.typed.ty, "moved state")?;
    // What the source did not have, such as an id that only the service knows, comes with the next read.
    let target_identity =
        identity::of_stub(IdentityOwner { cx, of: &of, type_name, method: "moves" }, &state)?;
    if let (Some(typed), false) = (&of.identity, is_identity_sent) {
        moved::store_in_private(&mut cx.private, typed, target_identity.as_ref())?;
        server.inner.moved.add(type_name);
    }
    Ok(MoveResourceStateResponse {
        target_state,
        target_identity,
        target_private: cx.private.encode(),
        ..MoveResourceStateResponse::default()
    })
}

fn refused(request: &MoveResourceStateRequest) -> Error {
    Error::new(
        "Move Not Supported",
        format!(
            "An object of type `{}` (schema version {}) of the provider `{}` cannot become one of type `{}`. Remove \
             the `moved` block, and import the object under its new address instead.",
            request.source_type_name,
            request.source_schema_version,
            request.source_provider_address,
            request.target_type_name
        ),
    )
}
