//! The seam of the SDK: every request and answer of the provider protocol, in the names of protocol 6 and free of
//! its encoding.
//!
//! Transports turn bytes into a [`Request`] and a [`Response`] into bytes; the server turns one into the other;
//! layers in between see both. Nothing here depends on the version of the protocol. Values stay encoded
//! ([`DynamicValue`]) until a handler decodes them by the schema of their type.

/// Declares messages: structs with public fields, which are made from their defaults.
macro_rules! messages {
    (derive $derives:tt $($(#[$doc:meta])* $message:ident { $($(#[$of_field:meta])* $field:ident: $ty:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive $derives]
        #[non_exhaustive]
        pub struct $message { $($(#[$of_field])* pub $field: $ty,)* }
    )*};
}

mod action;
mod data_source;
mod ephemeral_resource;
mod function;
mod handler;
mod list_resource;
mod provider;
mod resource;
mod state_store;

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;

pub use action::*;
pub use data_source::*;
pub use ephemeral_resource::*;
pub use function::*;
pub use handler::{Answer, Call, Handler, HandlerService, layered};
pub use list_resource::*;
pub use provider::*;
pub use resource::*;
pub use state_store::*;

use crate::diag::{Diagnostic, Diagnostics, Result};
use crate::schema::Kind;

/// Declares the requests, the responses and what can be said of all of them. A row ends with the kind of offer that its
/// procedure is about, and with the field of the request that names the offer; calls of the provider have no kind.
macro_rules! rpcs {
    ($($(#[$doc:meta])* $rpc:ident { $request:ident, $response:ident $(, $kind:ident($($name:ident)?))? })*) => {
        /// The remote procedures of the protocol, by their protocol 6 names.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rpc { $($(#[$doc])* $rpc,)* }

        impl Rpc {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$rpc,)*];

            /// The protocol 6 name, e.g. `PlanResourceChange`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$rpc => stringify!($rpc),)* }
            }

            /// The kind of offer that the procedure is about; `None` where it is about the provider.
            #[must_use]
            pub const fn kind(self) -> Option<Kind> {
                match self {
                    $($(Self::$rpc => Some(Kind::$kind),)?)*
                    _ => None,
                }
            }

            /// Whether the procedure may change something that lasts: an object of the service, or a stored state or its
            /// lock. Only its answer tells what it did, so the answer has to be awaited.
            #[must_use]
            pub const fn may_change(self) -> bool {
                matches!(
                    self,
                    Self::ApplyResourceChange
                        | Self::InvokeAction
                        | Self::OpenEphemeralResource
                        | Self::RenewEphemeralResource
                        | Self::CloseEphemeralResource
                        | Self::WriteStateBytes
                        | Self::LockState
                        | Self::UnlockState
                        | Self::DeleteState
                )
            }

            /// The answer that says nothing but that the call failed.
            #[must_use]
            pub fn failure(self, diagnostic: Diagnostic) -> Response {
                let one = std::iter::once(diagnostic).collect();
                match self { $(Self::$rpc => Response::$rpc($response::failure(one)),)* }
            }
        }

        /// A request.
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum Request { $($(#[$doc])* $rpc($request),)* }

        impl Request {
            /// Which procedure this calls.
            #[must_use]
            pub const fn rpc(&self) -> Rpc {
                match self { $(Self::$rpc(_) => Rpc::$rpc,)* }
            }

            /// The name of the type or function that it is about. `None` where it is about the provider, and for a write of
            /// a state, which names its store in its first chunk only.
            #[must_use]
            pub fn offer_name(&self) -> Option<&str> {
                match self {
                    $($($(Self::$rpc(request) => Some(&request.$name),)?)?)*
                    _ => None,
                }
            }
        }

        /// The answer to a request.
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum Response { $($(#[$doc])* $rpc($response),)* }

        impl Response {
            /// Which procedure this answers.
            #[must_use]
            pub const fn rpc(&self) -> Rpc {
                match self { $(Self::$rpc(_) => Rpc::$rpc,)* }
            }
        }

        /// The requests by the names of their procedures.
        pub(crate) mod requests {
            $(pub(crate) use super::$request as $rpc;)*
        }

        $(
            impl From<$request> for Request {
                fn from(request: $request) -> Self {
                    Self::$rpc(request)
                }
            }

            impl From<$response> for Response {
                fn from(response: $response) -> Self {
                    Self::$rpc(response)
                }
            }
        )*
    };
}

rpcs! {
    /// Names of everything, without schemas.
    GetMetadata { GetMetadataRequest, GetMetadataResponse }
    /// Schemas of everything.
    GetProviderSchema { GetProviderSchemaRequest, GetProviderSchemaResponse }
    /// Checks a provider configuration.
    ValidateProviderConfig { ValidateProviderConfigRequest, ValidateProviderConfigResponse }
    /// Hands the provider its configuration.
    ConfigureProvider { ConfigureProviderRequest, ConfigureProviderResponse }
    /// Asks running calls to stop.
    StopProvider { StopProviderRequest, StopProviderResponse }
    /// Checks the configuration of a managed resource.
    ValidateResourceConfig {
        ValidateResourceConfigRequest, ValidateResourceConfigResponse, Resource(type_name)
    }
    /// Brings a stored state to the current schema.
    UpgradeResourceState { UpgradeResourceStateRequest, UpgradeResourceStateResponse, Resource(type_name) }
    /// Identity schemas by resource type.
    GetResourceIdentitySchemas { GetResourceIdentitySchemasRequest, GetResourceIdentitySchemasResponse }
    /// Brings a stored identity to the current identity schema.
    UpgradeResourceIdentity {
        UpgradeResourceIdentityRequest, UpgradeResourceIdentityResponse, Resource(type_name)
    }
    /// Refreshes a stored object.
    ReadResource { ReadResourceRequest, ReadResourceResponse, Resource(type_name) }
    /// Plans a change.
    PlanResourceChange { PlanResourceChangeRequest, PlanResourceChangeResponse, Resource(type_name) }
    /// Creates, updates or deletes an object.
    ApplyResourceChange { ApplyResourceChangeRequest, ApplyResourceChangeResponse, Resource(type_name) }
    /// Finds existing objects by id or identity.
    ImportResourceState { ImportResourceStateRequest, ImportResourceStateResponse, Resource(type_name) }
    /// Turns a stored object of another type into one of this type.
    MoveResourceState { MoveResourceStateRequest, MoveResourceStateResponse, Resource(target_type_name) }
    /// Turns an imported state into configuration.
    GenerateResourceConfig {
        GenerateResourceConfigRequest, GenerateResourceConfigResponse, Resource(type_name)
    }
    /// Checks the configuration of a data source.
    ValidateDataResourceConfig {
        ValidateDataResourceConfigRequest, ValidateDataResourceConfigResponse, DataSource(type_name)
    }
    /// Reads a data source.
    ReadDataSource { ReadDataSourceRequest, ReadDataSourceResponse, DataSource(type_name) }
    /// Checks the configuration of an ephemeral resource.
    ValidateEphemeralResourceConfig {
        ValidateEphemeralResourceConfigRequest, ValidateEphemeralResourceConfigResponse, EphemeralResource(type_name)
    }
    /// Opens an ephemeral resource.
    OpenEphemeralResource {
        OpenEphemeralResourceRequest, OpenEphemeralResourceResponse, EphemeralResource(type_name)
    }
    /// Renews an open ephemeral resource.
    RenewEphemeralResource {
        RenewEphemeralResourceRequest, RenewEphemeralResourceResponse, EphemeralResource(type_name)
    }
    /// Closes an ephemeral resource.
    CloseEphemeralResource {
        CloseEphemeralResourceRequest, CloseEphemeralResourceResponse, EphemeralResource(type_name)
    }
    /// Signatures of the functions.
    GetFunctions { GetFunctionsRequest, GetFunctionsResponse }
    /// Calls a function.
    CallFunction { CallFunctionRequest, CallFunctionResponse, Function(name) }
    /// Checks the configuration of a list resource.
    ValidateListResourceConfig {
        ValidateListResourceConfigRequest, ValidateListResourceConfigResponse, ListResource(type_name)
    }
    /// Streams existing objects.
    ListResource { ListResourceRequest, ListResourceResponse, ListResource(type_name) }
    /// Checks the configuration of an action.
    ValidateActionConfig { ValidateActionConfigRequest, ValidateActionConfigResponse, Action(type_name) }
    /// Plans an action.
    PlanAction { PlanActionRequest, PlanActionResponse, Action(action_type) }
    /// Runs an action.
    InvokeAction { InvokeActionRequest, InvokeActionResponse, Action(action_type) }
    /// Checks the configuration of a state store.
    ValidateStateStoreConfig {
        ValidateStateStoreConfigRequest, ValidateStateStoreConfigResponse, StateStore(type_name)
    }
    /// Hands a state store its configuration.
    ConfigureStateStore { ConfigureStateStoreRequest, ConfigureStateStoreResponse, StateStore(type_name) }
    /// Streams a stored state.
    ReadStateBytes { ReadStateBytesRequest, ReadStateBytesResponse, StateStore(type_name) }
    /// Stores a state that arrives in chunks.
    WriteStateBytes { WriteStateBytesRequest, WriteStateBytesResponse, StateStore() }
    /// Locks a state.
    LockState { LockStateRequest, LockStateResponse, StateStore(type_name) }
    /// Unlocks a state.
    UnlockState { UnlockStateRequest, UnlockStateResponse, StateStore(type_name) }
    /// Names of the stored states.
    GetStates { GetStatesRequest, GetStatesResponse, StateStore(type_name) }
    /// Deletes a stored state.
    DeleteState { DeleteStateRequest, DeleteStateResponse, StateStore(type_name) }
}

/// An answer that can say that the call failed.
pub trait Failure {
    /// The answer that says nothing but these diagnostics.
    fn failure(diagnostics: Diagnostics) -> Self;
}

impl<R: Failure + Into<Response>> From<Result<R>> for Response {
    fn from(answer: Result<R>) -> Self {
        answer.unwrap_or_else(|error| R::failure(error.into_iter().collect())).into()
    }
}

macro_rules! fails_by_diagnostics {
    ($($response:ident)*) => {
        $(impl Failure for $response {
            fn failure(diagnostics: Diagnostics) -> Self {
                Self { diagnostics, ..Self::default() }
            }
        })*
    };
}

fails_by_diagnostics! {
    GetMetadataResponse ValidateProviderConfigResponse ConfigureProviderResponse ValidateResourceConfigResponse
    UpgradeResourceStateResponse GetResourceIdentitySchemasResponse UpgradeResourceIdentityResponse
    ReadResourceResponse PlanResourceChangeResponse ApplyResourceChangeResponse ImportResourceStateResponse
    MoveResourceStateResponse GenerateResourceConfigResponse ValidateDataResourceConfigResponse
    ReadDataSourceResponse ValidateEphemeralResourceConfigResponse OpenEphemeralResourceResponse
    RenewEphemeralResourceResponse CloseEphemeralResourceResponse GetFunctionsResponse
    ValidateListResourceConfigResponse ValidateActionConfigResponse PlanActionResponse
    ValidateStateStoreConfigResponse ConfigureStateStoreResponse WriteStateBytesResponse LockStateResponse
    UnlockStateResponse GetStatesResponse DeleteStateResponse
}

impl Failure for GetProviderSchemaResponse {
    fn failure(diagnostics: Diagnostics) -> Self {
        Self { server_capabilities: ServerCapabilities::default(), schemas: None, diagnostics }
    }
}

impl Failure for StopProviderResponse {
    fn failure(diagnostics: Diagnostics) -> Self {
        Self { error: diagnostics.iter().map(Diagnostic::to_string).collect() }
    }
}

impl Failure for CallFunctionResponse {
    fn failure(diagnostics: Diagnostics) -> Self {
        let text = diagnostics.iter().map(function_error_text).collect();
        let error = FunctionError { text, argument: None };
        Self { result: DynamicValue::Absent, error: Some(error) }
    }
}

impl Failure for ListResourceResponse {
    fn failure(diagnostics: Diagnostics) -> Self {
        let event = ListedResource { diagnostics, ..ListedResource::default() };
        Self { events: EventStream::of([event]) }
    }
}

impl Failure for InvokeActionResponse {
    fn failure(diagnostics: Diagnostics) -> Self {
        Self { events: EventStream::of([ActionEvent::Completed(diagnostics)]) }
    }
}

impl Failure for ReadStateBytesResponse {
    fn failure(diagnostics: Diagnostics) -> Self {
        let chunk = StateChunk { diagnostics, ..StateChunk::default() };
        Self { events: EventStream::of([chunk]) }
    }
}

/// An encoded value (protocol `DynamicValue`). What it means depends on a schema.
///
/// `Debug` shows the length only: the value may be sensitive.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum DynamicValue {
    /// Nothing was sent, which stands for null.
    #[default]
    Absent,
    /// MessagePack, the form that core sends and that every core understands.
    Msgpack(Bytes),
    /// JSON, which cannot carry unknown values.
    Json(Bytes),
}

impl fmt::Debug for DynamicValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("Absent"),
            Self::Msgpack(bytes) => write!(f, "Msgpack({} bytes)", bytes.len()),
            Self::Json(bytes) => write!(f, "Json({} bytes)", bytes.len()),
        }
    }
}

/// A state or an identity as it was stored, by the schema of the release that stored it (protocol `RawState`).
///
/// `Debug` shows the length only: the state may be sensitive.
///
/// ```
/// use ferroform::dynamic::RawState;
///
/// let state = RawState::Json(r#"{"password":"hunter2"}"#.into());
/// assert_eq!(format!("{state:?}"), "Json(22 bytes)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum RawState {
    /// JSON, possibly empty.
    Json(Bytes),
    /// The flat form that Terraform 0.11 and older wrote.
    Flatmap(BTreeMap<String, String>),
}

impl fmt::Debug for RawState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(bytes) => write!(f, "Json({} bytes)", bytes.len()),
            Self::Flatmap(map) => write!(f, "Flatmap({} entries)", map.len()),
        }
    }
}

/// What core can do with the answer to a call (protocol `ClientCapabilities`). Old cores send none.
///
/// ```
/// use ferroform::dynamic::CallState;
///
/// // A test of a provider with a core that allows deferral.
/// let mut call = CallState::new();
/// call.capabilities.deferral_allowed = true;
/// assert!(!call.capabilities.write_only_attributes_allowed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// The call may be deferred. Always true while applying, so it is never a reason by itself to defer.
    pub deferral_allowed: bool,
    /// Write-only attributes are understood (Terraform and OpenTofu 1.11).
    pub write_only_attributes_allowed: bool,
    /// Private data of the plan comes back in the plan call of an apply (Terraform 1.16).
    pub store_planned_private: bool,
    /// Computed blocks are understood (Terraform 1.16).
    pub computed_blocks_allowed: bool,
}

