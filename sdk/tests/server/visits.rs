//! How often the server looks at the state that a change returned.

use ferroform::resource::ReadAfterWrite;
use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock, NestedObject, Nesting, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::value::{count_visits, visits};
use ferroform_server::protocol::ApplyResourceChangeRequest;

use crate::support::{THING, Thing, ask, encoded_by, message, response, serving, summaries};

/// Completing by the plan, checking and encoding. The elements of a set are checked in two steps: whether they are known,
/// and whether they are those of the plan.
const MOST: usize = 4;

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
        // Elements with unknown values are looked for among all others, so a set has no place here but when it is known.
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

/// How often each text of a state is visited by the server when an update returns it.
fn visited(planned: &Value, state: &Value, read_after_write: ReadAfterWrite) -> Vec<(String, usize)> {
    let schema = schema();
    let (updated, read) = (state.clone(), state.clone());
    let thing = Thing {
        schema: schema.clone(),
        read_after_write,
        update: Box::new(move |_, _| Ok(updated.clone())),
        read: Box::new(move |_, _| Ok(Some(read.clone()))),
        ..Thing::default()
    };
    let prior = object(&|at| Value::string(format!("prior {at}")));
    let request = message!(ApplyResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: encoded_by(&schema, &prior),
        planned_state: encoded_by(&schema, planned),
        config: encoded_by(&schema, planned),
    });
    count_visits(state);
    let response = response!(ApplyResourceChange, ask(&serving(thing), request));
    let visits = visits(state);
    assert_eq!(summaries(&response.diagnostics), "");
    assert_eq!(response.new_state, encoded_by(&schema, state));
    visits.into_iter().collect()
}

#[test]
fn apply_visits_each_part_of_a_state_at_most_four_times() {
    let identified = |at: &str| Value::from(at);
    for read_after_write in [ReadAfterWrite::Off, ReadAfterWrite::Once] {
        for planned in [object(&|_| Value::unknown()), object(&identified)] {
            let state = object(&identified);
            let visits = visited(&planned, &state, read_after_write);
            assert!(visits.len() > 40, "{visits:?}");
            let too_often: Vec<_> = visits.iter().filter(|(_, visits)| *visits > MOST).collect();
            assert!(too_often.is_empty(), "visited more than {MOST} times: {too_often:?}");
            // What is never visited is not counted.
            let never: Vec<_> = visits.iter().filter(|(_, visits)| *visits == 0).collect();
            assert!(never.is_empty(), "{never:?}");
        }
    }
}
