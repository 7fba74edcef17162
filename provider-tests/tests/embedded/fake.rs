//! A provider made of protocol messages by hand, which does everything right unless it is told otherwise.
//!
//! Its resource types are `fake_thing`, with attributes, and `fake_box`, with nested blocks; its data source is
//! `fake_lookup`, its ephemeral resource `fake_token`, its action `fake_act`. What core must never see it do is put on top of its
//! answers by hooks.

mod action;
mod ephemeral;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use ferroform::clock::Clock;
use ferroform::path::Path;
use ferroform::value::Value;
use ferroform_core::codec::{json, msgpack};
use ferroform_plugin::grpc::{Code, Status};
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::client::{Calling, Client, Protocol, Responses, Transport};
use prost::Message;

use crate::embedded::schemas::{identity_ty, schema, ty, wire_block, wire_identity};

pub(crate) type Hook<Q, A> = Option<Arc<dyn Fn(&Q, &mut A) + Send + Sync>>;

/// What is put on top of the answers.
#[derive(Default, Clone)]
pub(crate) struct Hooks {
    pub(crate) validate:
        Hook<proto::validate_resource_config::Request, proto::validate_resource_config::Response>,
    pub(crate) upgrade: Hook<proto::upgrade_resource_state::Request, proto::upgrade_resource_state::Response>,
    pub(crate) read: Hook<proto::read_resource::Request, proto::read_resource::Response>,
    pub(crate) plan: Hook<proto::plan_resource_change::Request, proto::plan_resource_change::Response>,
    pub(crate) apply: Hook<proto::apply_resource_change::Request, proto::apply_resource_change::Response>,
    pub(crate) import: Hook<proto::import_resource_state::Request, proto::import_resource_state::Response>,
    pub(crate) data: Hook<proto::read_data_source::Request, proto::read_data_source::Response>,
    pub(crate) open: Hook<proto::open_ephemeral_resource::Request, proto::open_ephemeral_resource::Response>,
    pub(crate) renew:
        Hook<proto::renew_ephemeral_resource::Request, proto::renew_ephemeral_resource::Response>,
    pub(crate) close:
        Hook<proto::close_ephemeral_resource::Request, proto::close_ephemeral_resource::Response>,
    pub(crate) moved: Hook<proto::move_resource_state::Request, proto::move_resource_state::Response>,
    pub(crate) plan_action: Hook<proto::plan_action::Request, proto::plan_action::Response>,
}

/// The provider. Clones are one.
#[derive(Clone, Default)]
pub(crate) struct Fake {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    hooks: Hooks,
    made: u32,
    objects: BTreeMap<String, Value>,
    calls: Vec<String>,
    told_version: String,
    told_endpoint: String,
    with_identity: bool,
    without_plan_destroy: bool,
    with_move: bool,
    with_generation: bool,
    version: i64,
    clock: Clock,
}

impl Fake {
    pub(crate) fn client(&self) -> Client {
        Client::new(self.clone(), Protocol::V6)
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap()
    }

    pub(crate) fn hook(&self, change: impl FnOnce(&mut Hooks)) {
        change(&mut self.lock().hooks);
    }

    pub(crate) fn with_identity(self) -> Self {
        self.lock().with_identity = true;
        self
    }

    /// The same provider, which takes the time from that clock.
    pub(crate) fn with_clock(self, clock: &Clock) -> Self {
        self.lock().clock = clock.clone();
        self
    }

    pub(crate) fn with_move(self) -> Self {
        self.lock().with_move = true;
        self
    }

    /// The same provider, which generates configuration.
    pub(crate) fn with_generation(self) -> Self {
        self.lock().with_generation = true;
        self
    }

    pub(crate) fn without_plan_destroy(self) -> Self {
        self.lock().without_plan_destroy = true;
        self
    }

    /// Sets the version of the resource schemas.
    pub(crate) fn set_version(&self, version: i64) {
        self.lock().version = version;
    }

