//! `UpgradeResourceIdentity`: core asks when the stored identity has another version than the schema, before it plans.
//!
//! A state that never had an identity counts as one of version 0 with an empty identity. There is nothing to upgrade
//! then: the identity stays absent, and the next read fills it.

use crate::cancel::Cancellation;
use crate::codec::json::{self, UnknownAttributes};
use crate::diag::{Diagnostic, Diagnostics, Result};
use crate::dynamic::{CallState, Context, Resource, StoredValue};
use crate::protocol::{
    ClientCapabilities, DynamicValue, RawState, UpgradeResourceIdentityRequest,
    UpgradeResourceIdentityResponse,
};
use crate::server::identity::{TypedIdentitySchema, complete};
use crate::server::schema_cache::ResourceType;
use crate::server::upgrade_errors::{StoredKind, UpgradeErrors};
use crate::server::{Server, provider_code, unless_failed, value_codec};
use crate::value::Value;

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: UpgradeResourceIdentityRequest,
) -> UpgradeResourceIdentityResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let outcome = upgrade(server, &mut cx, request).await;
    let upgraded_identity = unless_failed(&mut cx, outcome).flatten();
    UpgradeResourceIdentityResponse { upgraded_identity, diagnostics: cx.diagnostics }
}

async fn upgrade(
    server: &Server,
    cx: &mut CallState,
    request: UpgradeResourceIdentityRequest,
) -> Result<Option<DynamicValue>> {
    let Some(raw) = request.raw_identity else { return Ok(None) };
    let of = server.inner.types.of::<dyn Resource>(&request.type_name)?;
    let Some(identity) = &of.identity else {
        return Err(no_identity(&request.type_name, request.version).into());
    };
    if is_absent(&raw) {
        return Ok(Some(value_codec::null()));
    }
    let current = identity.schema.version;
    let errors = UpgradeErrors {
        what: StoredKind::Identity,
        type_name: &request.type_name,
        found: request.version,
        current,
    };
    let upgraded = if errors.found == errors.current {
        decode(identity, errors, &raw)
    } else {
        by_author(cx, (&of, identity), errors, raw).await
    };
    let encoded = upgraded.and_then(|upgraded| {
        let encoded = value_codec::encode(&upgraded, &identity.ty, "upgraded identity");
        encoded.map_err(|error| errors.wrong(error))
    });
    match encoded {
        // It is the identity of the source of a move, and the move has made that of the target.
        Err(error) if server.inner.moved.take(&request.type_name) => {
            tracing::warn!(
                errors = error.summaries(),
                "the identity of a moved object is that of its source; the next read stores its own"
            );
            cx.diagnostics = Diagnostics::default();
            Ok(Some(value_codec::null()))
        }
        encoded => encoded.map(Some),
    }
}

/// An identity of the current version.
fn decode(identity: &TypedIdentitySchema, errors: UpgradeErrors<'_>, raw: &RawState) -> Result<Value> {
    match raw {
        RawState::Json(bytes) => json::decode(bytes, &identity.ty, UnknownAttributes::Refuse)
            .map_err(|error| errors.unreadable(error)),
        // Core has no flat form of identities.
        RawState::Flatmap(_) => Ok(Value::Null),
    }
}

async fn by_author(
    cx: &mut CallState,
    (of, identity): (&ResourceType, &TypedIdentitySchema),
    errors: UpgradeErrors<'_>,
    raw: RawState,
) -> Result<Value> {
    let paths = &of.upgrade_paths()?.identity;
    if !errors.has_upgrade(paths) {
        return Err(errors.no_upgrade(paths));
    }
    let mut cx = Context::new(cx);
    let work = of.resource.upgrade_identity(&mut cx, StoredValue::new(errors.found, raw));
    let upgraded = provider_code::isolated(work).await.map_err(|error| errors.failed(error))?;
    complete(&identity.schema, &upgraded).map_err(|error| errors.wrong(error))?;
    Ok(upgraded)
}

/// Whether no identity was stored.
fn is_absent(raw: &RawState) -> bool {
    matches!(raw, RawState::Json(bytes) if bytes.is_empty() || bytes.trim_ascii() == b"null")
}

fn no_identity(type_name: &str, version: i64) -> Diagnostic {
    Diagnostic::error(
        "No Resource Identity",
        format!(
            "The stored identity of this object of type `{type_name}` has schema version {version}; this release of the \
             provider has no identity for this type. Another release of the provider wrote the state; use that one."
        ),
    )
}
