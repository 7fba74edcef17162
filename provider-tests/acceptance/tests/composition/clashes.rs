//! What is found before anything is served, and what the providers of one process make of each other.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use ferroform::compose::{Composition, Part};
use ferroform::diag::Result;
use ferroform::dynamic::{Catalogue, Context, Provider, phase};
use ferroform::schema::{Attribute, Block, Kind, NestedObject, Nesting, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform::{Protocol, Serve, provider};
use ferroform_acceptance::small::{Notes, Rows, Small};
use ferroform_plugin::Options;
use ferroform_plugin::grpc::{Call, Message, Router};
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::client::{self, Client, InProcessTransport, PlanRequest, StoredObject};
use libtest_mimic::Trial;
use prost::Message as _;

use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a_type_offered_twice_is_found_before_serving", type_twice),
        trial("different_provider_configurations_are_found_before_serving", different_configurations),
        trial("different_provider_metadata_is_found_before_serving", different_metadata),
        trial("texts_of_provider_configurations_may_differ", typed_and_dynamic),
        trial("a_type_left_to_another_provider_is_that_providers", left_to_another),
        trial("providers_of_both_protocols_are_served_over_both", both_protocols),
        trial("what_protocol_5_lacks_is_named", named_for_protocol_5),
        trial("a_type_that_nobody_has_is_unknown", unknown_type),
        trial("capabilities_are_those_that_all_calls_have", capabilities),
        trial("errors_of_several_providers_are_told_once", told_once),
    ]
}

fn notes() -> Part {
    Part::of(Serve::new(provider::assemble::<Notes>()).address("acme/notes"))
}

fn small() -> Part {
    Part::of(Serve::new(provider::assemble::<Small>()).address("acme/small"))
}

fn rows() -> Part {
    Part::of(Serve::new(Arc::new(Rows { columns: vec!["colour".into(), "size".into()] })))
}

/// A provider without types.
#[derive(Default)]
struct Bare {
    config: Vec<Attribute>,
    meta: Option<Vec<Attribute>>,
}

#[async_trait]
impl Provider for Bare {
    fn name(&self) -> &str {
        "bare"
    }

    fn schema(&self) -> Schema {
        Schema::new(Block::new(self.config.clone()))
    }

    fn meta_schema(&self) -> Option<Schema> {
        self.meta.clone().map(|attributes| Schema::new(Block::new(attributes)))
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, _config: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        Catalogue::new()
    }
}

fn bare(config: Vec<Attribute>, meta: Option<Vec<Attribute>>) -> Part {
    Part::of(Serve::new(Arc::new(Bare { config, meta })))
}

/// The errors that keep the providers from being served together.
async fn errors(parts: impl IntoIterator<Item = Part>) -> Vec<String> {
    let composition = parts.into_iter().fold(Composition::new("acme/small"), Composition::with);
    match composition.options().await {
        Ok(_) => Vec::new(),
        Err(error) => error.iter().map(ToString::to_string).collect(),
    }
}

async fn connected(composition: Composition, protocol: Protocol) -> client::Provider {
    let options = composition.options().await.expect("the providers fit together");
    let router = options.router(protocol.number()).expect("the protocol is offered");
    client::Provider::connect(Client::new(InProcessTransport::new(router), protocol)).await.expect("schemas")
}

async fn type_twice() {
    let found = errors([notes(), small()]).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("acme/notes and acme/small"), "{found:?}");
    assert!(found[0].contains("the resource type `small_note`"), "{found:?}");
    assert!(!found[0].contains("small_card"), "{found:?}");
}

async fn different_configurations() {
    let region = || Attribute::optional("region", Type::String);
    let found = errors([
        bare(vec![region(), Attribute::required("folder", Type::String)], None),
        bare(vec![Attribute::optional("folder", Type::String), region()], None),
    ]);
    let found = found.await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("Provider Configurations Differ"), "{found:?}");
    assert!(found[0].contains("`folder`") && !found[0].contains("`region`"), "{found:?}");
}

async fn different_metadata() {
    let meta = |name: &'static str| Some(vec![Attribute::optional(name, Type::String)]);
    assert_eq!(errors([bare(vec![], None), bare(vec![], meta("a")), bare(vec![], meta("a"))]).await.len(), 0);
    let found = errors([bare(vec![], meta("a")), bare(vec![], meta("b"))]).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("Provider Metadata Differs") && found[0].contains("`a`, `b`"), "{found:?}");
}

/// A typed provider and one whose schema is known at run time only.
async fn typed_and_dynamic() {
    for protocol in [Protocol::V6, Protocol::V5] {
        let folder = tempfile::tempdir().expect("a folder");
        let both = connected(Composition::new("acme/small").with(notes()).with(rows()), protocol).await;
        let types: Vec<&String> = both.schemas().resources.keys().collect();
        assert_eq!(types, ["small_note", "small_row"]);
        let config = Value::object([("folder", Value::from(folder.path().to_string_lossy().into_owned()))]);
        assert!(!both.validate_config(&config).await.expect("an answer").has_errors());
        assert!(!both.configure(&config).await.expect("an answer").has_errors());
        for (name, config) in [
            ("small_note", [("id", Value::Null), ("name", "a".into()), ("text", "b".into())].to_vec()),
            ("small_row", [("colour", "red".into()), ("size", "1".into())].to_vec()),
        ] {
            let config = Value::object(config);
            let request = PlanRequest {
                prior: &StoredObject::none(),
                config: &config,
                proposed: &config,
                planned_private: Bytes::new(),
            };
            let planned = both.plan(name, request).await.expect("an answer");
            assert!(!planned.diagnostics.has_errors(), "{name}: {:?}", planned.diagnostics);
        }
    }
}

