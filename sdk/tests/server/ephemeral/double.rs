//! An ephemeral resource whose methods are closures of the test.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use ferroform::cancel::Cancellation;
use ferroform::diag::Result;
use ferroform::dynamic::{
    Catalogue, Close, Context, EphemeralContext, EphemeralResource, Open, Provider, Renew, ValidateContext,
    phase,
};
use ferroform::private::Private;
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{
    CloseEphemeralResourceRequest, CloseEphemeralResourceResponse, DynamicValue,
    OpenEphemeralResourceRequest, OpenEphemeralResourceResponse, RenewEphemeralResourceRequest,
    RenewEphemeralResourceResponse,
};
use ferroform_server::server::Server;

use crate::server::support::{Hook, ask, encoded_by, message, response};

pub(super) const TYPE: &str = "double_lease";

type Method<P, I, O> = Box<dyn Fn(&mut EphemeralContext<P>, I) -> Result<O> + Send + Sync>;

type Validation = Box<dyn Fn(&mut ValidateContext<'_>, Value) -> Result + Send + Sync>;

/// By default a lease with an ID that is recorded, renewed and closed as it should be.
pub(super) struct Lease {
    pub(super) schema: Schema,
    pub(super) validate: Validation,
    pub(super) open: Method<Open, Value, Value>,
    /// Awaited after `open` has recorded.
    pub(super) after: Hook,
    pub(super) renew: Method<Renew, String, ()>,
    pub(super) close: Method<Close, String, ()>,
    /// The IDs with which `renew` and `close` were called.
    pub(super) calls: Arc<Mutex<Vec<String>>>,
    /// Reason why the configuration of the provider is deferred.
    pub(super) deferred: Option<ferroform_server::protocol::Deferred>,
}

impl Default for Lease {
    fn default() -> Self {
        Self {
            schema: schema(),
            validate: Box::new(|_, _| Ok(())),
            open: Box::new(|cx, config| {
                cx.record(record("lease-1"));
                Ok(opened(&config))
            }),
            after: Box::new(|_| Box::pin(async {})),
            renew: Box::new(|_, _| Ok(())),
            close: Box::new(|_, _| Ok(())),
            calls: Arc::default(),
            deferred: None,
        }
    }
}

/// A required `role`, an optional and computed `region` and a computed `token`.
pub(super) fn schema() -> Schema {
    Schema::new(Block::new([
        Attribute::required("role", Type::String),
        Attribute::optional_computed("region", Type::String),
        Attribute::computed("token", Type::String).sensitive(),
    ]))
}

pub(super) fn object(role: &str, region: Value, token: Value) -> Value {
    Value::object([("role", Value::string(role)), ("region", region), ("token", token)])
}

/// The configuration with what it leaves out filled.
pub(super) fn opened(config: &Value) -> Value {
    let members = config.as_entries().expect("an object").iter().map(|(name, value)| {
        let value = if value.is_unknown() { Value::string("made") } else { value.clone() };
        (name.to_string(), value)
    });
    Value::object(members)
}

pub(super) fn record(id: &str) -> Private {
    let mut private = Private::default();
    private.set("id", &id).expect("a text has a JSON form");
    private
}

fn id(recorded: &Private) -> String {
    recorded.get("id").expect("the ID is a text").expect("there is an ID")
}

#[async_trait]
impl EphemeralResource for Lease {
    fn schema(&self) -> Schema {
        self.schema.clone()
    }

    async fn validate(&self, cx: &mut ValidateContext<'_>, config: &Value) -> Result {
        (self.validate)(cx, config.clone())
    }

    async fn open(&self, cx: &mut EphemeralContext<Open>, config: Value) -> Result<Value> {
        let opened = (self.open)(cx, config);
        (self.after)(cx.cancellation.clone()).await;
        opened
    }

    async fn renew(&self, cx: &mut EphemeralContext<Renew>, recorded: Private) -> Result {
        let id = id(&recorded);
        self.calls.lock().unwrap().push(format!("renew {id}"));
        (self.renew)(cx, id)
    }

    async fn close(&self, cx: &mut EphemeralContext<Close>, recorded: Private) -> Result {
        let id = id(&recorded);
        self.calls.lock().unwrap().push(format!("close {id}"));
        (self.close)(cx, id)
    }
}

/// The provider around it.
struct Double(Arc<Lease>);

#[async_trait]
impl Provider for Double {
    fn name(&self) -> &str {
        "double"
    }

    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn configure(&self, cx: &mut Context<'_, phase::Configure>, _config: Value) -> Result {
        if let Some(reason) = self.0.deferred {
            cx.defer(reason);
        }
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        Catalogue::new().with(TYPE, Arc::clone(&self.0) as Arc<dyn EphemeralResource>)
    }
}

/// A server with that ephemeral resource, and what was called.
pub(super) fn serving(lease: Lease) -> (Server, Arc<Mutex<Vec<String>>>) {
    let calls = Arc::clone(&lease.calls);
    (Server::new(Arc::new(Double(Arc::new(lease)))), calls)
}

pub(super) fn config() -> DynamicValue {
    encoded_by(&schema(), &object("ci", Value::Null, Value::Null))
}

pub(super) fn opening() -> OpenEphemeralResourceRequest {
    message!(OpenEphemeralResourceRequest { type_name: TYPE.to_owned(), config: config() })
}

pub(super) fn open(server: &Server) -> OpenEphemeralResourceResponse {
    response!(OpenEphemeralResource, ask(server, opening()))
}

pub(super) fn renew(server: &Server, private: Option<bytes::Bytes>) -> RenewEphemeralResourceResponse {
    let request = message!(RenewEphemeralResourceRequest { type_name: TYPE.to_owned(), private: private });
    response!(RenewEphemeralResource, ask(server, request))
}

pub(super) fn close(server: &Server, private: Option<bytes::Bytes>) -> CloseEphemeralResourceResponse {
    let request = message!(CloseEphemeralResourceRequest { type_name: TYPE.to_owned(), private: private });
    response!(CloseEphemeralResource, ask(server, request))
}

/// Waits for what never comes, until the call is cancelled.
pub(super) fn until_cancelled() -> Hook {
    Box::new(|stop: Cancellation| Box::pin(async move { stop.cancelled().await }))
}