/// What the provider can do (protocol `ServerCapabilities`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ServerCapabilities {
    /// `PlanResourceChange` is also wanted for destroy.
    pub plan_destroy: bool,
    /// Any call may be the first one of a process, so core may keep the schemas it has seen.
    pub get_provider_schema_optional: bool,
    /// `MoveResourceState` is answered.
    pub move_resource_state: bool,
    /// `GenerateResourceConfig` is answered.
    pub generate_resource_config: bool,
}

/// Why a call was deferred (protocol `Deferred.Reason`).
///
/// ```
/// use ferroform::dynamic::phase::Plan;
/// use ferroform::dynamic::{CallState, Context, Deferred};
///
/// /// Plans a server, whose network may be that of another apply.
/// fn plan(cx: &mut Context<'_, Plan>, network_exists: bool) {
///     if network_exists {
///         return;
///     }
///     if cx.capabilities().deferral_allowed {
///         cx.defer(Deferred::AbsentPrerequisite);
///     } else {
///         cx.warn("Missing Network", "Create the network before you apply.");
///     }
/// }
///
/// // A core that allows deferral plans the rest, and an older one shows the warning.
/// let mut call = CallState::new();
/// call.capabilities.deferral_allowed = true;
/// plan(&mut Context::new(&mut call), false);
/// assert!(call.diagnostics.is_empty());
/// let mut older = CallState::new();
/// plan(&mut Context::new(&mut older), false);
/// assert_eq!(older.diagnostics.len(), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Deferred {
    /// The configuration of the resource holds unknown values that are needed.
    ResourceConfigUnknown,
    /// The configuration of the provider holds unknown values that are needed.
    ProviderConfigUnknown,
    /// Something that the object depends on does not exist yet.
    AbsentPrerequisite,
}

/// Messages that arrive or leave one after the other.
pub struct EventStream<T>(Box<PollNext<T>>);

type PollNext<T> = dyn FnMut(&mut Context<'_>) -> Poll<Option<T>> + Send;

impl<T: Send + 'static> EventStream<T> {
    /// A stream that asks a function for each message.
    pub(crate) fn polled(poll: impl FnMut(&mut Context<'_>) -> Poll<Option<T>> + Send + 'static) -> Self {
        Self(Box::new(poll))
    }

    /// A stream of these messages.
    #[must_use]
    pub fn of<I: IntoIterator<Item = T>>(items: I) -> Self
    where
        I::IntoIter: Send + 'static,
    {
        let mut items = items.into_iter();
        Self::polled(move |_| Poll::Ready(items.next()))
    }
}

impl<T: Send + 'static> Default for EventStream<T> {
    fn default() -> Self {
        Self::polled(|_| Poll::Ready(None))
    }
}

impl<T> fmt::Debug for EventStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventStream")
    }
}

impl<T> Stream for EventStream<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        (self.0)(cx)
    }
}
