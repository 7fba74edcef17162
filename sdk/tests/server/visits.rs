//! How often the server looks at the state that a change returned.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ferroform::diag::{Error, Result};
use ferroform::dynamic::{Context, phase};
use ferroform::path;
use ferroform::resource::ReadAfterWrite;
use ferroform::schema::{
    Attribute, Block, BlockNesting, IdentityAttribute, IdentitySchema, NestedBlock, NestedObject, Nesting,
    Schema,
};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::value::{count_visits, visits};
use ferroform_server::protocol::ApplyResourceChangeRequest;

use crate::server::support::{THING, Thing, ask, encoded_by, message, response, serving, summaries};

/// Completing by the plan, checking and encoding, and once more where the author completes by the plan.
const MOST: usize = 4;

/// The same for elements of a set with unknown values.
const MOST_IN_TABLES: usize = 18;

/// Objects in every nesting, also within each other.
fn schema() -> Schema {
    let texts = || {
        vec![
            Attribute::computed("id", Type::String),
            Attribute::optional("tags", Type::map(Type::String)),
            Attribute::required("text", Type::String),
        ]
    };
    let nested = |nesting| {
        let mut attributes = texts();
        attributes.push(Attribute::optional("inner", NestedObject::new(Nesting::List, texts())));
        NestedObject::new(nesting, attributes)
    };
    let block = |blocks| Block::new(texts()).blocks(blocks);
    let mut attributes = texts();
    attributes.extend([
        Attribute::optional("list", nested(Nesting::List)),
        Attribute::optional("map", nested(Nesting::Map)),
        Attribute::optional("single", nested(Nesting::Single)),
        // Elements with unknown values have a test of their own.
        Attribute::optional(
            "set",
            NestedObject::new(Nesting::Set, vec![Attribute::required("text", Type::String)]),
        ),
        Attribute::optional("secret", Type::String).write_only(),
    ]);
    let inner = NestedBlock::new("inner", BlockNesting::Single, block(Vec::new()));
    let rule = NestedBlock::new("rule", BlockNesting::List, block(vec![inner]));
    Schema::new(Block::new(attributes).blocks([rule]))
}

/// An object with these identifiers, which the service makes.
fn object(id: &dyn Fn(&str) -> Value) -> Value {
    let texts = |at: &str, more: Vec<(&str, Value)>| {
        let own = [
            ("id", id(&format!("{at} id"))),
            ("tags", Value::map([("tag", Value::string(format!("{at} tag")))])),
            ("text", Value::string(format!("{at} text"))),
        ];
        Value::object(own.into_iter().chain(more))
    };
    let nested = |at: &str| {
        let inner = [1, 2].map(|it| texts(&format!("{at} inner {it}"), Vec::new()));
        texts(at, vec![("inner", Value::list(inner))])
    };
    let rules = ["rule 1", "rule 2"];
    let rules = rules.map(|at| texts(at, vec![("inner", texts(&format!("{at} inner"), Vec::new()))]));
    let element = |at: &str| Value::object([("text", Value::from(at))]);
    texts(
        "root",
        vec![
            ("list", Value::list(["list 1", "list 2"].map(nested))),
            ("map", Value::map([("a", nested("map a"))])),
            ("single", nested("single")),
            ("set", Value::set(["element 1", "element 2"].map(element))),
            ("secret", Value::Null),
            ("rule", Value::list(rules)),
        ],
    )
}

/// A call that returns the state, or fails.
struct Apply {
    thing: Thing,
    prior: Value,
    planned: Value,
    state: Value,
    /// The errors of the answer.
    errors: &'static str,
}

impl Apply {
    /// An update that returns the state.
    fn update(planned: &Value, state: &Value) -> Self {
        let (updated, created, read) = (state.clone(), state.clone(), state.clone());
        let thing = Thing {
            schema: schema(),
            create: Box::new(move |_, _| Ok(created.clone())),
            update: Box::new(move |_, _| Ok(updated.clone())),
            read: Box::new(move |_, _| Ok(Some(read.clone()))),
            ..Thing::default()
        };
        let prior = object(&|at| Value::string(format!("prior {at}")));
        Self { thing, prior, planned: planned.clone(), state: state.clone(), errors: "" }
    }

    /// The same as a create.
    fn create(planned: &Value, state: &Value) -> Self {
        Self { prior: Value::Null, ..Self::update(planned, state) }
    }

