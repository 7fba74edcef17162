//! The rules of the conformance suite, for the provider `api`, over protocol 6. Those of the demo hold over both protocols.

#[path = "api/backend.rs"]
mod backend;

use ferroform::value::{Number, Value};
use ferroform::{Serve, path};
use ferroform_example_api::provider::{self, ADDRESS};
use ferroform_testing::case::Provider;
use ferroform_testing::config::{
    Config, body, list, object, provider as provider_block, reference, resource,
};
use ferroform_testing::conformance::{Conformance, EphemeralResourceTest, ResourceTest};
use proptest::prelude::*;

use self::backend::Backend;

ferroform_testing::conformance! {
    Conformance::new(Provider::in_process(ADDRESS, |_: &Backend| Serve::new(provider::provider())), Backend::new)
        .provider_config(|backend| provider_block("api").set("endpoint", backend.service.endpoint()).set("poll", 1))
        .expect_no_leftovers(Backend::left)
        .resource(queue())
        .resource(subscription())
        .ephemeral_resource(token())
}

/// Changes an object as somebody else would do it.
fn edit(backend: &Backend, collection: &str, object: &Value, change: impl FnOnce(&mut serde_json::Value)) {
    backend.service.edit(collection, id(object), change).expect("the object can be changed");
}

fn id(object: &Value) -> &str {
    object.get(&path!(id)).and_then(Value::as_str).expect("an object has an id")
}

fn texts<const N: usize>(texts: [&'static str; N]) -> impl Strategy<Value = Value> + Send + Sync {
    prop::sample::select(texts.to_vec()).prop_map(Value::from)
}

fn queue() -> ResourceTest<Backend> {
    ResourceTest::new("api_queue", |_: &Backend| body().set("name", "orders").set("retention", "3600s"))
        .changed(|_| {
            body()
                .set("name", "orders")
                .set("retention", "2h")
                .set("policy", r#"{"read":["all"]}"#)
                .set("labels", object([("team", "core")]))
                .set("regions", list(["us", "eu"]))
        })
        .dependants(path!(retention), [path!(revision)])
        .dependants(path!(policy), [path!(revision)])
        .dependants(path!(labels), [path!(revision)])
        .dependants(path!(regions), [path!(revision)])
        .delete_outside(|backend, object| {
            backend.service.remove("queues", id(object)).expect("the queue can be deleted");
        })
        .change_outside(|backend, object| {
            edit(backend, "queues", object, |queue| queue["retention"] = "60s".into())
        })
        .import_id(path!(id))
        .values(&path!(name), "[A-Za-z]{1,8}".prop_map(Value::from))
        .values(&path!(name_prefix), "[a-z]{1,8}".prop_map(Value::from))
        .values(&path!(type), texts(["standard", "ordered"]))
        .values(&path!(policy), texts(["{}", r#"{ "b": 1, "a": [1.0] }"#, "[]"]))
        .values(&path!(retention), texts(["1h30m", "90s", "2h"]))
        .values(
            &path!(labels),
            prop::collection::btree_map("[a-z]{1,4}", texts(["core", "edge"]), 0..3).prop_map(Value::map),
        )
        .values(
            &path!(regions),
            prop::collection::vec(texts(["asia", "eu", "us"]), 0..4).prop_map(Value::list),
        )
        .values(&path!(timeouts.create), texts(["5m", "1h"]))
        .values(&path!(timeouts.update), texts(["5m", "1h"]))
        .adjust(one_name)
}

/// A queue has a name or a prefix of one.
fn one_name(config: Value) -> Value {
    let Value::Object(mut entries) = config else { return config };
    match entries.get("name").is_some_and(Value::is_null) {
        true if entries.get("name_prefix").is_some_and(Value::is_null) => {
            entries.insert("name", Value::from("orders"));
        }
        true => {}
        false => {
            entries.insert("name_prefix", Value::Null);
        }
    }
    Value::Object(entries)
}

fn subscription() -> ResourceTest<Backend> {
    let of_queue = |name: &'static str, filter: &'static str| {
        body().set("name", name).set("queue", reference("api_queue.beside.id")).set("filter", filter)
    };
    ResourceTest::new("api_subscription", move |_: &Backend| of_queue("billing", "all"))
        .prerequisites(|_| Config::new().resource(resource("api_queue", "beside").set("name", "beside")))
        .changed(move |_| of_queue("Invoices", "some"))
        .delete_outside(|backend, object| {
            backend.service.remove("subscriptions", id(object)).expect("the subscription can be deleted");
        })
        .change_outside(|backend, object| {
            edit(backend, "subscriptions", object, |it| it["filter"] = "none".into())
        })
        .import_id(path!(id))
        .values(&path!(name), "[A-Za-z]{1,8}".prop_map(Value::from))
        .values(&path!(queue), texts(["q-1"]))
        .values(&path!(share), (0..=10_000_u64).prop_map(in_ten_thousandths))
}

fn token() -> EphemeralResourceTest<Backend> {
    EphemeralResourceTest::new("api_token", |_: &Backend| body().set("name", "ci")).valid(
        |backend, result| {
            let token = result.get(&path!(token)).and_then(Value::as_str).unwrap_or_default();
            backend.service.accepts(token)
        },
    )
}

/// A share with a digit that the service does not count.
fn in_ten_thousandths(parts: u64) -> Value {
    let text = if parts == 10_000 { "1".to_owned() } else { format!("0.{parts:04}") };
    Value::from(text.parse::<Number>().expect("a number"))
}
