//! A provider of functions of all types, and of functions that are wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use ferroform::Serve;
use ferroform::diag::{Error, Result};
use ferroform::dynamic;
use ferroform::function::FunctionContext;
use ferroform::model::{Attr, Computed, Draft, Model};
use ferroform::path;
use ferroform::provider::{Context, Provider, Registry, assemble};
use ferroform::schema::{FunctionParameter, FunctionSignature};
use ferroform::ty::Type;
use ferroform::validate::text::length;
use ferroform::value::{Dynamic, Value};

pub(crate) const SOURCE: &str = "example.com/ferroform/fn";

#[ferroform::function]
pub(crate) fn text(value: String) -> String {
    value
}

#[ferroform::function]
pub(crate) fn sum(#[param(variadic)] numbers: Vec<i64>) -> i64 {
    numbers.iter().sum()
}

#[ferroform::function]
pub(crate) fn negate(value: bool) -> bool {
    !value
}

#[ferroform::function]
pub(crate) fn reversed(values: Vec<String>) -> Vec<String> {
    values.into_iter().rev().collect()
}

#[ferroform::function]
pub(crate) fn distinct(values: BTreeSet<String>) -> i64 {
    i64::try_from(values.len()).unwrap_or_default()
}

#[ferroform::function]
pub(crate) fn keys(values: BTreeMap<String, i64>) -> Vec<String> {
    values.into_keys().collect()
}

#[ferroform::function]
pub(crate) fn swap(pair: (String, i64)) -> (i64, String) {
    (pair.1, pair.0)
}

#[derive(Model)]
#[model(nested)]
pub(crate) struct Person {
    name: String,
    age: Option<i64>,
}

#[ferroform::function]
pub(crate) fn greet(person: Person) -> String {
    let age = person.age.map(|age| format!(" ({age})")).unwrap_or_default();
    format!("hello {}{age}", person.name)
}

#[ferroform::function]
pub(crate) fn make(name: String) -> Person {
    Person { name, age: None }
}

#[ferroform::function]
pub(crate) fn same(value: Dynamic) -> Dynamic {
    value
}

#[ferroform::function]
pub(crate) fn or_none(value: Option<String>) -> String {
    value.unwrap_or_else(|| "none".to_owned())
}

#[ferroform::function]
pub(crate) fn nothing() -> Option<String> {
    None
}

#[ferroform::function]
pub(crate) fn presence(value: Attr<String>) -> String {
    match value {
        Attr::Null => "null".to_owned(),
        Attr::Unknown => "unknown".to_owned(),
        Attr::Known(_) => "known".to_owned(),
    }
}

#[ferroform::function]
pub(crate) fn shout(value: Computed<String>) -> Computed<String> {
    match value {
        Computed::Known(text) => Computed::Known(text.to_uppercase()),
        Computed::Unknown => Computed::Unknown,
    }
}

/// It takes a while.
#[ferroform::function]
pub(crate) async fn slow(value: String) -> String {
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    value
}

/// It never ends, unless the user asks to stop.
#[ferroform::function]
pub(crate) async fn hang(cx: &FunctionContext) -> Result<String> {
    cx.cancellation.cancelled().await;
    Err(Error::new("Stopped", "The function was stopped."))
}

#[ferroform::function]
pub(crate) fn short(
    #[param(validate = length(..=3))] value: String,
    #[param(variadic, validate = length(..=3))] further: Vec<String>,
) -> Result<String> {
    match further.iter().position(|it| it == "bad") {
        Some(at) => Err(Error::new("Bad", "It is bad.").at(path!(further).index(at))),
        None => Ok(value),
    }
}

#[ferroform::function]
pub(crate) fn fail() -> Result<String> {
    Err(Error::new("Failed", "It always fails."))
}

#[ferroform::function]
pub(crate) fn panics() -> String {
    panic!("a bug")
}

/// Another result each time.
#[ferroform::function]
pub(crate) fn counter() -> i64 {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    i64::try_from(CALLS.fetch_add(1, Ordering::Relaxed)).unwrap_or_default()
}

/// It is called without end, so that the process dies.
#[ferroform::function]
pub(crate) fn overflow(depth: i64) -> i64 {
    fn down(depth: i64) -> i64 {
        if std::hint::black_box(depth) == i64::MIN { 0 } else { down(depth + 1) + std::hint::black_box(1) }
    }
    down(depth)
}

/// A result of another type than it declares.
pub(crate) struct Misfit;

#[async_trait]
impl dynamic::Function for Misfit {
    fn signature(&self) -> FunctionSignature {
        let mut signature = FunctionSignature::new(Type::Number);
        signature.parameters.push(FunctionParameter::new("value", Type::String));
        signature
    }

    async fn call(&self, _cx: &FunctionContext, _arguments: Vec<Value>) -> Result<Value> {
        Ok(Value::from("text"))
    }
}

pub(crate) struct Functions;

impl Provider for Functions {
    type Config = ();
    type Client = ();
    const NAME: &str = "fn";

    async fn configure(_cx: &mut Context<'_>, _config: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.function::<text>().function::<sum>().function::<negate>().function::<reversed>();
        it.function::<distinct>().function::<keys>().function::<swap>().function::<greet>();
        it.function::<make>().function::<same>().function::<or_none>().function::<nothing>();
        it.function::<presence>().function::<shout>().function::<slow>().function::<hang>();
        it.function::<short>().function::<fail>().function::<panics>().function::<counter>();
        it.function::<overflow>().dynamic_function("misfit", Arc::new(Misfit));
    }
}

pub(crate) fn serve() -> Serve {
    Serve::new(assemble::<Functions>())
}
