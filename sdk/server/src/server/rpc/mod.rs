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

use crate::protocol::{Call, Request, Response};
use crate::server::Server;

/// Answers a call.
pub(super) async fn answer(server: &Server, call: Call) -> Response {
    let stop = call.cancellation;
    match call.request {
        Request::GetMetadata(request) => get_metadata::handle(server, request).into(),
        Request::GetProviderSchema(request) => get_provider_schema::handle(server, request).into(),
        Request::ValidateProviderConfig(request) => {
            validate_provider_config::handle(server, stop, request).await.into()
        }
        Request::ConfigureProvider(request) => configure_provider::handle(server, stop, request).await.into(),
        Request::StopProvider(request) => stop_provider::handle(server, request).into(),
        Request::ValidateResourceConfig(request) => {
            validate_resource_config::handle(server, stop, request).await.into()
        }
        Request::UpgradeResourceState(request) => {
            upgrade_resource_state::handle(server, stop, request).await.into()
        }
        Request::GetResourceIdentitySchemas(request) => {
            get_resource_identity_schemas::handle(server, request).into()
        }
        Request::UpgradeResourceIdentity(request) => {
            upgrade_resource_identity::handle(server, stop, request).await.into()
        }
        Request::MoveResourceState(request) => {
            move_resource_state::handle(server, stop, request).await.into()
        }
        Request::GenerateResourceConfig(request) => generate_resource_config::handle(server, &request).into(),
        Request::ReadResource(request) => read_resource::handle(server, stop, request).await.into(),
        Request::PlanResourceChange(request) => {
            plan_resource_change::handle(server, stop, request).await.into()
        }
        Request::ApplyResourceChange(request) => {
            apply_resource_change::handle(server, stop, request).await.into()
        }
        Request::ImportResourceState(request) => {
            import_resource_state::handle(server, stop, request).await.into()
        }
        Request::ValidateDataResourceConfig(request) => {
            validate_data_resource_config::handle(server, stop, request).await.into()
        }
        Request::ReadDataSource(request) => read_data_source::handle(server, stop, request).await.into(),
        Request::ValidateEphemeralResourceConfig(request) => {
            validate_ephemeral_resource_config::handle(server, stop, request).await.into()
        }
        Request::OpenEphemeralResource(request) => {
            open_ephemeral_resource::handle(server, stop, request).await.into()
        }
        Request::RenewEphemeralResource(request) => {
            renew_ephemeral_resource::handle(server, stop, request).await.into()
        }
        Request::CloseEphemeralResource(request) => {
            close_ephemeral_resource::handle(server, stop, request).await.into()
        }
        Request::GetFunctions(request) => get_functions::handle(server, request).into(),
        Request::CallFunction(request) => call_function::handle(server, stop, request).await.into(),
        Request::ValidateActionConfig(request) => {
            validate_action_config::handle(server, stop, request).await.into()
        }
        Request::PlanAction(request) => plan_action::handle(server, stop, request).await.into(),
        Request::InvokeAction(request) => invoke_action::handle(server, stop, &request).into(),
        Request::ValidateListResourceConfig(request) => {
            validate_list_resource_config::handle(server, stop, request).await.into()
        }
        Request::ListResource(request) => list_resource::handle(server, stop, &request).into(),
        Request::ValidateStateStoreConfig(request) => {
            validate_state_store_config::handle(server, stop, request).await.into()
        }
        Request::ConfigureStateStore(request) => {
            configure_state_store::handle(server, stop, request).await.into()
        }
        Request::ReadStateBytes(request) => read_state_bytes::handle(server, stop, request).into(),
        Request::WriteStateBytes(request) => write_state_bytes::handle(server, stop, request).await.into(),
        Request::LockState(request) => lock_state::handle(server, stop, request).await.into(),
        Request::UnlockState(request) => unlock_state::handle(server, stop, request).await.into(),
        Request::GetStates(request) => get_states::handle(server, stop, request).await.into(),
        Request::DeleteState(request) => delete_state::handle(server, stop, request).await.into(),
    }
}
