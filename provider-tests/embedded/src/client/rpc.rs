//! The methods of the provider protocol, with the messages of protocol 6.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytes::Bytes;
use ferroform::{Protocol, dynamic};
use ferroform_plugin::client::{Responses, Transport};
use ferroform_plugin::grpc::{Code, Requests, Status};
use ferroform_proto::tfplugin6 as proto;
use ferroform_server::protocol::HandlerService;
use ferroform_server::server::Server;
use ferroform_server::wire::{Protocol5, Protocol6};
use prost::Message;

use super::error::Error;
use super::in_process::InProcessTransport;
use super::protocol5;
use super::transcript::{Call, Describe, Kind, Transcript};

/// A method of the provider protocol; the types in [`method`] are.
pub trait Rpc: sealed::Sealed + 'static {
    /// The request message.
    type Request: Message + Default + Describe;
    /// The response message.
    type Response: Message + Default + Describe;
    /// The name in protocol 6.
    const NAME: &'static str;
    /// The path in protocol 6.
    const PATH: &'static str;
    #[doc(hidden)]
    const KIND: Kind;

    /// Takes out of a request what protocol 5 does not have.
    #[doc(hidden)]
    fn leave_out(_request: &mut Self::Request) {}

    /// Decodes a response of protocol 5.
    #[doc(hidden)]
    fn decode_5(bytes: Bytes) -> Result<Self::Response, prost::DecodeError> {
        Self::Response::decode(bytes)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// Calls a provider, of protocol 5 or 6, with the messages of protocol 6.
///
/// What protocol 5 does not have is left out of requests. Clones share the transport and the transcript.
#[derive(Clone)]
pub struct Client {
    transport: Arc<dyn Transport>,
    protocol: Protocol,
    transcript: Transcript,
}

impl Client {
    /// Speaks that protocol over a transport.
    pub fn new(transport: impl Transport, protocol: Protocol) -> Self {
        Self { transport: Arc::new(transport), protocol, transcript: Transcript::default() }
    }

    /// Calls a provider in this process, without a connection.
    ///
    /// ```
    /// # use ferroform::prelude::*;
    /// use ferroform::provider::assemble;
    /// use ferroform_embedded::client::{Client, Protocol, Provider};
    ///
    /// # struct Cloud;
    /// # impl ferroform::provider::Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_cx: &mut provider::Context<'_>, _config: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let client = Client::in_process(assemble::<Cloud>(), Protocol::V6);
    /// let provider = Provider::connect(client).await?;
    /// assert!(provider.schemas().resources.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_process(provider: Arc<dyn dynamic::Provider>, protocol: Protocol) -> Self {
        let server = Server::new(provider);
        let canceller = server.canceller();
        let handler = HandlerService::new(Arc::new(server));
        match protocol {
            Protocol::V5 => Self::new(InProcessTransport::new(Protocol5::new(handler, canceller)), protocol),
            Protocol::V6 => Self::new(InProcessTransport::new(Protocol6::new(handler, canceller)), protocol),
        }
    }

    /// The protocol that is spoken.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The same client, which writes into that transcript, also when others do.
    #[must_use]
    pub fn recording(self, transcript: &Transcript) -> Self {
        Self { transcript: transcript.for_provider(), ..self }
    }

    /// What was said so far.
    #[must_use]
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Calls a method with one request and one response.
    ///
    /// # Errors
    /// The call failed, or its answer is no message. The status is `UNIMPLEMENTED` for methods that the protocol
    /// does not have.
    pub async fn call<R: Rpc>(&self, request: R::Request) -> Result<R::Response, Error> {
        self.call_stream::<R>(vec![request]).await?.one().await
    }

    /// Calls a method of any shape with the requests given.
    ///
    /// # Errors
    /// The call failed at once.
    pub async fn call_stream<R: Rpc>(&self, requests: Vec<R::Request>) -> Result<Events<R>, Error> {
        let record = self.transcript.begin(R::NAME, R::KIND, &requests);
        let none = Responses::from_iter([]);
        let mut events = Events { responses: none, record, protocol: self.protocol, rpc: PhantomData };
        let path = match self.protocol {
            Protocol::V6 => Some(R::PATH),
            Protocol::V5 => protocol5::path(R::NAME),
        };
        let Some(path) = path else {
            let status = Status::new(Code::Unimplemented, "protocol 5 does not have the method");
            return Err(events.fail(status));
        };
        let protocol = self.protocol;
        let encoded = requests.into_iter().map(move |mut request| {
            if protocol == Protocol::V5 {
                R::leave_out(&mut request);
            }
            Bytes::from(request.encode_to_vec())
        });
        let responses = match encoded.len() {
            0 | 1 => self.transport.call(path, encoded.collect()).await,
            // A large state is not in memory a second time.
            _ => self.transport.send(path, Requests::lazy(encoded)).await,
        };
        match responses {
            Ok(responses) => {
                events.responses = responses;
                Ok(events)
            }
            Err(status) => Err(events.fail(status)),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("protocol", &self.protocol).finish_non_exhaustive()
    }
}

/// The response messages of a method, as they come.
pub struct Events<R> {
    responses: Responses,
    record: Call,
    protocol: Protocol,
    rpc: PhantomData<fn() -> R>,
}

impl<R: Rpc> Events<R> {
    /// The next message, or `None` after the last.
    ///
    /// # Errors
    /// The call failed, or the message is none of the method.
    pub async fn next(&mut self) -> Result<Option<R::Response>, Error> {
        let bytes = match self.responses.next().await {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(status) => return Err(self.fail(status)),
        };
        match decode::<R>(self.protocol, bytes) {
            Ok(message) => {
                self.record.answered(&message);
                Ok(Some(message))
            }
            Err(problem) => {
                self.record.failed("the answer is no message");
                Err(Error::Message { method: R::NAME, problem })
            }
        }
    }

    /// The only message.
    async fn one(mut self) -> Result<R::Response, Error> {
        let Some(message) = self.next().await? else {
            return Err(self.fail(Status::new(Code::Internal, "the call has no response message")));
        };
        match self.next().await? {
            None => Ok(message),
            Some(_) => Err(self.fail(Status::new(Code::Internal, "the call has several response messages"))),
        }
    }

    fn fail(&self, status: Status) -> Error {
        self.record.failed(&format!("{:?}: {status}", status.code()));
        Error::Status { method: R::NAME, status }
    }
}

impl<R: Rpc> fmt::Debug for Events<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("method", &R::NAME).finish_non_exhaustive()
    }
}

