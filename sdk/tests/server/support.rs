//! A provider of doubles: every method of the author is a closure of the test.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use ferroform::cancel::Cancellation;
use ferroform::diag::{Diagnostics, Error, Result};
use ferroform::dynamic::{
    Catalogue, Change, Context, DataSource, IdentityContext, Import, Imported, MoveSource, PlannedChange,
    Provider, Resource, StoredValue, UpgradePaths, phase,
};
use ferroform::resource::ReadAfterWrite;
use ferroform::schema::{Attribute, Block, IdentitySchema, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_server::protocol::{Call, ClientCapabilities, DynamicValue, Handler, Request, Response};
use ferroform_server::server::Server;

/// Awaited before `create` and `read`, for tests in which something happens meanwhile.
pub(crate) type Hook = Box<dyn Fn(Cancellation) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;
pub(crate) type PlanHook =
    Box<dyn Fn(&mut Context<'_, phase::Plan>, &mut PlannedChange) -> Result + Send + Sync>;
type Method<P, I, O> = Box<dyn Fn(&mut Context<'_, P>, I) -> Result<O> + Send + Sync>;

/// Fills a message, none of which can be written as a struct expression outside of its crate.
macro_rules! message {
    ($type:ty { $($field:ident: $value:expr),* $(,)? }) => {
        message!($type { $($field: $value,)* ..<$type>::default() })
    };
    ($type:ty { $($field:ident: $value:expr,)* ..$base:expr }) => {{
        let mut message: $type = $base;
        $(message.$field = $value;)*
        message
    }};
}
pub(crate) use message;

/// What makes the identity of a state.
pub(crate) type Identify = Box<dyn Fn(IdentityContext<'_>, &Value) -> Result<Value> + Send + Sync>;

/// A managed resource. The default has the schema [`schema`] and does what a good provider does.
pub(crate) struct Thing {
    pub(crate) schema: Schema,
    pub(crate) before: Hook,
    pub(crate) validate: Method<phase::Validate, Value, ()>,
    pub(crate) plan: PlanHook,
    pub(crate) plan_delete: Method<phase::PlanDelete, Value, ()>,
    pub(crate) create: Method<phase::Create, Change, Value>,
    pub(crate) read_after_write: ReadAfterWrite,
    pub(crate) read: Method<phase::Read, Value, Option<Value>>,
    pub(crate) update: Method<phase::Update, (Value, Change), Value>,
    pub(crate) delete: Method<phase::Delete, Value, ()>,
    pub(crate) import: Method<phase::Import, Import, Vec<Imported>>,
    pub(crate) identity_schema: Option<IdentitySchema>,
    pub(crate) identity: Identify,
    pub(crate) upgrade_paths: UpgradePaths,
    pub(crate) upgrade: Method<phase::Upgrade, StoredValue, Value>,
    pub(crate) upgrade_identity: Method<phase::Upgrade, StoredValue, Value>,
    pub(crate) move_state: Method<phase::Move, MoveSource, Option<Value>>,
}

impl Default for Thing {
    fn default() -> Self {
        Self {
            schema: schema(),
            before: Box::new(|_| Box::pin(async {})),
            validate: Box::new(|_, _| Ok(())),
            plan: Box::new(|_, _| Ok(())),
            plan_delete: Box::new(|_, _| Ok(())),
            read_after_write: ReadAfterWrite::Off,
            create: Box::new(|_, change| Ok(object("1", name_of(&change.planned)))),
            read: Box::new(|_, prior| Ok(Some(prior))),
            update: Box::new(|_, (prior, change)| Ok(object(id_of(&prior), name_of(&change.planned)))),
            delete: Box::new(|_, _| Ok(())),
            import: Box::new(|_, from| match from {
                Import::Id(id) => Ok(vec![Imported::new(object(&id, "found"))]),
                Import::Identity(identity) => Ok(vec![Imported::new(object(id_of(&identity), "found"))]),
            }),
            identity_schema: None,
            identity: Box::new(|_, state| {
                let id = state.as_entries().and_then(|entries| entries.get("id")).unwrap_or(&Value::Null);
                Ok(Value::object([("id", id.clone())]))
            }),
            upgrade_paths: UpgradePaths::default(),
            upgrade: Box::new(|_, _| Err(Error::new("Not Upgraded", ""))),
            upgrade_identity: Box::new(|_, _| Err(Error::new("Not Upgraded", ""))),
            move_state: Box::new(|_, _| Ok(None)),
        }
    }
}

/// A computed `id`, a required `name` and a write-only `secret`.
pub(crate) fn schema() -> Schema {
    Schema::new(Block::new([
        Attribute::computed("id", Type::String).keep(),
        Attribute::required("name", Type::String),
        Attribute::optional("secret", Type::String).write_only().sensitive(),
    ]))
}

/// A state by [`schema`].
pub(crate) fn object(id: &str, name: &str) -> Value {
    with_id(Value::string(id), name)
}

/// A planned state by [`schema`], whose `id` is not known yet.
pub(crate) fn planned(name: &str) -> Value {
    with_id(Value::unknown(), name)
}

/// A configuration by [`schema`].
pub(crate) fn config(name: &str) -> Value {
    with_id(Value::Null, name)
}

pub(crate) fn with_id(id: Value, name: &str) -> Value {
    Value::object([("id", id), ("name", Value::string(name)), ("secret", Value::Null)])
}

pub(crate) fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object.as_entries().and_then(|entries| entries.get(name)?.as_str()).expect("the object has this text")
}

pub(crate) fn name_of(object: &Value) -> &str {
    text(object, "name")
}

fn id_of(object: &Value) -> &str {
    text(object, "id")
}

#[async_trait]
impl Resource for Thing {
    fn schema(&self) -> Schema {
        self.schema.clone()
    }

    async fn validate(&self, cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
        (self.validate)(cx, config.clone())
    }

    async fn plan(&self, cx: &mut Context<'_, phase::Plan>, plan: &mut PlannedChange) -> Result {
        (self.plan)(cx, plan)
    }

    async fn plan_delete(&self, cx: &mut Context<'_, phase::PlanDelete>, prior: &Value) -> Result {
        (self.plan_delete)(cx, prior.clone())
    }

    async fn create(&self, cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        (self.before)(cx.cancellation.clone()).await;
        (self.create)(cx, change)
    }

    fn read_after_write(&self) -> ReadAfterWrite {
        self.read_after_write
    }

    async fn read(&self, cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        (self.before)(cx.cancellation.clone()).await;
        (self.read)(cx, prior)
    }

    async fn update(
        &self,
        cx: &mut Context<'_, phase::Update>,
        prior: Value,
        change: Change,
    ) -> Result<Value> {
        (self.update)(cx, (prior, change))
    }

    async fn delete(&self, cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result {
        (self.delete)(cx, prior)
    }

    async fn import(&self, cx: &mut Context<'_, phase::Import>, from: Import) -> Result<Vec<Imported>> {
        (self.import)(cx, from)
    }

    fn identity_schema(&self) -> Option<IdentitySchema> {
        self.identity_schema.clone()
    }

    fn identity(&self, cx: IdentityContext<'_>, state: &Value) -> Result<Value> {
        (self.identity)(cx, state)
    }

    fn upgrade_paths(&self) -> UpgradePaths {
        self.upgrade_paths.clone()
    }

    async fn upgrade(&self, cx: &mut Context<'_, phase::Upgrade>, stored: StoredValue) -> Result<Value> {
        (self.upgrade)(cx, stored)
    }

    async fn upgrade_identity(
        &self,
        cx: &mut Context<'_, phase::Upgrade>,
        stored: StoredValue,
    ) -> Result<Value> {
        (self.upgrade_identity)(cx, stored)
    }

    async fn move_state(
        &self,
        cx: &mut Context<'_, phase::Move>,
        source: MoveSource,
    ) -> Result<Option<Value>> {
        (self.move_state)(cx, source)
    }
}

/// A data source. The default has the schema [`schema`] without the write-only attribute.
pub(crate) struct Source {
    pub(crate) schema: Schema,
    pub(crate) validate: Method<phase::Validate, Value, ()>,
    pub(crate) read: Method<phase::ReadData, Value, Value>,
}

impl Default for Source {
    fn default() -> Self {
        let mut schema = schema();
        schema.block.attributes.retain(|attribute| !attribute.write_only);
        Self {
            schema,
            validate: Box::new(|_, _| Ok(())),
            read: Box::new(|_, config| {
                Ok(Value::object([("id", Value::string("1")), ("name", Value::string(name_of(&config)))]))
            }),
        }
    }
}

#[async_trait]
impl DataSource for Source {
    fn schema(&self) -> Schema {
        self.schema.clone()
    }

    async fn validate(&self, cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
        (self.validate)(cx, config.clone())
    }

    async fn read(&self, cx: &mut Context<'_, phase::ReadData>, config: Value) -> Result<Value> {
        (self.read)(cx, config)
    }
}

/// The provider `double` around the doubles.
pub(crate) struct Double {
    pub(crate) schema: Schema,
    pub(crate) meta_schema: Option<Schema>,
    pub(crate) validate: Method<phase::Validate, Value, ()>,
    pub(crate) configure: Method<phase::Configure, Value, ()>,
    pub(crate) resources: BTreeMap<&'static str, Arc<Thing>>,
    /// Resources of other kinds.
    pub(crate) others: BTreeMap<&'static str, Arc<dyn Resource>>,
    pub(crate) data_sources: BTreeMap<&'static str, Arc<Source>>,
}

impl Default for Double {
    fn default() -> Self {
        Self {
            schema: Schema::default(),
            meta_schema: None,
            validate: Box::new(|_, _| Ok(())),
            configure: Box::new(|_, _| Ok(())),
            resources: BTreeMap::new(),
            others: BTreeMap::new(),
            data_sources: BTreeMap::new(),
        }
    }
}

#[async_trait]
impl Provider for Double {
    fn name(&self) -> &str {
        "double"
    }

    fn schema(&self) -> Schema {
        self.schema.clone()
    }

    async fn validate(&self, cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
        (self.validate)(cx, config.clone())
    }

    fn meta_schema(&self) -> Option<Schema> {
        self.meta_schema.clone()
    }

    async fn configure(&self, cx: &mut Context<'_, phase::Configure>, config: Value) -> Result {
        (self.configure)(cx, config)
    }

    fn catalogue(&self) -> Catalogue {
        let mut catalogue = Catalogue::new();
        for (name, other) in &self.others {
            catalogue.add(*name, Arc::clone(other));
        }
        for (name, thing) in &self.resources {
            catalogue.add(*name, Arc::clone(thing) as Arc<dyn Resource>);
        }
        for (name, source) in &self.data_sources {
            catalogue.add(*name, Arc::clone(source) as Arc<dyn DataSource>);
        }
        catalogue
    }
}

/// The provider `double` with these offers.
pub(crate) struct Offering(pub(crate) Catalogue);

#[async_trait]
impl Provider for Offering {
    fn name(&self) -> &str {
        "double"
    }

    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn configure(&self, _: &mut Context<'_, phase::Configure>, _: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        self.0.clone()
    }
}

/// The name of the one resource of [`serving`] and of the one data source of [`sourcing`].
pub(crate) const THING: &str = "double_thing";

/// A server with that resource.
pub(crate) fn serving(thing: Thing) -> Server {
    server(Double { resources: [(THING, Arc::new(thing))].into(), ..Double::default() })
}

/// A server with that data source.
pub(crate) fn sourcing(source: Source) -> Server {
    server(Double { data_sources: [(THING, Arc::new(source))].into(), ..Double::default() })
}

pub(crate) fn server(provider: Double) -> Server {
    Server::new(Arc::new(provider))
}

/// Asks the server on a runtime of its own.
pub(crate) fn ask(server: &impl Handler, request: impl Into<Request>) -> Response {
    block_on(server.handle(Call::new(request)))
}

pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be built").block_on(async {
        // Ends a test that would otherwise wait for something that never comes.
        tokio::time::timeout(Duration::from_secs(60), work).await.expect("the work ends in time")
    })
}

/// Takes the response of one kind out of a response.
macro_rules! response {
    ($kind:ident, $response:expr) => {
        match $response {
            ferroform_server::protocol::Response::$kind(response) => response,
            other => panic!("{:?} answers {}", other, stringify!($kind)),
        }
    };
}
pub(crate) use response;

/// A value by the type of [`schema`] as core sends it.
pub(crate) fn encoded(value: &Value) -> DynamicValue {
    encoded_by(&schema(), value)
}

pub(crate) fn encoded_by(schema: &Schema, value: &Value) -> DynamicValue {
    let bytes = msgpack::encode(value, &schema.ty()).expect("the test value fits the schema");
    DynamicValue::Msgpack(Bytes::from(bytes))
}

/// A value of an answer as text; nothing sent is told apart from null.
pub(crate) fn shown(schema: &Schema, value: &DynamicValue) -> String {
    match value {
        DynamicValue::Absent => "nothing".to_owned(),
        DynamicValue::Msgpack(bytes) => match msgpack::decode(bytes, &schema.ty()) {
            Ok(value) => format!("{value:?}"),
            Err(error) => format!("undecodable: {error}"),
        },
        DynamicValue::Json(_) => "JSON".to_owned(),
    }
}

/// The diagnostics, one a line: severity, path and summary.
pub(crate) fn summaries(diagnostics: &Diagnostics) -> String {
    let mut lines = String::new();
    for diagnostic in diagnostics {
        let severity = if diagnostic.is_error() { "error" } else { "warning" };
        let path = match diagnostic.path.as_ref().filter(|path| !path.is_root()) {
            Some(path) => format!(" {path}"),
            None => String::new(),
        };
        writeln!(lines, "{severity}{path}: {}", diagnostic.summary).expect("a string can be written to");
    }
    lines
}

/// All details in one text.
pub(crate) fn details(diagnostics: &Diagnostics) -> String {
    diagnostics.iter().map(|diagnostic| diagnostic.detail.as_str()).collect::<Vec<_>>().join("\n")
}

/// What a core of today can do while planning.
pub(crate) fn capable() -> ClientCapabilities {
    message!(ClientCapabilities { deferral_allowed: true, write_only_attributes_allowed: true })
}