    /// The same with another method.
    fn updated_by(
        self,
        update: impl Fn(&mut Context<'_, phase::Update>, Value) -> Result<Value> + Send + Sync + 'static,
    ) -> Self {
        let state = self.state.clone();
        let update = Box::new(move |cx: &mut Context<'_, phase::Update>, _| update(cx, state.clone()));
        Self { thing: Thing { update, ..self.thing }, ..self }
    }

    /// How often the server visits each text of the state.
    fn visits(self) -> BTreeMap<String, usize> {
        let Self { thing, prior, planned, state, errors } = self;
        let schema = thing.schema.clone();
        let has_identity = thing.identity_schema.is_some();
        let request = message!(ApplyResourceChangeRequest {
            type_name: THING.to_owned(),
            prior_state: encoded_by(&schema, &prior),
            planned_state: encoded_by(&schema, &planned),
            config: encoded_by(&schema, &planned),
        });
        count_visits(&state);
        let response = response!(ApplyResourceChange, ask(&serving(thing), request));
        let visits = visits(&state);
        assert_eq!(summaries(&response.diagnostics), errors);
        assert_eq!(response.new_state, encoded_by(&schema, &state));
        assert_eq!(response.new_identity.is_some(), has_identity);
        visits
    }

    /// Checks that no text is visited more often than that, and each of them at all: what is never visited is not counted.
    fn check(self, most: usize) {
        let visits = self.visits();
        let too_often: Vec<_> = visits.iter().filter(|(_, visits)| **visits > most).collect();
        assert!(too_often.is_empty(), "visited more than {most} times: {too_often:?}");
        let never: Vec<_> = visits.iter().filter(|(_, visits)| **visits == 0).collect();
        assert!(visits.len() > 40 && never.is_empty(), "{never:?}");
    }
}

/// A state, and plans of it: in one the service makes the identifiers, in the other they are known.
fn state_and_plans() -> (Value, [Value; 2]) {
    let identified = |at: &str| Value::from(at);
    (object(&identified), [object(&|_| Value::unknown()), object(&identified)])
}

#[test]
fn apply_visits_each_part_of_a_state_at_most_four_times() {
    let (state, plans) = state_and_plans();
    let waits = ReadAfterWrite::Within(Duration::from_secs(5));
    for planned in &plans {
        for read_after_write in [ReadAfterWrite::Off, ReadAfterWrite::Once, waits] {
            for apply in [Apply::create, Apply::update] {
                let apply = apply(planned, &state);
                Apply { thing: Thing { read_after_write, ..apply.thing }, ..apply }.check(MOST);
            }
        }
    }
}

#[test]
fn failed_apply_visits_each_part_of_a_state_at_most_four_times() {
    let (state, [planned, known]) = state_and_plans();
    let failed = |errors| Apply { errors, ..Apply::update(&planned, &state) };
    // After a checkpoint, and with an object.
    let checkpoint = failed("error: Failed\n").updated_by(|cx, state| {
        cx.checkpoint(state);
        Err(Error::new("Failed", ""))
    });
    checkpoint.check(MOST);
    let reported = failed("error id: Failed\n").updated_by(|cx, state| {
        cx.error_at(path!(id), "Failed", "");
        Ok(state)
    });
    reported.check(MOST);
    // With another object than planned.
    let mut other = known;
    *other.get_mut(&path!(single.text)).expect("a text") = Value::from("another text");
    let errors = "error single.text: Provider Returned Another Value Than Planned\n";
    let violated = Apply { errors, ..Apply::update(&other, &state) };
    violated.check(MOST);
}

#[test]
fn apply_visits_each_part_of_a_completed_state_at_most_four_times() {
    let (state, plans) = state_and_plans();
    for planned in &plans {
        Apply::update(planned, &state).updated_by(|cx, state| cx.complete(state)).check(MOST);
    }
}

/// What is in the identity as well is visited there: when the author takes it, and by the four checks of the identity.
#[test]
fn state_with_an_identity_is_visited_as_often_as_without() {
    let (state, plans) = state_and_plans();
    for planned in &plans {
        let apply = Apply::update(planned, &state);
        let identity_schema = IdentitySchema::new([IdentityAttribute::required("id", Type::String)]);
        let thing = Thing { identity_schema: Some(identity_schema), ..apply.thing };
        let mut visits = Apply { thing, ..apply }.visits();
        assert!(visits.remove("root id").is_some_and(|visits| visits <= MOST + 5));
        assert!(visits.values().all(|visits| *visits <= MOST), "{visits:?}");
    }
}

#[test]
fn deleted_state_is_not_visited_after_the_delete() {
    let (state, _) = state_and_plans();
    let deleted = Arc::new(OnceLock::new());
    let seen = Arc::clone(&deleted);
    let delete = Box::new(move |_: &mut Context<'_, phase::Delete>, prior: Value| {
        count_visits(&prior);
        seen.set(prior).map_err(|_| Error::new("Deleted Twice", ""))
    });
    let schema = schema();
    let request = message!(ApplyResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: encoded_by(&schema, &state),
        planned_state: encoded_by(&schema, &Value::Null),
    });
    let thing = Thing { schema: schema.clone(), delete, ..Thing::default() };
    let response = response!(ApplyResourceChange, ask(&serving(thing), request));
    assert_eq!(summaries(&response.diagnostics), "");
    let visits = visits(deleted.get().expect("it was deleted"));
    assert!(visits.len() > 40 && visits.values().all(|visits| *visits == 0), "{visits:?}");
}

/// Elements of a set with unknown values are looked for in tables, by hash and by comparison, when the plan is completed and
/// when it is checked. Their number does not matter.
#[test]
fn unknown_set_elements_are_visited_equally_often_in_sets_of_every_size() {
    let texts = || vec![Attribute::computed("id", Type::String), Attribute::required("text", Type::String)];
    let mut attributes = texts();
    attributes.push(Attribute::optional("inner", NestedObject::new(Nesting::List, texts())));
    let set = Attribute::optional("set", NestedObject::new(Nesting::Set, attributes));
    let schema = Schema::new(Block::new([set]));
    for count in [1, 2, 10, 100, 1000] {
        let object = |id: &dyn Fn(String) -> Value| {
            let texts =
                |at: String| [("id", id(format!("{at} id"))), ("text", Value::string(format!("{at} text")))];
            let elements = (0..count).map(|at| {
                let inner = Value::list([Value::object(texts(format!("inner {at}")))]);
                Value::object(texts(format!("element {at}")).into_iter().chain([("inner", inner)]))
            });
            Value::object([("set", Value::set(elements))])
        };
        let state = object(&Value::string);
        let apply = Apply::create(&object(&|_| Value::unknown()), &state);
        let visits = Apply { thing: Thing { schema: schema.clone(), ..apply.thing }, ..apply }.visits();
        assert_eq!(visits.len(), 4 * count);
        assert!(visits.values().all(|visits| *visits <= MOST_IN_TABLES), "{count}: {visits:?}");
    }
}
