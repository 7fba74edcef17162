//! What the provider has none of.

use std::pin::Pin;
use std::sync::Arc;

use ferroform::async_trait;
use ferroform::diag::Result;
use ferroform::dynamic::{
    Action, Catalogue, Context, DataSource, EphemeralContext, EphemeralResource, Function, InvokeContext,
    ListContext, ListResource, Open, Provider, Resource, StateStore, Store, phase,
};
use ferroform::function::FunctionContext;
use ferroform::schema::{FunctionSignature, Kind, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ActionEvent, CallFunctionRequest, CloseEphemeralResourceRequest, ConfigureStateStoreRequest,
    DeleteStateRequest, EventStream, GetFunctionsRequest, GetMetadataRequest,
    GetResourceIdentitySchemasRequest, GetStatesRequest, InvokeActionRequest, ListResourceRequest,
    LockStateRequest, OpenEphemeralResourceRequest, PlanActionRequest, ReadDataSourceRequest,
    ReadStateBytesRequest, RenewEphemeralResourceRequest, StateChunk, StateChunkMeta, UnlockStateRequest,
    ValidateActionConfigRequest, ValidateDataResourceConfigRequest, ValidateEphemeralResourceConfigRequest,
    ValidateListResourceConfigRequest, ValidateStateStoreConfigRequest, WriteStateBytesRequest,
};
use ferroform_server::server::Server;
use futures_core::Stream;

use crate::server::support::{
    Offering, Source, THING, Thing, ask, block_on, details, message, response, server, serving, summaries,
};

/// Asks for a thing that is not there, a provider with none of its kind and one with another; the summary and the detail
/// must say which.
macro_rules! check {
    ($rpc:ident($request:ty { $field:ident }), $summary:literal, $detail:literal) => {{
        for server in servers() {
            let request = message!($request { $field: "x".to_owned() });
            let response = response!($rpc, ask(&server, request));
            assert_eq!(summaries(&response.diagnostics), concat!("error: ", $summary, "\n"));
            let detail = details(&response.diagnostics);
            assert!(detail.contains($detail), "{detail}");
        }
    }};
}

/// One of a provider without most kinds, and one of a provider with each.
pub(crate) fn servers() -> [Server; 2] {
    let each = Catalogue::new()
        .with(THING, Arc::new(Thing::default()) as Arc<dyn Resource>)
        .with(THING, Arc::new(Source::default()) as Arc<dyn DataSource>)
        .with(THING, Arc::new(Other) as Arc<dyn EphemeralResource>)
        .with(THING, Arc::new(Other) as Arc<dyn ListResource>)
        .with(THING, Arc::new(Other) as Arc<dyn StateStore>)
        .with(THING, Arc::new(Other) as Arc<dyn Action>)
        .with(THING, Arc::new(Other) as Arc<dyn Function>);
    [serving(Thing::default()), Server::new(Arc::new(Offering(each)))]
}

/// What is there in the place of what is asked for.
struct Other;

#[async_trait]
impl EphemeralResource for Other {
    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn open(&self, _: &mut EphemeralContext<Open>, _: Value) -> Result<Value> {
        unreachable!("another type was asked for")
    }
}

#[async_trait]
impl ListResource for Other {
    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn list(&self, _: ListContext<'_>, _: Value) -> Result {
        unreachable!("another type was asked for")
    }
}

#[async_trait]
impl StateStore for Other {
    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn configure(
        &self,
        _: &mut Context<'_, phase::ConfigureStateStore>,
        _: Value,
    ) -> Result<Arc<dyn Store>> {
        unreachable!("another type was asked for")
    }
}

#[async_trait]
impl Action for Other {
    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn invoke(&self, _: InvokeContext<'_>, _: Value) -> Result {
        unreachable!("another type was asked for")
    }
}

#[async_trait]
impl Function for Other {
    fn signature(&self) -> FunctionSignature {
        FunctionSignature::new(Type::String)
    }

    async fn call(&self, _: &FunctionContext, _: Vec<Value>) -> Result<Value> {
        unreachable!("another function was asked for")
    }
}

/// Its list of offers cannot be had.
struct Panicking;

#[async_trait]
impl Provider for Panicking {
    fn name(&self) -> &str {
        "panicking"
    }

    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn configure(&self, _: &mut Context<'_, phase::Configure>, _: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        panic!("no offers")
    }
}

fn all<T: Send + 'static>(mut events: EventStream<T>) -> Vec<T> {
    block_on(async {
        let mut all = Vec::new();
        while let Some(event) = std::future::poll_fn(|cx| Pin::new(&mut events).poll_next(cx)).await {
            all.push(event);
        }
        all
    })
}

#[test]
fn lists_of_what_is_absent_are_empty() {
    let server = serving(Thing::default());
    let request = GetResourceIdentitySchemasRequest::default();
    let identities = response!(GetResourceIdentitySchemas, ask(&server, request));
    assert!(identities.identity_schemas.is_empty() && identities.diagnostics.is_empty());
    let functions = response!(GetFunctions, ask(&server, GetFunctionsRequest::default()));
    assert!(functions.functions.is_empty() && functions.diagnostics.is_empty());
}