    /// Changes an object behind core's back.
    pub(crate) fn edit(&self, id: &str, name: &'static str, value: Value) {
        let mut shared = self.lock();
        *shared.objects.get_mut(id).unwrap().get_mut(&Path::root().attribute(name)).unwrap() = value;
    }

    /// Deletes an object behind core's back.
    pub(crate) fn lose(&self, id: &str) {
        self.lock().objects.remove(id).unwrap();
    }

    /// Makes an object behind core's back.
    pub(crate) fn place(&self, id: &str, name: &str) {
        let object = Value::object([
            ("id", Value::from(id)),
            ("name", Value::from(name)),
            ("size", Value::Null),
            ("note", Value::from("made elsewhere")),
            ("token", Value::Null),
            ("secret", Value::Null),
            ("tags", Value::Null),
        ]);
        self.lock().objects.insert(id.to_owned(), object);
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.lock().objects.values().map(|object| text(object, "name").to_owned()).collect();
        names.sort();
        names
    }

    /// The version of core that the provider was configured with last.
    pub(crate) fn told_version(&self) -> String {
        self.lock().told_version.clone()
    }

    /// The endpoint that the provider was configured with last.
    pub(crate) fn told_endpoint(&self) -> String {
        self.lock().told_endpoint.clone()
    }

    /// The calls since the last look, with the name of the object that they are about. Those for schemas and the
    /// configuration of the provider are left out.
    pub(crate) fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().calls)
    }
}

impl Transport for Fake {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        let method = path.rsplit('/').next().unwrap_or_default();
        let request = requests.into_iter().next().unwrap_or_default();
        let answer = self.answer(method, &request);
        Box::pin(async move { answer.map(Responses::from) })
    }
}

impl Fake {
    fn answer(&self, method: &str, request: &Bytes) -> Result<Bytes, Status> {
        let hooks = self.lock().hooks.clone();
        match method {
            "GetProviderSchema" => Ok(self.schemas().encode_to_vec().into()),
            "GetResourceIdentitySchemas" => Ok(self.identities().encode_to_vec().into()),
            "ValidateProviderConfig" => Ok(Bytes::new()),
            "ConfigureProvider" => {
                let request = proto::configure_provider::Request::decode(request.clone()).unwrap();
                let config = decode(&request.config, "fake");
                let mut shared = self.lock();
                shared.told_endpoint = text(&config, "endpoint").to_owned();
                shared.told_version = request.terraform_version;
                Ok(Bytes::new())
            }
            "StopProvider" => {
                self.lock().calls.push("StopProvider".to_owned());
                Ok(Bytes::new())
            }
            "ValidateResourceConfig" => self.unary(method, request, hooks.validate, Self::validate),
            "ValidateDataResourceConfig" => self.unary(method, request, None, Self::validate_data),
            "UpgradeResourceState" => self.unary(method, request, hooks.upgrade, Self::upgrade),
            "ReadResource" => self.unary(method, request, hooks.read, Self::read),
            "PlanResourceChange" => self.unary(method, request, hooks.plan, Self::plan),
            "ApplyResourceChange" => self.unary(method, request, hooks.apply, Self::apply),
            "ImportResourceState" => self.unary(method, request, hooks.import, Self::import),
            "GenerateResourceConfig" => self.unary(method, request, None, Self::generate),
            "ReadDataSource" => self.unary(method, request, hooks.data, Self::read_data),
            "ValidateEphemeralResourceConfig" => self.unary(method, request, None, Self::validate_token),
            "OpenEphemeralResource" => self.unary(method, request, hooks.open, Self::open),
            "RenewEphemeralResource" => self.unary(method, request, hooks.renew, Self::renew),
            "CloseEphemeralResource" => self.unary(method, request, hooks.close, Self::close),
            "MoveResourceState" => self.unary(method, request, hooks.moved, Self::move_state),
            "ValidateActionConfig" => self.unary(method, request, None, Self::validate_action),
            "PlanAction" => self.unary(method, request, hooks.plan_action, Self::plan_action),
            "InvokeAction" => self.unary(method, request, None, Self::invoke_action),
            _ => Err(Status::new(Code::Unimplemented, "not here")),
        }
    }

