//! `PlanResourceChange`: what the server adds to the planning steps, which have tests of their own.

use std::sync::Arc;

use bytes::Bytes;
use ferroform::diag::Error;
use ferroform::path;
use ferroform::schema::{Attribute, Modification, Modifier, Replace};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ClientCapabilities, Deferred, DynamicValue, PlanResourceChangeRequest, PlanResourceChangeResponse,
};

use crate::server::support::{
    THING, Thing, ask, capable, config, details, encoded, message, object, response, schema, serving, shown,
    summaries,
};

fn create() -> PlanResourceChangeRequest {
    message!(PlanResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: encoded(&Value::Null),
        proposed_new_state: encoded(&config("a")),
        config: encoded(&config("a")),
        client_capabilities: capable(),
    })
}

fn update() -> PlanResourceChangeRequest {
    message!(PlanResourceChangeRequest {
        prior_state: encoded(&object("1", "old")),
        proposed_new_state: encoded(&object("1", "a")),
        ..create()
    })
}

fn delete() -> PlanResourceChangeRequest {
    message!(PlanResourceChangeRequest {
        proposed_new_state: encoded(&Value::Null),
        config: encoded(&Value::Null),
        ..update()
    })
}

/// What is planned, and what is said about it.
fn check(
    thing: Thing,
    request: PlanResourceChangeRequest,
    expect: (&str, &str),
) -> PlanResourceChangeResponse {
    let response = response!(PlanResourceChange, ask(&serving(thing), request));
    let planned = shown(&schema(), &response.planned_state);
    assert_eq!((planned.as_str(), summaries(&response.diagnostics).as_str()), expect, "{response:?}");
    response
}

const CREATED: &str = r#"{"id": Unknown, "name": "a", "secret": null}"#;
const UPDATED: &str = r#"{"id": "1", "name": "a", "secret": null}"#;

#[test]
fn the_good_path_of_each_action() {
    check(Thing::default(), create(), (CREATED, ""));
    check(Thing::default(), update(), (UPDATED, ""));
    check(Thing::default(), delete(), ("null", ""));
}

#[test]
fn the_hook_changes_the_plan_and_forces_replacement() {
    let mut thing = Thing {
        plan: Box::new(|cx, change| {
            cx.requires_replace(path!(name));
            cx.requires_replace(path!(id));
            change.planned = crate::server::support::with_id(
                Value::unknown(),
                crate::server::support::name_of(&change.config),
            );
            Ok(())
        }),
        ..Thing::default()
    };
    thing.schema.block.attributes[1].replace = Replace::OnChange;
    let response = check(thing, update(), (CREATED, ""));
    assert_eq!(response.requires_replace, [path!(id), path!(name)]);
}

/// A plan hook that sets `name`, which the configuration leaves out of an object that exists as `old`.
fn setting_name(name: &'static str, attribute: Attribute) -> (Thing, PlanResourceChangeRequest) {
    let mut thing = Thing {
        plan: Box::new(move |_, change| {
            change.planned = object("1", name);
            Ok(())
        }),
        ..Thing::default()
    };
    thing.schema.block.attributes[1] = attribute;
    let unset = Value::object([("id", Value::Null), ("name", Value::Null), ("secret", Value::Null)]);
    let request = message!(PlanResourceChangeRequest {
        proposed_new_state: encoded(&object("1", "old")),
        config: encoded(&unset),
        ..update()
    });
    (thing, request)
}

fn name_attribute(replace: Replace) -> Attribute {
    Attribute::optional_computed("name", Type::String).replace(replace)
}