async fn left_to_another() {
    let parts = || [notes(), small().without(Kind::Resource, "small_note")];
    assert_eq!(errors(parts()).await, Vec::<String>::new());
    let all =
        connected(parts().into_iter().fold(Composition::new("acme/small"), Composition::with), Protocol::V6);
    let types: Vec<String> = all.await.schemas().resources.keys().cloned().collect();
    assert_eq!(types, ["small_card", "small_note"]);
}

async fn both_protocols() {
    for (own, served) in [(Protocol::V5, Protocol::V6), (Protocol::V6, Protocol::V5)] {
        let part = Part::of(Serve::new(provider::assemble::<Small>()).only(own));
        let one = connected(Composition::new("acme/small").with(part), served).await;
        let direct = Serve::new(provider::assemble::<Small>()).options().router(served.number());
        let direct = Client::new(InProcessTransport::new(direct.expect("both are served")), served);
        let direct = client::Provider::connect(direct).await.expect("schemas");
        assert_eq!(format!("{:?}", one.schemas()), format!("{:?}", direct.schemas()), "{served:?}");
        let config = Value::object([("folder", Value::from("/"))]);
        let told = |provider: client::Provider| async move {
            let validated = provider.validate_config(&Value::object([("folder", Value::Null)])).await;
            (validated.expect("an answer"), provider.configure(&config.clone()).await.expect("an answer"))
        };
        assert_eq!(
            format!("{:?}", told.clone()(one).await),
            format!("{:?}", told(direct).await),
            "{served:?}"
        );
    }
}

async fn named_for_protocol_5() {
    let nested = NestedObject::new(Nesting::Single, vec![Attribute::optional("a", Type::String)]);
    let attribute = Attribute::optional("settings", nested);
    // One that speaks both says so itself, for the other the composition does.
    let part = || Serve::new(Arc::new(Bare { config: vec![attribute.clone()], meta: None }));
    for part in [part(), part().only(Protocol::V6)] {
        let options = Composition::new("acme/small").with(Part::of(part)).options();
        let router = options.await.expect("protocol 6 can express it").router(5).expect("both are served");
        let client = Client::new(InProcessTransport::new(router), Protocol::V5);
        let refused = client::Provider::connect(client).await.expect_err("protocol 5 cannot");
        assert!(refused.to_string().contains("`settings` of the provider configuration"), "{refused}");
    }
}

async fn unknown_type() {
    let one = connected(Composition::new("acme/small").with(notes()), Protocol::V6).await;
    let request = proto::read_resource::Request { type_name: "small_card".into(), ..Default::default() };
    let answer = one.client().read_resource(request).await.expect("an answer");
    assert_eq!(answer.diagnostics.len(), 1);
    assert_eq!(answer.diagnostics[0].summary, "Unknown Type");
    let request = proto::list_resource::Request { type_name: "small_card".into(), ..Default::default() };
    let mut events = one.client().list_resource(request).await.expect("a stream");
    let event = events.next().await.expect("an event").expect("one");
    assert_eq!(event.diagnostic[0].summary, "Unknown Type");
    assert!(events.next().await.expect("an end").is_none());
}

/// A provider of an SDK that plans no deletes, and knows nothing of what was added later.
struct Old;

impl Router for Old {
    fn route(&self, path: &str) -> Option<Call> {
        let answer = match path.rsplit('/').next()? {
            "GetProviderSchema" => {
                let empty = proto::Schema { version: 0, block: Some(proto::schema::Block::default()) };
                proto::get_provider_schema::Response {
                    provider: Some(empty.clone()),
                    resource_schemas: [("old_thing".to_owned(), empty)].into(),
                    ..Default::default()
                }
                .encode_to_vec()
            }
            "ConfigureProvider" => Vec::new(),
            _ => return None,
        };
        Some(Call::unary(|_| async move { Ok(Message::from(answer)) }))
    }
}

async fn capabilities() {
    let old = || Part::served(Options::new("acme/old").protocol(6, Arc::new(Old)));
    let composition =
        |parts: Vec<Part>| parts.into_iter().fold(Composition::new("acme/x"), Composition::with);
    let both = connected(composition(vec![old(), bare(vec![], None)]), Protocol::V6).await;
    let can = both.schemas().capabilities;
    assert!(can.plan_destroy && can.get_provider_schema_optional && can.move_resource_state, "{can:?}");
    assert!(!can.generate_resource_config, "core would not generate what the old provider cannot: {can:?}");
    let alone = connected(composition(vec![old()]), Protocol::V6).await.schemas().capabilities;
    assert!(!alone.plan_destroy && !alone.move_resource_state && alone.get_provider_schema_optional);

    let nil = || Some(proto::DynamicValue { msgpack: Bytes::from_static(&[0xc0]), json: Bytes::new() });
    let request = proto::plan_resource_change::Request {
        type_name: "old_thing".into(),
        proposed_new_state: nil(),
        prior_private: Bytes::from_static(b"kept"),
        ..Default::default()
    };
    let answer = both.client().plan_resource_change(request).await.expect("the composition plans it");
    assert_eq!((answer.planned_state, answer.planned_private), (nil(), Bytes::from_static(b"kept")));
}

async fn told_once() {
    let parts = [notes(), small().without(Kind::Resource, "small_note")];
    let both =
        connected(parts.into_iter().fold(Composition::new("acme/small"), Composition::with), Protocol::V6);
    let both = both.await;
    let told = both.configure(&Value::object([("folder", "/".into())])).await.expect("an answer");
    assert_eq!(told.len(), 1, "{told:?}");
}
