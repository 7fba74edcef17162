//! A provider made of protocol messages by hand, with one resource type `demo_thing`.
//!
//! Its objects are counted up; they live in the router.

#![allow(dead_code, reason = "every test binary uses another part")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::{json, msgpack, type_json};
use ferroform_plugin::grpc::{Call, Code, Message, MessageStream, Router, Status};
use ferroform_proto::tfplugin6 as proto;
use ferroform_proto::{RENAMED_IN_5, tfplugin5};
use futures_core::Stream;
use prost::Message as _;

/// A provider. Clones share the objects.
#[derive(Debug, Clone, Default)]
pub(crate) struct Demo {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    made: u32,
    objects: BTreeMap<String, Value>,
}

impl Demo {
    /// Deletes all objects behind core's back.
    pub(crate) fn lose_all(&self) {
        self.shared.lock().unwrap().objects.clear();
    }

    pub(crate) fn count(&self) -> usize {
        self.shared.lock().unwrap().objects.len()
    }
}

pub(crate) fn ty() -> Type {
    Type::object([
        ("id", Type::String),
        ("name", Type::String),
        ("size", Type::Number),
        ("token", Type::String),
        ("secret", Type::String),
    ])
}

impl Router for Demo {
    fn route(&self, path: &str) -> Option<Call> {
        let (service, method) = path.strip_prefix('/')?.split_once('/')?;
        let renamed = RENAMED_IN_5.iter().find(|(_, in_5)| *in_5 == method);
        let (method, protocol) = match service {
            "tfplugin6.Provider" => (method, 6),
            "tfplugin5.Provider" => (renamed.map_or(method, |(in_6, _)| *in_6), 5),
            _ => return None,
        };
        let demo = self.clone();
        macro_rules! unary {
            ($handler:expr) => {
                Some(Call::unary(|request| async move {
                    let request = Message::from(request).into_bytes();
                    let request = prost::Message::decode(request)
                        .map_err(|error| Status::new(Code::InvalidArgument, error.to_string()))?;
                    let handler = $handler;
                    Ok(Message::from(handler(demo, &request).encode_to_vec()))
                }))
            };
        }
        match method {
            "GetProviderSchema" if protocol == 5 => unary!(schema_5),
            "GetProviderSchema" => unary!(schema_6),
            "ValidateProviderConfig" if protocol == 5 => {
                unary!(|_, request: &tfplugin5::prepare_provider_config::Request| {
                    let prepared_config = request.config.clone();
                    tfplugin5::prepare_provider_config::Response { prepared_config, diagnostics: Vec::new() }
                })
            }
            "ValidateProviderConfig" => unary!(|_, _: &proto::validate_provider_config::Request| {
                proto::validate_provider_config::Response::default()
            }),
            "ValidateResourceConfig" => unary!(|_, _: &proto::validate_resource_config::Request| {
                proto::validate_resource_config::Response::default()
            }),
            "ConfigureProvider" => unary!(Demo::configure),
            "UpgradeResourceState" => unary!(Demo::upgrade),
            "ReadResource" => unary!(Demo::read),
            "PlanResourceChange" => unary!(Demo::plan),
            "ApplyResourceChange" => unary!(Demo::apply),
            "ImportResourceState" => unary!(Demo::import),
            "InvokeAction" => Some(Call::server_stream(|_| async move { Ok(progress()) })),
            _ => None,
        }
    }
}

impl Demo {
    /// Answers with a warning that names the capabilities it was told.
    fn configure(self, request: &proto::configure_provider::Request) -> proto::configure_provider::Response {
        let summary = format!("{:?}", request.client_capabilities.unwrap_or_default());
        let severity = proto::diagnostic::Severity::Warning.into();
        let warning = proto::Diagnostic { severity, summary, ..Default::default() };
        proto::configure_provider::Response { diagnostics: vec![warning] }
    }

    fn upgrade(
        self,
        request: &proto::upgrade_resource_state::Request,
    ) -> proto::upgrade_resource_state::Response {
        let raw = request.raw_state.clone().unwrap_or_default().json;
        let value = json::decode(&raw, &ty(), json::UnknownAttributes::Ignore).unwrap();
        proto::upgrade_resource_state::Response { upgraded_state: encode(&value), diagnostics: Vec::new() }
    }

    fn read(self, request: &proto::read_resource::Request) -> proto::read_resource::Response {
        let current = decode(&request.current_state);
        let shared = self.shared.lock().unwrap();
        let object = shared.objects.get(text(&current, "id")).cloned().unwrap_or(Value::Null);
        proto::read_resource::Response {
            new_state: encode(&object),
            private: request.private.clone(),
            ..Default::default()
        }
    }

    fn plan(self, request: &proto::plan_resource_change::Request) -> proto::plan_resource_change::Response {
        let (prior, mut planned) = (decode(&request.prior_state), decode(&request.proposed_new_state));
        if planned.is_null() {
            return proto::plan_resource_change::Response {
                planned_state: encode(&planned),
                planned_private: Bytes::from_static(b"destroy"),
                ..Default::default()
            };
        }
        if prior.is_null() {
            set(&mut planned, "id", Value::unknown());
        }
        set(&mut planned, "secret", Value::Null);
        proto::plan_resource_change::Response {
            planned_state: encode(&planned),
            requires_replace: vec![attribute_path("name")],
            planned_private: Bytes::from_static(b"planned"),
            ..Default::default()
        }
    }