#[test]
fn replacement_is_judged_again_after_the_plan_hook() {
    let becomes = |wanted: &'static str| {
        Replace::If(Arc::new(move |it: &Modification<'_>| it.planned.as_str() == Some(wanted)))
    };
    for (replace, expect) in [
        (Replace::Never, vec![]),
        (Replace::OnChange, vec![path!(name)]),
        // The configuration does not ask for this change.
        (Replace::IfConfigured, vec![]),
        (becomes("new"), vec![path!(name)]),
        (becomes("other"), vec![]),
    ] {
        let (thing, request) = setting_name("new", name_attribute(replace.clone()));
        let planned = r#"{"id": "1", "name": "new", "secret": null}"#;
        let response = check(thing, request, (planned, ""));
        assert_eq!(response.requires_replace, expect, "{replace:?}");
    }
}

#[test]
fn a_hook_that_reverts_a_change_requires_no_replacement() {
    let says = Modifier::new("says so", |it: &mut Modification<'_>| {
        it.requires_replace();
        it.planned = Value::string("new");
        Ok(())
    });
    let by_modifier = || name_attribute(Replace::Never).modifiers([says.clone()]);
    let (thing, request) = setting_name("old", by_modifier());
    let planned = r#"{"id": "1", "name": "old", "secret": null}"#;
    assert_eq!(check(thing, request, (planned, "")).requires_replace, []);
    // What the hook changes further is still replaced.
    let (thing, request) = setting_name("newer", by_modifier());
    let planned = r#"{"id": "1", "name": "newer", "secret": null}"#;
    assert_eq!(check(thing, request, (planned, "")).requires_replace, [path!(name)]);
}

#[test]
fn impossible_plan_is_reported() {
    let thing = Thing {
        plan: Box::new(|_, change| {
            change.planned = object("1", "b");
            Ok(())
        }),
        ..Thing::default()
    };
    let planned = r#"{"id": "1", "name": "b", "secret": null}"#;
    let response = check(thing, create(), (planned, "error name: Provider Planned An Impossible Value\n"));
    let detail = details(&response.diagnostics);
    assert!(detail.contains("`plan`") && detail.contains(THING), "{detail}");
}

