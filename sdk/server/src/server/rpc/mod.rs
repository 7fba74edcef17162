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
use crate::protocol::{Answer, Call, CloseEphemeralResourceResponse, Request};
use crate::schema::Kind;
use crate::server::{Server, layers};

/// What answers the calls about one kind of offer.
pub(crate) type Calls = fn(Server, Call) -> Answer;

/// Answers a call. What answers the calls about a kind comes with its offers: a program without a state store does not
/// contain the code of its calls. A call about a managed resource is answered here in any case, for a plain failure could
/// lose the object.
pub(super) fn answer(server: Server, call: Call) -> Answer {
    let failure = match call.request.offer() {
        None => return provider(server, call),
        Some((Kind::Resource, _)) => return resources(server, call),
        Some((kind, name)) => match server.types().catalogue() {
            Ok(catalogue) => match catalogue.calls(kind) {
                Some(calls) => return calls(server, call),
                // What was never opened is closed.
                None if matches!(call.request, Request::CloseEphemeralResource(_)) => {
                    return Box::pin(ready(CloseEphemeralResourceResponse::default().into()));
                }
                None => server.types().unknown(kind, name),
            },
            Err(error) => layers::first(error),
        },
    };
    Box::pin(ready(call.request.rpc().failure(failure)))
}

/// The answer of a procedure that takes its time. Each is on the heap by itself: one future for all of them has the size of
/// the largest, and a small call would pay for it.
macro_rules! later {
    ($procedure:ident, $server:ident, $stop:ident, $request:ident) => {
        Box::pin(async move { $procedure::handle(&$server, $stop, $request).await.into() })
    };
}

/// The answer of a procedure that is known at once, or that is a stream.
macro_rules! now {
    ($procedure:ident, $server:ident, $($argument:expr),*) => {
        Box::pin(ready($procedure::handle(&$server, $($argument),*).into()))
    };
}

fn provider(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::GetMetadata(request) => now!(get_metadata, server, request),
        Request::GetProviderSchema(request) => now!(get_provider_schema, server, request),
        Request::GetResourceIdentitySchemas(request) => now!(get_resource_identity_schemas, server, request),
        Request::GetFunctions(request) => now!(get_functions, server, request),
        Request::ValidateProviderConfig(request) => later!(validate_provider_config, server, stop, request),
        Request::ConfigureProvider(request) => later!(configure_provider, server, stop, request),
        Request::StopProvider(request) => now!(stop_provider, server, request),
        other => misdirected(&other),
    }
}

pub(crate) fn resources(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::ValidateResourceConfig(request) => later!(validate_resource_config, server, stop, request),
        Request::UpgradeResourceState(request) => later!(upgrade_resource_state, server, stop, request),
        Request::UpgradeResourceIdentity(request) => later!(upgrade_resource_identity, server, stop, request),
        Request::ReadResource(request) => later!(read_resource, server, stop, request),
        Request::PlanResourceChange(request) => later!(plan_resource_change, server, stop, request),
        Request::ApplyResourceChange(request) => later!(apply_resource_change, server, stop, request),
        Request::ImportResourceState(request) => later!(import_resource_state, server, stop, request),
        Request::MoveResourceState(request) => later!(move_resource_state, server, stop, request),
        Request::GenerateResourceConfig(request) => now!(generate_resource_config, server, &request),
        other => misdirected(&other),
    }
}

pub(crate) fn data_sources(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::ValidateDataResourceConfig(request) => {
            later!(validate_data_resource_config, server, stop, request)
        }
        Request::ReadDataSource(request) => later!(read_data_source, server, stop, request),
        other => misdirected(&other),
    }
}

pub(crate) fn ephemeral_resources(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::ValidateEphemeralResourceConfig(request) => {
            later!(validate_ephemeral_resource_config, server, stop, request)
        }
        Request::OpenEphemeralResource(request) => later!(open_ephemeral_resource, server, stop, request),
        Request::RenewEphemeralResource(request) => later!(renew_ephemeral_resource, server, stop, request),
        Request::CloseEphemeralResource(request) => later!(close_ephemeral_resource, server, stop, request),
        other => misdirected(&other),
    }
}

pub(crate) fn list_resources(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::ValidateListResourceConfig(request) => {
            later!(validate_list_resource_config, server, stop, request)
        }
        Request::ListResource(request) => now!(list_resource, server, stop, &request),
        other => misdirected(&other),
    }
}

pub(crate) fn state_stores(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::ValidateStateStoreConfig(request) => {
            later!(validate_state_store_config, server, stop, request)
        }
        Request::ConfigureStateStore(request) => later!(configure_state_store, server, stop, request),
        Request::ReadStateBytes(request) => now!(read_state_bytes, server, stop, request),
        Request::WriteStateBytes(request) => later!(write_state_bytes, server, stop, request),
        Request::LockState(request) => later!(lock_state, server, stop, request),
        Request::UnlockState(request) => later!(unlock_state, server, stop, request),
        Request::GetStates(request) => later!(get_states, server, stop, request),
        Request::DeleteState(request) => later!(delete_state, server, stop, request),
        other => misdirected(&other),
    }
}

pub(crate) fn actions(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::ValidateActionConfig(request) => later!(validate_action_config, server, stop, request),
        Request::PlanAction(request) => later!(plan_action, server, stop, request),
        Request::InvokeAction(request) => now!(invoke_action, server, stop, &request),
        other => misdirected(&other),
    }
}

pub(crate) fn functions(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    match call.request {
        Request::CallFunction(request) => later!(call_function, server, stop, request),
        other => misdirected(&other),
    }
}

/// [`Request::offer`] names another kind than the functions above: each request is called in a test.
fn misdirected(request: &Request) -> Answer {
    let rpc = request.rpc();
    let detail = format!("No part of the SDK answers {}. This is a bug in ferroform; report it.", rpc.name());
    Box::pin(ready(rpc.failure(Diagnostic::error("Call Not Answered", detail))))
}
