//! Bytes to neutral requests.

use bytes::Bytes;
use ferroform_proto::tfplugin6 as v6;
use futures_core::Stream;
use prost::{DecodeError, Message as _};

use crate::plugin::grpc::Requests;
use crate::protocol::{
    ApplyResourceChangeRequest, CallFunctionRequest, ClientCapabilities, CloseEphemeralResourceRequest,
    ConfigureProviderRequest, ConfigureStateStoreRequest, DeleteStateRequest, DynamicValue, EventStream,
    GenerateResourceConfigRequest, GetFunctionsRequest, GetMetadataRequest, GetProviderSchemaRequest,
    GetResourceIdentitySchemasRequest, GetStatesRequest, ImportResourceStateRequest, InvokeActionRequest,
    ListResourceRequest, LockStateRequest, MoveResourceStateRequest, OpenEphemeralResourceRequest,
    PlanActionRequest, PlanResourceChangeRequest, RawState, ReadDataSourceRequest, ReadResourceRequest,
    ReadStateBytesRequest, RenewEphemeralResourceRequest, Request, Rpc, StateChunk, StateChunkMeta,
    StopProviderRequest, UnlockStateRequest, UpgradeResourceIdentityRequest, UpgradeResourceStateRequest,
    ValidateActionConfigRequest, ValidateDataResourceConfigRequest, ValidateEphemeralResourceConfigRequest,
    ValidateListResourceConfigRequest, ValidateProviderConfigRequest, ValidateResourceConfigRequest,
    ValidateStateStoreConfigRequest, WriteStateBytesRequest,
};

/// Decodes a message and moves its fields over. One that is not named does not compile.
macro_rules! request {
    ($bytes:expr, $wire:ty => $neutral:ident { $($field:ident $(: $from:ident)?),* $(,)? }) => {{
        type Wire = $wire;
        let Wire { $($($from:)? $field),* } = Wire::decode($bytes)?;
        Request::from($neutral { $($field: FromWire::from_wire($field)),* })
    }};
}

