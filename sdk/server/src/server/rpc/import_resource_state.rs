//! `ImportResourceState`: finds existing objects by an id or an identity. Core reads each of them right afterwards.

use crate::cancel::Cancellation;
use crate::diag::{Error, Result};
use crate::dynamic::{CallState, Context, Import, Imported, Resource};
use crate::plan;
use crate::protocol::{ImportResourceStateRequest, ImportResourceStateResponse, ImportedResource};
use crate::server::identity::{self, IdentityOwner};
use crate::server::schema_cache::ResourceType;
use crate::server::{Server, deferral, normalize, provider_code, value_codec, write_only_values};
use crate::value::Value;

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ImportResourceStateRequest,
) -> ImportResourceStateResponse {
    let mut cx = server.deferrable_context(stop, request.client_capabilities);
    let mut response = ImportResourceStateResponse::default();
    let outcome: Result = async {
        let of = server.inner.types.of::<dyn Resource>(&request.type_name)?;
        let from = named(&of, &request)?;
        let asked = match &from {
            Import::Id(_) => None,
            Import::Identity(identity) => Some(identity.clone()),
        };
        cx.identity.clone_from(&asked);
        let is_deferred = cx.deferred.is_some();
        let found = if is_deferred {
            Vec::new()
        } else {
            provider_code::isolated(of.resource.import(&mut Context::new(&mut cx), from)).await?
        };
        if found.is_empty() {
            // A deferred import has no result yet.
            return if cx.deferred.is_some() { Ok(()) } else { Err(not_found(&request.type_name)) };
        }
        for object in found {
            let object = imported(&mut cx, &of, &request.type_name, (object, asked.clone()))?;
            response.imported_resources.push(object);
        }
        Ok(())
    }
    .await;
    cx.diagnostics.record(outcome);
    response.deferred = deferral(&mut cx);
    if cx.diagnostics.has_errors() {
        response.imported_resources.clear();
    }
    response.diagnostics = cx.diagnostics;
    response
}

/// What the object is named by.
fn named(of: &ResourceType, request: &ImportResourceStateRequest) -> Result<Import> {
    match (identity::stored(of, request.identity.as_ref())?, request.id.as_str()) {
        (Some(identity), _) => Ok(Import::Identity(identity)),
        (None, "") if request.identity.is_some() && of.identity.is_none() => {
            Err(no_identity(&request.type_name))
        }
        (None, "") => Err(no_id(&request.type_name)),
        (None, id) => Ok(Import::Id(id.to_owned())),
    }
}

/// One object that was found, with the identity that was asked for.
fn imported(
    cx: &mut CallState,
    of: &ResourceType,
    type_name: &str,
    (object, asked): (Imported, Option<Value>),
) -> Result<ImportedResource> {
    let Imported { mut state, identity } = object;
    if state.is_null() {
        return Err(not_found(type_name));
    }
    let block = &of.typed.schema.block;
    // Nothing is stored yet, so there is nothing to compare with; but keys of others are left out from the start.
    plan::refresh(block, &Value::Null, &mut state);
    for violation in plan::wholly_known(&state).into_iter().chain(plan::write_only_null(block, &state)) {
        cx.diagnostics.push(violation.diagnostic(type_name, "import"));
    }
    let mut state = write_only_values::without_values(block, state);
    normalize::absent_blocks(&block.blocks, &mut state);
    cx.identity = identity.or(asked);
    let subject = IdentityOwner { cx, of, type_name, method: "import" };
    Ok(ImportedResource {
        type_name: type_name.to_owned(),
        state: value_codec::encode(&state, &of.typed.ty, "imported state")?,
        private: cx.private.encode(),
        identity: identity::of_stub(subject, &state)?,
    })
}

fn no_id(type_name: &str) -> Error {
    Error::new(
        "Import Needs An Id",
        format!("Objects of type `{type_name}` are imported by an id; give one that is not empty."),
    )
}

fn no_identity(type_name: &str) -> Error {
    Error::new(
        "Import Needs An Id",
        format!(
            "Objects of type `{type_name}` have no identity. Where the type supports imports, write `id = \"...\"` in \
             the `import` block."
        ),
    )
}

fn not_found(type_name: &str) -> Error {
    Error::new(
        "Object Not Found",
        format!("There is no object of type `{type_name}` with this import id or identity. Check it."),
    )
}
