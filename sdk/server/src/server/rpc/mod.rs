//! The procedures of the protocol, one file for each, and one for most that validate.

mod apply_resource_change;
mod call_function;
mod close_ephemeral_resource;
mod configure_provider;
mod configure_state_store;
mod delete_state;
pub(super) mod generate_resource_config;
mod get_functions;
mod get_metadata;
pub(super) mod get_provider_schema;
mod get_resource_identity_schemas;
mod get_states;
mod import_resource_state;
mod invoke_action;
mod list_resource;
mod lock_state;
mod move_resource_state;
mod open_ephemeral_resource;
mod plan_action;
mod plan_resource_change;
mod read_data_source;
mod read_resource;
mod read_state_bytes;
mod renew_ephemeral_resource;
mod stop_provider;
mod unlock_state;
mod upgrade_resource_identity;
mod upgrade_resource_state;
mod validate;
mod validate_provider_config;
mod write_state_bytes;

use std::future::ready;

use crate::diag::Diagnostic;
use crate::protocol::{Answer, Call, CloseEphemeralResourceResponse, Request, Response, Rpc};
use crate::schema::Kind;
use crate::server::{Server, layers};

/// Answers the calls about one kind of offer.
pub(crate) type Dispatch = fn(Server, Call) -> Answer;

/// Answers a call. The dispatch of a kind comes with its offers: a program without a state store does not contain the code
/// of its calls. A call about a managed resource is answered here in any case, for a plain failure could lose the object.
pub(super) fn answer(server: Server, call: Call) -> Answer {
    let rpc = call.request.rpc();
    let failure = match rpc.kind() {
        None => return provider_calls(server, call),
        Some(Kind::Resource) => return resource_calls(server, call),
        Some(kind) => match server.inner.types.catalogue() {
            Ok(catalogue) => match catalogue.dispatch(kind) {
                Some(dispatch) => return dispatch(server, call),
                // What was never opened is closed.
                None if rpc == Rpc::CloseEphemeralResource => {
                    return known(CloseEphemeralResourceResponse::default().into());
                }
                None => server.inner.types.unknown(kind, call.request.offer_name()),
            },
            Err(error) => layers::first(error),
        },
    };
    known(rpc.failure(failure))
}

/// An answer that is known at once.
pub(super) fn known(response: Response) -> Answer {
    Box::pin(ready(response))
}

/// The answer of a procedure that takes its time. Each is on the heap by itself: one future for all of them has the size of
/// the largest, and a small call would pay for it.
macro_rules! awaited {
    ($handle:path, $server:ident, $stop:ident, $request:ident) => {
        Box::pin(async move { $handle(&$server, $stop, $request).await.into() })
    };
}

/// The answer of a procedure that is known at once.
macro_rules! immediate {
    ($handle:path, $server:ident, $stop:ident, $request:ident) => {
        known($handle(&$server, &$request).into())
    };
}

/// The answer of a procedure that is a stream.
macro_rules! streamed {
    ($handle:path, $server:ident, $stop:ident, $request:ident) => {
        known($handle(&$server, $stop, &$request).into())
    };
}

/// Makes the functions that answer the calls about one kind each.
macro_rules! calls {
    ($($visibility:vis fn $calls:ident { $($rpc:ident: $when:ident $handle:path,)* })*) => {$(
        $visibility fn $calls(server: Server, call: Call) -> Answer {
            let stop = call.cancellation;
            match call.request {
                $(Request::$rpc(request) => $when!($handle, server, stop, request),)*
                other => not_answered(&other),
            }
        }
    )*};
}

calls! {
    fn provider_calls {
        GetMetadata: immediate get_metadata::handle,
        GetProviderSchema: immediate get_provider_schema::handle,
        GetResourceIdentitySchemas: immediate get_resource_identity_schemas::handle,
        GetFunctions: immediate get_functions::handle,
        ValidateProviderConfig: awaited validate_provider_config::handle,
        ConfigureProvider: awaited configure_provider::handle,
        StopProvider: immediate stop_provider::handle,
    }
    fn resource_calls {
        ValidateResourceConfig: awaited validate::resource,
        UpgradeResourceState: awaited upgrade_resource_state::handle,
        UpgradeResourceIdentity: awaited upgrade_resource_identity::handle,
        ReadResource: awaited read_resource::handle,
        PlanResourceChange: awaited plan_resource_change::handle,
        ApplyResourceChange: awaited apply_resource_change::handle,
        ImportResourceState: awaited import_resource_state::handle,
        MoveResourceState: awaited move_resource_state::handle,
        GenerateResourceConfig: immediate generate_resource_config::handle,
    }
    pub(crate) fn data_source_calls {
        ValidateDataResourceConfig: awaited validate::data_source,
        ReadDataSource: awaited read_data_source::handle,
    }
    pub(crate) fn ephemeral_resource_calls {
        ValidateEphemeralResourceConfig: awaited validate::ephemeral_resource,
        OpenEphemeralResource: awaited open_ephemeral_resource::handle,
        RenewEphemeralResource: awaited renew_ephemeral_resource::handle,
        CloseEphemeralResource: awaited close_ephemeral_resource::handle,
    }
    pub(crate) fn list_resource_calls {
        ValidateListResourceConfig: awaited validate::list_resource,
        ListResource: streamed list_resource::handle,
    }
    pub(crate) fn state_store_calls {
        ValidateStateStoreConfig: awaited validate::state_store,
        ConfigureStateStore: awaited configure_state_store::handle,
        ReadStateBytes: streamed read_state_bytes::handle,
        WriteStateBytes: awaited write_state_bytes::handle,
        LockState: awaited lock_state::handle,
        UnlockState: awaited unlock_state::handle,
        GetStates: awaited get_states::handle,
        DeleteState: awaited delete_state::handle,
    }
    pub(crate) fn action_calls {
        ValidateActionConfig: awaited validate::action,
        PlanAction: awaited plan_action::handle,
        InvokeAction: streamed invoke_action::handle,
    }
    pub(crate) fn function_calls {
        CallFunction: awaited call_function::handle,
    }
}

/// The failure of a call that none of the functions above answers, which happens when [`Rpc::kind`] says another kind than
/// they have.
fn not_answered(request: &Request) -> Answer {
    let rpc = request.rpc();
    let detail = format!("No part of the SDK answers {}. This is a bug in ferroform; report it.", rpc.name());
    known(rpc.failure(Diagnostic::error("Call Not Answered", detail)))
}
