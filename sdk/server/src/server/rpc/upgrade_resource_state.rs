//! `UpgradeResourceState`: core asks on every read of a stored object, also when the version is the current one.
//! Then attributes that the schema no longer has are dropped and those that it has gained are null.

use crate::cancel::Cancellation;
use crate::codec::json::{self, UnknownAttributes};
use crate::diag::{Diagnostics, Error, Result};
use crate::dynamic::{CallState, Context, Resource, StoredValue};
use crate::plan;
use crate::protocol::{
    ClientCapabilities, DynamicValue, RawState, UpgradeResourceStateRequest, UpgradeResourceStateResponse,
};
use crate::server::stale::{Stale, Stored};
use crate::server::types::ResourceType;
use crate::server::{Server, author, unless_failed, values};
use crate::value::Value;

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: UpgradeResourceStateRequest,
) -> UpgradeResourceStateResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let outcome = upgrade(server, &mut cx, request).await;
    let upgraded_state = unless_failed(&mut cx, outcome).unwrap_or_default();
    UpgradeResourceStateResponse { upgraded_state, diagnostics: cx.diagnostics }
}

async fn upgrade(
    server: &Server,
    cx: &mut CallState,
    request: UpgradeResourceStateRequest,
) -> Result<DynamicValue> {
    let of = server.types().of::<dyn Resource>(&request.type_name)?;
    let Some(raw) = request.raw_state else { return Ok(DynamicValue::Absent) };
    let current = of.known.schema.version;
    let stale = Stale { what: Stored::State, type_name: &request.type_name, found: request.version, current };
    let state = match raw {
        RawState::Json(bytes) if stale.found == stale.current => decode(&of, stale, &bytes)?,
        // A null state stands for no object in every version.
        RawState::Json(bytes) if bytes.trim_ascii() == b"null" => return Ok(values::null()),
        raw => by_author(cx, &of, stale, raw).await?,
    };
    let mut state = values::without_write_only(&of.known.schema.block, state);
    values::reify_blocks(&of.known.schema.block.blocks, &mut state);
    values::encode(&state, &of.known.ty, "upgraded state").map_err(|error| stale.wrong(error))
}

/// A state of the current version.
fn decode(of: &ResourceType, stale: Stale<'_>, bytes: &[u8]) -> Result<Value> {
    json::decode(bytes, &of.known.ty, UnknownAttributes::Ignore).map_err(|error| stale.unreadable(error))
}

/// A state of another version or form.
async fn by_author(cx: &mut CallState, of: &ResourceType, stale: Stale<'_>, raw: RawState) -> Result<Value> {
    let paths = of.upgrade_paths()?;
    let known = match raw {
        RawState::Json(_) => paths.state.contains_key(&stale.found),
        RawState::Flatmap(_) if stale.found > stale.current => false,
        RawState::Flatmap(_) if paths.flatmap.contains_key(&stale.found) => true,
        RawState::Flatmap(_) => return Err(stale.too_old(paths.flatmap.keys())),
    };
    if !known {
        return Err(stale.no_way(paths.state.keys()));
    }
    let mut cx = Context::new(cx);
    let work = of.resource.upgrade(&mut cx, StoredValue::new(stale.found, raw));
    let state = author::run(work).await.map_err(|error| stale.failed(error))?;
    if state.is_null() {
        return Err(stale.wrong(Error::new("No State", "The upgraded state is null.")));
    }
    let breaches =
        plan::known(&state).into_iter().chain(plan::write_only_null(&of.known.schema.block, &state));
    let mut found: Diagnostics =
        breaches.map(|breach| breach.diagnostic(stale.type_name, "upgrades")).collect();
    found.take_errors().map_err(|error| stale.wrong(error))?;
    Ok(state)
}