/// That a provider has broken the rules of a method.
pub(super) fn violation<R: Rpc>(what: &str) -> Error {
    Error::Status { method: R::NAME, status: Status::new(Code::Internal, what) }
}

/// How the calls of a method are recorded by one who sees only their bytes.
pub(super) struct Observed {
    /// The name in protocol 6.
    pub(super) name: &'static str,
    /// Begins the record of a call. Requests that are no messages are left out.
    pub(super) begin: fn(&Transcript, &[Bytes]) -> Call,
    /// Records a response.
    pub(super) answered: fn(&Call, Protocol, Bytes),
}

impl Observed {
    const fn of<R: Rpc>() -> Self {
        Self { name: R::NAME, begin: begin::<R>, answered: answered::<R> }
    }
}

/// The requests of protocol 5 read as those of protocol 6.
fn begin<R: Rpc>(transcript: &Transcript, requests: &[Bytes]) -> Call {
    let requests = requests.iter().filter_map(|bytes| R::Request::decode(bytes.clone()).ok());
    transcript.begin(R::NAME, R::KIND, &requests.collect::<Vec<_>>())
}

fn answered<R: Rpc>(call: &Call, protocol: Protocol, bytes: Bytes) {
    match decode::<R>(protocol, bytes) {
        Ok(message) => call.answered(&message),
        Err(_) => call.failed("the answer is no message"),
    }
}

