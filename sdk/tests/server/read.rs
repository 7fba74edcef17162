//! `ReadResource`.

use bytes::Bytes;
use ferroform::diag::Error;
use ferroform::path;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ClientCapabilities, Deferred, DynamicValue, ReadResourceRequest, ReadResourceResponse,
};

use crate::server::support::{
    THING, Thing, ask, capable, details, message, object, planned, response, schema, serving, shown,
    summaries,
};

const PRIVATE: &[u8] = br#"{ "ferroform": {"generation": 1} }"#;

/// A stored state with longer headers than an encoder writes, and private data with spaces.
fn stored() -> ReadResourceRequest {
    message!(ReadResourceRequest {
        type_name: THING.to_owned(),
        current_state: DynamicValue::Msgpack(Bytes::from_static(
            b"\xde\x00\x03\xd9\x02id\xda\x00\x011\xd9\x04name\xd9\x03old\xd9\x06secret\xc0",
        )),
        private: Bytes::from_static(PRIVATE),
        current_identity: Some(DynamicValue::Msgpack(Bytes::from_static(b"\x80"))),
        client_capabilities: capable(),
    })
}

type Read = Box<
    dyn Fn(
            &mut ferroform::dynamic::Context<'_, ferroform::dynamic::phase::Read>,
            Value,
        ) -> ferroform::diag::Result<Option<Value>>
        + Send
        + Sync,
>;

fn asked(read: Read, request: ReadResourceRequest) -> ReadResourceResponse {
    response!(ReadResource, ask(&serving(Thing { read, ..Thing::default() }), request))
}

fn check(read: Read, expect: (&str, &str)) -> ReadResourceResponse {
    let response = asked(read, stored());
    let state = shown(&schema(), &response.new_state);
    assert_eq!((state.as_str(), summaries(&response.diagnostics).as_str()), expect, "{response:?}");
    response
}

/// The stored state stays as it came, byte for byte.
fn check_kept(read: Read, request: ReadResourceRequest, said: &str) -> ReadResourceResponse {
    let came = request.clone();
    let response = asked(read, request);
    assert_eq!(summaries(&response.diagnostics), said);
    assert_eq!(response.new_state, came.current_state);
    assert_eq!(response.private, came.private);
    assert_eq!(response.new_identity, came.current_identity);
    response
}

#[test]
fn value_of_the_read_is_the_new_state() {
    let response = check(
        Box::new(|cx, _| {
            cx.private_mut().set("generation", &2)?;
            cx.warn("Drifted", "");
            Ok(Some(object("1", "new")))
        }),
        (r#"{"id": "1", "name": "new", "secret": null}"#, "warning: Drifted\n"),
    );
    assert_eq!(response.private, r#"{"ferroform":{"generation":2}}"#);
    assert_eq!(response.new_identity, stored().current_identity);
}

#[test]
fn deleted_object_is_null() {
    let response = check(Box::new(|_, _| Ok(None)), ("null", ""));
    assert_eq!(response.new_identity, None);
}

#[test]
fn failed_read_keeps_the_object() {
    let unreachable = || Error::new("Service Unavailable", "");
    check_kept(Box::new(move |_, _| Err(unreachable())), stored(), "error: Service Unavailable\n");
    check_kept(Box::new(|_, _| panic!("half-way")), stored(), "error: Provider Panicked\n");
    check_kept(
        Box::new(|cx, _| {
            cx.error_at(path!(name), "Unreadable Name", "");
            Ok(None)
        }),
        stored(),
        "error name: Unreadable Name\n",
    );
    check_kept(
        Box::new(|cx, _| {
            cx.error_at(path!(name), "Unreadable Name", "");
            Ok(Some(object("1", "new")))
        }),
        stored(),
        "error name: Unreadable Name\n",
    );
}

#[test]
fn value_that_cannot_be_stored_is_rejected() {
    let response = check_kept(
        Box::new(|_, _| Ok(Some(planned("a")))),
        stored(),
        "error id: Provider Returned An Unknown Value\n",
    );
    assert!(details(&response.diagnostics).contains("`read`"));
    let response =
        check_kept(Box::new(|_, _| Ok(Some(Value::Null))), stored(), "error: Provider Returned No Object\n");
    assert!(details(&response.diagnostics).contains("`read`"));
    check_kept(Box::new(|_, _| Ok(Some(Value::list([])))), stored(), "error: Invalid Provider Value\n");
}

#[test]
fn write_only_values_are_not_stored() {
    let with_secret = Value::object([
        ("id", Value::string("1")),
        ("name", Value::string("a")),
        ("secret", Value::string("hunter2")),
    ]);
    check(
        Box::new(move |_, _| Ok(Some(with_secret.clone()))),
        (
            r#"{"id": "1", "name": "old", "secret": null}"#,
            "error secret: Provider Returned A Write-Only Value\n",
        ),
    );
}

#[test]
fn a_read_is_deferred_only_where_core_allows_it() {
    let deferring = || -> Read {
        Box::new(|cx, prior| {
            cx.defer(Deferred::ProviderConfigUnknown);
            Ok(Some(prior))
        })
    };
    let response = check_kept(deferring(), stored(), "");
    assert_eq!(response.deferred, Some(Deferred::ProviderConfigUnknown));
    let old =
        message!(ReadResourceRequest { client_capabilities: ClientCapabilities::default(), ..stored() });
    let response = check_kept(deferring(), old, "error: Deferral Not Allowed\n");
    assert_eq!(response.deferred, None);
}

#[test]
fn private_data_of_others_is_dropped_and_damaged_data_is_an_error() {
    let same = || -> Read { Box::new(|_, prior| Ok(Some(prior))) };
    let with = |private: &'static [u8]| {
        message!(ReadResourceRequest { private: Bytes::from_static(private), ..stored() })
    };
    let response = asked(same(), with(br#"{".import_before_read":"dHJ1ZQ=="}"#));
    assert_eq!(summaries(&response.diagnostics), "warning: Private State Dropped\n");
    assert_eq!(response.private, "");
    check_kept(same(), with(b"\x00\xff"), "error: Corrupt Private State\n");
}

#[test]
fn a_stored_state_that_does_not_fit_is_refused() {
    let damaged = message!(ReadResourceRequest {
        current_state: DynamicValue::Msgpack(Bytes::from_static(b"\x81\xa2id\xc0")),
        ..stored()
    });
    let response = asked(Box::new(|_, _| panic!("not called")), damaged.clone());
    assert_eq!(response.new_state, damaged.current_state);
    assert!(summaries(&response.diagnostics).contains("Unreadable Value"), "{response:?}");
}
