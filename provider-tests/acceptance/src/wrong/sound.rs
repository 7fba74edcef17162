//! A provider that keeps every rule, without the SDK's server.

use std::sync::Arc;

use ferroform::diag::Diagnostic;
use ferroform::path;
use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, IdentityAttribute, IdentitySchema, Kind, NestedBlock,
    NestedObject, Nesting, Schema,
};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::json::{self, UnknownAttributes};
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, ApplyResourceChangeResponse, CloseEphemeralResourceResponse,
    ConfigureProviderResponse, DynamicValue, GetProviderSchemaResponse, GetResourceIdentitySchemasResponse,
    ImportResourceStateRequest, ImportResourceStateResponse, ImportedResource, MoveResourceStateRequest,
    MoveResourceStateResponse, OpenEphemeralResourceRequest, OpenEphemeralResourceResponse,
    PlanActionResponse, PlanResourceChangeRequest, PlanResourceChangeResponse, RawState,
    ReadDataSourceRequest, ReadDataSourceResponse, ReadResourceRequest, ReadResourceResponse, Request,
    Response, SchemaSource, StopProviderResponse, UpgradeResourceIdentityRequest,
    UpgradeResourceIdentityResponse, UpgradeResourceStateRequest, UpgradeResourceStateResponse,
    ValidateActionConfigResponse, ValidateDataResourceConfigResponse,
    ValidateEphemeralResourceConfigResponse, ValidateListResourceConfigResponse,
    ValidateProviderConfigResponse, ValidateResourceConfigResponse,
};

use super::list_and_action::{self, ACT, note_schema};
use super::{decoded, encoded};

/// The resource type with everything in it that a rule is about.
pub const THING: &str = "wrong_thing";
/// The resource type whose objects can be moved to [`THING`].
pub const MOVED_TYPE: &str = "wrong_former";
/// The resource type with everything in it that can be deprecated.
const RELIC: &str = "wrong_relic";
/// The resource type that is deprecated as a whole.
const RUIN: &str = "wrong_ruin";
/// The data source type.
const DATA: &str = "wrong_data";

/// The ephemeral resource type.
const TOKEN: &str = "wrong_token";

/// A provider that keeps every rule. Nothing but the state remembers its objects.
#[derive(Debug)]
pub struct Sound;

/// The schema of [`THING`].
#[must_use]
pub fn thing_schema() -> Schema {
    let pair = || vec![Attribute::optional("a", Type::String), Attribute::computed("b", Type::String)];
    let nested = |name: &'static str, nesting| {
        Attribute::optional(name, AttributeType::Nested(NestedObject::new(nesting, pair())))
    };
    let block = |name: &'static str, nesting| NestedBlock::new(name, nesting, Block::new(pair()));
    Schema::new(
        Block::new([
            Attribute::computed("id", Type::String),
            Attribute::required("name", Type::String),
            Attribute::optional("note", Type::String),
            Attribute::optional_computed("size", Type::Number),
            Attribute::optional("secret", Type::String).write_only(),
            Attribute::optional("token", Type::String).sensitive(),
            Attribute::optional("tags", Type::map(Type::String)),
            Attribute::optional("hosts", Type::set(Type::String)),
            Attribute::optional("any", Type::Dynamic),
            nested("one", Nesting::Single),
            nested("many", Nesting::List),
            nested("keyed", Nesting::Map),
            nested("some", Nesting::Set),
        ])
        .blocks([
            block("single", BlockNesting::Single),
            block("rule", BlockNesting::List),
            block("peer", BlockNesting::Set),
            block("device", BlockNesting::Map),
            block("group", BlockNesting::Group),
        ]),
    )
    .version(1)
}

/// The schema of [`MOVED_TYPE`].
#[must_use]
pub fn moved_schema() -> Schema {
    Schema::new(Block::new([
        Attribute::required("label", Type::String),
        Attribute::computed("id", Type::String),
    ]))
}

