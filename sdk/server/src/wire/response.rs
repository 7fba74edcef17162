//! Neutral responses to bytes.

use std::pin::Pin;
use std::time::SystemTime;

use bytes::Bytes;
use ferroform_proto::google::protobuf::Timestamp;
use ferroform_proto::tfplugin6 as v6;
use futures_core::Stream as _;

use crate::diag::{Diagnostic, Diagnostics, Severity};
use crate::path::{Path, Step};
use crate::plugin::grpc::{Code, Message, MessageStream, Status, polled};
use crate::protocol::{
    ActionEvent, Deferred, DynamicValue, EventStream, FunctionError, ImportedResource, ListedResource,
    Response, ServerCapabilities, StateChunk,
};
use crate::wire::{message, protocol5_differences, schema};

/// Makes `encode`: a row has a method, the module of its messages, and the fields of its response, with the name of the
/// field of the message where that is another one.
macro_rules! responses {
    ($($rpc:ident: $method:ident { $($field:ident $(: $to:ident)?),* })*) => {
        /// Encodes the response of a method that answers with one message.
        pub(super) fn encode(response: Response, version: u32) -> Result<Message, Status> {
            Ok(match response {
                $(Response::$rpc(response) => {
                    $(let $field = response.$field.to_wire();)*
                    message(&v6::$method::Response { $($($to:)? $field),* })
                })*
                Response::GetMetadata(response) if version == 5 => protocol5_differences::metadata(response),
                Response::GetMetadata(response) => schema::metadata(response, 9),
                Response::GetProviderSchema(response) => schema::provider_schema(&response, version),
                Response::GetResourceIdentitySchemas(response) => schema::identity_schemas(response),
                Response::GetFunctions(response) => schema::functions(response),
                Response::PlanResourceChange(response) => message(&v6::plan_resource_change::Response {
                    planned_state: response.planned_state.to_wire(),
                    requires_replace: response.requires_replace.iter().map(attribute_path).collect(),
                    planned_private: response.planned_private,
                    diagnostics: response.diagnostics.to_wire(),
                    // Set by the old Go SDK alone: it lifts checks that keep users from harm.
                    legacy_type_system: false,
                    deferred: response.deferred.to_wire(),
                    planned_identity: response.planned_identity.to_wire(),
                }),
                Response::ApplyResourceChange(response) => message(&v6::apply_resource_change::Response {
                    new_state: response.new_state.to_wire(),
                    private: response.private,
                    diagnostics: response.diagnostics.to_wire(),
                    legacy_type_system: false,
                    new_identity: response.new_identity.to_wire(),
                }),
                Response::ListResource(_) | Response::InvokeAction(_) | Response::ReadStateBytes(_) => {
                    let text = "a layer answered with a stream where one message is due";
                    return Err(Status::new(Code::Internal, text));
                }
            })
        }
    };
}

responses! {
    ValidateProviderConfig: validate_provider_config { diagnostics }
    ConfigureProvider: configure_provider { diagnostics }
    StopProvider: stop_provider { error }
    ValidateResourceConfig: validate_resource_config { diagnostics }
    UpgradeResourceState: upgrade_resource_state { upgraded_state, diagnostics }
    UpgradeResourceIdentity: upgrade_resource_identity { upgraded_identity, diagnostics }
    ReadResource: read_resource { new_state, diagnostics, private, deferred, new_identity }
    ImportResourceState: import_resource_state { imported_resources, diagnostics, deferred }
    MoveResourceState: move_resource_state { target_state, diagnostics, target_private, target_identity }
    GenerateResourceConfig: generate_resource_config { config, diagnostics }
    ValidateDataResourceConfig: validate_data_resource_config { diagnostics }
    ReadDataSource: read_data_source { state, diagnostics, deferred }
    ValidateEphemeralResourceConfig: validate_ephemeral_resource_config { diagnostics }
    OpenEphemeralResource: open_ephemeral_resource { diagnostics, renew_at, result, private, deferred }
    RenewEphemeralResource: renew_ephemeral_resource { diagnostics, renew_at, private }
    CloseEphemeralResource: close_ephemeral_resource { diagnostics }
    CallFunction: call_function { result, error }
    ValidateListResourceConfig: validate_list_resource_config { diagnostics }
    ValidateActionConfig: validate_action_config { diagnostics }
    PlanAction: plan_action { diagnostics, deferred }
    ValidateStateStoreConfig: validate_state_store { diagnostics }
    ConfigureStateStore: configure_state_store { diagnostics, chunk_size: capabilities }
    WriteStateBytes: write_state_bytes { diagnostics }
    LockState: lock_state { lock_id, diagnostics }
    UnlockState: unlock_state { diagnostics }
    GetStates: get_states { state_ids: state_id, diagnostics }
    DeleteState: delete_state { diagnostics }
}

/// Encodes the response of a method that answers with a stream.
pub(super) fn stream(response: Response) -> Result<MessageStream, Status> {
    Ok(match response {
        Response::ListResource(response) => encoded(response.events, |event: ListedResource| {
            message(&v6::list_resource::Event {
                identity: event.identity.to_wire(),
                display_name: event.display_name,
                resource_object: event.resource_object.and_then(ToWire::to_wire),
                diagnostic: event.diagnostics.to_wire(),
            })
        }),
        Response::InvokeAction(response) => encoded(response.events, |event| {
            use v6::invoke_action::event::{Completed, Progress, Type};
            let r#type = match event {
                ActionEvent::Progress(message) => Type::Progress(Progress { message }),
                ActionEvent::Completed(diagnostics) => {
                    Type::Completed(Completed { diagnostics: diagnostics.to_wire() })
                }
            };
            message(&v6::invoke_action::Event { r#type: Some(r#type) })
        }),
        Response::ReadStateBytes(response) => encoded(response.events, |chunk: StateChunk| {
            message(&v6::read_state_bytes::Response {
                bytes: chunk.bytes,
                total_length: chunk.total_length,
                range: chunk.range.map(|(start, end)| v6::StateRange { start, end }),
                diagnostics: chunk.diagnostics.to_wire(),
            })
        }),
        _ => {
            let text = "a layer answered with one message where a stream is due";
            return Err(Status::new(Code::Internal, text));
        }
    })
}

fn encoded<T: Send + 'static>(mut events: EventStream<T>, encode: fn(T) -> Message) -> MessageStream {
    polled(move |cx| Pin::new(&mut events).poll_next(cx).map(|event| event.map(|event| Ok(encode(event)))))
}

