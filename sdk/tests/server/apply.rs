//! `ApplyResourceChange`.

mod read_after_write;

use bytes::Bytes;
use ferroform::diag::Error;
use ferroform::dynamic::Context;
use ferroform::dynamic::phase::{Create, Read};
use ferroform::path;
use ferroform::resource::ReadAfterWrite;
use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock, NestedObject, Nesting, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, ApplyResourceChangeResponse, Deferred, DynamicValue,
};
use tracing::level_filters::LevelFilter;

use crate::server::log::listening;
use crate::server::support::{
    THING, Thing, ask, config, details, encoded, encoded_by, message, object, planned, response, schema,
    serving, shown, summaries,
};

fn create(name: &str) -> ApplyResourceChangeRequest {
    message!(ApplyResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: encoded(&Value::Null),
        planned_state: encoded(&planned(name)),
        config: encoded(&config(name)),
    })
}

fn update() -> ApplyResourceChangeRequest {
    message!(ApplyResourceChangeRequest {
        prior_state: unusual(),
        planned_state: encoded(&object("1", "new")),
        ..create("new")
    })
}

fn delete() -> ApplyResourceChangeRequest {
    message!(ApplyResourceChangeRequest {
        planned_state: encoded(&Value::Null),
        config: encoded(&Value::Null),
        ..update()
    })
}

/// A prior state written as no encoder writes it: a map and strings with longer headers than they need. What is
/// kept must be these bytes.
fn unusual() -> DynamicValue {
    DynamicValue::Msgpack(Bytes::from_static(
        b"\xde\x00\x03\xd9\x02id\xda\x00\x011\xd9\x04name\xd9\x03old\xd9\x06secret\xc0",
    ))
}

fn asked(thing: Thing, request: ApplyResourceChangeRequest) -> ApplyResourceChangeResponse {
    response!(ApplyResourceChange, ask(&serving(thing), request))
}

/// What is stored, and what is said about it.
fn check(
    thing: Thing,
    request: ApplyResourceChangeRequest,
    expect: (&str, &str),
) -> ApplyResourceChangeResponse {
    let response = asked(thing, request);
    let stored = shown(&schema(), &response.new_state);
    assert_eq!((stored.as_str(), summaries(&response.diagnostics).as_str()), expect, "{response:?}");
    response
}

