//! `OpenEphemeralResource` and `ValidateEphemeralResourceConfig`.

use std::time::{Duration, SystemTime};

use ferroform::cancel::Cancellation;
use ferroform::diag::Error;
use ferroform::dynamic::{EphemeralContext, Open};
use ferroform::model::{Model, Timeouts};
use ferroform::path;
use ferroform::value::Value;
use ferroform_server::protocol::{
    Call, ClientCapabilities, ConfigureProviderRequest, Deferred, DynamicValue, Handler as _,
    OpenEphemeralResourceRequest, OpenEphemeralResourceResponse, StopProviderRequest,
    ValidateEphemeralResourceConfigRequest,
};

use super::double::{
    Lease, TYPE, close, object, open, opened, opening, record, schema, serving, until_cancelled,
};
use crate::server::support::{
    Hook, ask, block_on, capable, details, encoded_by, message, response, shown, summaries,
};

type Method = Box<dyn Fn(&mut EphemeralContext<Open>, Value) -> ferroform::diag::Result<Value> + Send + Sync>;

/// Opens; expects the result, what is reported and what was called in the end.
fn check(
    lease: Lease,
    request: OpenEphemeralResourceRequest,
    expect: (&str, &str, &[&str]),
) -> OpenEphemeralResourceResponse {
    let (server, calls) = serving(lease);
    let response = response!(OpenEphemeralResource, ask(&server, request));
    let result = shown(&schema(), &response.result);
    let calls = calls.lock().unwrap().clone();
    let calls: Vec<_> = calls.iter().map(String::as_str).collect();
    assert_eq!((result.as_str(), summaries(&response.diagnostics).as_str(), &*calls), expect);
    response
}

/// An open that records a lease, then does that.
fn recording(
    then: impl Fn(&mut EphemeralContext<Open>, Value) -> ferroform::diag::Result<Value> + Send + Sync + 'static,
) -> Lease {
    let open: Method = Box::new(move |cx, config| {
        cx.record(record("lease-1"));
        then(cx, config)
    });
    Lease { open, ..Lease::default() }
}

const RESULT: &str = r#"{"region": "made", "role": "ci", "token": "made"}"#;

#[test]
fn the_result_the_record_and_the_renewal_are_answered() {
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(60);
    let lease = recording(move |cx, config| {
        cx.renew_at(at);
        cx.warn("Short Lease", "");
        assert!(config.get(&path!(token)).is_some_and(Value::is_unknown));
        Ok(opened(&config))
    });
    let response = check(lease, opening(), (RESULT, "warning: Short Lease\n", &[]));
    assert_eq!((response.renew_at, response.deferred), (Some(at), None));
    assert!(response.private.is_some_and(|private| !private.is_empty()));
}

#[test]
fn an_open_that_records_nothing_has_no_private_data() {
    let lease = Lease { open: Box::new(|_, config| Ok(opened(&config))), ..Lease::default() };
    assert_eq!(check(lease, opening(), (RESULT, "", &[])).private, None);
}

#[test]
fn a_failed_open_closes_what_it_recorded_once() {
    const CLOSED: &[&str] = &["close lease-1"];
    let failing = |then: fn(&mut EphemeralContext<Open>, Value) -> ferroform::diag::Result<Value>,
                   said: &str| {
        let response = check(recording(then), opening(), ("null", said, CLOSED));
        assert_eq!((response.private, response.renew_at), (None, None));
    };
    failing(|_, _| Err(Error::new("No Quota", "")), "error: No Quota\n");
    failing(|_, _| panic!("half-way"), "error: Provider Panicked\n");
    failing(|_, _| Ok(Value::Null), "error: Provider Returned No Result\n");
    failing(|_, _| Ok(Value::list([])), "error: Invalid Provider Value\n");
    failing(
        |cx, config| {
            cx.renew_at(SystemTime::UNIX_EPOCH);
            cx.error_at(path!(role), "Unknown Role", "");
            Ok(opened(&config))
        },
        "error role: Unknown Role\n",
    );
    failing(
        |_, config| Ok(config),
        "error region: Provider Returned An Unknown Value\nerror token: Provider Returned An Unknown Value\n",
    );
    failing(
        |_, _| Ok(object("other", "eu".into(), "t".into())),
        "error role: Provider Returned Another Value Than Configured\n",
    );
    failing(
        |cx, _| {
            cx.defer(Deferred::AbsentPrerequisite);
            Ok(Value::Null)
        },
        "error: Deferral Not Allowed\n",
    );
}

#[test]
fn a_failed_open_that_recorded_nothing_closes_nothing() {
    let lease = Lease { open: Box::new(|_, _| Err(Error::new("No Quota", ""))), ..Lease::default() };
    check(lease, opening(), ("null", "error: No Quota\n", &[]));
}

