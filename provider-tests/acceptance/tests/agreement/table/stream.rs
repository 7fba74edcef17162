//! Wrong streams: of lists and of actions.

use ferroform::diag::{Diagnostic, Diagnostics};
use ferroform::path;
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_acceptance::wrong::{Change, found, identity_schema, thing_schema};
use ferroform_core::codec::msgpack;
use ferroform_server::protocol::{ActionEvent, DynamicValue, EventStream, ListedResource, Response, Rpc};

use super::change::{defer, foreign, set};
use super::{Act, Row, row};

/// Objects that are not as core wants them. The first one is sound, and the second is wrong.
pub(super) fn lists() -> Vec<Row> {
    use Act::{Query, QueryOne, QueryWhole};
    let list = |name, act, change: fn(&mut Response)| {
        row(name, act, Rpc::ListResource, Change::Answer(change)).says(&[])
    };
    let identity_is = |name, change| list(name, Query, change);
    let object_is = |name, change| list(name, QueryWhole, change);
    vec![
        list("a listed object has no identity", Query, |it| second(it, |found| found.identity = None))
            .says(MISSING),
        list("an event of a list is empty", Query, |it| {
            second(it, |found| *found = ListedResource::default())
        })
        .says(MISSING),
        identity_is("the identity of a listed object is null", |it| {
            second(it, |found| found.identity = Some(identity(&Value::Null)));
        }),
        identity_is("the identity of a listed object has nothing in it", |it| {
            second(it, |found| found.identity = Some(identity(&Value::object([("id", Value::Null)]))));
        }),
        identity_is("the identity of a listed object is unknown", |it| {
            second(it, |found| found.identity = Some(identity(&Value::object([("id", Value::unknown())]))));
        }),
        identity_is("the identity of a listed object is of another type", |it| {
            second(it, |found| found.identity = Some(of_another_type()));
        })
        .undecodable(),
        object_is("a listed object is of another type", |it| {
            second(it, |found| found.resource_object = Some(of_another_type()));
        })
        .undecodable(),
        object_is("a listed object is null", |it| {
            second(it, |found| found.resource_object = Some(object(&Value::Null)));
        }),
        object_is("a listed object is missing", |it| second(it, |found| found.resource_object = None)),
        object_is("a listed object is unknown in part", |it| {
            second(it, |found| found.resource_object = Some(with(&path!(note), Value::unknown())));
        }),
        object_is("a listed object has a write-only value", |it| {
            second(it, |found| found.resource_object = Some(with(&path!(secret), "kept".into())));
        }),
        list("a list has objects where identities are asked for", Query, |it| second(it, |_| {})),
        list("a list has more than its limit", QueryOne, |it| second(it, |_| {})),
        list("a list warns without an object", Query, |it| {
            let slow = || Diagnostic::warning("Slow", "The service is slow.");
            second(it, |found| *found = message(slow()));
        }),
        list("a list has an error without an object", Query, |it| {
            second(it, |found| *found = message(service_down()));
        })
        .says(SERVICE_DOWN),
        list("a listed object has an error", Query, |it| {
            second(it, |found| found.diagnostics.push(service_down()));
        })
        .says(SERVICE_DOWN),
    ]
}

/// What core says of an object that has no identity at all.
const MISSING: &[&str] = &["missing identity data in ListResource event for wrong_thing"];

/// What core says of an error of a list.
const SERVICE_DOWN: &[&str] = &["Service Down"];

/// What core says of an error of an action.
const INVOKING: &[&str] = &["Error when invoking action"];

/// Plans that are put off, and events that are none of an action.
pub(super) fn actions() -> Vec<Row> {
    use Act::{AfterCreate, BeforeCreate, Invoke};
    let plan = |name, act| row(name, act, Rpc::PlanAction, Change::Answer(defer)).says(&[]);
    let invoke = |name, act, change| row(name, act, Rpc::InvokeAction, Change::Answer(change)).says(&[]);
    let wrong = |name, act, change| invoke(name, act, change).says_on_embedded(INVOKING);
    let empty = Change::Bytes(|_| Vec::new());
    vec![
        // Core does not look at a deferral of an action that it has not allowed.
        plan("an action is put off", Invoke),
        plan("an action that is triggered is put off", BeforeCreate),
        wrong("an action has no events", AfterCreate, |it| events(it, [])),
        wrong("an action has progress and no end", AfterCreate, |it| events(it, [progress()])),
        wrong("an action by itself has no end", Invoke, |it| events(it, [progress()])),
        wrong("an action goes on after its end", AfterCreate, |it| events(it, [end(), progress()])),
        wrong("an action ends twice", AfterCreate, |it| events(it, [end(), end()])),
        wrong("an action ends well and then with an error", AfterCreate, |it| events(it, [end(), failure()]))
            .says(INVOKING),
        // Core crashes.
        wrong("an action ends with an error and then well", BeforeCreate, |it| {
            events(it, [failure(), end()])
        }),
        row("an event of an action is empty", BeforeCreate, Rpc::InvokeAction, empty)
            .says(&[])
            .says_on_embedded(INVOKING),
        invoke("an action fails before a change", BeforeCreate, |it| events(it, [failure()])).says(INVOKING),
        invoke("an action fails after a change", AfterCreate, |it| events(it, [failure()])).says(INVOKING),
        invoke("an action fails by itself", Invoke, |it| events(it, [failure()])).says(INVOKING),
    ]
}

/// A list of two objects, the second of which is changed.
fn second(response: &mut Response, change: impl Fn(&mut ListedResource)) {
    if let Response::ListResource(response) = response {
        let mut all = ["a", "b"].map(found);
        change(&mut all[1]);
        response.events = EventStream::of(all);
    }
}

fn identity(value: &Value) -> DynamicValue {
    encoded(&identity_schema().ty(), value)
}

fn object(value: &Value) -> DynamicValue {
    encoded(&thing_schema().ty(), value)
}

fn of_another_type() -> DynamicValue {
    let (ty, value) = foreign();
    encoded(&ty, &value)
}

/// An object with this value in it.
fn with(path: &path::Path, value: Value) -> DynamicValue {
    let mut object = super::change::bare();
    set(&mut object, path, value);
    self::object(&object)
}

fn encoded(ty: &Type, value: &Value) -> DynamicValue {
    DynamicValue::Msgpack(msgpack::encode(value, ty).expect("the value is of the type").into())
}

fn events<const N: usize>(response: &mut Response, events: [ActionEvent; N]) {
    if let Response::InvokeAction(response) = response {
        response.events = EventStream::of(events);
    }
}

fn progress() -> ActionEvent {
    ActionEvent::Progress("Acting".to_owned())
}

fn end() -> ActionEvent {
    ActionEvent::Completed(Diagnostics::default())
}

fn failure() -> ActionEvent {
    ActionEvent::Completed(Diagnostics::from_iter([service_down()]))
}

/// An event of a list that is only a message.
fn message(diagnostic: Diagnostic) -> ListedResource {
    let mut message = ListedResource::default();
    message.diagnostics.push(diagnostic);
    message
}

fn service_down() -> Diagnostic {
    Diagnostic::error("Service Down", "The service does not answer.")
}
