//! Private data on its way from the plan through the apply to the next read.

use bytes::Bytes;
use ferroform::diag::Error;
use ferroform::private::Private;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, PlanResourceChangeRequest, ReadResourceRequest,
};

use crate::server::support::{
    THING, Thing, ask, config, details, encoded, message, object, planned, response, serving,
};

/// What the plan has left is handed to each change, as it came.
#[test]
fn planned_private_data_reaches_each_change() {
    let note = |private: &mut Private, method: &str| {
        let mut steps: Vec<String> = private.get("steps")?.unwrap_or_default();
        steps.push(method.to_owned());
        private.set("steps", &steps)
    };
    let change = |(prior, planned): (Value, Value)| {
        let thing = Thing {
            create: Box::new(move |cx, _| note(cx.private_mut(), "create").map(|()| object("1", "a"))),
            update: Box::new(move |cx, _| note(cx.private_mut(), "update").map(|()| object("1", "a"))),
            delete: Box::new(move |cx, _| {
                note(cx.private_mut(), "delete")?;
                Err(Error::new(
                    "Refused",
                    cx.private().get::<Vec<String>>("steps")?.unwrap_or_default().join(" "),
                ))
            }),
            ..Thing::default()
        };
        let request = message!(ApplyResourceChangeRequest {
            type_name: THING.to_owned(),
            prior_state: encoded(&prior),
            planned_state: encoded(&planned),
            config: encoded(&if planned.is_null() { Value::Null } else { config("a") }),
            planned_private: Bytes::from_static(br#"{"ferroform":{"steps":["plan"]}}"#),
        });
        response!(ApplyResourceChange, ask(&serving(thing), request))
    };
    let created = change((Value::Null, planned("a")));
    assert_eq!(created.private, r#"{"ferroform":{"steps":["plan","create"]}}"#);
    let updated = change((object("1", "b"), object("1", "a")));
    assert_eq!(updated.private, r#"{"ferroform":{"steps":["plan","update"]}}"#);
    let deleted = change((object("1", "a"), Value::Null));
    assert_eq!(details(&deleted.diagnostics).trim(), "plan delete");
}

#[test]
fn each_call_sees_what_the_one_before_left() {
    let thing = Thing {
        plan: Box::new(|cx, _| cx.private_mut().set("steps", &vec!["plan"])),
        create: Box::new(|cx, _| {
            let mut steps: Vec<String> = cx.private().get("steps")?.unwrap_or_default();
            steps.push("create".to_owned());
            cx.private_mut().set("steps", &steps)?;
            Ok(object("1", "a"))
        }),
        read: Box::new(|cx, prior| {
            let mut steps: Vec<String> = cx.private().get("steps")?.unwrap_or_default();
            steps.push("read".to_owned());
            cx.private_mut().set("steps", &steps)?;
            Ok(Some(prior))
        }),
        ..Thing::default()
    };
    let server = serving(thing);
    let plan = message!(PlanResourceChangeRequest {
        type_name: THING.to_owned(),
        proposed_new_state: encoded(&config("a")),
        config: encoded(&config("a")),
    });
    let plan = response!(PlanResourceChange, ask(&server, plan));
    let apply = message!(ApplyResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: encoded(&Value::Null),
        planned_state: encoded(&planned("a")),
        config: encoded(&config("a")),
        planned_private: plan.planned_private,
    });
    let apply = response!(ApplyResourceChange, ask(&server, apply));
    let read = message!(ReadResourceRequest {
        type_name: THING.to_owned(),
        current_state: apply.new_state,
        private: apply.private,
    });
    let read = response!(ReadResource, ask(&server, read));
    assert_eq!(read.private, r#"{"ferroform":{"steps":["plan","create","read"]}}"#);
}
