//! Checks that every traversal of a value by its schema visits every attribute, whatever collection holds its object.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::diag::Diagnostics;
use crate::path::{Path, Step};
use crate::plan::{self, PlanInput};
use crate::private::Private;
use crate::schema::walk::{self, Body};
use crate::schema::{
    Attribute, Block, BlockNesting, Environment, Modifier, NestedBlock, NestedObject, Nesting, Presence,
    Validator,
};
use crate::server::rpc::generate_resource_config;
use crate::server::write_only;
use crate::ty::Type;
use crate::validate::validate;
use crate::value::Value;

/// The texts that a traversal visited. Each text of a value is unique, so it identifies its attribute.
type Texts = BTreeSet<String>;

#[derive(Clone, Default)]
struct VisitedTexts(Arc<Mutex<Texts>>);

impl VisitedTexts {
    fn record(&self, value: &Value) {
        if let Some(text) = value.peel().as_str() {
            self.0.lock().unwrap().insert(text.to_owned());
        }
    }
}

/// A schema with every kind of nesting. Its attributes record the values that they get in `visited`.
fn schema(visited: &VisitedTexts, change: &dyn Fn(Attribute) -> Attribute) -> Block {
    let leaf = |name: &'static str, ty: Type| {
        let (validated, modified) = (visited.clone(), visited.clone());
        change(
            Attribute::optional_computed(name, ty)
                .validators([Validator::new("", move |_, value, _| validated.record(value))])
                .modifiers([Modifier::new("", move |it| {
                    modified.record(it.config);
                    Ok(())
                })]),
        )
    };
    let text = || leaf("text", Type::String);
    let nested = |nesting, attributes| NestedObject::new(nesting, attributes);
    let attributes = || {
        let within = || vec![text(), Attribute::optional("deep", nested(Nesting::List, vec![text()]))];
        vec![
            text(),
            Attribute::optional("single", nested(Nesting::Single, within())),
            Attribute::optional("list", nested(Nesting::List, within())),
            Attribute::optional("set", nested(Nesting::Set, within())),
            Attribute::optional("map", nested(Nesting::Map, within())),
        ]
    };
    let inner = || {
        Block::new(attributes()).blocks([NestedBlock::new("rule", BlockNesting::List, Block::new([text()]))])
    };
    let mixed = || Block::new([text(), leaf("any", Type::Dynamic)]);
    let blocks = [
        ("block", BlockNesting::Single),
        ("group", BlockNesting::Group),
        ("blocks", BlockNesting::List),
        ("unordered", BlockNesting::Set),
        ("labelled", BlockNesting::Map),
    ];
    let blocks = blocks.map(|(name, nesting)| NestedBlock::new(name, nesting, inner()));
    let dynamic = [("tuple", BlockNesting::List), ("object", BlockNesting::Map)];
    let dynamic = dynamic.map(|(name, nesting)| NestedBlock::new(name, nesting, mixed()));
    Block::new(attributes()).blocks(blocks.into_iter().chain(dynamic))
}

/// Makes values whose collections have the given numbers of objects.
struct ValueBuilder {
    numbers: Vec<usize>,
    next: Cell<usize>,
}

impl ValueBuilder {
    fn next(&self) -> usize {
        self.next.set(self.next.get() + 1);
        self.next.get()
    }

    fn body(&self, body: Body<'_>) -> Value {
        let members = body.members().map(|member| {
            let value = match (member, member.nested()) {
                (_, None) if &**member.name() == "any" => Value::dynamic(Type::String, self.text()),
                (_, None) => self.text(),
                (walk::Member::Attribute(_), Some((nesting, body))) => self.objects(nesting, body),
                (walk::Member::Block(block), Some((nesting, body))) => {
                    match (nesting, self.objects(nesting, body)) {
                        (Nesting::List, Value::List(blocks)) if block.ty() == Type::Dynamic => {
                            block.dynamic_value(Value::Tuple(blocks))
                        }
                        (Nesting::Map, Value::Map(blocks)) if block.ty() == Type::Dynamic => {
                            block.dynamic_value(Value::Object(blocks))
                        }
                        (_, value) => value,
                    }
                }
            };
            (member.name().to_string(), value)
        });
        Value::object(members.collect::<Vec<_>>())
    }

    fn text(&self) -> Value {
        Value::string(format!("text {}", self.next()))
    }

    fn objects(&self, nesting: Nesting, body: Body<'_>) -> Value {
        let count = self.numbers[self.next() % self.numbers.len()];
        let objects: Vec<Value> = (0..count).map(|_| self.body(body)).collect();
        match nesting {
            Nesting::Single => self.body(body),
            Nesting::List => Value::List(objects),
            Nesting::Set => Value::Set(objects.into_iter().collect()),
            Nesting::Map => {
                Value::map(objects.into_iter().enumerate().map(|(at, it)| (format!("k{at}"), it)))
            }
        }
    }
}

/// All texts of a value, or those outside of sets.
fn texts(value: &Value, sets: bool) -> Texts {
    let visited = VisitedTexts::default();
    value.walk(|path: &Path, value: &Value| {
        if sets || !path.steps().iter().any(|step| matches!(step, Step::Element)) {
            visited.record(value);
        }
    });
    std::mem::take(&mut *visited.0.lock().unwrap())
}

#[test]
fn every_traversal_visits_every_attribute() {
    for shape in 0..3_usize.pow(4) {
        let numbers = (0..4).map(|at| shape / 3_usize.pow(at) % 3).collect();
        check(&ValueBuilder { numbers, next: Cell::new(0) });
    }
}

fn check(builder: &ValueBuilder) {
    let visited = VisitedTexts::default();
    let seen = || std::mem::take(&mut *visited.0.lock().unwrap());
    let block = schema(&visited, &|attribute| attribute);
    let value = builder.body((&block).into());
    let (all, outside) = (texts(&value, true), texts(&value, false));
    assert!(all.len() > 3, "{all:?}");

    validate(&block, &value, true, &mut Diagnostics::default());
    assert_eq!(seen(), all, "validators");

    let input = PlanInput { block: &block, config: &value, prior: &Value::Null, proposed: &value };
    plan::plan_in(input, &Environment::default(), &Private::default()).unwrap();
    assert_eq!(seen(), all, "modifiers");

    let computed = |mut attribute: Attribute| {
        attribute.presence = Presence::Computed;
        attribute
    };
    let mut blanked = value.clone();
    generate_resource_config::blank((&schema(&visited, &computed)).into(), &mut blanked);
    assert_eq!(texts(&blanked, true), Texts::new(), "generated configurations");

    let secret = schema(&visited, &|attribute| attribute.write_only());
    assert_eq!(plan::write_only_null(&secret, &value).len(), all.len(), "rules");
    let without = write_only::without_values(&secret, value.clone());
    assert_eq!(texts(&without, true), Texts::new(), "write-only values");
    let with = write_only::with_values(&secret, without, &value);
    assert_eq!(texts(&with, true), outside, "write-only values of a plan");
}
