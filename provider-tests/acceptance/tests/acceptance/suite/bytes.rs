//! The bytes in which a core sends values: recorded for the tests of the codec, and compared with what it sends today.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::task;

use async_trait::async_trait;
use ferroform::Serve;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{Catalogue, Change, Context, Provider, Resource, phase};
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::type_json;
use ferroform_server::protocol::{Call, DynamicValue, HandlerService, Request, Response};
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::real::{ServedProvider, Session};
use tower_service::Service;

use super::matrix::{AcceptanceTest, Attach, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    vec![AcceptanceTest::new("bytes of values", bytes_of_values).attached(&[Attach::Reattached])]
}

/// An expression of the language for an attribute of a type, and what core sends for it in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    name: String,
    ty: String,
    expression: String,
    bytes: String,
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../sdk/core/tests/values/recorded.tsv")
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(file()).expect("the recorded vectors");
    let row = |line: &str| {
        let [name, ty, expression, bytes] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line} is no row");
        };
        let [name, ty, expression, bytes] = [name, ty, expression, bytes].map(str::to_owned);
        Row { name, ty, expression, bytes }
    };
    text.lines().map(row).collect()
}

/// The committed bytes are what core sends for the committed expressions. With `FERROFORM_RECORD=1` they are written.
fn bytes_of_values(target: &TestTarget) {
    let committed = rows();
    let sent = sent(target, &committed);
    let recorded: Vec<Row> = committed
        .iter()
        .map(|row| Row { bytes: sent.get(&row.name).cloned().unwrap_or_default(), ..row.clone() })
        .collect();
    if std::env::var_os("FERROFORM_RECORD").is_some() {
        let line = |row: &Row| format!("{}\t{}\t{}\t{}\n", row.name, row.ty, row.expression, row.bytes);
        std::fs::write(file(), recorded.iter().map(line).collect::<String>()).expect("it can be written");
    } else {
        let changed = recorded.iter().zip(&committed).find(|(recorded, committed)| recorded != committed);
        assert_eq!(changed, None, "core sends other bytes than are recorded");
    }
    assert!(recorded.iter().all(|row| !row.bytes.is_empty()), "each value is sent");
}

/// What core sends for each row.
fn sent(target: &TestTarget, rows: &[Row]) -> BTreeMap<String, String> {
    let types = rows.iter().map(|row| {
        let ty = type_json::decode(row.ty.as_bytes()).expect("a type");
        (format!("vector_{}", row.name), Arc::new(Vector(vec![Attribute::optional(VALUE, ty)])))
    });
    let source = (SOURCE.to_owned(), Arc::new(Vector(unknowns())));
    let provider = Vectors(types.chain([source]).collect());
    let heard = Heard::default();
    let listening = heard.clone();
    let layer = tower_layer::layer_fn(move |inner| Listener { heard: listening.clone(), inner });
    let serve = Serve::new(Arc::new(provider)).layer(&layer);
    let served =
        ServedProvider::start("example.com/ferroform/vector", target.protocol, serve).expect("a server");
    let session = Session::new(&target.core, vec![served], &[]).expect("a session");
    let resources = rows.iter().map(|row| {
        format!("resource \"vector_{}\" \"this\" {{\n  {VALUE} = {}\n}}\n", row.name, row.expression)
    });
    let config = format!(
        "terraform {{\n  required_providers {{\n    vector = {{\n      source = \"example.com/ferroform/vector\"\n    }}\n  \
         }}\n}}\nresource \"{SOURCE}\" \"this\" {{}}\n{}",
        resources.collect::<String>()
    );
    session.write_text(&config).expect("written");
    let plan = session.plan_unread(&PlanOptions::default()).expect("a plan");
    assert!(plan.succeeded(), "{:?}", plan.report);
    drop(session);
    heard.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

const SOURCE: &str = "vector_source";
const VALUE: &str = "value";

/// What is unknown while planning, of each kind.
fn unknowns() -> Vec<Attribute> {
    let types = [
        ("string", Type::String),
        ("number", Type::Number),
        ("bool", Type::Bool),
        ("list", Type::list(Type::String)),
        ("set", Type::set(Type::String)),
        ("map", Type::map(Type::String)),
        ("object", Type::object([("a", Type::String)])),
        ("dynamic", Type::Dynamic),
    ];
    types.into_iter().map(|(name, ty)| Attribute::computed(name, ty)).collect()
}

/// The bytes of the values that were to be planned, by row.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<BTreeMap<String, String>>>);

impl Heard {
    fn hear(&self, type_name: &str, config: &DynamicValue) {
        let Some(name) = type_name.strip_prefix("vector_").filter(|_| type_name != SOURCE) else { return };
        let DynamicValue::Msgpack(bytes) = config else { panic!("{type_name} is sent as {config:?}") };
        // A map of one entry and its key stand before the value.
        let value = bytes.strip_prefix(b"\x81\xa5value").expect("an object with the value alone");
        let hex = value.iter().map(|byte| format!("{byte:02x}")).collect();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), hex);
    }
}

/// A layer that hears what core wants to be planned.
#[derive(Clone)]
struct Listener {
    heard: Heard,
    inner: HandlerService,
}

impl Service<Call> for Listener {
    type Response = Response;
    type Error = Infallible;
    type Future = <HandlerService as Service<Call>>::Future;

    fn poll_ready(&mut self, cx: &mut task::Context<'_>) -> task::Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: Call) -> Self::Future {
        if let Request::PlanResourceChange(request) = &call.request {
            self.heard.hear(&request.type_name, &request.config);
        }
        self.inner.call(call)
    }
}

/// A provider that only plans.
struct Vectors(BTreeMap<String, Arc<Vector>>);

#[async_trait]
impl Provider for Vectors {
    fn name(&self) -> &str {
        "vector"
    }

    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, _config: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        self.0.iter().map(|(name, it)| (name.as_str(), Arc::clone(it) as Arc<dyn Resource>)).collect()
    }
}

struct Vector(Vec<Attribute>);

#[async_trait]
impl Resource for Vector {
    fn schema(&self) -> Schema {
        Schema::new(Block::new(self.0.clone()))
    }

    async fn create(&self, _cx: &mut Context<'_, phase::Create>, _change: Change) -> Result<Value> {
        Err(only_plans())
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, _prior: Value) -> Result<Option<Value>> {
        Err(only_plans())
    }

    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        _change: Change,
    ) -> Result<Value> {
        Err(only_plans())
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, _prior: Value) -> Result {
        Err(only_plans())
    }
}

fn only_plans() -> Error {
    Error::new("Not Needed", "Nothing is applied here.")
}
