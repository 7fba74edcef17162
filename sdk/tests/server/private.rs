//! Private data on its way from the plan through the apply to the next read.

use ferroform::protocol::{ApplyResourceChangeRequest, PlanResourceChangeRequest, ReadResourceRequest};
use ferroform::value::Value;

use crate::support::{THING, Thing, ask, config, encoded, message, object, planned, response, serving};

#[test]
fn each_call_sees_what_the_one_before_left() {
    let thing = Thing {
        plan: Box::new(|cx, _| cx.private.set("steps", &vec!["plan"])),
        create: Box::new(|cx, _| {
            let mut steps: Vec<String> = cx.private.get("steps")?.unwrap_or_default();
            steps.push("create".to_owned());
            cx.private.set("steps", &steps)?;
            Ok(object("1", "a"))
        }),
        read: Box::new(|cx, prior| {
            let mut steps: Vec<String> = cx.private.get("steps")?.unwrap_or_default();
            steps.push("read".to_owned());
            cx.private.set("steps", &steps)?;
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
