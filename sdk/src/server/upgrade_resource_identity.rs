//! `UpgradeResourceIdentity`: core asks when the stored identity has another version than the schema, before it plans.
//!
//! A state that never had an identity counts as one of version 0 with an empty identity. There is nothing to upgrade
//! then: the identity stays absent, and the next read fills it.

use crate::cancel::Cancellation;
use crate::diag::{Diagnostic, Error, Result};
use crate::dynamic::{Context, StoredValue};
use crate::protocol::{
    ClientCapabilities, DynamicValue, RawState, UpgradeResourceIdentityRequest,
    UpgradeResourceIdentityResponse,
};
use crate::server::identity::{KnownIdentity, complete};
use crate::server::types::ResourceType;
use crate::server::upgrade_resource_state::{Stale, joined};
use crate::server::{Server, author, failed, values};
use crate::value::Value;

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: UpgradeResourceIdentityRequest,
) -> UpgradeResourceIdentityResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let mut response = UpgradeResourceIdentityResponse::default();
    match upgrade(server, &mut cx, request).await {
        Ok(identity) if !cx.diagnostics.has_errors() => response.upgraded_identity = identity,
        Ok(_) => {}
        Err(error) => cx.diagnostics.extend(failed(error)),
    }
    response.diagnostics = cx.diagnostics;
    response
}

async fn upgrade(
    server: &Server,
    cx: &mut Context,
    request: UpgradeResourceIdentityRequest,
) -> Result<Option<DynamicValue>> {
    let Some(raw) = request.raw_identity else { return Ok(None) };
    let of = server.types().resource(&request.type_name)?;
    let Some(identity) = &of.identity else { return Err(no_identity(&request.type_name).into()) };
    if is_absent(&raw) {
        return Ok(Some(values::null()));
    }
    let stale =
        Stale { type_name: &request.type_name, found: request.version, current: identity.schema.version };
    let upgraded = if stale.found == stale.current {
        values::decode(&as_value(raw), &identity.ty, "stored identity")?
    } else {
        by_author(cx, (&of, identity), stale, raw).await?
    };
    let encoded = values::encode(&upgraded, &identity.ty, "upgraded identity");
    encoded.map(Some).map_err(|error| stale.wrong("identity", error))
}

async fn by_author(
    cx: &mut Context,
    (of, identity): (&ResourceType, &KnownIdentity),
    stale: Stale<'_>,
    raw: RawState,
) -> Result<Value> {
    let paths = author::call(|| of.resource.upgrade_paths())?.identity;
    if !paths.contains_key(&stale.found) {
        return Err(no_way(stale, &joined(paths.keys().copied(), stale.current)));
    }
    let work = of.resource.upgrade_identity(cx, StoredValue::new(stale.found, raw));
    let upgraded = author::act(work).await.map_err(|error| stale.failed("identity", error))?;
    complete(&identity.schema, &upgraded).map_err(|error| stale.wrong("identity", error))?;
    Ok(upgraded)
}

/// Whether no identity was stored.
fn is_absent(raw: &RawState) -> bool {
    matches!(raw, RawState::Json(bytes) if bytes.is_empty() || bytes.trim_ascii() == b"null")
}

fn as_value(raw: RawState) -> DynamicValue {
    match raw {
        RawState::Json(bytes) => DynamicValue::Json(bytes),
        // Core has no flat form of identities.
        RawState::Flatmap(_) => DynamicValue::Absent,
    }
}

fn no_identity(type_name: &str) -> Diagnostic {
    Diagnostic::error(
        "No Resource Identity",
        format!(
            "A stored identity of type `{type_name}` should be upgraded, but this version of the provider has no \
             identity for this type. Another version of the provider wrote the state; use that one."
        ),
    )
}

fn no_way(stale: Stale<'_>, known: &str) -> Error {
    let advice = if stale.found > stale.current {
        "A newer release of the provider wrote it: use that release or a later one."
    } else {
        "This release cannot read it: use an older release of the provider, or remove the object from the state and \
         import it again. The provider's author can add an identity upgrade for this version."
    };
    Error::new(
        "No Identity Upgrade",
        format!(
            "The stored identity of this object of type `{}` has identity schema version {}; this release of the \
             provider knows {known}. {advice}",
            stale.type_name, stale.found
        ),
    )
}