    fn apply(
        self,
        request: &proto::apply_resource_change::Request,
    ) -> proto::apply_resource_change::Response {
        let (prior, mut planned) = (decode(&request.prior_state), decode(&request.planned_state));
        let mut shared = self.shared.lock().unwrap();
        let answer = |value: &Value, private: &'static [u8]| proto::apply_resource_change::Response {
            new_state: encode(value),
            private: Bytes::from_static(private),
            ..Default::default()
        };
        if planned.is_null() {
            shared.objects.remove(text(&prior, "id"));
            return answer(&Value::Null, b"");
        }
        if planned.get(&ferroform::path!(id)).is_some_and(Value::is_unknown) {
            shared.made += 1;
            set(&mut planned, "id", Value::from(format!("id-{}", shared.made)));
        }
        shared.objects.insert(text(&planned, "id").to_owned(), planned.clone());
        answer(&planned, b"applied")
    }

    fn import(
        self,
        request: &proto::import_resource_state::Request,
    ) -> proto::import_resource_state::Response {
        let state = thing(&[("id", Value::from(request.id.as_str()))]);
        let imported = proto::import_resource_state::ImportedResource {
            type_name: request.type_name.clone(),
            state: encode(&state),
            private: Bytes::from_static(b"imported"),
            identity: None,
        };
        proto::import_resource_state::Response { imported_resources: vec![imported], ..Default::default() }
    }
}

/// A `demo_thing` with those attributes, and null elsewhere.
pub(crate) fn thing(attributes: &[(&str, Value)]) -> Value {
    let mut value = Value::object(["id", "name", "size", "token", "secret"].map(|name| (name, Value::Null)));
    for (name, attribute) in attributes {
        set(&mut value, name, attribute.clone());
    }
    value
}

fn set(value: &mut Value, name: &str, attribute: Value) {
    let path = ferroform::path::Path::root().attribute(name.to_owned());
    *value.get_mut(&path).unwrap() = attribute;
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    let path = ferroform::path::Path::root().attribute(name.to_owned());
    value.get(&path).and_then(Value::as_str).unwrap_or_default()
}

fn decode(wire: &Option<proto::DynamicValue>) -> Value {
    msgpack::decode(&wire.as_ref().unwrap().msgpack, &ty()).unwrap()
}

fn encode(value: &Value) -> Option<proto::DynamicValue> {
    let msgpack = msgpack::encode(value, &ty()).unwrap();
    Some(proto::DynamicValue { msgpack: msgpack.into(), json: Bytes::new() })
}

fn attribute_path(name: &str) -> proto::AttributePath {
    use proto::attribute_path::{Step, step::Selector};
    let selector = Some(Selector::AttributeName(name.to_owned()));
    proto::AttributePath { steps: vec![Step { selector }] }
}

fn schema_6(_: Demo, _: &proto::get_provider_schema::Request) -> proto::get_provider_schema::Response {
    let attribute = |name: &str, ty: &Type| proto::schema::Attribute {
        name: name.to_owned(),
        r#type: type_json::encode(ty).into(),
        required: name == "name",
        optional: !matches!(name, "name" | "id"),
        computed: name == "id",
        sensitive: name == "token",
        write_only: name == "secret",
        ..Default::default()
    };
    let ty = ty();
    let attributes = ty.as_object().unwrap().attributes().iter().map(|(name, ty)| attribute(name, ty));
    let block = proto::schema::Block { attributes: attributes.collect(), ..Default::default() };
    let empty = proto::Schema { version: 0, block: Some(proto::schema::Block::default()) };
    let thing = proto::Schema { version: 0, block: Some(block) };
    let capabilities = proto::ServerCapabilities { plan_destroy: true, ..Default::default() };
    proto::get_provider_schema::Response {
        provider: Some(empty),
        resource_schemas: [("demo_thing".to_owned(), thing)].into(),
        server_capabilities: Some(capabilities),
        ..Default::default()
    }
}

fn schema_5(
    _: Demo,
    _: &tfplugin5::get_provider_schema::Request,
) -> tfplugin5::get_provider_schema::Response {
    let attribute = |name: &str, ty: &Type| tfplugin5::schema::Attribute {
        name: name.to_owned(),
        r#type: type_json::encode(ty).into(),
        required: name == "name",
        optional: !matches!(name, "name" | "id"),
        computed: name == "id",
        sensitive: name == "token",
        write_only: name == "secret",
        ..Default::default()
    };
    let ty = ty();
    let attributes = ty.as_object().unwrap().attributes().iter().map(|(name, ty)| attribute(name, ty));
    let block = tfplugin5::schema::Block { attributes: attributes.collect(), ..Default::default() };
    let empty = tfplugin5::Schema { version: 0, block: Some(tfplugin5::schema::Block::default()) };
    let thing = tfplugin5::Schema { version: 0, block: Some(block) };
    tfplugin5::get_provider_schema::Response {
        provider: Some(empty),
        resource_schemas: [("demo_thing".to_owned(), thing)].into(),
        ..Default::default()
    }
}

fn progress() -> MessageStream {
    use proto::invoke_action::Event;
    use proto::invoke_action::event::{Completed, Progress, Type as Kind};
    let kinds =
        [Kind::Progress(Progress { message: "half".to_owned() }), Kind::Completed(Completed::default())];
    let messages = kinds.map(|kind| Message::from(Event { r#type: Some(kind) }.encode_to_vec()));
    Box::pin(Queue(messages.into_iter().collect()))
}

struct Queue(std::collections::VecDeque<Message>);

impl Stream for Queue {
    type Item = Result<Message, Status>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(self.0.pop_front().map(Ok))
    }
}