/// Decodes the request of a method that takes one message.
#[allow(clippy::too_many_lines, reason = "one row for each of the protocol's methods")]
pub(super) fn decode(rpc: Rpc, bytes: Bytes) -> Result<Request, DecodeError> {
    Ok(match rpc {
        Rpc::GetMetadata => request!(bytes, v6::get_metadata::Request => GetMetadataRequest {}),
        Rpc::GetProviderSchema => {
            request!(bytes, v6::get_provider_schema::Request => GetProviderSchemaRequest {})
        }
        Rpc::ValidateProviderConfig => {
            request!(bytes, v6::validate_provider_config::Request => ValidateProviderConfigRequest { config })
        }
        Rpc::ConfigureProvider => {
            request!(bytes, v6::configure_provider::Request => ConfigureProviderRequest {
                terraform_version, config, client_capabilities,
            })
        }
        Rpc::StopProvider => request!(bytes, v6::stop_provider::Request => StopProviderRequest {}),
        Rpc::ValidateResourceConfig => {
            request!(bytes, v6::validate_resource_config::Request => ValidateResourceConfigRequest {
                type_name, config, client_capabilities,
            })
        }
        Rpc::UpgradeResourceState => {
            request!(bytes, v6::upgrade_resource_state::Request => UpgradeResourceStateRequest {
                type_name, version, raw_state,
            })
        }
        Rpc::GetResourceIdentitySchemas => {
            request!(bytes, v6::get_resource_identity_schemas::Request => GetResourceIdentitySchemasRequest {})
        }
        Rpc::UpgradeResourceIdentity => {
            request!(bytes, v6::upgrade_resource_identity::Request => UpgradeResourceIdentityRequest {
                type_name, version, raw_identity,
            })
        }
        Rpc::ReadResource => request!(bytes, v6::read_resource::Request => ReadResourceRequest {
            type_name, current_state, private, provider_meta, client_capabilities, current_identity,
        }),
        Rpc::PlanResourceChange => {
            request!(bytes, v6::plan_resource_change::Request => PlanResourceChangeRequest {
                type_name, prior_state, proposed_new_state, config, prior_private, provider_meta,
                client_capabilities, prior_identity, planned_private,
            })
        }
        Rpc::ApplyResourceChange => {
            request!(bytes, v6::apply_resource_change::Request => ApplyResourceChangeRequest {
                type_name, prior_state, planned_state, config, planned_private, provider_meta, planned_identity,
            })
        }
        Rpc::ImportResourceState => {
            request!(bytes, v6::import_resource_state::Request => ImportResourceStateRequest {
                type_name, id, client_capabilities, identity,
            })
        }
        Rpc::MoveResourceState => {
            request!(bytes, v6::move_resource_state::Request => MoveResourceStateRequest {
                source_provider_address, source_type_name, source_schema_version, source_state, target_type_name,
                source_private, source_identity, source_identity_schema_version,
            })
        }
        Rpc::GenerateResourceConfig => {
            request!(bytes, v6::generate_resource_config::Request => GenerateResourceConfigRequest {
                type_name, state,
            })
        }
        Rpc::ValidateDataResourceConfig => {
            request!(bytes, v6::validate_data_resource_config::Request => ValidateDataResourceConfigRequest {
                type_name, config,
            })
        }
        Rpc::ReadDataSource => request!(bytes, v6::read_data_source::Request => ReadDataSourceRequest {
            type_name, config, provider_meta, client_capabilities,
        }),
        Rpc::ValidateEphemeralResourceConfig => request!(
            bytes,
            v6::validate_ephemeral_resource_config::Request => ValidateEphemeralResourceConfigRequest {
                type_name, config,
            }
        ),
        Rpc::OpenEphemeralResource => {
            request!(bytes, v6::open_ephemeral_resource::Request => OpenEphemeralResourceRequest {
                type_name, config, client_capabilities,
            })
        }
        Rpc::RenewEphemeralResource => {
            request!(bytes, v6::renew_ephemeral_resource::Request => RenewEphemeralResourceRequest {
                type_name, private,
            })
        }
        Rpc::CloseEphemeralResource => {
            request!(bytes, v6::close_ephemeral_resource::Request => CloseEphemeralResourceRequest {
                type_name, private,
            })
        }
        Rpc::GetFunctions => request!(bytes, v6::get_functions::Request => GetFunctionsRequest {}),
        Rpc::CallFunction => {
            request!(bytes, v6::call_function::Request => CallFunctionRequest { name, arguments })
        }
        Rpc::ValidateListResourceConfig => {
            request!(bytes, v6::validate_list_resource_config::Request => ValidateListResourceConfigRequest {
                type_name, config, include_resource_object, limit,
            })
        }
        Rpc::ListResource => request!(bytes, v6::list_resource::Request => ListResourceRequest {
            type_name, config, include_resource_object, limit,
        }),
        Rpc::ValidateActionConfig => {
            request!(bytes, v6::validate_action_config::Request => ValidateActionConfigRequest {
                type_name, config,
            })
        }
        Rpc::PlanAction => request!(bytes, v6::plan_action::Request => PlanActionRequest {
            action_type, config, client_capabilities,
        }),
        Rpc::InvokeAction => request!(bytes, v6::invoke_action::Request => InvokeActionRequest {
            action_type, config, client_capabilities,
        }),
        Rpc::ValidateStateStoreConfig => {
            request!(bytes, v6::validate_state_store::Request => ValidateStateStoreConfigRequest {
                type_name, config,
            })
        }
        Rpc::ConfigureStateStore => {
            request!(bytes, v6::configure_state_store::Request => ConfigureStateStoreRequest {
                type_name, config, chunk_size: capabilities,
            })
        }
        Rpc::ReadStateBytes => {
            request!(bytes, v6::read_state_bytes::Request => ReadStateBytesRequest { type_name, state_id })
        }
        Rpc::WriteStateBytes => {
            let chunk = v6::write_state_bytes::RequestChunk::decode(bytes)?;
            WriteStateBytesRequest { chunks: EventStream::of([FromWire::from_wire(chunk)]) }.into()
        }
        Rpc::LockState => request!(bytes, v6::lock_state::Request => LockStateRequest {
            type_name, state_id, operation,
        }),
        Rpc::UnlockState => request!(bytes, v6::unlock_state::Request => UnlockStateRequest {
            type_name, state_id, lock_id,
        }),
        Rpc::GetStates => request!(bytes, v6::get_states::Request => GetStatesRequest { type_name }),
        Rpc::DeleteState => {
            request!(bytes, v6::delete_state::Request => DeleteStateRequest { type_name, state_id })
        }
    })
}

