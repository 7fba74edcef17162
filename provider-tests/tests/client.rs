//! The client, against a provider made by hand, over every transport within this process.

#[path = "client/connection.rs"]
mod connection;
#[path = "client/faults.rs"]
mod faults;

use std::time::Duration;

use crate::support::{Demo, thing};
use bytes::Bytes;
use ferroform::value::Value;
use ferroform_plugin::grpc::{Code, Status, serve_connection};
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::client::{
    Calling, Client, Connection, Error, Fault, FaultInjector, InProcessTransport, PlanRequest, Protocol,
    Provider, Responses, StoredObject, Transport, decode_config,
};
use std::sync::Arc;

async fn connected(demo: Demo) -> Connection {
    let (ours, theirs) = tokio::io::duplex(4096);
    tokio::spawn(serve_connection(theirs, Arc::new(demo)));
    Connection::new(ours).await.unwrap()
}

/// A plan of a new thing, which says whether requests and answers arrive whole.
async fn plan(provider: &Provider) -> Result<Value, Error> {
    let schema = provider.resource("demo_thing")?;
    let config = decode_config(&schema.block, &Value::object([("name", "a".repeat(100_000).into())]))?;
    let none = StoredObject::none();
    let request =
        PlanRequest { prior: &none, config: &config, proposed: &config, planned_private: Bytes::new() };
    Ok(provider.plan("demo_thing", request).await?.object.value)
}

async fn check(transport: impl Transport, protocol: Protocol) {
    let provider = Provider::connect(Client::new(transport, protocol)).await.unwrap();
    let block = &provider.resource("demo_thing").unwrap().block;
    assert!(block.attribute("token").unwrap().sensitive);
    assert!(block.attribute("secret").unwrap().write_only);
    assert_eq!(block.ty(), crate::support::ty());
    let expect = thing(&[("id", Value::unknown()), ("name", "a".repeat(100_000).into())]);
    assert_eq!(plan(&provider).await.unwrap(), expect);
}

#[tokio::test]
async fn both_protocols_over_both_transports() {
    check(InProcessTransport::new(Demo::default()), Protocol::V6).await;
    check(InProcessTransport::new(Demo::default()), Protocol::V5).await;
    check(connected(Demo::default()).await, Protocol::V6).await;
    check(connected(Demo::default()).await, Protocol::V5).await;
}

#[tokio::test]
async fn protocol_5_is_not_told_what_it_does_not_know() {
    let capabilities = proto::ClientCapabilities {
        deferral_allowed: true,
        write_only_attributes_allowed: true,
        store_planned_private: true,
        computed_blocks_allowed: true,
    };
    let seen = async |protocol| {
        let client = Client::new(InProcessTransport::new(Demo::default()), protocol);
        let request = proto::configure_provider::Request {
            client_capabilities: Some(capabilities),
            ..Default::default()
        };
        client.configure_provider(request).await.unwrap().diagnostics[0].summary.clone()
    };
    assert_eq!(seen(Protocol::V6).await, format!("{capabilities:?}"));
    let known = proto::ClientCapabilities {
        store_planned_private: false,
        computed_blocks_allowed: false,
        ..capabilities
    };
    assert_eq!(seen(Protocol::V5).await, format!("{known:?}"));
}

#[tokio::test]
async fn methods_that_are_missing_are_unimplemented() {
    let code = async |client: Client| match client.get_states(Default::default()).await {
        Err(Error::Status { method: "GetStates", status }) => Some(status.code()),
        _ => None,
    };
    let direct = |protocol| Client::new(InProcessTransport::new(Demo::default()), protocol);
    assert_eq!(code(direct(Protocol::V6)).await, Some(Code::Unimplemented));
    assert_eq!(code(direct(Protocol::V5)).await, Some(Code::Unimplemented));
    let connection = Client::new(connected(Demo::default()).await, Protocol::V6);
    assert_eq!(code(connection).await, Some(Code::Unimplemented));
}

#[tokio::test]
async fn streams_end_with_their_last_message() {
    for transport in [
        Box::new(InProcessTransport::new(Demo::default())) as Box<dyn Transport>,
        Box::new(connected(Demo::default()).await),
    ] {
        let client = Client::new(transport, Protocol::V6);
        let mut events = client.invoke_action(Default::default()).await.unwrap();
        assert!(events.next().await.unwrap().is_some());
        assert!(events.next().await.unwrap().is_some());
        assert!(events.next().await.unwrap().is_none());
        let lines = &client.transcript().entries()[0].response;
        assert_eq!(lines[0], "type = progress \"half\"");
    }
}

#[tokio::test]
async fn a_connection_that_ends_is_unavailable() {
    let (ours, theirs) = tokio::io::duplex(4096);
    let server = tokio::spawn(serve_connection(theirs, Arc::new(Demo::default())));
    let client = Client::new(Connection::new(ours).await.unwrap(), Protocol::V6);
    Provider::connect(client.clone()).await.unwrap();
    server.abort();
    assert!(server.await.unwrap_err().is_cancelled());
    let error = Provider::connect(client).await.unwrap_err();
    assert!(matches!(&error, Error::Status { status, .. } if status.code() == Code::Unavailable), "{error}");
}

