//! `UpgradeResourceState`: core asks on every read of a stored object, also when the version is the current one.
//! Then attributes that the schema no longer has are dropped and those that it has gained are null.

use crate::codec::json::{self, UnknownAttributes};
use crate::diag::{Error, Result};
use crate::protocol::{DynamicValue, RawState, UpgradeResourceStateRequest, UpgradeResourceStateResponse};
use crate::server::{Server, failed, values};

pub(super) fn handle(server: &Server, request: &UpgradeResourceStateRequest) -> UpgradeResourceStateResponse {
    match upgrade(server, request) {
        Ok(upgraded_state) => UpgradeResourceStateResponse { upgraded_state, ..Default::default() },
        Err(error) => UpgradeResourceStateResponse { diagnostics: failed(error), ..Default::default() },
    }
}

fn upgrade(server: &Server, request: &UpgradeResourceStateRequest) -> Result<DynamicValue> {
    let of = server.types().resource(&request.type_name)?;
    let Some(raw) = &request.raw_state else { return Ok(DynamicValue::Absent) };
    let current = of.known.schema.version;
    if request.version != current {
        return Err(no_way(&request.type_name, request.version, current));
    }
    let RawState::Json(bytes) = raw else { return Err(flatmap(&request.type_name)) };
    let state = json::decode(bytes, &of.known.ty, UnknownAttributes::Ignore).map_err(|error| {
        let detail = format!(
            "The stored state of this object of type `{}` (schema version {current}) does not fit the schema. The \
             state was damaged, or another build of the provider with the same version number wrote it. Restore \
             the state from a backup, or remove the object from the state and import it again.",
            request.type_name
        );
        error.explained("Unreadable State", &detail)
    })?;
    let mut state = values::without_write_only(&of.known.schema.block, state);
    values::reify_blocks(&of.known.schema.block.blocks, &mut state);
    values::encode(&state, &of.known.ty, "upgraded state")
}

fn no_way(type_name: &str, found: i64, current: i64) -> Error {
    let advice = if found > current {
        "A newer release of the provider wrote it: use that release or a later one."
    } else {
        "This release cannot read it: use an older release of the provider, or remove the object from the state and \
         import it again. The provider's author can add an upgrader for this version."
    };
    Error::new(
        "No State Upgrade",
        format!(
            "The stored state of this object of type `{type_name}` has schema version {found}; this release of the \
             provider knows version {current} only. {advice}"
        ),
    )
}

fn flatmap(type_name: &str) -> Error {
    Error::new(
        "State Too Old",
        format!(
            "The stored state of this object of type `{type_name}` has the form of Terraform 0.11. Refresh it once \
             with Terraform 0.12 and a release of the provider that supports it, or remove the object from the \
             state and import it again."
        ),
    )
}
