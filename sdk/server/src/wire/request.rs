//! Bytes to neutral requests.

use bytes::Bytes;
use ferroform_proto::tfplugin6 as v6;
use prost::{DecodeError, Message as _};

use crate::plugin::grpc::Requests;
use crate::protocol::{
    ClientCapabilities, DynamicValue, EventStream, RawState, Request, Rpc, StateChunk, StateChunkMeta,
    requests,
};

/// Makes `decode`: a row has a method, the module of its messages, and the fields of its request, with the name of the field
/// of the message where that is another one. A field of a message that is not named does not compile.
macro_rules! requests {
    ($($rpc:ident: $method:ident { $($field:ident $(: $from:ident)?),* $(,)? })*) => {
        /// Decodes the request of a method that takes one message.
        pub(super) fn decode(rpc: Rpc, bytes: Bytes) -> Result<Request, DecodeError> {
            Ok(match rpc {
                $(Rpc::$rpc => {
                    type Wire = v6::$method::Request;
                    let Wire { $($($from:)? $field),* } = Wire::decode(bytes)?;
                    Request::$rpc(requests::$rpc { $($field: FromWire::from_wire($field)),* })
                })*
                Rpc::WriteStateBytes => {
                    let chunk = v6::write_state_bytes::RequestChunk::decode(bytes)?;
                    let chunks = EventStream::of([FromWire::from_wire(chunk)]);
                    Request::WriteStateBytes(requests::WriteStateBytes { chunks })
                }
            })
        }
    };
}

requests! {
    GetMetadata: get_metadata {}
    GetProviderSchema: get_provider_schema {}
    ValidateProviderConfig: validate_provider_config { config }
    ConfigureProvider: configure_provider { terraform_version, config, client_capabilities }
    StopProvider: stop_provider {}
    ValidateResourceConfig: validate_resource_config { type_name, config, client_capabilities }
    UpgradeResourceState: upgrade_resource_state { type_name, version, raw_state }
    GetResourceIdentitySchemas: get_resource_identity_schemas {}
    UpgradeResourceIdentity: upgrade_resource_identity { type_name, version, raw_identity }
    ReadResource: read_resource {
        type_name, current_state, private, provider_meta, client_capabilities, current_identity,
    }
    PlanResourceChange: plan_resource_change {
        type_name, prior_state, proposed_new_state, config, prior_private, provider_meta,
        client_capabilities, prior_identity, planned_private,
    }
    ApplyResourceChange: apply_resource_change {
        type_name, prior_state, planned_state, config, planned_private, provider_meta, planned_identity,
    }
    ImportResourceState: import_resource_state { type_name, id, client_capabilities, identity }
    MoveResourceState: move_resource_state {
        source_provider_address, source_type_name, source_schema_version, source_state, target_type_name,
        source_private, source_identity, source_identity_schema_version,
    }
    GenerateResourceConfig: generate_resource_config { type_name, state }
    ValidateDataResourceConfig: validate_data_resource_config { type_name, config }
    ReadDataSource: read_data_source { type_name, config, provider_meta, client_capabilities }
    ValidateEphemeralResourceConfig: validate_ephemeral_resource_config { type_name, config }
    OpenEphemeralResource: open_ephemeral_resource { type_name, config, client_capabilities }
    RenewEphemeralResource: renew_ephemeral_resource { type_name, private }
    CloseEphemeralResource: close_ephemeral_resource { type_name, private }
    GetFunctions: get_functions {}
    CallFunction: call_function { name, arguments }
    ValidateListResourceConfig: validate_list_resource_config {
        type_name, config, include_resource_object, limit,
    }
    ListResource: list_resource { type_name, config, include_resource_object, limit }
    ValidateActionConfig: validate_action_config { type_name, config }
    PlanAction: plan_action { action_type, config, client_capabilities }
    InvokeAction: invoke_action { action_type, config, client_capabilities }
    ValidateStateStoreConfig: validate_state_store { type_name, config }
    ConfigureStateStore: configure_state_store { type_name, config, chunk_size: capabilities }
    ReadStateBytes: read_state_bytes { type_name, state_id }
    LockState: lock_state { type_name, state_id, operation }
    UnlockState: unlock_state { type_name, state_id, lock_id }
    GetStates: get_states { type_name }
    DeleteState: delete_state { type_name, state_id }
}

/// The request of the one method that takes a stream. A chunk that cannot be read ends the stream short, which
/// the total length gives away.
pub(super) fn write_state_bytes(mut chunks: Requests) -> Request {
    let chunks = EventStream::polled(move |cx| {
        chunks.poll_next(cx).map(|bytes| {
            let chunk = v6::write_state_bytes::RequestChunk::decode(bytes?.ok()?).ok()?;
            Some(FromWire::from_wire(chunk))
        })
    });
    Request::WriteStateBytes(requests::WriteStateBytes { chunks })
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