/// What a fault on the second call, which is the plan, does.
async fn with_fault(fault: Fault, protocol: Protocol) -> Result<Value, Error> {
    let faulty = FaultInjector::new(InProcessTransport::new(Demo::default()), move |path, count| {
        assert!(count < 4, "there are three calls: schema, identities, plan");
        path.ends_with("/PlanResourceChange").then(|| fault.clone())
    });
    plan(&Provider::connect(Client::new(faulty, protocol)).await?).await
}

#[tokio::test]
async fn faults_are_what_they_say() {
    let code = |result: Result<Value, Error>| match result {
        Err(Error::Status { status, .. }) => Some(status.code()),
        _ => None,
    };
    for protocol in [Protocol::V6, Protocol::V5] {
        let with_fault = |fault| with_fault(fault, protocol);
        assert_eq!(code(with_fault(Fault::ResetBefore).await), Some(Code::Unavailable));
        assert_eq!(code(with_fault(Fault::ResetAfter).await), Some(Code::Unavailable));
        let status = Status::new(Code::Internal, "broken");
        assert_eq!(code(with_fault(Fault::Error(status)).await), Some(Code::Internal));
        assert!(matches!(with_fault(Fault::Malformed).await, Err(Error::Message { .. })));
        assert!(matches!(with_fault(Fault::Truncated).await, Err(Error::Message { .. })));
        assert!(with_fault(Fault::Duplicated).await.is_ok());
    }
    tokio::time::pause();
    for protocol in [Protocol::V6, Protocol::V5] {
        assert!(with_fault(Fault::Delay(Duration::from_secs(3600)), protocol).await.is_ok());
    }
}

/// A provider whose plans wait until it is told to stop.
struct Waiting {
    demo: InProcessTransport,
    stop: Arc<tokio::sync::Notify>,
}

impl Transport for Waiting {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        let (path, stop) = (path.to_owned(), self.stop.clone());
        Box::pin(async move {
            if path.ends_with("/StopProvider") || path.ends_with("/Stop") {
                stop.notify_one();
                return Ok(Responses::from(Bytes::new()));
            }
            if path.ends_with("/PlanResourceChange") {
                stop.notified().await;
            }
            self.demo.call(&path, requests).await
        })
    }
}

/// Without the call of `StopProvider` the plan would not end.
#[tokio::test(start_paused = true)]
async fn a_provider_is_told_to_stop_while_it_waits() {
    for (protocol, after) in [
        (Protocol::V6, Duration::ZERO),
        (Protocol::V5, Duration::ZERO),
        (Protocol::V6, Duration::from_secs(60)),
    ] {
        let waiting = Waiting { demo: InProcessTransport::new(Demo::default()), stop: Arc::default() };
        let faulty = FaultInjector::new(waiting, move |path, _| {
            path.ends_with("/PlanResourceChange").then_some(Fault::Stop(after))
        });
        let begun = tokio::time::Instant::now();
        let provider = Provider::connect(Client::new(faulty, protocol)).await.unwrap();
        let planned = tokio::time::timeout(Duration::from_secs(3600), plan(&provider)).await;
        assert!(planned.expect("it is told to stop").is_ok());
        assert!(begun.elapsed() >= after);
    }
}

/// What is said of a plan of a thing with that name.
async fn transcript(name: &str, protocol: Protocol) -> String {
    let client = Client::new(InProcessTransport::new(Demo::default()), protocol);
    let provider = Provider::connect(client).await.unwrap();
    let schema = provider.resource("demo_thing").unwrap();
    let written = [("name", name), ("token", "t0p"), ("secret", "s3cret")];
    let written = Value::object(written.map(|(name, value)| (name, Value::from(value))));
    let config = decode_config(&schema.block, &written).unwrap();
    let none = StoredObject::none();
    let request =
        PlanRequest { prior: &none, config: &config, proposed: &config, planned_private: Bytes::new() };
    provider.plan("demo_thing", request).await.unwrap();
    provider.client().transcript().to_string()
}

/// It is stored as it is printed, and what says the same compares as the same.
#[tokio::test]
async fn a_transcript_is_stored_and_compared() {
    let said = transcript("web", Protocol::V6).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &said).unwrap();
    let stored = std::fs::read_to_string(file.path()).unwrap();
    assert_eq!(transcript("web", Protocol::V6).await, stored);
    assert_ne!(transcript("db", Protocol::V6).await, stored);
    assert!(!stored.contains("t0p") && !stored.contains("s3cret"), "{stored}");
    insta::assert_snapshot!("transcript of a plan", stored);
    // Methods have their names of protocol 6 in both.
    let named =
        |said: &str| said.lines().filter(|it| !it.starts_with(' ')).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(named(&transcript("web", Protocol::V5).await), named(&stored));
}