#[test]
fn the_last_record_counts() {
    let lease = recording(|cx, _| {
        cx.record(record("lease-2"));
        Err(Error::new("No Quota", ""))
    });
    check(lease, opening(), ("null", "error: No Quota\n", &["close lease-2"]));
}

#[test]
fn a_close_that_fails_after_a_failed_open_is_reported_as_well() {
    let lease = Lease {
        close: Box::new(|_, _| Err(Error::new("Lease Is Locked", ""))),
        ..recording(|_, _| Err(Error::new("No Quota", "")))
    };
    check(lease, opening(), ("null", "error: No Quota\nerror: Lease Is Locked\n", &["close lease-1"]));
    let lease = Lease {
        close: Box::new(|_, _| panic!("again")),
        ..recording(|_, _| Err(Error::new("No Quota", "")))
    };
    check(lease, opening(), ("null", "error: No Quota\nerror: Provider Panicked\n", &["close lease-1"]));
}

#[test]
fn a_broken_rule_names_the_method_and_shows_no_value() {
    let lease = recording(|_, _| Ok(object("hunter2", "eu".into(), "hunter2".into())));
    let said = "error role: Provider Returned Another Value Than Configured\n";
    let response = check(lease, opening(), ("null", said, &["close lease-1"]));
    let detail = details(&response.diagnostics);
    assert!(detail.contains("`open`") && detail.contains(TYPE) && !detail.contains("hunter2"), "{detail}");
    assert!(!format!("{response:?}").contains("hunter2"));
}