/// The schema of [`RELIC`].
fn relic_schema() -> Schema {
    let old = |attribute: Attribute| attribute.deprecation("Use another one.");
    let pair = || vec![Attribute::optional("a", Type::String), old(Attribute::computed("b", Type::String))];
    let part = || Block::new(pair());
    let piece = part().deprecation("Use a part.");
    let many = AttributeType::Nested(NestedObject::new(Nesting::List, pair()));
    Schema::new(
        Block::new([
            Attribute::computed("id", Type::String),
            Attribute::required("name", Type::String),
            Attribute::optional("note", Type::String),
            old(Attribute::optional_computed("size", Type::Number)),
            old(Attribute::optional("old", Type::String)),
            old(Attribute::optional("token", Type::String).sensitive()),
            old(Attribute::optional("tags", Type::map(Type::String))),
            Attribute::optional("mute", Type::String).deprecation(""),
            Attribute::optional("anything", Type::list(Type::Dynamic)),
            Attribute::optional("many", many),
        ])
        .blocks([
            NestedBlock::new("part", BlockNesting::List, part()),
            NestedBlock::new("piece", BlockNesting::List, piece),
        ]),
    )
}

/// The schema of [`RUIN`].
fn ruin_schema() -> Schema {
    let block = moved_schema().block.deprecation("Use a wrong_thing.");
    Schema::new(block)
}

/// The schema of the data source `wrong_data`.
#[must_use]
pub fn data_schema() -> Schema {
    Schema::new(Block::new([
        Attribute::required("name", Type::String),
        Attribute::computed("value", Type::String),
    ]))
}

/// The schema of the ephemeral resource `wrong_token`.
#[must_use]
pub fn token_schema() -> Schema {
    Schema::new(Block::new([
        Attribute::required("name", Type::String),
        Attribute::optional("note", Type::String),
        Attribute::computed("value", Type::String),
    ]))
}

/// The schema of the identity of [`THING`].
#[must_use]
pub fn identity_schema() -> IdentitySchema {
    IdentitySchema::new([IdentityAttribute::required("id", Type::String)]).version(1)
}

impl SchemaSource for Sound {
    fn provider(&self) -> Schema {
        Schema::new(Block::new([Attribute::optional("setting", Type::String)]))
    }

    fn schemas(&self, kind: Kind, each: &mut dyn FnMut(&str, Schema)) {
        match kind {
            Kind::Resource => {
                each(THING, thing_schema());
                each(MOVED_TYPE, moved_schema());
                each(RELIC, relic_schema());
                each(RUIN, ruin_schema());
            }
            Kind::DataSource => each(DATA, data_schema()),
            Kind::EphemeralResource => each(TOKEN, token_schema()),
            Kind::ListResource => each(THING, note_schema()),
            Kind::Action => each(ACT, note_schema()),
            _ => {}
        }
    }
}

impl Sound {
    /// Answers a request as the protocol wants it.
    pub(super) fn answer(&self, request: &Request) -> Response {
        match request {
            Request::GetProviderSchema(_) => schemas().into(),
            Request::GetResourceIdentitySchemas(_) => identities().into(),
            Request::ValidateProviderConfig(_) => ValidateProviderConfigResponse::default().into(),
            Request::ConfigureProvider(_) => ConfigureProviderResponse::default().into(),
            Request::StopProvider(_) => StopProviderResponse::default().into(),
            Request::ValidateResourceConfig(_) => ValidateResourceConfigResponse::default().into(),
            Request::ValidateDataResourceConfig(_) => ValidateDataResourceConfigResponse::default().into(),
            Request::UpgradeResourceState(request) => upgrade(request).into(),
            Request::UpgradeResourceIdentity(request) => upgrade_identity(request).into(),
            Request::ReadResource(request) => read(request).into(),
            Request::PlanResourceChange(request) => plan(request).into(),
            Request::ApplyResourceChange(request) => apply(request).into(),
            Request::ImportResourceState(request) => import(request).into(),
            Request::MoveResourceState(request) => move_state(request).into(),
            Request::ReadDataSource(request) => read_data(request).into(),
            Request::ValidateEphemeralResourceConfig(_) => {
                ValidateEphemeralResourceConfigResponse::default().into()
            }
            Request::OpenEphemeralResource(request) => open(request).into(),
            Request::CloseEphemeralResource(_) => CloseEphemeralResourceResponse::default().into(),
            Request::ValidateListResourceConfig(_) => ValidateListResourceConfigResponse::default().into(),
            Request::ListResource(request) => list_and_action::list(request).into(),
            Request::ValidateActionConfig(_) => ValidateActionConfigResponse::default().into(),
            Request::PlanAction(_) => PlanActionResponse::default().into(),
            Request::InvokeAction(_) => list_and_action::invoke().into(),
            other => {
                other.rpc().failure(Diagnostic::error("Not Supported", "This provider does not do that."))
            }
        }
    }
}