/// The stored state stays as it came, byte for byte, with the identity and the private data that came with it.
fn check_kept(thing: Thing, request: ApplyResourceChangeRequest, said: &str) -> ApplyResourceChangeResponse {
    let request = message!(ApplyResourceChangeRequest {
        planned_private: Bytes::from_static(br#"{ "ferroform": {"generation": 1} }"#),
        planned_identity: Some(DynamicValue::Msgpack(Bytes::from_static(b"\x80"))),
        ..request
    });
    let came = request.clone();
    let response = asked(thing, request);
    assert_eq!(summaries(&response.diagnostics), said);
    assert_eq!(response.new_state, came.prior_state);
    assert_eq!(response.private, came.planned_private);
    assert_eq!(response.new_identity, came.planned_identity);
    response
}

fn creating(
    create: impl Fn(&mut Context<'_, Create>) -> ferroform::diag::Result<Value> + Send + Sync + 'static,
) -> Thing {
    Thing { create: Box::new(move |cx, _| create(cx)), ..Thing::default() }
}

fn refused() -> Error {
    Error::new("Quota Exceeded", "Ask for more.")
}

const CREATED: &str = r#"{"id": "1", "name": "a", "secret": null}"#;

#[test]
fn the_good_path_of_each_action() {
    check(Thing::default(), create("a"), (CREATED, ""));
    check(Thing::default(), update(), (r#"{"id": "1", "name": "new", "secret": null}"#, ""));
    check(Thing::default(), delete(), ("null", ""));
}

#[test]
fn a_failed_create_without_a_checkpoint_records_nothing() {
    check(creating(|_| Err(refused())), create("a"), ("null", "error: Quota Exceeded\n"));
}

#[test]
fn a_failed_create_stores_its_checkpoint() {
    let thing = creating(|cx| {
        cx.checkpoint(object("7", "a"));
        Err(refused())
    });
    check(thing, create("a"), (r#"{"id": "7", "name": "a", "secret": null}"#, "error: Quota Exceeded\n"));
}

#[test]
fn the_last_checkpoint_counts_and_its_unknowns_are_null() {
    let thing = creating(|cx| {
        cx.checkpoint(object("7", "a"));
        cx.checkpoint(planned("a"));
        Err(refused())
    });
    check(thing, create("a"), (r#"{"id": null, "name": "a", "secret": null}"#, "error: Quota Exceeded\n"));
}

#[test]
fn a_panic_is_an_error_with_its_place_and_keeps_the_checkpoint() {
    ferroform_server::panics::install_hook();
    let thing = creating(|_| panic!("no bucket"));
    let (response, log) =
        listening(LevelFilter::ERROR, || check(thing, create("a"), ("null", "error: Provider Panicked\n")));
    assert!(log.contains(r#"panic="no bucket""#), "{log}");
    let detail = details(&response.diagnostics);
    assert!(!detail.contains("no bucket") && detail.contains(" at sdk/tests/server/apply.rs:"), "{detail}");

    let thing = creating(|cx| {
        cx.checkpoint(object("7", "a"));
        panic!("half-way");
    });
    let stored = r#"{"id": "7", "name": "a", "secret": null}"#;
    check(thing, create("a"), (stored, "error: Provider Panicked\n"));
}

/// The payload of a panic that panics once more when it is dropped, and so on.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        std::panic::panic_any(Self);
    }
}

#[test]
fn a_payload_that_panics_when_it_is_dropped_keeps_the_checkpoint() {
    let stored = r#"{"id": "7", "name": "a", "secret": null}"#;
    let thing = creating(|cx| {
        cx.checkpoint(object("7", "a"));
        std::panic::panic_any(Bomb);
    });
    check(thing, create("a"), (stored, "error: Provider Panicked\n"));
}

#[test]
fn a_failed_update_keeps_the_prior_state_as_it_came() {
    let failing = || Thing {
        update: Box::new(|cx, _| {
            cx.private_mut().set("generation", &2)?;
            Err(refused())
        }),
        ..Thing::default()
    };
    check_kept(failing(), update(), "error: Quota Exceeded\n");
    let panicking = Thing { update: Box::new(|_, _| panic!("half-way")), ..Thing::default() };
    check_kept(panicking, update(), "error: Provider Panicked\n");
}

#[test]
fn a_failed_update_stores_its_checkpoint_and_private_data() {
    let thing = Thing {
        update: Box::new(|cx, _| {
            cx.private_mut().set("generation", &2)?;
            cx.checkpoint(object("1", "half"));
            Err(refused())
        }),
        ..Thing::default()
    };
    let stored = r#"{"id": "1", "name": "half", "secret": null}"#;
    let response = check(thing, update(), (stored, "error: Quota Exceeded\n"));
    assert_eq!(response.private, r#"{"ferroform":{"generation":2}}"#);
}

#[test]
fn a_failed_delete_keeps_the_prior_state_as_it_came() {
    let failing = Thing { delete: Box::new(|_, _| Err(refused())), ..Thing::default() };
    check_kept(failing, delete(), "error: Quota Exceeded\n");
    let recording = Thing {
        delete: Box::new(|cx, _| {
            cx.error_at(path!(name), "Still In Use", "Detach it.");
            Ok(())
        }),
        ..Thing::default()
    };
    check_kept(recording, delete(), "error name: Still In Use\n");
    let panicking = Thing { delete: Box::new(|_, _| panic!("half-way")), ..Thing::default() };
    check_kept(panicking, delete(), "error: Provider Panicked\n");
}

#[test]
fn a_delete_with_warnings_deletes() {
    let thing = Thing {
        delete: Box::new(|cx, prior| {
            cx.checkpoint(prior);
            cx.warn("Slow", "It took long.");
            Ok(())
        }),
        ..Thing::default()
    };
    check(thing, delete(), ("null", "warning: Slow\n"));
}

#[test]
fn recorded_errors_of_a_create_keep_the_object_and_skip_the_rules() {
    let thing = creating(|cx| {
        cx.error_at(path!(name), "Name Shortened", "Choose a shorter one.");
        Ok(object("1", "other"))
    });
    let stored = r#"{"id": "1", "name": "other", "secret": null}"#;
    check(thing, create("a"), (stored, "error name: Name Shortened\n"));
}

#[test]
fn value_left_unknown_is_reported_and_stored_as_null() {
    let response = check(
        creating(|_| Ok(planned("a"))),
        create("a"),
        (r#"{"id": null, "name": "a", "secret": null}"#, "error id: Provider Returned An Unknown Value\n"),
    );
    let detail = details(&response.diagnostics);
    for part in ["a stored value must be known", "`id`", "`create`", THING, "bug in the provider"] {
        assert!(detail.contains(part), "{part} is missing: {detail}");
    }
}

#[test]
fn value_that_differs_from_the_plan_is_reported_and_stored() {
    let response = check(
        creating(|_| Ok(object("1", "b"))),
        create("a"),
        (
            r#"{"id": "1", "name": "b", "secret": null}"#,
            "error name: Provider Returned Another Value Than Planned\n",
        ),
    );
    assert!(details(&response.diagnostics).contains("`create`"));
    let updating = Thing { update: Box::new(|_, _| Ok(object("1", "b"))), ..Thing::default() };
    let response = check(
        updating,
        update(),
        (
            r#"{"id": "1", "name": "b", "secret": null}"#,
            "error name: Provider Returned Another Value Than Planned\n",
        ),
    );
    assert!(details(&response.diagnostics).contains("`update`"));
}

#[test]
fn the_author_sees_write_only_values_but_cannot_store_them() {
    let with_secret =
        |secret| Value::object([("id", Value::Null), ("name", Value::string("a")), ("secret", secret)]);
    let request = message!(ApplyResourceChangeRequest {
        config: encoded(&with_secret(Value::string("hunter2"))),
        ..create("a")
    });
    let thing = Thing {
        create: Box::new(|_, change| {
            let seen = crate::server::support::text(&change.planned, "secret");
            Ok(Value::object([
                ("id", Value::string(seen.len().to_string())),
                ("name", Value::string("a")),
                ("secret", Value::Null),
            ]))
        }),
        ..Thing::default()
    };
    check(thing, request.clone(), (r#"{"id": "7", "name": "a", "secret": null}"#, ""));

    let storing = Thing {
        create: Box::new(|_, change| {
            Ok(Value::object([
                ("id", Value::string("1")),
                ("name", Value::string("a")),
                ("secret", Value::string(crate::server::support::text(&change.planned, "secret"))),
            ]))
        }),
        ..Thing::default()
    };
    let said = "error secret: Provider Returned A Write-Only Value\n\
                error secret: Provider Returned Another Value Than Planned\n";
    check(storing, request, (CREATED, said));
}

#[test]
fn null_without_an_error_is_a_bug_that_loses_nothing() {
    let response =
        check(creating(|_| Ok(Value::Null)), create("a"), ("null", "error: Provider Returned No Object\n"));
    assert!(details(&response.diagnostics).contains("`create`"));
    let thing = creating(|cx| {
        cx.checkpoint(object("7", "a"));
        Ok(Value::Null)
    });
    let stored = r#"{"id": "7", "name": "a", "secret": null}"#;
    check(thing, create("a"), (stored, "error: Provider Returned No Object\n"));
    let updating = Thing { update: Box::new(|_, _| Ok(Value::Null)), ..Thing::default() };
    check_kept(updating, update(), "error: Provider Returned No Object\n");
}

#[test]
fn a_value_of_another_type_gives_way_to_the_checkpoint_or_to_null() {
    let misfit =
        || Value::object([("id", Value::from(1)), ("name", Value::string("a")), ("secret", Value::Null)]);
    let thing = creating(move |cx| {
        cx.checkpoint(object("7", "a"));
        Ok(misfit())
    });
    let stored = r#"{"id": "7", "name": "a", "secret": null}"#;
    check(thing, create("a"), (stored, "error id: Invalid Provider Value\n"));
    // Without a checkpoint the object is still not lost: what does not fit is null.
    let holes = r#"{"id": null, "name": "a", "secret": null}"#;
    check(creating(move |_| Ok(misfit())), create("a"), (holes, "error id: Invalid Provider Value\n"));
    let updating = Thing { update: Box::new(move |_, _| Ok(Value::list([]))), ..Thing::default() };
    let response = asked(updating, update());
    assert_eq!(response.new_state, unusual());
    assert!(summaries(&response.diagnostics).contains("error: Invalid Provider Value\n"));
}

#[test]
fn an_apply_cannot_be_deferred() {
    let read = |cx: &mut Context<'_, Read>, state| {
        cx.defer(Deferred::AbsentPrerequisite);
        Ok(Some(state))
    };
    let thing = Thing { read_after_write: ReadAfterWrite::Once, read: Box::new(read), ..Thing::default() };
    check(thing, create("a"), (CREATED, "error: Deferral Not Allowed\n"));
}

#[test]
fn mistyped_request_is_rejected_before_author_code_runs() {
    let nothing =
        message!(ApplyResourceChangeRequest { planned_state: encoded(&Value::Null), ..create("a") });
    check_kept(creating(|_| panic!("not called")), nothing, "error: Nothing To Apply\n");
    let damaged = message!(ApplyResourceChangeRequest {
        planned_state: DynamicValue::Msgpack(Bytes::from_static(b"\xc1")),
        ..update()
    });
    check_kept(Thing::default(), damaged, "error: Unreadable Value\n");
    let unknown_type =
        message!(ApplyResourceChangeRequest { type_name: "double_other".to_owned(), ..update() });
    check_kept(Thing::default(), unknown_type, "error: Unknown Type\n");
}

#[test]
fn private_data_is_changed_kept_or_dropped() {
    let with = |private: &'static [u8]| {
        message!(ApplyResourceChangeRequest { planned_private: Bytes::from_static(private), ..create("a") })
    };
    let counting = || {
        creating(|cx| {
            let generation = cx.private().get::<u32>("generation")?.unwrap_or_default();
            cx.private_mut().set("generation", &(generation + 1))?;
            Ok(object("1", "a"))
        })
    };
    let response = check(counting(), with(br#"{"ferroform":{"generation":4}}"#), (CREATED, ""));
    assert_eq!(response.private, r#"{"ferroform":{"generation":5}}"#);
    let response =
        check(Thing::default(), with(br#"{"etag":"x"}"#), (CREATED, "warning: Private State Dropped\n"));
    assert_eq!(response.private, "");
    let damaged =
        message!(ApplyResourceChangeRequest { planned_private: Bytes::from_static(b"\x00"), ..update() });
    let response = asked(Thing::default(), damaged);
    assert_eq!(summaries(&response.diagnostics), "error: Corrupt Private State\n");
    assert_eq!((response.new_state, response.private), (unusual(), Bytes::from_static(b"\x00")));
}

#[test]
fn a_schema_that_panics_keeps_the_stored_state() {
    struct Broken;
    #[async_trait::async_trait]
    impl ferroform::dynamic::Provider for Broken {
        fn name(&self) -> &str {
            "double"
        }
        fn schema(&self) -> ferroform::schema::Schema {
            ferroform::schema::Schema::default()
        }
        async fn configure(
            &self,
            _: &mut ferroform::dynamic::Context<'_, ferroform::dynamic::phase::Configure>,
            _: Value,
        ) -> ferroform::diag::Result {
            Ok(())
        }
        fn catalogue(&self) -> ferroform::dynamic::Catalogue {
            panic!("no table")
        }
    }
    let identity = Some(DynamicValue::Msgpack(Bytes::from_static(b"\x80")));
    let request = message!(ApplyResourceChangeRequest { planned_identity: identity.clone(), ..update() });
    let server = ferroform_server::server::Server::new(std::sync::Arc::new(Broken));
    let response = response!(ApplyResourceChange, ask(&server, request));
    assert_eq!(summaries(&response.diagnostics), "error: Provider Panicked\n");
    assert_eq!((response.new_state, response.new_identity), (unusual(), identity));
}

/// A schema with a write-only `w` in every nesting that may hold one.
fn nested_secrets() -> Schema {
    let inner = || vec![Attribute::optional("w", Type::String).write_only()];
    let nested = |name: &'static str, nesting| Attribute::optional(name, NestedObject::new(nesting, inner()));
    let body = || Block::new(inner());
    Schema::new(
        Block::new([
            nested("a_list", Nesting::List),
            nested("a_map", Nesting::Map),
            nested("a_single", Nesting::Single),
        ])
        .blocks([
            NestedBlock::new("b_group", BlockNesting::Group, body()),
            NestedBlock::new("b_list", BlockNesting::List, body()),
            NestedBlock::new("b_map", BlockNesting::Map, body()),
            NestedBlock::new("b_single", BlockNesting::Single, body()),
        ]),
    )
}

fn nested_values(secret: &Value) -> Value {
    let one = || Value::object([("w", secret.clone())]);
    Value::object([
        ("a_list", Value::list([one(), one()])),
        ("a_map", Value::map([("k", one())])),
        ("a_single", one()),
        ("b_group", one()),
        ("b_list", Value::list([one()])),
        ("b_map", Value::map([("k", one())])),
        ("b_single", one()),
    ])
}

#[test]
fn write_only_values_are_seen_and_dropped_in_every_nesting() {
    let (nulls, secrets) = (nested_values(&Value::Null), nested_values(&Value::string("hunter2")));
    let request = message!(ApplyResourceChangeRequest {
        type_name: THING.to_owned(),
        planned_state: encoded_by(&nested_secrets(), &nulls),
        config: encoded_by(&nested_secrets(), &secrets),
    });
    let expect = secrets.clone();
    let thing = Thing {
        schema: nested_secrets(),
        create: Box::new(move |_, change| {
            assert_eq!(change.planned, expect);
            Ok(change.planned)
        }),
        ..Thing::default()
    };
    let response = asked(thing, request);
    assert_eq!(shown(&nested_secrets(), &response.new_state), format!("{nulls:?}"));
    let said = summaries(&response.diagnostics);
    let paths = [
        "a_list[0]",
        "a_list[1]",
        "a_map[\"k\"]",
        "a_single",
        "b_group",
        "b_list[0]",
        "b_map[\"k\"]",
        "b_single",
    ];
    for path in paths {
        let expect = format!("error {path}.w: Provider Returned A Write-Only Value\n");
        assert!(said.contains(&expect), "{path}: {said}");
    }
    assert_eq!(said.matches("Write-Only Value").count(), paths.len());
}