/// From the field of a neutral response to a field of a message.
pub(super) trait ToWire<T> {
    fn to_wire(self) -> T;
}

/// Fields that are the same on both sides.
macro_rules! same {
    ($($ty:ty)*) => { $(impl ToWire<$ty> for $ty { fn to_wire(self) -> $ty { self } })* };
}
same! { String Bytes Option<Bytes> Vec<String> }

/// The encoded value; `None` for one that is absent, which core takes for null.
impl ToWire<Option<v6::DynamicValue>> for DynamicValue {
    fn to_wire(self) -> Option<v6::DynamicValue> {
        match self {
            Self::Absent => None,
            Self::Msgpack(msgpack) => Some(v6::DynamicValue { msgpack, json: Bytes::new() }),
            Self::Json(json) => Some(v6::DynamicValue { msgpack: Bytes::new(), json }),
        }
    }
}

impl ToWire<Option<v6::ResourceIdentityData>> for Option<DynamicValue> {
    fn to_wire(self) -> Option<v6::ResourceIdentityData> {
        self.and_then(ToWire::to_wire).map(|value| v6::ResourceIdentityData { identity_data: Some(value) })
    }
}

impl ToWire<Vec<v6::Diagnostic>> for Diagnostics {
    fn to_wire(self) -> Vec<v6::Diagnostic> {
        self.into_iter().map(diagnostic).collect()
    }
}

pub(super) fn diagnostic(diagnostic: Diagnostic) -> v6::Diagnostic {
    let severity = match diagnostic.severity {
        Severity::Error => v6::diagnostic::Severity::Error,
        Severity::Warning => v6::diagnostic::Severity::Warning,
    };
    v6::Diagnostic {
        severity: severity.into(),
        summary: diagnostic.summary,
        detail: diagnostic.detail,
        attribute: diagnostic.path.as_ref().map(attribute_path),
    }
}

/// A path up to the first set element, whose steps have no form on the wire.
fn attribute_path(path: &Path) -> v6::AttributePath {
    use v6::attribute_path::step::Selector;
    let steps = path.addressable().iter().map(|step| {
        let selector = match step {
            Step::Attribute(name) => Some(Selector::AttributeName(name.to_string())),
            Step::Index(index) => Some(Selector::ElementKeyInt(i64::try_from(*index).unwrap_or(i64::MAX))),
            Step::Key(key) => Some(Selector::ElementKeyString(key.to_string())),
            // An element of a set has no address on the wire, and so has nothing that is added later.
            _ => None,
        };
        v6::attribute_path::Step { selector }
    });
    v6::AttributePath { steps: steps.collect() }
}

impl ToWire<Option<v6::Deferred>> for Option<Deferred> {
    fn to_wire(self) -> Option<v6::Deferred> {
        let reason = match self? {
            Deferred::ResourceConfigUnknown => v6::deferred::Reason::ResourceConfigUnknown,
            Deferred::ProviderConfigUnknown => v6::deferred::Reason::ProviderConfigUnknown,
            Deferred::AbsentPrerequisite => v6::deferred::Reason::AbsentPrereq,
        };
        Some(v6::Deferred { reason: reason.into() })
    }
}

impl ToWire<Vec<v6::import_resource_state::ImportedResource>> for Vec<ImportedResource> {
    fn to_wire(self) -> Vec<v6::import_resource_state::ImportedResource> {
        let imported = self.into_iter().map(|imported| v6::import_resource_state::ImportedResource {
            type_name: imported.type_name,
            state: imported.state.to_wire(),
            private: imported.private,
            identity: imported.identity.to_wire(),
        });
        imported.collect()
    }
}

impl ToWire<Option<v6::FunctionError>> for Option<FunctionError> {
    fn to_wire(self) -> Option<v6::FunctionError> {
        let error = self?;
        let function_argument = error.argument.and_then(|at| i64::try_from(at).ok());
        Some(v6::FunctionError { text: error.text, function_argument })
    }
}

impl ToWire<Option<Timestamp>> for Option<SystemTime> {
    fn to_wire(self) -> Option<Timestamp> {
        // A time before 1970 asks for a renewal at once, as any time that has passed does.
        let since = self?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        Some(Timestamp { seconds, nanos: since.subsec_nanos().cast_signed() })
    }
}

/// Core reads through this without looking whether it is there.
impl ToWire<Option<v6::StateStoreServerCapabilities>> for i64 {
    fn to_wire(self) -> Option<v6::StateStoreServerCapabilities> {
        Some(v6::StateStoreServerCapabilities { chunk_size: self })
    }
}

impl ToWire<v6::ServerCapabilities> for ServerCapabilities {
    fn to_wire(self) -> v6::ServerCapabilities {
        v6::ServerCapabilities {
            plan_destroy: self.plan_destroy,
            get_provider_schema_optional: self.get_provider_schema_optional,
            move_resource_state: self.move_resource_state,
            generate_resource_config: self.generate_resource_config,
        }
    }
}
