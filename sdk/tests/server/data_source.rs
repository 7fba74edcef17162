//! `ReadDataSource` and `ValidateDataResourceConfig`.

use ferroform::diag::Error;
use ferroform::dynamic::{Context, phase};
use ferroform::model::{Encode as _, Model, Timeouts};
use ferroform::schema::{Kind, Operation, SchemaRole};
use ferroform::semantic::{CaseInsensitive, Json};
use ferroform::value::Value;
use ferroform_server::protocol::{
    Call, ClientCapabilities, Deferred, DynamicValue, Handler, ReadDataSourceRequest, ReadDataSourceResponse,
    ValidateDataResourceConfigRequest,
};

use crate::server::support::{
    Source, THING, ask, capable, details, encoded_by, message, response, shown, sourcing, summaries,
};

type Read =
    Box<dyn Fn(&mut Context<'_, phase::ReadData>, Value) -> ferroform::diag::Result<Value> + Send + Sync>;

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
fn value_of_the_read_is_the_state() {
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
fn unknown_result_is_reported() {
    let response = check(
        Box::new(|_, _| Ok(object(Value::unknown(), Value::string("a")))),
        request(),
        ("null", "error id: Provider Returned An Unknown Value\n"),
    );
    let detail = details(&response.diagnostics);
    assert!(detail.contains("`read`") && detail.contains(THING), "{detail}");
}

#[test]
fn a_read_is_deferred_only_where_core_allows_it() {
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

/// A policy that is looked up.
#[derive(Model)]
struct Policy {
    name: CaseInsensitive,
    text: Option<Json>,
    #[attr(default = 1.0, equivalent = ferroform::schema::Equivalence::within(0.1))]
    share: f64,
    #[attr(optional, computed)]
    zone: String,
    parts: Option<Vec<Json>>,
    #[attr(block, timeouts = [read = "30s"])]
    timeouts: Option<Timeouts>,
}

fn policy(name: &str, text: Value, share: Value, parts: &[&str]) -> Value {
    Value::object([
        ("name", Value::from(name)),
        ("text", text),
        ("share", share),
        ("zone", Value::Null),
        ("parts", Value::list(parts.iter().copied().map(Value::from))),
        ("timeouts", Value::Null),
    ])
}

fn read_policy(config: &Value, read: Read) -> ReadDataSourceResponse {
    let server = sourcing(Source { schema: Policy::schema(), read, ..Source::default() });
    let request = message!(ReadDataSourceRequest {
        type_name: THING.to_owned(),
        config: encoded_by(&Policy::schema(), config),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    response!(ReadDataSource, runtime.expect("a runtime").block_on(server.handle(Call::new(request))))
}

#[test]
fn equivalent_representation_keeps_the_configured_one() {
    #[track_caller]
    fn check(config: &Value, seen: Value, expect: &Value) {
        let Value::Object(mut seen) = seen else { unreachable!("an object") };
        seen.insert("zone", Value::from("eu"));
        let Value::Object(mut expect) = expect.clone() else { unreachable!("an object") };
        expect.insert("zone", Value::from("eu"));
        let seen = Value::Object(seen);
        let response = read_policy(config, Box::new(move |_, _| Ok(seen.clone())));
        assert_eq!(summaries(&response.diagnostics), "");
        let expect = encoded_by(&Policy::schema(), &Value::Object(expect));
        assert_eq!(shown(&Policy::schema(), &response.state), shown(&Policy::schema(), &expect));
    }
    let one = Value::from(1);
    let written = policy("Logs", "{ \"a\": 1 }".into(), Value::Null, &["[ 1 ]", "[2]"]);
    let shown = policy("logs", "{\"a\":1}".into(), 1.05_f64.encode(), &["[1]", "[ 2 ]"]);
    let kept = policy("Logs", "{ \"a\": 1 }".into(), one.clone(), &["[ 1 ]", "[2]"]);
    check(&written, shown, &kept);
    // Another value is what the data source found.
    let other = policy("archive", "{\"a\":2}".into(), 2.into(), &["[ 1 ]"]);
    check(&written, other.clone(), &other);
    // What is not configured is as it was read.
    let bare = policy("logs", Value::Null, Value::Null, &[]);
    let found = policy("logs", "{\"a\":1}".into(), one, &["[1]"]);
    check(&bare, found.clone(), &found);
}

#[test]
fn read_knows_its_timeout() {
    let slow = || -> Read {
        Box::new(|cx, _| {
            assert_eq!(cx.timeout(), Some(std::time::Duration::from_secs(30)));
            Err(Error::new("Gave Up", ""))
        })
    };
    let config = policy("logs", Value::Null, Value::Null, &[]);
    let response = read_policy(&config, slow());
    assert_eq!(summaries(&response.diagnostics), "error: Gave Up\n");

    let Value::Object(mut config) = config else { unreachable!("an object") };
    config.insert("timeouts", Value::object([("read", Value::from("soon"))]));
    let response = read_policy(&Value::Object(config), Box::new(|_, _| panic!("not called")));
    assert_eq!(summaries(&response.diagnostics), "error timeouts.read: Invalid Duration\n");
}

#[test]
fn timeouts_of_a_data_source_are_for_its_read() {
    let check = |operation: Operation| {
        let mut schema = Policy::schema();
        if let Some(timeouts) = &mut schema.block.timeouts {
            timeouts.operations = vec![(operation, None)];
        }
        schema.check_as(SchemaRole::Of(Kind::DataSource)).map_err(|it| it.to_string())
    };
    assert_eq!(check(Operation::Read), Ok(()));
    for operation in [Operation::Create, Operation::Open] {
        assert!(check(operation).is_err_and(|error| error.contains("a data source for read")));
    }
}
