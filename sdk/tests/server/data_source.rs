//! `ReadDataSource` and `ValidateDataResourceConfig`.

use ferroform::diag::Error;
use ferroform::dynamic::Context;
use ferroform::protocol::{
    ClientCapabilities, Deferred, DynamicValue, ReadDataSourceRequest, ReadDataSourceResponse,
    ValidateDataResourceConfigRequest,
};
use ferroform::value::Value;

use crate::support::{
    Source, THING, ask, capable, details, encoded_by, message, response, shown, sourcing, summaries,
};

type Read = Box<dyn Fn(&mut Context, Value) -> ferroform::diag::Result<Value> + Send + Sync>;

fn object(id: Value, name: Value) -> Value {
    Value::object([("id", id), ("name", name)])
}

fn config(name: Value) -> DynamicValue {
    encoded_by(&Source::default().schema, &object(Value::Null, name))
}

fn request() -> ReadDataSourceRequest {
    message!(ReadDataSourceRequest {
        type_name: THING.to_owned(),
        config: config(Value::string("a")),
        client_capabilities: capable(),
    })
}

fn check(read: Read, request: ReadDataSourceRequest, expect: (&str, &str)) -> ReadDataSourceResponse {
    let response = response!(ReadDataSource, ask(&sourcing(Source { read, ..Source::default() }), request));
    let state = shown(&Source::default().schema, &response.state);
    assert_eq!((state.as_str(), summaries(&response.diagnostics).as_str()), expect, "{response:?}");
    response
}

#[test]
fn what_was_read_is_the_state() {
    check(Source::default().read, request(), (r#"{"id": "1", "name": "a"}"#, ""));
}

#[test]
fn errors_give_no_state() {
    check(Box::new(|_, _| Err(Error::new("Not Found", ""))), request(), ("null", "error: Not Found\n"));
    check(Box::new(|_, _| panic!("half-way")), request(), ("null", "error: Provider Panicked\n"));
    check(Box::new(|_, _| Ok(Value::Null)), request(), ("null", "error: Data Source Returned Nothing\n"));
    check(Box::new(|_, _| Ok(Value::list([]))), request(), ("null", "error: Invalid Provider Value\n"));
    let other = message!(ReadDataSourceRequest { type_name: "double_other".to_owned(), ..request() });
    let response = check(Box::new(|_, _| panic!("not called")), other, ("null", "error: Unknown Type\n"));
    assert!(details(&response.diagnostics).contains("data source type `double_other`"));
}

#[test]
fn an_unknown_result_is_named() {
    let response = check(
        Box::new(|_, _| Ok(object(Value::unknown(), Value::string("a")))),
        request(),
        ("null", "error id: Provider Returned An Unknown Value\n"),
    );
    let detail = details(&response.diagnostics);
    assert!(detail.contains("`read`") && detail.contains(THING), "{detail}");
}

#[test]
fn a_read_is_put_off_only_where_core_allows_it() {
    let deferring = || -> Read {
        Box::new(|cx, config| {
            assert!(config.as_entries().unwrap().get("id").unwrap().is_unknown());
            cx.defer(Deferred::AbsentPrerequisite);
            Ok(object(Value::string("1"), Value::string("a")))
        })
    };
    let response = check(deferring(), request(), ("Unknown", ""));
    assert_eq!(response.deferred, Some(Deferred::AbsentPrerequisite));
    let old =
        message!(ReadDataSourceRequest { client_capabilities: ClientCapabilities::default(), ..request() });
    let said = "error: Deferral Not Allowed\n";
    let response = check(deferring(), old, ("null", said));
    assert_eq!(response.deferred, None);
}

#[test]
fn a_panic_is_not_hidden_by_a_deferral() {
    let panicking: Read = Box::new(|cx, _| {
        cx.defer(Deferred::AbsentPrerequisite);
        panic!("half-way")
    });
    check(panicking, request(), ("null", "error: Provider Panicked\n"));
}

#[test]
fn a_configuration_is_validated_by_schema_and_author() {
    let validating = Source {
        validate: Box::new(|_, _| Err(Error::new("Too Broad", "").at(ferroform::path!(name)))),
        ..Source::default()
    };
    let request = message!(ValidateDataResourceConfigRequest {
        type_name: THING.to_owned(),
        config: config(Value::Null),
    });
    let response = response!(ValidateDataResourceConfig, ask(&sourcing(validating), request));
    let said = "error name: Missing Required Attribute\nerror name: Too Broad\n";
    assert_eq!(summaries(&response.diagnostics), said);
}