#[test]
fn unknown_type_is_reported_by_name() {
    check!(
        ValidateEphemeralResourceConfig(ValidateEphemeralResourceConfigRequest { type_name }),
        "Unknown Type",
        "no ephemeral resource type `x`"
    );
    check!(
        OpenEphemeralResource(OpenEphemeralResourceRequest { type_name }),
        "Unknown Type",
        "no ephemeral resource type `x`"
    );
    check!(
        RenewEphemeralResource(RenewEphemeralResourceRequest { type_name }),
        "Unknown Type",
        "no ephemeral resource type `x`"
    );
    check!(
        ValidateListResourceConfig(ValidateListResourceConfigRequest { type_name }),
        "Unknown Type",
        "no list resource type `x`"
    );
    check!(
        ValidateActionConfig(ValidateActionConfigRequest { type_name }),
        "Unknown Type",
        "no action type `x`"
    );
    check!(PlanAction(PlanActionRequest { action_type }), "Unknown Type", "no action type `x`");
    check!(
        ValidateStateStoreConfig(ValidateStateStoreConfigRequest { type_name }),
        "Unknown Type",
        "no state store type `x`"
    );
    check!(
        ConfigureStateStore(ConfigureStateStoreRequest { type_name }),
        "Unknown Type",
        "no state store type `x`"
    );
    check!(
        ValidateDataResourceConfig(ValidateDataResourceConfigRequest { type_name }),
        "Unknown Type",
        "no data source type `x`"
    );
    check!(ReadDataSource(ReadDataSourceRequest { type_name }), "Unknown Type", "no data source type `x`");
    check!(LockState(LockStateRequest { type_name }), "Unknown Type", "no state store type `x`");
    check!(UnlockState(UnlockStateRequest { type_name }), "Unknown Type", "no state store type `x`");
    check!(GetStates(GetStatesRequest { type_name }), "Unknown Type", "no state store type `x`");
    check!(DeleteState(DeleteStateRequest { type_name }), "Unknown Type", "no state store type `x`");
}

#[test]
fn an_absent_ephemeral_resource_is_closed() {
    for server in servers() {
        let request = message!(CloseEphemeralResourceRequest { type_name: "x".to_owned() });
        assert!(response!(CloseEphemeralResource, ask(&server, request)).diagnostics.is_empty());
    }
}

#[test]
fn unknown_function_is_reported_by_name() {
    for server in servers() {
        let request = message!(CallFunctionRequest { name: "x".to_owned() });
        let error = response!(CallFunction, ask(&server, request)).error.expect("an error");
        assert_eq!(error.argument, None);
        assert!(error.text.starts_with("The provider `double` has no function `x`. "), "{}", error.text);
        assert!(!error.text.ends_with('.'), "core ends the sentence: {}", error.text);
    }
}

#[test]
fn state_of_an_absent_store_is_not_written() {
    let details_of = ["has no state store type. If", "has no state store type `x`. Check the spelling"];
    for (server, detail) in servers().into_iter().zip(details_of) {
        let chunk = message!(StateChunk {
            meta: Some(message!(StateChunkMeta { type_name: "x".to_owned() })),
            bytes: "{}".into(),
            total_length: 2,
            range: Some((0, 1)),
        });
        let writing = message!(WriteStateBytesRequest { chunks: EventStream::of([chunk]) });
        let response = response!(WriteStateBytes, ask(&server, writing));
        assert_eq!(summaries(&response.diagnostics), "error: Unknown Type\n");
        let details = details(&response.diagnostics);
        assert!(details.contains(detail), "{details}");
    }
}

#[test]
fn failed_stream_reports_the_error_and_ends() {
    for server in servers() {
        let listing = message!(ListResourceRequest { type_name: "x".to_owned() });
        let listed = all(response!(ListResource, ask(&server, listing)).events);
        let [event] = listed.as_slice() else { panic!("{listed:?}") };
        assert_eq!(summaries(&event.diagnostics), "error: Unknown Type\n");
        let invoking = message!(InvokeActionRequest { action_type: "x".to_owned() });
        let events = all(response!(InvokeAction, ask(&server, invoking)).events);
        let [ActionEvent::Completed(diagnostics)] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(summaries(diagnostics), "error: Unknown Type\n");
        let reading = message!(ReadStateBytesRequest { type_name: "x".to_owned() });
        let chunks = all(response!(ReadStateBytes, ask(&server, reading)).events);
        let [chunk] = chunks.as_slice() else { panic!("{chunks:?}") };
        assert_eq!(summaries(&chunk.diagnostics), "error: Unknown Type\n");
    }
}

#[test]
fn a_catalogue_that_panics_is_the_error_of_each_call() {
    let server = Server::new(Arc::new(Panicking));
    let request = message!(ReadDataSourceRequest { type_name: "x".to_owned() });
    let response = response!(ReadDataSource, ask(&server, request));
    assert_eq!(summaries(&response.diagnostics), "error: Provider Panicked\n");
}

#[test]
fn metadata_names_what_there_is() {
    let server = server(crate::server::support::Double {
        resources: [("double_b", Thing::default().into()), ("double_a", Thing::default().into())].into(),
        data_sources: [("double_c", Source::default().into())].into(),
        ..Default::default()
    });
    let metadata = response!(GetMetadata, ask(&server, GetMetadataRequest::default()));
    assert_eq!(
        [Kind::Resource, Kind::DataSource].map(|kind| metadata.names(kind).join(" ")),
        ["double_a double_b", "double_c"]
    );
    assert!(
        metadata.server_capabilities.plan_destroy
            && metadata.server_capabilities.get_provider_schema_optional
    );
    assert!(metadata.server_capabilities.move_resource_state);
    assert!(metadata.server_capabilities.generate_resource_config);
    assert!(metadata.diagnostics.is_empty());
}
