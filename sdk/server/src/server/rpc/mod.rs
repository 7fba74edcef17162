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

use crate::protocol::{Answer, Call, Request};
use crate::server::Server;

/// Answers a call. The future of each procedure is on the heap by itself: one for all of them has the size of the
/// largest, and a small call would pay for it.
pub(super) fn answer(server: Server, call: Call) -> Answer {
    let stop = call.cancellation;
    macro_rules! later {
        ($procedure:ident, $request:ident) => {
            Box::pin(async move { $procedure::handle(&server, stop, $request).await.into() })
        };
    }
    match call.request {
        Request::GetMetadata(request) => Box::pin(ready(get_metadata::handle(&server, request).into())),
        Request::GetProviderSchema(request) => {
            Box::pin(ready(get_provider_schema::handle(&server, request).into()))
        }
        Request::ValidateProviderConfig(request) => later!(validate_provider_config, request),
        Request::ConfigureProvider(request) => later!(configure_provider, request),
        Request::StopProvider(request) => Box::pin(ready(stop_provider::handle(&server, request).into())),
        Request::ValidateResourceConfig(request) => later!(validate_resource_config, request),
        Request::UpgradeResourceState(request) => later!(upgrade_resource_state, request),
        Request::GetResourceIdentitySchemas(request) => {
            Box::pin(ready(get_resource_identity_schemas::handle(&server, request).into()))
        }
        Request::UpgradeResourceIdentity(request) => later!(upgrade_resource_identity, request),
        Request::MoveResourceState(request) => later!(move_resource_state, request),
        Request::GenerateResourceConfig(request) => {
            Box::pin(ready(generate_resource_config::handle(&server, &request).into()))
        }
        Request::ReadResource(request) => later!(read_resource, request),
        Request::PlanResourceChange(request) => later!(plan_resource_change, request),
        Request::ApplyResourceChange(request) => later!(apply_resource_change, request),
        Request::ImportResourceState(request) => later!(import_resource_state, request),
        Request::ValidateDataResourceConfig(request) => later!(validate_data_resource_config, request),
        Request::ReadDataSource(request) => later!(read_data_source, request),
        Request::ValidateEphemeralResourceConfig(request) => {
            later!(validate_ephemeral_resource_config, request)
        }
        Request::OpenEphemeralResource(request) => later!(open_ephemeral_resource, request),
        Request::RenewEphemeralResource(request) => later!(renew_ephemeral_resource, request),
        Request::CloseEphemeralResource(request) => later!(close_ephemeral_resource, request),
        Request::GetFunctions(request) => Box::pin(ready(get_functions::handle(&server, request).into())),
        Request::CallFunction(request) => later!(call_function, request),
        Request::ValidateActionConfig(request) => later!(validate_action_config, request),
        Request::PlanAction(request) => later!(plan_action, request),
        Request::InvokeAction(request) => {
            Box::pin(ready(invoke_action::handle(&server, stop, &request).into()))
        }
        Request::ValidateListResourceConfig(request) => later!(validate_list_resource_config, request),
        Request::ListResource(request) => {
            Box::pin(ready(list_resource::handle(&server, stop, &request).into()))
        }
        Request::ValidateStateStoreConfig(request) => later!(validate_state_store_config, request),
        Request::ConfigureStateStore(request) => later!(configure_state_store, request),
        Request::ReadStateBytes(request) => {
            Box::pin(ready(read_state_bytes::handle(&server, stop, request).into()))
        }
        Request::WriteStateBytes(request) => later!(write_state_bytes, request),
        Request::LockState(request) => later!(lock_state, request),
        Request::UnlockState(request) => later!(unlock_state, request),
        Request::GetStates(request) => later!(get_states, request),
        Request::DeleteState(request) => later!(delete_state, request),
    }
}