#[test]
fn a_plan_holds_no_write_only_value() {
    let secret = Value::object([
        ("id", Value::Null),
        ("name", Value::string("a")),
        ("secret", Value::string("hunter2")),
    ]);
    let request = message!(PlanResourceChangeRequest {
        proposed_new_state: encoded(&secret),
        config: encoded(&secret),
        ..create()
    });
    let thing = Thing {
        plan: Box::new(|_, change| {
            change.planned = change.config.clone();
            Ok(())
        }),
        ..Thing::default()
    };
    check(thing, request, (r#"{"id": null, "name": "a", "secret": null}"#, ""));
}

#[test]
fn a_failed_plan_holds_no_write_only_value() {
    let secret = Value::object([
        ("id", Value::Null),
        ("name", Value::string("a")),
        ("secret", Value::string("hunter2")),
    ]);
    let sent = || {
        message!(PlanResourceChangeRequest {
            proposed_new_state: encoded(&secret),
            config: encoded(&secret),
            ..create()
        })
    };
    let proposed = r#"{"id": null, "name": "a", "secret": null}"#;
    let failing = || Thing { plan: Box::new(|_, _| Err(Error::new("No Capacity", ""))), ..Thing::default() };
    check(failing(), sent(), (proposed, "error: No Capacity\n"));
    let panicking = Thing { plan: Box::new(|_, _| panic!("half-way")), ..Thing::default() };
    check(panicking, sent(), (proposed, "error: Provider Panicked\n"));
    let damaged = message!(PlanResourceChangeRequest { prior_private: Bytes::from_static(b"{"), ..sent() });
    check(Thing::default(), damaged, (proposed, "error: Corrupt Private State\n"));
    // What cannot be read cannot be made safe: then the prior state stays as it is.
    let unreadable = DynamicValue::Json(Bytes::from_static(br#"{"secret": "hunter2"#));
    for request in [
        message!(PlanResourceChangeRequest { proposed_new_state: unreadable.clone(), ..sent() }),
        message!(PlanResourceChangeRequest { type_name: "double_other".to_owned(), ..sent() }),
    ] {
        let response = response!(PlanResourceChange, ask(&serving(failing()), request.clone()));
        assert!(response.diagnostics.has_errors());
        assert_eq!(response.planned_state, request.prior_state);
    }
}

#[test]
fn a_failed_hook_fails_the_plan_and_keeps_private_data() {
    let failing = Thing { plan: Box::new(|_, _| Err(Error::new("No Capacity", ""))), ..Thing::default() };
    let request = message!(PlanResourceChangeRequest {
        prior_private: Bytes::from_static(br#"{ "ferroform": {"generation": 1} }"#),
        ..update()
    });
    let response = check(failing, request.clone(), (UPDATED, "error: No Capacity\n"));
    assert_eq!(response.planned_private, request.prior_private);
    let panicking = Thing { plan: Box::new(|_, _| panic!("half-way")), ..Thing::default() };
    check(panicking, request, (UPDATED, "error: Provider Panicked\n"));
}

#[test]
fn the_plan_of_a_delete_can_warn_or_refuse() {
    let warning = Thing {
        plan_delete: Box::new(|cx, prior| {
            cx.warn(format!("Deleting {}", crate::server::support::name_of(&prior)), "");
            Ok(())
        }),
        ..Thing::default()
    };
    check(warning, delete(), ("null", "warning: Deleting old\n"));
    let refusing =
        Thing { plan_delete: Box::new(|_, _| Err(Error::new("Protected", ""))), ..Thing::default() };
    check(refusing, delete(), ("null", "error: Protected\n"));
}

#[test]
fn a_plan_is_deferred_only_where_core_allows_it() {
    let deferring = || Thing {
        plan: Box::new(|cx, _| {
            cx.defer(Deferred::ResourceConfigUnknown);
            Ok(())
        }),
        ..Thing::default()
    };
    let response = check(deferring(), create(), (CREATED, ""));
    assert_eq!(response.deferred, Some(Deferred::ResourceConfigUnknown));
    let old = message!(PlanResourceChangeRequest {
        client_capabilities: ClientCapabilities::default(),
        ..create()
    });
    let response = check(deferring(), old, (CREATED, "error: Deferral Not Allowed\n"));
    assert_eq!(response.deferred, None);
}

#[test]
fn private_data_flows_from_the_prior_state_into_the_plan() {
    let thing = || Thing {
        plan: Box::new(|cx, _| {
            let generation = cx.private().get::<u32>("generation")?.unwrap_or_default();
            cx.private_mut().set("planned", &(generation + 1))
        }),
        ..Thing::default()
    };
    let with = |private: &'static [u8]| {
        message!(PlanResourceChangeRequest { prior_private: Bytes::from_static(private), ..update() })
    };
    let response = check(thing(), with(br#"{"ferroform":{"generation":4}}"#), (UPDATED, ""));
    assert_eq!(response.planned_private, r#"{"ferroform":{"generation":4,"planned":5}}"#);
    let response = check(thing(), with(b"[]"), (UPDATED, "warning: Private State Dropped\n"));
    assert_eq!(response.planned_private, r#"{"ferroform":{"planned":1}}"#);
    let response = check(thing(), with(b"\x00"), (UPDATED, "error: Corrupt Private State\n"));
    assert_eq!(response.planned_private, &b"\x00"[..]);
}

#[test]
fn mistyped_plan_is_rejected() {
    let misfit = Thing {
        plan: Box::new(|_, change| {
            change.planned = Value::object([("id", Value::Null), ("name", Value::string("a"))]);
            Ok(())
        }),
        ..Thing::default()
    };
    let response = response!(PlanResourceChange, ask(&serving(misfit), create()));
    assert!(
        summaries(&response.diagnostics).ends_with("error secret: Invalid Provider Value\n"),
        "{response:?}"
    );
    let damaged = message!(PlanResourceChangeRequest {
        prior_state: DynamicValue::Json(Bytes::from_static(b"{")),
        ..create()
    });
    let response = response!(PlanResourceChange, ask(&serving(Thing::default()), damaged));
    assert_eq!(summaries(&response.diagnostics), "error: Unreadable Value\n");
    let unknown_type =
        message!(PlanResourceChangeRequest { type_name: "double_other".to_owned(), ..create() });
    let response = response!(PlanResourceChange, ask(&serving(Thing::default()), unknown_type));
    assert_eq!(summaries(&response.diagnostics), "error: Unknown Type\n");
    let detail = details(&response.diagnostics);
    assert!(detail.contains("`double`") && detail.contains("resource type `double_other`"), "{detail}");
}