/// The request of the one method that takes a stream. A chunk that cannot be read ends the stream short, which
/// the total length gives away.
pub(super) fn write_state_bytes(chunks: Requests) -> Request {
    WriteStateBytesRequest { chunks: EventStream::new(Chunks(chunks)) }.into()
}

struct Chunks(Requests);

impl Stream for Chunks {
    type Item = StateChunk;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<StateChunk>> {
        let next = std::pin::pin!(self.0.next());
        next.poll(cx).map(|bytes| {
            let chunk = v6::write_state_bytes::RequestChunk::decode(bytes.ok()??).ok()?;
            Some(FromWire::from_wire(chunk))
        })
    }
}

/// From a field of a message to the field of a neutral request.
trait FromWire<T> {
    fn from_wire(field: T) -> Self;
}

/// Fields that are the same on both sides.
macro_rules! same {
    ($($ty:ty)*) => { $(impl FromWire<$ty> for $ty { fn from_wire(field: $ty) -> Self { field } })* };
}
same! { String i64 bool Bytes Option<Bytes> }

impl FromWire<Option<v6::DynamicValue>> for DynamicValue {
    fn from_wire(field: Option<v6::DynamicValue>) -> Self {
        match field {
            Some(value) if !value.msgpack.is_empty() => Self::Msgpack(value.msgpack),
            Some(value) if !value.json.is_empty() => Self::Json(value.json),
            _ => Self::Absent,
        }
    }
}

impl FromWire<Vec<v6::DynamicValue>> for Vec<DynamicValue> {
    fn from_wire(field: Vec<v6::DynamicValue>) -> Self {
        field.into_iter().map(|value| DynamicValue::from_wire(Some(value))).collect()
    }
}

impl FromWire<Option<v6::ResourceIdentityData>> for Option<DynamicValue> {
    fn from_wire(field: Option<v6::ResourceIdentityData>) -> Self {
        match field.map(|data| DynamicValue::from_wire(data.identity_data)) {
            None | Some(DynamicValue::Absent) => None,
            identity => identity,
        }
    }
}

impl FromWire<Option<v6::RawState>> for Option<RawState> {
    fn from_wire(field: Option<v6::RawState>) -> Self {
        let state = field?;
        if state.json.is_empty() && !state.flatmap.is_empty() {
            return Some(RawState::Flatmap(state.flatmap));
        }
        (!state.json.is_empty()).then_some(RawState::Json(state.json))
    }
}

impl FromWire<Option<v6::ClientCapabilities>> for ClientCapabilities {
    fn from_wire(field: Option<v6::ClientCapabilities>) -> Self {
        let sent = field.unwrap_or_default();
        Self {
            deferral_allowed: sent.deferral_allowed,
            write_only_attributes_allowed: sent.write_only_attributes_allowed,
            store_planned_private: sent.store_planned_private,
            computed_blocks_allowed: sent.computed_blocks_allowed,
        }
    }
}

impl FromWire<Option<v6::StateStoreClientCapabilities>> for i64 {
    fn from_wire(field: Option<v6::StateStoreClientCapabilities>) -> Self {
        field.map_or(0, |capabilities| capabilities.chunk_size)
    }
}

impl FromWire<v6::write_state_bytes::RequestChunk> for StateChunk {
    fn from_wire(chunk: v6::write_state_bytes::RequestChunk) -> Self {
        let meta =
            chunk.meta.map(|meta| StateChunkMeta { type_name: meta.type_name, state_id: meta.state_id });
        Self {
            meta,
            bytes: chunk.bytes,
            total_length: chunk.total_length,
            range: chunk.range.map(|range| (range.start, range.end)),
            ..Self::default()
        }
    }
}