    fn unary<Q: Message + Default, A: Message>(
        &self,
        method: &str,
        request: &Bytes,
        hook: Hook<Q, A>,
        handle: fn(&Self, &Q) -> (String, A),
    ) -> Result<Bytes, Status> {
        let request = Q::decode(request.clone()).unwrap();
        let (name, mut answer) = handle(self, &request);
        self.lock().calls.push(format!("{method} {name}"));
        if let Some(hook) = hook {
            hook(&request, &mut answer);
        }
        Ok(answer.encode_to_vec().into())
    }

    fn validate(
        &self,
        request: &proto::validate_resource_config::Request,
    ) -> (String, proto::validate_resource_config::Response) {
        (name_of(&decode(&request.config, &request.type_name)), Default::default())
    }

    fn validate_data(
        &self,
        request: &proto::validate_data_resource_config::Request,
    ) -> (String, proto::validate_data_resource_config::Response) {
        (name_of(&decode(&request.config, &request.type_name)), Default::default())
    }

    fn upgrade(
        &self,
        request: &proto::upgrade_resource_state::Request,
    ) -> (String, proto::upgrade_resource_state::Response) {
        let raw = request.raw_state.clone().unwrap_or_default().json;
        let ty = ty(&request.type_name);
        let value = json::decode(&raw, &ty, json::UnknownAttributes::Ignore).unwrap();
        let upgraded_state = encode(&value, &request.type_name);
        (name_of(&value), proto::upgrade_resource_state::Response { upgraded_state, ..Default::default() })
    }

    fn read(&self, request: &proto::read_resource::Request) -> (String, proto::read_resource::Response) {
        let current = decode(&request.current_state, &request.type_name);
        let object = self.lock().objects.get(text(&current, "id")).cloned().unwrap_or(Value::Null);
        let response = proto::read_resource::Response {
            new_state: encode(&object, &request.type_name),
            private: request.private.clone(),
            new_identity: self.identity(&object),
            ..Default::default()
        };
        (name_of(&current), response)
    }

    fn plan(
        &self,
        request: &proto::plan_resource_change::Request,
    ) -> (String, proto::plan_resource_change::Response) {
        let type_name = &request.type_name;
        let (prior, mut planned) =
            (decode(&request.prior_state, type_name), decode(&request.proposed_new_state, type_name));
        if planned.is_null() {
            let response = proto::plan_resource_change::Response {
                planned_state: encode(&Value::Null, type_name),
                planned_private: Bytes::from_static(b"planned to go"),
                ..Default::default()
            };
            return (format!("{} -> gone", name_of(&prior)), response);
        }
        if prior.is_null() {
            set(&mut planned, "id", Value::unknown());
            if planned.get(&path("note")).is_some_and(Value::is_null) {
                set(&mut planned, "note", Value::unknown());
            }
        }
        set(&mut planned, "secret", Value::Null);
        let response = proto::plan_resource_change::Response {
            planned_state: encode(&planned, type_name),
            requires_replace: vec![wire_path("name")],
            planned_private: if prior.is_null() { "create" } else { "update" }.into(),
            planned_identity: self.identity(&prior),
            ..Default::default()
        };
        let from = if prior.is_null() { "none -> " } else { "" };
        (format!("{from}{}", name_of(&planned)), response)
    }

