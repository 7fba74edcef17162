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
use crate::server::schema_cache::ResourceType;
use crate::server::upgrade_errors::{StoredKind, UpgradeErrors};
use crate::server::{Server, normalize, provider_code, unless_failed, value_codec, write_only_values};
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
    let of = server.inner.types.of::<dyn Resource>(&request.type_name)?;
    let Some(raw) = request.raw_state else { return Ok(DynamicValue::Absent) };
    let current = of.typed.schema.version;
    let errors = UpgradeErrors {
        what: StoredKind::State,
        type_name: &request.type_name,
        found: request.version,
        current,
    };
    let state = match raw {
        RawState::Json(bytes) if errors.found == errors.current => decode(&of, errors, &bytes)?,
        // A null state stands for no object in every version.
        RawState::Json(bytes) if bytes.trim_ascii() == b"null" => return Ok(value_codec::null()),
        raw => by_author(cx, &of, errors, raw).await?,
    };
    let mut state = write_only_values::without_values(&of.typed.schema.block, state);
    normalize::absent_blocks(&of.typed.schema.block.blocks, &mut state);
    value_codec::encode(&state, &of.typed.ty, "upgraded state").map_err(|error| errors.wrong(error))
}

/// A state of the current version.
fn decode(of: &ResourceType, errors: UpgradeErrors<'_>, bytes: &[u8]) -> Result<Value> {
    json::decode(bytes, &of.typed.ty, UnknownAttributes::Ignore).map_err(|error| errors.unreadable(error))
}

/// A state of another version or form.
async fn by_author(
    cx: &mut CallState,
    of: &ResourceType,
    errors: UpgradeErrors<'_>,
    raw: RawState,
) -> Result<Value> {
    let paths = of.upgrade_paths()?;
    let has_upgrade = match raw {
        RawState::Json(_) => errors.has_upgrade(&paths.state),
        RawState::Flatmap(_) if errors.found > errors.current => false,
        RawState::Flatmap(_) if errors.has_upgrade(&paths.flatmap) => true,
        RawState::Flatmap(_) => return Err(errors.too_old(&paths.flatmap)),
    };
    if !has_upgrade {
        return Err(errors.no_upgrade(&paths.state));
    }
    let mut cx = Context::new(cx);
    let work = of.resource.upgrade(&mut cx, StoredValue::new(errors.found, raw));
    let state = provider_code::isolated(work).await.map_err(|error| errors.failed(error))?;
    if state.is_null() {
        return Err(errors.wrong(Error::new("No State", "The upgraded state is null.")));
    }
    let violations =
        plan::wholly_known(&state).into_iter().chain(plan::write_only_null(&of.typed.schema.block, &state));
    let mut found: Diagnostics =
        violations.map(|violation| violation.diagnostic(errors.type_name, "upgrades")).collect();
    found.take_errors().map_err(|error| errors.wrong(error))?;
    Ok(state)
}