#[test]
fn a_configured_value_of_a_computed_attribute_is_kept() {
    let given = encoded_by(&schema(), &object("ci", "eu".into(), Value::Null));
    let request = || message!(OpenEphemeralResourceRequest { config: given.clone(), ..opening() });
    check(Lease::default(), request(), (r#"{"region": "eu", "role": "ci", "token": "made"}"#, "", &[]));
    let moved = recording(|_, _| Ok(object("ci", "us".into(), "t".into())));
    let said = "error region: Provider Returned Another Value Than Configured\n";
    check(moved, request(), ("null", said, &["close lease-1"]));
}

#[test]
fn a_renewal_needs_a_record() {
    let lease = Lease {
        open: Box::new(|cx, config| {
            cx.renew_at(SystemTime::UNIX_EPOCH);
            Ok(opened(&config))
        }),
        ..Lease::default()
    };
    check(lease, opening(), ("null", "error: Provider Recorded Nothing To Renew\n", &[]));
}

#[test]
fn a_configuration_that_core_would_not_send_opens_nothing() {
    let never = || Lease { open: Box::new(|_, _| panic!("not called")), ..Lease::default() };
    let with = |config: DynamicValue| message!(OpenEphemeralResourceRequest { config: config, ..opening() });
    let unknown = encoded_by(&schema(), &object("ci", Value::unknown(), Value::Null));
    check(never(), with(unknown), ("null", "error: Configuration Not Known\n", &[]));
    check(never(), with(DynamicValue::Absent), ("null", "error: Configuration Not Known\n", &[]));
    let damaged = DynamicValue::Msgpack(bytes::Bytes::from_static(b"\x81"));
    check(never(), with(damaged), ("null", "error: Unreadable Value\n", &[]));
    let other = message!(OpenEphemeralResourceRequest { type_name: "double_x".to_owned(), ..opening() });
    let response = check(never(), other, ("null", "error: Unknown Type\n", &[]));
    assert!(details(&response.diagnostics).contains("ephemeral resource type `double_x`"));
}

#[test]
fn an_open_is_deferred_only_where_core_allows_it() {
    let deferring = || {
        recording(|cx, config| {
            assert!(cx.capabilities().deferral_allowed);
            cx.defer(Deferred::AbsentPrerequisite);
            cx.renew_at(SystemTime::UNIX_EPOCH);
            Ok(opened(&config))
        })
    };
    let request = message!(OpenEphemeralResourceRequest { client_capabilities: capable(), ..opening() });
    // What is deferred is not open: core would not close it.
    let response = check(deferring(), request, ("Unknown", "", &["close lease-1"]));
    assert_eq!(response.deferred, Some(Deferred::AbsentPrerequisite));
    assert_eq!((response.private, response.renew_at), (None, None));
}

#[test]
fn a_deferred_provider_opens_nothing() {
    let request = |capabilities: ClientCapabilities| {
        message!(OpenEphemeralResourceRequest { client_capabilities: capabilities, ..opening() })
    };
    let deferred = Some(Deferred::ProviderConfigUnknown);
    let (server, _) =
        serving(Lease { deferred, open: Box::new(|_, _| panic!("not called")), ..Lease::default() });
    ask(&server, message!(ConfigureProviderRequest { client_capabilities: capable() }));
    let response = response!(OpenEphemeralResource, ask(&server, request(capable())));
    assert_eq!((shown(&schema(), &response.result).as_str(), response.deferred), ("Unknown", deferred));
    assert!(response.diagnostics.is_empty());
}

#[test]
fn an_abandoned_open_closes_what_it_recorded() {
    let lease = Lease { after: until_cancelled(), ..Lease::default() };
    let (server, calls) = serving(lease);
    block_on(async {
        let mut call = Call::new(opening());
        call.cancellation = server.canceller().token();
        // The connection resets the call while it runs.
        let answer = tokio::time::timeout(Duration::from_millis(20), server.handle(call)).await;
        assert!(answer.is_err() && calls.lock().unwrap().is_empty());
        server.shut_down().await;
    });
    assert_eq!(*calls.lock().unwrap(), ["close lease-1"]);
}

#[test]
fn a_configuration_is_validated_by_schema_and_author() {
    let lease = Lease {
        validate: Box::new(|cx, _| {
            cx.warn("Old Role", "");
            Err(Error::new("Too Broad", "").at(path!(role)))
        }),
        ..Lease::default()
    };
    let (server, _) = serving(lease);
    let missing = encoded_by(&schema(), &object("ci", Value::Null, "t".into()));
    let request =
        message!(ValidateEphemeralResourceConfigRequest { type_name: TYPE.to_owned(), config: missing });
    let response = response!(ValidateEphemeralResourceConfig, ask(&server, request));
    let said = summaries(&response.diagnostics);
    assert!(said.ends_with("warning: Old Role\nerror role: Too Broad\n"), "{said}");
    assert!(said.starts_with("error token: "), "{said}");
}

#[test]
fn close_gets_the_private_data_of_the_open() {
    let (server, calls) = serving(Lease::default());
    let response = open(&server);
    assert!(close(&server, response.private).diagnostics.is_empty());
    assert_eq!(*calls.lock().unwrap(), ["close lease-1"]);
}

/// The schema of the double with a limit.
#[derive(Model)]
struct Timed {
    role: String,
    #[attr(optional, computed)]
    region: String,
    #[attr(computed, sensitive)]
    token: String,
    #[attr(timeouts = [open = "30s"])]
    timeouts: Option<Timeouts>,
}

/// Opens under paused time, with that limit in the configuration.
fn timed(after: Hook, limit: Value) -> (OpenEphemeralResourceResponse, Vec<String>) {
    let lease = Lease { schema: Timed::schema(), after, ..Lease::default() };
    let (server, calls) = serving(lease);
    let limits = Value::object([("open", limit)]);
    let config =
        [("role", "ci".into()), ("region", Value::Null), ("token", Value::Null), ("timeouts", limits)];
    let config = encoded_by(&Timed::schema(), &Value::object(config));
    let request = message!(OpenEphemeralResourceRequest { type_name: TYPE.to_owned(), config: config });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let answer = runtime.expect("a runtime").block_on(server.handle(Call::new(request)));
    let calls = calls.lock().unwrap().clone();
    (response!(OpenEphemeralResource, answer), calls)
}

#[test]
fn an_open_that_takes_too_long_closes_what_it_recorded() {
    for limit in [Value::from("5s"), Value::Null] {
        let (response, calls) = timed(Box::new(|_| Box::pin(std::future::pending())), limit);
        assert_eq!(summaries(&response.diagnostics), "error timeouts.open: Operation Timed Out\n");
        assert!(details(&response.diagnostics).contains("What it recorded was closed"));
        assert_eq!((response.private, calls), (None, vec!["close lease-1".to_owned()]));
    }
}

#[test]
fn an_open_that_ends_in_time_is_not_disturbed() {
    let after = |seconds| -> Hook {
        Box::new(move |stop: Cancellation| {
            Box::pin(async move {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                assert!(!stop.is_cancelled());
            })
        })
    };
    for (seconds, limit) in [(4, Value::from("5s")), (29, Value::Null)] {
        let (response, calls) = timed(after(seconds), limit);
        assert_eq!((summaries(&response.diagnostics), calls), (String::new(), vec![]));
        assert!(response.private.is_some());
    }
}

#[test]
fn an_open_that_is_stopped_and_fails_closes_what_it_recorded() {
    let stopped = |_: &mut EphemeralContext<Open>, _| Err(Error::new("Stopped", ""));
    let (server, calls) = serving(Lease { after: until_cancelled(), ..recording(stopped) });
    let response = block_on(async {
        let call = message!(Call { cancellation: server.canceller().token(), ..Call::new(opening()) });
        let running = tokio::spawn(server.handle(call));
        // Only the request to stop ends it, whenever that comes.
        server.handle(Call::new(StopProviderRequest::default())).await;
        running.await.expect("the open ends")
    });
    let response = response!(OpenEphemeralResource, response);
    assert_eq!(summaries(&response.diagnostics), "error: Stopped\n");
    assert_eq!(response.private, None);
    assert_eq!(*calls.lock().unwrap(), ["close lease-1"]);
}