    fn apply(
        &self,
        request: &proto::apply_resource_change::Request,
    ) -> (String, proto::apply_resource_change::Response) {
        let type_name = &request.type_name;
        let (prior, mut planned) =
            (decode(&request.prior_state, type_name), decode(&request.planned_state, type_name));
        let mut shared = self.lock();
        if planned.is_null() {
            shared.objects.remove(text(&prior, "id"));
            drop(shared);
            let new_state = encode(&Value::Null, type_name);
            let response = proto::apply_resource_change::Response { new_state, ..Default::default() };
            return (format!("{} -> gone", name_of(&prior)), response);
        }
        if planned.get(&path("id")).is_some_and(Value::is_unknown) {
            shared.made += 1;
            let id = format!("id-{}", shared.made);
            set(&mut planned, "id", Value::from(id));
        }
        if planned.get(&path("note")).is_some_and(Value::is_unknown) {
            set(&mut planned, "note", Value::from("noted"));
        }
        shared.objects.insert(text(&planned, "id").to_owned(), planned.clone());
        drop(shared);
        let response = proto::apply_resource_change::Response {
            new_state: encode(&planned, type_name),
            private: Bytes::from_static(b"applied"),
            new_identity: self.identity(&planned),
            ..Default::default()
        };
        let from = if prior.is_null() { "none -> " } else { "" };
        (format!("{from}{}", name_of(&planned)), response)
    }

    fn import(
        &self,
        request: &proto::import_resource_state::Request,
    ) -> (String, proto::import_resource_state::Response) {
        let type_name = &request.type_name;
        let identity = request.identity.clone().and_then(|identity| identity.identity_data);
        let id = match identity {
            Some(data) => {
                let identity = msgpack::decode(&data.msgpack, &identity_ty()).unwrap();
                text(&identity, "id").to_owned()
            }
            None => request.id.clone(),
        };
        let mut value = Value::null_of(ty(type_name).as_object().unwrap());
        set(&mut value, "id", Value::from(id.as_str()));
        let imported = proto::import_resource_state::ImportedResource {
            type_name: type_name.clone(),
            state: encode(&value, type_name),
            private: Bytes::from_static(b"imported"),
            identity: self.identity(&value),
        };
        (
            id,
            proto::import_resource_state::Response {
                imported_resources: vec![imported],
                ..Default::default()
            },
        )
    }

    fn generate(
        &self,
        request: &proto::generate_resource_config::Request,
    ) -> (String, proto::generate_resource_config::Response) {
        let mut config = decode(&request.state, &request.type_name);
        ["id", "note"].into_iter().for_each(|name| set(&mut config, name, Value::Null));
        let response = proto::generate_resource_config::Response {
            config: encode(&config, &request.type_name),
            ..Default::default()
        };
        (name_of(&config), response)
    }

    fn read_data(
        &self,
        request: &proto::read_data_source::Request,
    ) -> (String, proto::read_data_source::Response) {
        let mut value = decode(&request.config, &request.type_name);
        let found = format!("found {}", text(&value, "name"));
        set(&mut value, "found", Value::from(found));
        let state = encode(&value, &request.type_name);
        (name_of(&value), proto::read_data_source::Response { state, ..Default::default() })
    }

    fn move_state(
        &self,
        request: &proto::move_resource_state::Request,
    ) -> (String, proto::move_resource_state::Response) {
        let raw = request.source_state.clone().unwrap_or_default().json;
        let source =
            json::decode(&raw, &ty(&request.source_type_name), json::UnknownAttributes::Ignore).unwrap();
        let mut value = Value::null_of(ty(&request.target_type_name).as_object().unwrap());
        for name in ["id", "name", "note"] {
            let attribute = source.get(&path(name)).cloned().unwrap_or(Value::Null);
            set(&mut value, name, attribute);
        }
        if request.target_type_name == "fake_box" {
            set(&mut value, "rule", Value::list([]));
        }
        self.lock().objects.insert(text(&value, "id").to_owned(), value.clone());
        let response = proto::move_resource_state::Response {
            target_state: encode(&value, &request.target_type_name),
            target_private: Bytes::from_static(b"moved"),
            ..Default::default()
        };
        (name_of(&value), response)
    }