#[tokio::test]
async fn the_transcript_hides_what_is_sensitive() {
    let said = transcript("web", Protocol::V6).await;
    let hidden = "secret = (sensitive value), size = null, token = (sensitive value)";
    let expect = format!(
        "PlanResourceChange demo_thing\n  \
           > prior_state = null\n  \
           > proposed_new_state = {{id = null, name = \"web\", {hidden}}}\n  \
           > config = {{id = null, name = \"web\", {hidden}}}\n  \
           > client_capabilities = write_only_attributes_allowed, store_planned_private, computed_blocks_allowed\n  \
           < planned_state = {{id = (known after apply), name = \"web\", secret = null, size = null, \
             token = (sensitive value)}}\n  \
           < requires_replace = name\n  \
           < planned_private = (7 bytes)\n"
    );
    assert!(said.ends_with(&expect), "{said}");
}

#[test]
fn schemas_that_core_refuses_are_errors() {
    let check = |response: proto::get_provider_schema::Response, expect: &str| {
        let error = ferroform_testing::client::Schemas::from_wire(&response).unwrap_err();
        assert_eq!(error.to_string(), expect);
    };
    // The provider's own schema is not looked at.
    let of = |block: proto::schema::Block| {
        let schema = |block| proto::Schema { version: 0, block: Some(block) };
        let resource_schemas = [("demo_thing".to_owned(), schema(block))].into();
        let provider = Some(schema(proto::schema::Block::default()));
        proto::get_provider_schema::Response { provider, resource_schemas, ..Default::default() }
    };
    let with = |attribute: proto::schema::Attribute| {
        of(proto::schema::Block { attributes: vec![attribute], ..Default::default() })
    };
    let attribute = proto::schema::Attribute {
        name: "a".to_owned(),
        optional: true,
        r#type: Bytes::from_static(b"\"string\""),
        ..Default::default()
    };
    assert!(ferroform_testing::client::Schemas::from_wire(&with(attribute.clone())).is_ok());
    check(Default::default(), "the schema of the provider is invalid: it is missing");
    let both = proto::schema::Attribute { required: true, ..attribute.clone() };
    check(
        with(both),
        "the schema of resource \"demo_thing\" is invalid: a: the attribute has to be either required, or optional, \
         computed or both",
    );
    let untyped = proto::schema::Attribute { r#type: Bytes::new(), ..attribute.clone() };
    check(with(untyped), "the schema of resource \"demo_thing\" is invalid: a: the attribute has no type");
    let mut twice = attribute.clone();
    let nesting = proto::schema::object::NestingMode::Single.into();
    twice.nested_type = Some(proto::schema::Object { nesting, ..Default::default() });
    check(
        with(twice.clone()),
        "the schema of resource \"demo_thing\" is invalid: a: the attribute has a type and nested attributes",
    );
    // All that is wrong is told at once.
    check(
        with(proto::schema::Attribute { required: true, ..twice }),
        "the schema of resource \"demo_thing\" is invalid: a: the attribute has to be either required, or optional, \
         computed or both; the schema of resource \"demo_thing\" is invalid: a: the attribute has a type and nested attributes",
    );
    // Blocks that a provider fills came with Terraform 1.16.
    let block = proto::schema::Block { attributes: vec![attribute], computed: true, ..Default::default() };
    let list = proto::schema::NestedBlock {
        type_name: "more".to_owned(),
        block: Some(block),
        nesting: proto::schema::nested_block::NestingMode::List.into(),
        ..Default::default()
    };
    check(
        of(proto::schema::Block { block_types: vec![list], ..Default::default() }),
        "the schema of resource \"demo_thing\" is invalid: more: a computed block is no group, need not be configured, \
         and has only what is computed in it",
    );
}

#[test]
fn identity_schemas_are_read_with_what_an_import_needs() {
    use ferroform::schema::ForImport;
    use proto::resource_identity_schema::IdentityAttribute;
    let read = |attribute: IdentityAttribute| {
        let schema = proto::ResourceIdentitySchema { version: 2, identity_attributes: vec![attribute] };
        let identity_schemas = [("demo_thing".to_owned(), schema)].into();
        let response =
            proto::get_resource_identity_schemas::Response { identity_schemas, diagnostics: Vec::new() };
        let mut schemas = ferroform_testing::client::Schemas::default();
        schemas.add_identities(&response).map(|()| schemas.identities["demo_thing"].clone())
    };
    let attribute = IdentityAttribute {
        name: "id".to_owned(),
        r#type: Bytes::from_static(b"\"string\""),
        required_for_import: true,
        ..Default::default()
    };
    let schema = read(attribute.clone()).unwrap();
    assert_eq!((schema.version, schema.attributes[0].for_import), (2, ForImport::Required));
    let neither = IdentityAttribute { required_for_import: false, ..attribute };
    assert_eq!(
        read(neither).unwrap_err().to_string(),
        "the schema of the identity of \"demo_thing\" is invalid: id: the attribute has to be either required or \
         optional for import"
    );
}
