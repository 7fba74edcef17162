//! The provider that is part of core, with the resource type `terraform_data`, the data source
//! `terraform_remote_state`, and functions.

mod functions;

use std::path::{Path as Directory, PathBuf};
use std::sync::OnceLock;

use bytes::Bytes;
use ferroform::path::Path;
use ferroform::ty::Type;
use ferroform::value::{Entries, Unknown, Value};
use ferroform_core::codec::json::{self, UnknownAttributes};
use ferroform_core::codec::{msgpack, type_json};
use ferroform_plugin::grpc::{Code, Status};
use ferroform_proto::tfplugin6 as proto;
use prost::Message;

use super::{random, remote_state};
use crate::address::{ModuleInstance, ProviderAddress, ProviderConfigAddress};
use crate::client::{Calling, Client, Protocol, Responses, Transcript, Transport};

/// The address of the built-in provider.
#[must_use]
pub fn address() -> ProviderAddress {
    ProviderAddress {
        host: "terraform.io".to_owned(),
        namespace: "builtin".to_owned(),
        type_name: "terraform".to_owned(),
    }
}

/// Its only configuration.
pub(super) fn config_address() -> ProviderConfigAddress {
    ProviderConfigAddress { module: ModuleInstance::default(), provider: address(), alias: None }
}

/// The provider in a directory, from which it reads relative paths.
pub(crate) fn client(directory: &Directory) -> Client {
    // Nobody asks what core says to itself, and to write it down would take longer than all the rest.
    Client::new(Builtin { directory: directory.to_owned() }, Protocol::V6).recording(&Transcript::closed())
}

struct Builtin {
    directory: PathBuf,
}

impl Transport for Builtin {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        let method = path.rsplit('/').next().unwrap_or_default();
        let request = requests.into_iter().next().unwrap_or_default();
        let answer = answer(method, (&request, &self.directory));
        Box::pin(async move { answer.map(Responses::from) })
    }
}

fn answer(method: &str, (request, directory): (&Bytes, &Directory)) -> Result<Bytes, Status> {
    match method {
        "GetProviderSchema" => {
            static SCHEMAS: OnceLock<Bytes> = OnceLock::new();
            Ok(SCHEMAS.get_or_init(|| encoded(&schemas())).clone())
        }
        "UpgradeResourceState" => unary(request, upgrade),
        "ReadResource" => unary(request, |request: proto::read_resource::Request| {
            Ok(proto::read_resource::Response {
                new_state: request.current_state,
                private: request.private,
                ..Default::default()
            })
        }),
        "PlanResourceChange" => unary(request, plan),
        "ApplyResourceChange" => unary(request, apply),
        "ImportResourceState" => unary(request, import),
        "ValidateDataResourceConfig" => {
            unary(request, |request: proto::validate_data_resource_config::Request| {
                let config = value_of(&request.config, &remote_state::ty())?;
                let diagnostics = remote_state::validate(&config).err().map(diagnostic).into_iter().collect();
                Ok(proto::validate_data_resource_config::Response { diagnostics })
            })
        }
        "ReadDataSource" => unary(request, |request| read_data(&request, directory)),
        "CallFunction" => unary(request, call_function),
        // An empty message is the answer of those that only say what is wrong.
        "ValidateResourceConfig" => unary(request, |request: proto::validate_resource_config::Request| {
            let config = value(&request.config)?;
            let set = ["id", "output"].into_iter().filter(|name| !attribute(&config, name).is_null());
            let read_only = set.map(|name| proto::Diagnostic {
                severity: proto::diagnostic::Severity::Error.into(),
                summary: format!("{name:?} attribute is read-only"),
                ..Default::default()
            });
            Ok(proto::validate_resource_config::Response { diagnostics: read_only.collect() })
        }),
        "ValidateProviderConfig" | "ConfigureProvider" | "StopProvider" => Ok(Bytes::new()),
        _ => Err(Status::new(Code::Unimplemented, format!("the built-in provider has no {method}"))),
    }
}

fn unary<Q: Message + Default, A: Message>(
    request: &Bytes,
    handle: impl FnOnce(Q) -> Result<A, Status>,
) -> Result<Bytes, Status> {
    let request =
        Q::decode(request.clone()).map_err(|error| Status::new(Code::InvalidArgument, error.to_string()))?;
    handle(request).map(|answer| encoded(&answer))
}

