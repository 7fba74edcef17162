//! What the provider has none of.

use std::pin::Pin;

use ferroform_server::protocol::{
    ActionEvent, ConfigureStateStoreRequest, DeleteStateRequest, EventStream, GetFunctionsRequest,
    GetMetadataRequest, GetResourceIdentitySchemasRequest, GetStatesRequest, InvokeActionRequest,
    ListResourceRequest, LockStateRequest, OpenEphemeralResourceRequest, PlanActionRequest,
    ReadStateBytesRequest, RenewEphemeralResourceRequest, StateChunk, StateChunkMeta, UnlockStateRequest,
    ValidateActionConfigRequest, ValidateEphemeralResourceConfigRequest, ValidateListResourceConfigRequest,
    ValidateStateStoreConfigRequest, WriteStateBytesRequest,
};
use futures_core::Stream;

use crate::support::{Source, Thing, ask, block_on, details, message, response, server, serving, summaries};

/// Asks for a thing that is not there; the summary and the detail must say which.
macro_rules! check {
    ($rpc:ident($request:ty { $field:ident }), $summary:literal, $detail:literal) => {{
        let request = message!($request { $field: "x".to_owned() });
        let response = response!($rpc, ask(&serving(Thing::default()), request));
        assert_eq!(summaries(&response.diagnostics), concat!("error: ", $summary, "\n"));
        let detail = details(&response.diagnostics);
        assert!(detail.contains($detail), "{detail}");
    }};
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
fn an_absent_type_is_named() {
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
    check!(LockState(LockStateRequest { type_name }), "Unknown Type", "no state store type `x`");
    check!(UnlockState(UnlockStateRequest { type_name }), "Unknown Type", "no state store type `x`");
    check!(GetStates(GetStatesRequest { type_name }), "Unknown Type", "no state store type `x`");
    check!(DeleteState(DeleteStateRequest { type_name }), "Unknown Type", "no state store type `x`");
}

#[test]
fn state_of_an_absent_store_is_not_written() {
    let chunk = message!(StateChunk {
        meta: Some(message!(StateChunkMeta { type_name: "x".to_owned() })),
        bytes: "{}".into(),
        total_length: 2,
        range: Some((0, 1)),
    });
    let writing = message!(WriteStateBytesRequest { chunks: EventStream::of([chunk]) });
    let response = response!(WriteStateBytes, ask(&serving(Thing::default()), writing));
    assert_eq!(summaries(&response.diagnostics), "error: Unknown Type\n");
}

#[test]
fn a_stream_says_the_error_and_ends() {
    let server = serving(Thing::default());
    let listing = message!(ListResourceRequest { type_name: "x".to_owned() });
    let listed = all(response!(ListResource, ask(&server, listing)).events);
    assert_eq!(
        listed.iter().map(|event| summaries(&event.diagnostics)).collect::<String>(),
        "error: Unknown Type\n"
    );
    let invoking = message!(InvokeActionRequest { action_type: "x".to_owned() });
    let events = all(response!(InvokeAction, ask(&server, invoking)).events);
    let [ActionEvent::Completed(diagnostics)] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(summaries(diagnostics), "error: Unknown Type\n");
    let reading = message!(ReadStateBytesRequest { type_name: "x".to_owned() });
    let chunks = all(response!(ReadStateBytes, ask(&server, reading)).events);
    assert_eq!(
        chunks.iter().map(|chunk| summaries(&chunk.diagnostics)).collect::<String>(),
        "error: Unknown Type\n"
    );
}

#[test]
fn metadata_names_what_there_is() {
    let server = server(crate::support::Double {
        resources: [("double_b", Thing::default().into()), ("double_a", Thing::default().into())].into(),
        data_sources: [("double_c", Source::default().into())].into(),
        ..Default::default()
    });
    let metadata = response!(GetMetadata, ask(&server, GetMetadataRequest::default()));
    assert_eq!(
        (metadata.resources, metadata.data_sources),
        (vec!["double_a".into(), "double_b".into()], vec!["double_c".into()])
    );
    assert!(
        metadata.server_capabilities.plan_destroy
            && metadata.server_capabilities.get_provider_schema_optional
    );
    assert!(metadata.server_capabilities.move_resource_state);
    assert!(metadata.server_capabilities.generate_resource_config);
    assert!(metadata.diagnostics.is_empty());
}