/// Reads a response of either protocol.
pub(super) fn decode<R: Rpc>(protocol: Protocol, bytes: Bytes) -> Result<R::Response, prost::DecodeError> {
    match protocol {
        Protocol::V6 => R::Response::decode(bytes),
        Protocol::V5 => R::decode_5(bytes),
    }
}

/// Makes the types in [`method`] from rows: name, function of [`Client`] if there is one request and one response,
/// request, response, what the type name names, and what is special in protocol 5: the capabilities that are left out
/// of, or functions of [`Rpc`].
macro_rules! methods {
    ($($name:ident $(($function:ident))? $module:ident::{$request:ident, $response:ident} $kind:ident
        $([$capabilities:ident])? $({ $($edge:item)* })?)*) => {
        /// The methods as types, for [`Client::call`](super::Client::call) and
        /// [`Client::call_stream`](super::Client::call_stream).
        pub mod method {
            $(
                #[doc = concat!("The method `", stringify!($name), "`.")]
                #[derive(Debug, Clone, Copy)]
                pub struct $name;
            )*
        }

        $(
            impl sealed::Sealed for method::$name {}

            impl Rpc for method::$name {
                type Request = proto::$module::$request;
                type Response = proto::$module::$response;
                const NAME: &'static str = stringify!($name);
                const PATH: &'static str = concat!("/tfplugin6.Provider/", stringify!($name));
                const KIND: Kind = Kind::$kind;
                $(
                    fn leave_out(request: &mut Self::Request) {
                        protocol5::leave_out(&mut request.$capabilities);
                    }
                )?
                $($($edge)*)?
            }
        )*

        impl Client {
            $($(
                #[doc = concat!("Calls `", stringify!($name), "`.")]
                ///
                /// # Errors
                /// Those of [`Client::call`].
                pub async fn $function(
                    &self,
                    request: proto::$module::$request,
                ) -> Result<proto::$module::$response, Error> {
                    self.call::<method::$name>(request).await
                }
            )?)*
        }

        /// All methods, for those who only listen.
        pub(super) const OBSERVED: &[Observed] = &[$(Observed::of::<method::$name>()),*];
    };
}