fn encoded(message: &impl Message) -> Bytes {
    message.encode_to_vec().into()
}

fn ty() -> Type {
    Type::object([
        ("id", Type::String),
        ("input", Type::Dynamic),
        ("output", Type::Dynamic),
        ("triggers_replace", Type::Dynamic),
    ])
}

fn schemas() -> proto::get_provider_schema::Response {
    let terraform_data = schema(&ty(), |name| match name {
        "id" | "output" => proto::schema::Attribute { computed: true, ..Default::default() },
        _ => proto::schema::Attribute { optional: true, ..Default::default() },
    });
    let remote_state = schema(&remote_state::ty(), |name| match name {
        "backend" => proto::schema::Attribute { required: true, ..Default::default() },
        "outputs" => proto::schema::Attribute { computed: true, ..Default::default() },
        _ => proto::schema::Attribute { optional: true, ..Default::default() },
    });
    let capabilities = proto::ServerCapabilities { get_provider_schema_optional: true, ..Default::default() };
    proto::get_provider_schema::Response {
        provider: Some(proto::Schema { version: 0, block: Some(proto::schema::Block::default()) }),
        resource_schemas: [("terraform_data".to_owned(), terraform_data)].into(),
        data_source_schemas: [(remote_state::NAME.to_owned(), remote_state)].into(),
        server_capabilities: Some(capabilities),
        functions: functions::declared().iter().map(function).collect(),
        ..Default::default()
    }
}

/// The schema of an object of that type, with who sets each attribute.
fn schema(ty: &Type, presence: fn(&str) -> proto::schema::Attribute) -> proto::Schema {
    let attributes = ty.as_object().map(|object| object.attributes()).unwrap_or_default();
    let attributes = attributes.iter().map(|(name, ty)| proto::schema::Attribute {
        name: name.to_string(),
        r#type: type_json::encode(ty).into(),
        ..presence(name)
    });
    let block = proto::schema::Block { attributes: attributes.collect(), ..Default::default() };
    proto::Schema { version: 0, block: Some(block) }
}

