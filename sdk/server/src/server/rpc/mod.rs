//! The procedures of the protocol, one file for each.

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
mod validate_action_config;
mod validate_data_resource_config;
mod validate_ephemeral_resource_config;
mod validate_list_resource_config;
mod validate_provider_config;
mod validate_resource_config;
mod validate_state_store_config;
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
        Some(kind) => match server.types().catalogue() {
            Ok(catalogue) => match catalogue.dispatch(kind) {
                Some(dispatch) => return dispatch(server, call),
                // What was never opened is closed.
                None if rpc == Rpc::CloseEphemeralResource => {
                    return known(CloseEphemeralResourceResponse::default().into());
                }
                None => server.types().unknown(kind, call.request.offer_name()),
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
    ($procedure:ident, $server:ident, $stop:ident, $request:ident) => {
        Box::pin(async move { $procedure::handle(&$server, $stop, $request).await.into() })
    };
}

/// The answer of a procedure that is known at once, or that is a stream.
macro_rules! immediate {
    ($procedure:ident, $server:ident, $($argument:expr),*) => {
        known($procedure::handle(&$server, $($argument),*).into())
    };
}

fn provider_calls(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::GetMetadata(request) => immediate!(get_metadata, server, request),
        Request::GetProviderSchema(request) => immediate!(get_provider_schema, server, request),
        Request::GetResourceIdentitySchemas(request) => {
            immediate!(get_resource_identity_schemas, server, request)
        }
        Request::GetFunctions(request) => immediate!(get_functions, server, request),
        Request::ValidateProviderConfig(request) => awaited!(validate_provider_config, server, stop, request),
        Request::ConfigureProvider(request) => awaited!(configure_provider, server, stop, request),
        Request::StopProvider(request) => immediate!(stop_provider, server, request),
        other => not_answered(&other),
    }
}

fn resource_calls(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::ValidateResourceConfig(request) => awaited!(validate_resource_config, server, stop, request),
        Request::UpgradeResourceState(request) => awaited!(upgrade_resource_state, server, stop, request),
        Request::UpgradeResourceIdentity(request) => {
            awaited!(upgrade_resource_identity, server, stop, request)
        }
        Request::ReadResource(request) => awaited!(read_resource, server, stop, request),
        Request::PlanResourceChange(request) => awaited!(plan_resource_change, server, stop, request),
        Request::ApplyResourceChange(request) => awaited!(apply_resource_change, server, stop, request),
        Request::ImportResourceState(request) => awaited!(import_resource_state, server, stop, request),
        Request::MoveResourceState(request) => awaited!(move_resource_state, server, stop, request),
        Request::GenerateResourceConfig(request) => immediate!(generate_resource_config, server, &request),
        other => not_answered(&other),
    }
}

pub(crate) fn data_source_calls(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::ValidateDataResourceConfig(request) => {
            awaited!(validate_data_resource_config, server, stop, request)
        }
        Request::ReadDataSource(request) => awaited!(read_data_source, server, stop, request),
        other => not_answered(&other),
    }
}

pub(crate) fn ephemeral_resource_calls(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::ValidateEphemeralResourceConfig(request) => {
            awaited!(validate_ephemeral_resource_config, server, stop, request)
        }
        Request::OpenEphemeralResource(request) => awaited!(open_ephemeral_resource, server, stop, request),
        Request::RenewEphemeralResource(request) => awaited!(renew_ephemeral_resource, server, stop, request),
        Request::CloseEphemeralResource(request) => awaited!(close_ephemeral_resource, server, stop, request),
        other => not_answered(&other),
    }
}

pub(crate) fn list_resource_calls(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::ValidateListResourceConfig(request) => {
            awaited!(validate_list_resource_config, server, stop, request)
        }
        Request::ListResource(request) => immediate!(list_resource, server, stop, &request),
        other => not_answered(&other),
    }
}

pub(crate) fn state_store_calls(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::ValidateStateStoreConfig(request) => {
            awaited!(validate_state_store_config, server, stop, request)
        }
        Request::ConfigureStateStore(request) => awaited!(configure_state_store, server, stop, request),
        Request::ReadStateBytes(request) => immediate!(read_state_bytes, server, stop, request),
        Request::WriteStateBytes(request) => awaited!(write_state_bytes, server, stop, request),
        Request::LockState(request) => awaited!(lock_state, server, stop, request),
        Request::UnlockState(request) => awaited!(unlock_state, server, stop, request),
        Request::GetStates(request) => awaited!(get_states, server, stop, request),
        Request::DeleteState(request) => awaited!(delete_state, server, stop, request),
        other => not_answered(&other),
    }
}

pub(crate) fn action_calls(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::ValidateActionConfig(request) => awaited!(validate_action_config, server, stop, request),
        Request::PlanAction(request) => awaited!(plan_action, server, stop, request),
        Request::InvokeAction(request) => immediate!(invoke_action, server, stop, &request),
        other => not_answered(&other),
    }
}

pub(crate) fn function_calls(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::CallFunction(request) => awaited!(call_function, server, stop, request),
        other => not_answered(&other),
    }
}

/// The failure of a call that none of the functions above answers, which happens when [`Rpc::kind`] says another kind than
/// they have.
fn not_answered(request: &Request) -> Answer {
    let rpc = request.rpc();
    let detail = format!("No part of the SDK answers {}. This is a bug in ferroform; report it.", rpc.name());
    known(rpc.failure(Diagnostic::error("Call Not Answered", detail)))
}