fn schemas() -> GetProviderSchemaResponse {
    let mut response = GetProviderSchemaResponse::default();
    response.server_capabilities.plan_destroy = true;
    response.server_capabilities.move_resource_state = true;
    response.schemas = Some(Arc::new(Sound));
    response
}

fn identities() -> GetResourceIdentitySchemasResponse {
    let mut response = GetResourceIdentitySchemasResponse::default();
    response.identity_schemas = vec![(THING.to_owned(), identity_schema())];
    response
}

fn type_of(type_name: &str) -> Type {
    let schema = match type_name {
        MOVED_TYPE => moved_schema(),
        RELIC => relic_schema(),
        RUIN => ruin_schema(),
        _ => thing_schema(),
    };
    schema.ty()
}

fn upgrade(request: &UpgradeResourceStateRequest) -> UpgradeResourceStateResponse {
    let ty = type_of(&request.type_name);
    let mut response = UpgradeResourceStateResponse::default();
    response.upgraded_state = encoded(&ty, &stored(request.raw_state.as_ref(), &ty));
    response
}

fn upgrade_identity(request: &UpgradeResourceIdentityRequest) -> UpgradeResourceIdentityResponse {
    let ty = identity_schema().ty();
    let mut response = UpgradeResourceIdentityResponse::default();
    response.upgraded_identity = Some(encoded(&ty, &stored(request.raw_identity.as_ref(), &ty)));
    response
}

/// What core has stored; attributes that the schema does not have are dropped.
fn stored(raw: Option<&RawState>, ty: &Type) -> Value {
    match raw {
        Some(RawState::Json(bytes)) if !bytes.is_empty() => {
            json::decode(bytes, ty, UnknownAttributes::Ignore).expect("the tests store what the schema says")
        }
        _ => Value::object([("id", Value::from("id-none"))]),
    }
}

fn read(request: &ReadResourceRequest) -> ReadResourceResponse {
    let mut response = ReadResourceResponse::default();
    response.new_state = request.current_state.clone();
    response.private = request.private.clone();
    response.new_identity = request.current_identity.clone();
    if request.type_name == THING {
        response.new_identity = identity_of(&decoded(&thing_schema().ty(), &request.current_state));
    }
    response
}

fn plan(request: &PlanResourceChangeRequest) -> PlanResourceChangeResponse {
    let ty = type_of(&request.type_name);
    let prior = decoded(&ty, &request.prior_state);
    let mut planned = decoded(&ty, &request.proposed_new_state);
    forget_secret(&mut planned);
    each_computed(&mut planned, &mut |_, value| {
        if value.is_null() {
            *value = Value::unknown();
        }
    });
    let mut response = PlanResourceChangeResponse::default();
    let renamed =
        !planned.is_null() && !prior.is_null() && prior.get(&path!(name)) != planned.get(&path!(name));
    if renamed {
        response.requires_replace = vec![path!(name)];
    }
    // Core cannot show a plan with an identity that is not known.
    if request.type_name == THING && planned.get(&path!(id)).is_some_and(Value::is_wholly_known) {
        response.planned_identity = identity_of(&planned);
    }
    response.planned_state = encoded(&ty, &planned);
    response.planned_private = request.prior_private.clone();
    response
}