    /// The identity of an object is its id.
    fn identity(&self, object: &Value) -> Option<proto::ResourceIdentityData> {
        if !self.lock().with_identity || object.is_null() {
            return None;
        }
        let id = object.get(&path("id")).cloned().unwrap_or(Value::Null);
        let identity = Value::object([("id", id)]);
        let msgpack = msgpack::encode(&identity, &identity_ty()).unwrap().into();
        let identity_data = Some(proto::DynamicValue { msgpack, json: Bytes::new() });
        Some(proto::ResourceIdentityData { identity_data })
    }

    fn identities(&self) -> proto::get_resource_identity_schemas::Response {
        let mut response = proto::get_resource_identity_schemas::Response::default();
        if self.lock().with_identity {
            response.identity_schemas.insert("fake_thing".to_owned(), wire_identity());
        }
        response
    }

    fn schemas(&self) -> proto::get_provider_schema::Response {
        let shared = self.lock();
        let wire_schema = |name: &str, version| {
            (name.to_owned(), proto::Schema { version, block: Some(wire_block(&schema(name).block)) })
        };
        let action = proto::ActionSchema { schema: Some(wire_schema("fake_act", 0).1) };
        let things = ["fake_thing", "fake_box"].map(|name| wire_schema(name, shared.version));
        proto::get_provider_schema::Response {
            provider: Some(proto::Schema { version: 0, block: Some(wire_block(&schema("provider").block)) }),
            resource_schemas: things.into(),
            data_source_schemas: [wire_schema("fake_lookup", 0)].into(),
            ephemeral_resource_schemas: [wire_schema("fake_token", 0)].into(),
            action_schemas: [("fake_act".to_owned(), action)].into(),
            server_capabilities: Some(proto::ServerCapabilities {
                plan_destroy: !shared.without_plan_destroy,
                get_provider_schema_optional: true,
                move_resource_state: shared.with_move,
                generate_resource_config: shared.with_generation,
            }),
            ..Default::default()
        }
    }
}

pub(crate) fn path(name: &'static str) -> Path {
    Path::root().attribute(name)
}

pub(crate) fn wire_path(name: &str) -> proto::AttributePath {
    use proto::attribute_path::{Step, step::Selector};
    let selector = Some(Selector::AttributeName(name.to_owned()));
    proto::AttributePath { steps: vec![Step { selector }] }
}

/// Changes one attribute of a value in a message.
pub(crate) fn with(
    wire: &mut Option<proto::DynamicValue>,
    type_name: &str,
    name: &'static str,
    attribute: Value,
) {
    let mut value = decode(wire, type_name);
    if !value.is_null() {
        set(&mut value, name, attribute);
    }
    *wire = encode(&value, type_name);
}

pub(crate) fn set(value: &mut Value, name: &'static str, attribute: Value) {
    *value.get_mut(&path(name)).unwrap() = attribute;
}

pub(crate) fn text<'a>(value: &'a Value, name: &'static str) -> &'a str {
    value.get(&path(name)).and_then(Value::as_str).unwrap_or_default()
}

/// The name by which an object is known in the log of calls.
fn name_of(value: &Value) -> String {
    match value.get(&path("name")) {
        Some(name) if name.is_unknown() => "?".to_owned(),
        Some(Value::String(name)) => name.to_string(),
        _ => "-".to_owned(),
    }
}

pub(crate) fn decode(wire: &Option<proto::DynamicValue>, type_name: &str) -> Value {
    wire.as_ref().map_or(Value::Null, |wire| msgpack::decode(&wire.msgpack, &ty(type_name)).unwrap())
}

pub(crate) fn encode(value: &Value, type_name: &str) -> Option<proto::DynamicValue> {
    let msgpack = msgpack::encode(value, &ty(type_name)).unwrap();
    Some(proto::DynamicValue { msgpack: msgpack.into(), json: Bytes::new() })
}

pub(crate) fn error(summary: &str) -> proto::Diagnostic {
    let severity = proto::diagnostic::Severity::Error.into();
    proto::Diagnostic { severity, summary: summary.to_owned(), ..Default::default() }
}