fn function((name, parameter, ty, unknown, result): &functions::Declared) -> (String, proto::Function) {
    let parameter = proto::function::Parameter {
        name: (*parameter).to_owned(),
        r#type: type_json::encode(ty).into(),
        allow_unknown_values: *unknown,
        ..Default::default()
    };
    let result = proto::function::Return { r#type: type_json::encode(result).into() };
    let function =
        proto::Function { parameters: vec![parameter], r#return: Some(result), ..Default::default() };
    ((*name).to_owned(), function)
}

fn call_function(request: proto::call_function::Request) -> Result<proto::call_function::Response, Status> {
    let declared = functions::declared();
    let Some((name, _, ty, _, result)) = declared.iter().find(|(name, ..)| *name == request.name) else {
        return Err(Status::new(Code::InvalidArgument, format!("there is no function {}", request.name)));
    };
    let argument = value_of(&request.arguments.into_iter().next(), ty)?;
    Ok(match functions::call(name, &argument) {
        Ok(value) => {
            proto::call_function::Response { result: wire_of(&value, result)?, ..Default::default() }
        }
        Err(text) => {
            let error = proto::FunctionError { text, function_argument: None };
            proto::call_function::Response { error: Some(error), ..Default::default() }
        }
    })
}

fn read_data(
    request: &proto::read_data_source::Request,
    directory: &Directory,
) -> Result<proto::read_data_source::Response, Status> {
    let ty = remote_state::ty();
    let mut response = proto::read_data_source::Response::default();
    match remote_state::read(value_of(&request.config, &ty)?, directory) {
        Ok(read) => response.state = wire_of(&read, &ty)?,
        Err(failure) => response.diagnostics = vec![diagnostic(failure)],
    }
    Ok(response)
}

fn diagnostic(failure: remote_state::Failure) -> proto::Diagnostic {
    let severity = proto::diagnostic::Severity::Error.into();
    let attribute = failure.argument.map(path);
    proto::Diagnostic { severity, summary: failure.summary.to_owned(), detail: failure.detail, attribute }
}

fn upgrade(
    request: proto::upgrade_resource_state::Request,
) -> Result<proto::upgrade_resource_state::Response, Status> {
    let raw = request.raw_state.unwrap_or_default().json;
    let state = json::decode(&raw, &ty(), UnknownAttributes::Ignore)
        .map_err(|error| Status::new(Code::InvalidArgument, error.to_string()))?;
    Ok(proto::upgrade_resource_state::Response { upgraded_state: wire(&state)?, diagnostics: Vec::new() })
}

fn plan(
    request: proto::plan_resource_change::Request,
) -> Result<proto::plan_resource_change::Response, Status> {
    let (prior, proposed) = (value(&request.prior_state)?, value(&request.proposed_new_state)?);
    let mut planned = proposed.clone();
    let mut requires_replace = Vec::new();
    if let Value::Object(planned) = &mut planned {
        if prior.is_null() {
            make_new(planned);
        } else if attribute(&prior, "triggers_replace") != attribute(&proposed, "triggers_replace") {
            requires_replace.push(path("triggers_replace"));
            make_new(planned);
        } else if attribute(&prior, "input") != attribute(&proposed, "input") {
            planned.insert("output", unknown_like(&attribute(&proposed, "input")));
        }
    }
    Ok(proto::plan_resource_change::Response {
        planned_state: wire(&planned)?,
        requires_replace,
        planned_private: request.prior_private,
        ..Default::default()
    })
}

fn make_new(planned: &mut Entries) {
    planned.insert("id", Value::from(Unknown::not_null()));
    let input = planned.get("input").cloned().unwrap_or(Value::Null);
    let output = if input.is_null() { input } else { unknown_like(&input) };
    planned.insert("output", output);
}

/// An unknown of the type of a value.
fn unknown_like(value: &Value) -> Value {
    match value {
        Value::Dynamic(dynamic) => Value::dynamic(dynamic.ty.clone(), Value::unknown()),
        _ => Value::unknown(),
    }
}

fn apply(
    request: proto::apply_resource_change::Request,
) -> Result<proto::apply_resource_change::Response, Status> {
    let mut planned = value(&request.planned_state)?;
    if let Value::Object(planned) = &mut planned {
        if planned.get("id").is_none_or(|id| id.is_unknown() || id.is_null()) {
            planned.insert("id", Value::from(random::uuid()));
        }
        if planned.get("output").is_some_and(|output| output.is_unknown()) {
            let input = planned.get("input").cloned().unwrap_or(Value::Null);
            planned.insert("output", input);
        }
    }
    Ok(proto::apply_resource_change::Response {
        new_state: wire(&planned)?,
        private: request.planned_private,
        ..Default::default()
    })
}

fn import(
    request: proto::import_resource_state::Request,
) -> Result<proto::import_resource_state::Response, Status> {
    let attributes = [
        ("id", Value::from(request.id)),
        ("input", Value::Null),
        ("output", Value::Null),
        ("triggers_replace", Value::Null),
    ];
    let imported = proto::import_resource_state::ImportedResource {
        type_name: request.type_name,
        state: wire(&Value::object(attributes))?,
        ..Default::default()
    };
    Ok(proto::import_resource_state::Response { imported_resources: vec![imported], ..Default::default() })
}

fn attribute(object: &Value, name: &'static str) -> Value {
    object.get(&Path::root().attribute(name)).cloned().unwrap_or(Value::Null)
}

fn path(name: &str) -> proto::AttributePath {
    use proto::attribute_path::{Step, step::Selector};
    let selector = Some(Selector::AttributeName(name.to_owned()));
    proto::AttributePath { steps: vec![Step { selector }] }
}

fn value(wire: &Option<proto::DynamicValue>) -> Result<Value, Status> {
    value_of(wire, &ty())
}

fn value_of(wire: &Option<proto::DynamicValue>, ty: &Type) -> Result<Value, Status> {
    match wire {
        Some(wire) if !wire.msgpack.is_empty() => msgpack::decode(&wire.msgpack, ty)
            .map_err(|error| Status::new(Code::InvalidArgument, error.to_string())),
        _ => Ok(Value::Null),
    }
}

fn wire(value: &Value) -> Result<Option<proto::DynamicValue>, Status> {
    wire_of(value, &ty())
}

fn wire_of(value: &Value, ty: &Type) -> Result<Option<proto::DynamicValue>, Status> {
    let msgpack =
        msgpack::encode(value, ty).map_err(|error| Status::new(Code::Internal, error.to_string()))?;
    Ok(Some(proto::DynamicValue { msgpack: msgpack.into(), json: Bytes::new() }))
}