fn apply(request: &ApplyResourceChangeRequest) -> ApplyResourceChangeResponse {
    let ty = type_of(&request.type_name);
    let mut state = decoded(&ty, &request.planned_state);
    let name = state.get(&path!(name)).and_then(Value::as_str).unwrap_or("none").to_owned();
    each_computed(&mut state, &mut |attribute, value| {
        if value.is_unknown() {
            *value = match attribute {
                "size" => Value::from(1),
                "id" => Value::string(format!("id-{name}")),
                _ => Value::from("computed"),
            };
        }
    });
    let mut response = ApplyResourceChangeResponse::default();
    if request.type_name == THING && !state.is_null() {
        response.new_identity = identity_of(&state);
    }
    response.new_state = encoded(&ty, &state);
    response.private = request.planned_private.clone();
    response
}

fn import(request: &ImportResourceStateRequest) -> ImportResourceStateResponse {
    let by_identity = request.identity.as_ref().map(|identity| decoded(&identity_schema().ty(), identity));
    let id = match &by_identity {
        Some(identity) => identity.get(&path!(id)).and_then(Value::as_str).unwrap_or_default().to_owned(),
        None => request.id.clone(),
    };
    let state = object_named(id.trim_start_matches("id-"));
    let mut object = ImportedResource::default();
    object.type_name = THING.to_owned();
    object.identity = identity_of(&state);
    object.state = encoded(&thing_schema().ty(), &state);
    let mut response = ImportResourceStateResponse::default();
    response.imported_resources = vec![object];
    response
}

fn move_state(request: &MoveResourceStateRequest) -> MoveResourceStateResponse {
    let former = stored(request.source_state.as_ref(), &moved_schema().ty());
    let state = object_named(former.get(&path!(label)).and_then(Value::as_str).unwrap_or_default());
    let mut response = MoveResourceStateResponse::default();
    response.target_identity = identity_of(&state);
    response.target_state = encoded(&thing_schema().ty(), &state);
    response
}

fn read_data(request: &ReadDataSourceRequest) -> ReadDataSourceResponse {
    let ty = data_schema().ty();
    let mut state = decoded(&ty, &request.config);
    if let Some(value) = state.get_mut(&path!(value)) {
        *value = Value::from("read");
    }
    let mut response = ReadDataSourceResponse::default();
    response.state = encoded(&ty, &state);
    response
}

fn open(request: &OpenEphemeralResourceRequest) -> OpenEphemeralResourceResponse {
    let ty = token_schema().ty();
    let mut result = decoded(&ty, &request.config);
    let name = result.get(&path!(name)).and_then(Value::as_str).unwrap_or_default().to_owned();
    if let Some(value) = result.get_mut(&path!(value)) {
        *value = Value::string(format!("value of {name}"));
    }
    let mut response = OpenEphemeralResourceResponse::default();
    response.result = encoded(&ty, &result);
    response.private = Some(name.into());
    response
}

/// An object with a name and nothing that is optional.
pub(super) fn object_named(name: &str) -> Value {
    let Value::Object(mut attributes) = thing_schema().block.empty() else { return Value::Null };
    attributes.insert("id", Value::string(format!("id-{name}")));
    attributes.insert("name", Value::string(name));
    attributes.insert("size", Value::from(1));
    Value::Object(attributes)
}

pub(super) fn identity_of(state: &Value) -> Option<DynamicValue> {
    let id = state.get(&path!(id))?.clone();
    Some(encoded(&identity_schema().ty(), &Value::object([("id", id)])))
}

fn forget_secret(planned: &mut Value) {
    if let Some(secret) = planned.get_mut(&path!(secret)) {
        *secret = Value::Null;
    }
}

/// Calls with every computed attribute of a value: they have names of their own.
fn each_computed(value: &mut Value, visit: &mut impl FnMut(&str, &mut Value)) {
    match value {
        Value::Object(attributes) => {
            for (name, value) in attributes.iter_mut() {
                match &**name {
                    "id" | "size" | "b" => visit(name, value),
                    _ => each_computed(value, visit),
                }
            }
        }
        Value::List(elements) | Value::Tuple(elements) => {
            elements.iter_mut().for_each(|element| each_computed(element, visit));
        }
        Value::Map(elements) => elements.iter_mut().for_each(|(_, element)| each_computed(element, visit)),
        Value::Set(set) => {
            let mut elements = std::mem::take(set).into_elements();
            elements.iter_mut().for_each(|element| each_computed(element, visit));
            *value = Value::set(elements);
        }
        _ => {}
    }
}