methods! {
    GetMetadata(get_metadata) get_metadata::{Request, Response} Nothing {
        fn decode_5(bytes: Bytes) -> Result<Self::Response, prost::DecodeError> {
            protocol5::metadata(bytes)
        }
    }
    GetProviderSchema(get_provider_schema) get_provider_schema::{Request, Response} Nothing {
        fn decode_5(bytes: Bytes) -> Result<Self::Response, prost::DecodeError> {
            protocol5::provider_schema(bytes)
        }
    }
    ValidateProviderConfig(validate_provider_config) validate_provider_config::{Request, Response} Provider
    ValidateResourceConfig(validate_resource_config) validate_resource_config::{Request, Response} Resource [client_capabilities]
    ValidateDataResourceConfig(validate_data_resource_config) validate_data_resource_config::{Request, Response} DataSource
    UpgradeResourceState(upgrade_resource_state) upgrade_resource_state::{Request, Response} Resource
    GetResourceIdentitySchemas(get_resource_identity_schemas) get_resource_identity_schemas::{Request, Response} Nothing
    UpgradeResourceIdentity(upgrade_resource_identity) upgrade_resource_identity::{Request, Response} Resource
    ConfigureProvider(configure_provider) configure_provider::{Request, Response} Provider [client_capabilities]
    ReadResource(read_resource) read_resource::{Request, Response} Resource [client_capabilities]
    PlanResourceChange(plan_resource_change) plan_resource_change::{Request, Response} Resource {
        fn leave_out(request: &mut Self::Request) {
            protocol5::leave_out(&mut request.client_capabilities);
            request.planned_private = Bytes::new();
        }
    }
    ApplyResourceChange(apply_resource_change) apply_resource_change::{Request, Response} Resource
    ImportResourceState(import_resource_state) import_resource_state::{Request, Response} Resource [client_capabilities]
    MoveResourceState(move_resource_state) move_resource_state::{Request, Response} Resource
    ReadDataSource(read_data_source) read_data_source::{Request, Response} DataSource [client_capabilities]
    GenerateResourceConfig(generate_resource_config) generate_resource_config::{Request, Response} Resource
    ValidateEphemeralResourceConfig(validate_ephemeral_resource_config) validate_ephemeral_resource_config::{Request, Response} EphemeralResource
    OpenEphemeralResource(open_ephemeral_resource) open_ephemeral_resource::{Request, Response} EphemeralResource [client_capabilities]
    RenewEphemeralResource(renew_ephemeral_resource) renew_ephemeral_resource::{Request, Response} EphemeralResource
    CloseEphemeralResource(close_ephemeral_resource) close_ephemeral_resource::{Request, Response} EphemeralResource
    ListResource list_resource::{Request, Event} ListResource
    ValidateListResourceConfig(validate_list_resource_config) validate_list_resource_config::{Request, Response} ListResource
    GetFunctions(get_functions) get_functions::{Request, Response} Nothing
    CallFunction(call_function) call_function::{Request, Response} Nothing
    ValidateStateStoreConfig(validate_state_store_config) validate_state_store::{Request, Response} StateStore
    ConfigureStateStore(configure_state_store) configure_state_store::{Request, Response} StateStore
    ReadStateBytes read_state_bytes::{Request, Response} StateStore
    WriteStateBytes write_state_bytes::{RequestChunk, Response} StateStore
    LockState(lock_state) lock_state::{Request, Response} StateStore
    UnlockState(unlock_state) unlock_state::{Request, Response} StateStore
    GetStates(get_states) get_states::{Request, Response} StateStore
    DeleteState(delete_state) delete_state::{Request, Response} StateStore
    PlanAction(plan_action) plan_action::{Request, Response} Action [client_capabilities]
    InvokeAction invoke_action::{Request, Event} Action [client_capabilities]
    ValidateActionConfig(validate_action_config) validate_action_config::{Request, Response} Action
    StopProvider(stop_provider) stop_provider::{Request, Response} Nothing
}

impl Client {
    /// Calls `ListResource`; the events come as the provider finds objects.
    ///
    /// # Errors
    /// Those of [`Client::call_stream`].
    pub async fn list_resource(
        &self,
        request: proto::list_resource::Request,
    ) -> Result<Events<method::ListResource>, Error> {
        self.call_stream(vec![request]).await
    }

    /// Calls `InvokeAction`; the events tell the progress, and the last one the end.
    ///
    /// # Errors
    /// Those of [`Client::call_stream`].
    pub async fn invoke_action(
        &self,
        request: proto::invoke_action::Request,
    ) -> Result<Events<method::InvokeAction>, Error> {
        self.call_stream(vec![request]).await
    }

    /// Calls `ReadStateBytes`; the events hold the state in chunks.
    ///
    /// # Errors
    /// Those of [`Client::call_stream`].
    pub async fn read_state_bytes(
        &self,
        request: proto::read_state_bytes::Request,
    ) -> Result<Events<method::ReadStateBytes>, Error> {
        self.call_stream(vec![request]).await
    }

    /// Calls `WriteStateBytes` with the chunks of a state.
    ///
    /// # Errors
    /// Those of [`Client::call`].
    pub async fn write_state_bytes(
        &self,
        chunks: Vec<proto::write_state_bytes::RequestChunk>,
    ) -> Result<proto::write_state_bytes::Response, Error> {
        self.call_stream::<method::WriteStateBytes>(chunks).await?.one().await
    }
}
