//! A provider that keeps all rules but the one that it is told to break.
//!
//! It is made with the SDK, and sound. Most faults are put into its answers on their way out, where nothing is
//! between them and core.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use bytes::Bytes;
use ferroform::Serve;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{self, Change, Context, IdentityContext, Import, Imported, PlannedChange, phase};
use ferroform::path;
use ferroform::path::Path;
use ferroform::resource::ReadAfterWrite;
use ferroform::schema::{Attribute, Block, IdentityAttribute, IdentitySchema, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_plugin::grpc::{Call, Code, Message, Reply, Requests, Router, Status};
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::conformance::{Rule, ServiceFaults};
use prost::Message as _;

use crate::things::{Demo, attributes, part};

/// The objects, and which rule is broken. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Cloud {
    objects: Arc<Mutex<BTreeMap<String, Value>>>,
    rule: Option<Rule>,
    questions: Arc<AtomicUsize>,
    saw_unknown: Arc<AtomicBool>,
    pub(crate) service_faults: ServiceFaults,
}

impl Cloud {
    pub(crate) fn new(rule: Option<Rule>) -> Self {
        Self { rule, ..Self::default() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.objects.lock().expect("no panic before")
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    fn breaks(&self, rule: Rule) -> bool {
        self.rule == Some(rule)
    }
}

pub(crate) fn router(cloud: &Cloud) -> Arc<dyn Router> {
    let sound = Serve::new(Arc::new(Demo(vec![("demo_thing", Arc::new(Thing(cloud.clone())))])))
        .options()
        .router(6)
        .expect("protocol 6 is served");
    Arc::new(Violating { sound, cloud: cloud.clone(), configured: Arc::default() })
}

struct Thing(Cloud);

fn schema() -> Schema {
    let note = Attribute::computed("note", Type::String);
    Schema::new(Block::new([attributes(), vec![note]].concat()))
}

fn identity_schema() -> IdentitySchema {
    let id = IdentityAttribute::required("id", Type::String);
    IdentitySchema::new([id])
}

fn set(object: &mut Value, path: &Path, value: impl Into<Value>) {
    *object.get_mut(path).expect("the object has all attributes") = value.into();
}

fn size(object: &Value) -> i64 {
    part(object, &path!(size)).as_number().and_then(|size| size.to_i64()).unwrap_or_default()
}

#[async_trait]
impl dynamic::Resource for Thing {
    fn schema(&self) -> Schema {
        schema()
    }

    fn identity_schema(&self) -> Option<IdentitySchema> {
        Some(identity_schema())
    }

    fn identity(&self, _cx: IdentityContext<'_>, state: &Value) -> Result<Value> {
        let id = part(state, &path!(id));
        let id = if self.0.breaks(Rule::DistinctIdentities) { Value::from("the one") } else { id };
        Ok(if id.is_null() { Value::Null } else { Value::object([("id", id)]) })
    }

    async fn validate(&self, cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
        let token = part(config, &path!(token));
        if let (true, Some(token)) = (self.0.breaks(Rule::Secrecy), token.as_str()) {
            cx.warn("Weak Token", format!("The token {token} is weak."));
        }
        if self.0.breaks(Rule::ValidateUnknowns) && token.is_unknown() {
            return Err(Error::new("No Token", "It has to be known."));
        }
        Ok(())
    }

    async fn plan(&self, _cx: &mut Context<'_, phase::Plan>, change: &mut PlannedChange) -> Result {
        set(&mut change.planned, &path!(note), "noted");
        Ok(())
    }

    async fn create(&self, cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        tokio::task::yield_now().await;
        if cx.cancellation.is_cancelled() {
            return Err(Error::new("Stopped", "Nothing was made."));
        }
        let mut object = change.planned;
        let id = part(&object, &path!(name));
        set(&mut object, &path!(id), id.clone());
        if part(&object, &path!(note)).is_unknown() {
            set(&mut object, &path!(note), "noted");
        }
        set(&mut object, &path!(secret), Value::Null);
        self.0.lock().insert(id.as_str().unwrap_or_default().to_owned(), object.clone());
        if !self.0.breaks(Rule::ServiceFaults) {
            cx.checkpoint(object.clone());
        }
        self.0.service_faults.wait().await?;
        if cx.cancellation.is_cancelled() {
            cx.checkpoint(object);
            return Err(Error::new("Stopped", "It is made, and not set up."));
        }
        Ok(object)
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        self.0.service_faults.wait().await?;
        let id = part(&prior, &path!(id));
        let found = self.0.lock().get(id.as_str().unwrap_or_default()).cloned();
        match found {
            None if self.0.breaks(Rule::Disappears) => {
                Err(Error::new("Not Found", "There is no such object."))
            }
            Some(_) if self.0.breaks(Rule::Drift) && !part(&prior, &path!(name)).is_null() => Ok(Some(prior)),
            found => Ok(found),
        }
    }

    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        self.0.service_faults.wait().await?;
        let mut object = change.planned;
        if part(&object, &path!(note)).is_unknown() {
            set(&mut object, &path!(note), "noted");
        }
        set(&mut object, &path!(secret), Value::Null);
        let id = part(&object, &path!(id));
        self.0.lock().insert(id.as_str().unwrap_or_default().to_owned(), object.clone());
        Ok(object)
    }

    /// The backend stores values unchanged, so a read would show nothing new.
    fn read_after_write(&self) -> ReadAfterWrite {
        ReadAfterWrite::Off
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result {
        if self.0.breaks(Rule::Destroy) {
            return Ok(());
        }
        self.0.service_faults.wait().await?;
        let id = part(&prior, &path!(id));
        match self.0.lock().remove(id.as_str().unwrap_or_default()) {
            None if self.0.breaks(Rule::DestroyTwice) => {
                Err(Error::new("Not Found", "There is no such object."))
            }
            _ => Ok(()),
        }
    }

    async fn import(&self, cx: &mut Context<'_, phase::Import>, from: Import) -> Result<Vec<Imported>> {
        let id = match from {
            Import::Id(id) if self.0.breaks(Rule::ImportId) => format!("{id}-other"),
            Import::Id(id) => id,
            Import::Identity(_) if self.0.breaks(Rule::ImportIdentity) => "other".to_owned(),
            Import::Identity(identity) => part(&identity, &path!(id)).as_str().unwrap_or_default().to_owned(),
        };
        let mut prior = schema().block.empty();
        set(&mut prior, &path!(id), id.as_str());
        let found = self.read(&mut cx.for_read(), prior).await?;
        Ok(found.into_iter().map(Imported::new).collect())
    }
}

/// The provider with an answer that is bent on its way out.
struct Violating {
    sound: Arc<dyn Router>,
    cloud: Cloud,
    /// How often this instance was configured.
    configured: Arc<AtomicUsize>,
}

impl Router for Violating {
    fn route(&self, path: &str) -> Option<Call> {
        let call = self.sound.route(path)?;
        let method = path.rsplit('/').next().unwrap_or_default().to_owned();
        let (cloud, configured) = (self.cloud.clone(), self.configured.clone());
        Some(Call::new(move |requests| async move {
            let request = requests.one().await?;
            if method == "ConfigureProvider"
                && configured.fetch_add(1, Ordering::SeqCst) > 0
                && cloud.breaks(Rule::CallFaults)
            {
                return Err(Status::new(Code::FailedPrecondition, "it is configured already"));
            }
            let reply = call.answer(Requests::from_iter([request.clone()])).await?;
            let Reply::One(message) = reply else { return Ok(reply) };
            let answer = bent(&cloud, &method, (request, message.into_bytes()))?;
            Ok(Reply::One(Message::from(answer)))
        }))
    }
}

fn bent(cloud: &Cloud, method: &str, (request, answer): (Bytes, Bytes)) -> Result<Bytes, Status> {
    match method {
        "ValidateResourceConfig" => validated(cloud, &decoded(request)).map(|()| answer),
        "PlanResourceChange" => Ok(planned(cloud, &decoded(request), decoded(answer))),
        "ApplyResourceChange" => Ok(applied(cloud, &decoded(request), decoded(answer))),
        "ReadResource" => Ok(read(cloud, decoded(answer))),
        "UpgradeResourceState" => upgraded(cloud, &decoded(request), decoded(answer)),
        _ => Ok(answer),
    }
}

fn validated(cloud: &Cloud, request: &proto::validate_resource_config::Request) -> Result<(), Status> {
    let crash = Err(Status::new(Code::Internal, "it crashed"));
    let Some(config) = value(request.config.as_ref()) else {
        return if cloud.breaks(Rule::ValidateWrongTypes) { crash } else { Ok(()) };
    };
    let null = cloud.breaks(Rule::ValidateNulls) && part(&config, &path!(name)).is_null();
    let large = cloud.breaks(Rule::GeneratedValidation) && size(&config) > 50;
    if null || large { crash } else { Ok(()) }
}

fn planned(
    cloud: &Cloud,
    request: &proto::plan_resource_change::Request,
    mut answer: proto::plan_resource_change::Response,
) -> Bytes {
    let (prior, config) = (value(request.prior_state.as_ref()), value(request.config.as_ref()));
    let (prior, config) = (prior.unwrap_or(Value::Null), config.unwrap_or(Value::Null));
    let mut object = value(answer.planned_state.as_ref()).unwrap_or(Value::Null);
    if object.is_null() {
        return answer.encode_to_vec().into();
    }
    let name = proto::attribute_path::Step {
        selector: Some(proto::attribute_path::step::Selector::AttributeName("name".to_owned())),
    };
    let name = proto::AttributePath { steps: vec![name] };
    let unknown = part(&config, &path!(tags)).is_unknown();
    let odd = cloud.questions.fetch_add(1, Ordering::SeqCst) % 2 == 1;
    match cloud.rule {
        Some(Rule::SecondPlan) if !prior.is_null() => set(&mut object, &path!(note), Value::unknown()),
        Some(Rule::Dependants) if !prior.is_null() && size(&prior) != size(&config) => {
            set(&mut object, &path!(note), Value::unknown());
        }
        Some(Rule::Replacement) if !prior.is_null() => answer.requires_replace = vec![name],
        Some(Rule::Determinism) if prior.is_null() && odd => answer.requires_replace = vec![name],
        Some(Rule::GeneratedPlans)
            if !prior.is_null() && part(&prior, &path!(note)) != Value::from("noted") =>
        {
            set(&mut object, &path!(name), "other");
        }
        Some(Rule::Unknowns) if unknown => set(&mut object, &path!(note), "without tags"),
        Some(Rule::LateValues) if prior.is_null() && unknown => {
            cloud.saw_unknown.store(true, Ordering::SeqCst)
        }
        Some(Rule::LateValues)
            if prior.is_null() && config.is_wholly_known() && cloud.saw_unknown.load(Ordering::SeqCst) =>
        {
            set(&mut object, &path!(note), "with tags");
        }
        _ => {}
    }
    answer.planned_state = Some(encoded(&object));
    answer.encode_to_vec().into()
}

fn applied(
    cloud: &Cloud,
    request: &proto::apply_resource_change::Request,
    mut answer: proto::apply_resource_change::Response,
) -> Bytes {
    let creates = value(request.prior_state.as_ref()).is_none_or(|prior| prior.is_null());
    if let Some(mut object) = value(answer.new_state.as_ref()).filter(|object| !object.is_null()) {
        let wrong = match cloud.rule {
            Some(Rule::Create) => creates,
            Some(Rule::Update) => !creates && size(&object) == 2,
            Some(Rule::GeneratedLifecycles) => creates && size(&object) > 2,
            Some(Rule::GeneratedUpdates) => !creates && size(&object) > 2,
            _ => false,
        };
        if wrong {
            let other = size(&object) + 1;
            set(&mut object, &path!(size), other);
            answer.new_state = Some(encoded(&object));
        }
    }
    let stopped = answer.diagnostics.iter().any(|it| it.summary == "Stopped");
    if creates && cloud.breaks(Rule::Stop) && stopped {
        answer.new_state = Some(encoded(&Value::Null));
    }
    if creates && cloud.breaks(Rule::Identity) {
        answer.new_identity = None;
    }
    answer.encode_to_vec().into()
}

fn read(cloud: &Cloud, mut answer: proto::read_resource::Response) -> Bytes {
    let object = value(answer.new_state.as_ref()).filter(|object| !object.is_null());
    if let (Some(Rule::Read), Some(mut object)) = (cloud.rule, object) {
        set(&mut object, &path!(note), "read");
        answer.new_state = Some(encoded(&object));
    }
    answer.encode_to_vec().into()
}

fn upgraded(
    cloud: &Cloud,
    request: &proto::upgrade_resource_state::Request,
    mut answer: proto::upgrade_resource_state::Response,
) -> Result<Bytes, Status> {
    let raw = request.raw_state.clone().unwrap_or_default().json;
    if cloud.breaks(Rule::GeneratedStates) && raw == "[1]" {
        return Err(Status::new(Code::Internal, "it crashed"));
    }
    if let (Some(Rule::Upgrade), Some(mut object)) = (cloud.rule, value(answer.upgraded_state.as_ref())) {
        set(&mut object, &path!(note), "upgraded");
        answer.upgraded_state = Some(encoded(&object));
    }
    Ok(answer.encode_to_vec().into())
}

fn decoded<M: prost::Message + Default>(bytes: Bytes) -> M {
    M::decode(bytes).expect("the SDK and the harness send messages")
}

/// `None` for what is no value of the type.
fn value(wire: Option<&proto::DynamicValue>) -> Option<Value> {
    msgpack::decode(&wire?.msgpack, &schema().ty()).ok()
}

fn encoded(value: &Value) -> proto::DynamicValue {
    let msgpack = msgpack::encode(value, &schema().ty()).expect("it is of the type").into();
    proto::DynamicValue { msgpack, json: Bytes::new() }
}
