//! Checks that every pass over a value by its schema visits every attribute, whatever collection holds its object.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::diag::Diagnostics;
use crate::path::{Path, Step};
use crate::plan::{self, PlanInput};
use crate::private::Private;
use crate::schema::walk::{self, Body};
use crate::schema::{
    Attribute, Block, BlockNesting, Default, Environment, Equivalence, Modifier, NestedBlock, NestedObject,
    Nesting, Presence, Replace, Schema, Target, Text, Validator,
};
use crate::server::rpc::generate_resource_config;
use crate::server::{normalize, write_only_values};
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

/// A schema with every kind of nesting. Its attributes record the values that they get in `visited`. Each object has a key,
/// by which the elements of sets are known.
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
    let texts = || vec![leaf("key", Type::String).key(), leaf("text", Type::String)];
    let nested = |nesting, attributes| NestedObject::new(nesting, attributes);
    let attributes = || {
        let within = || with(texts(), [Attribute::optional("deep", nested(Nesting::List, texts()))]);
        let nested = [
            Attribute::optional("single", nested(Nesting::Single, within())),
            Attribute::optional("list", nested(Nesting::List, within())),
            Attribute::optional("set", nested(Nesting::Set, within())),
            Attribute::optional("map", nested(Nesting::Map, within())),
        ];
        with(texts(), nested)
    };
    let inner = || {
        Block::new(attributes()).blocks([NestedBlock::new("rule", BlockNesting::List, Block::new(texts()))])
    };
    let mixed = || Block::new(with(texts(), [leaf("any", Type::Dynamic)]));
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

fn with<const N: usize>(attributes: Vec<Attribute>, more: [Attribute; N]) -> Vec<Attribute> {
    attributes.into_iter().chain(more).collect()
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

/// The value with other texts. The change gets the name of the attribute and its text.
fn changed(value: &Value, change: &dyn Fn(&str, &str) -> Value) -> Value {
    changed_in("", value, change)
}

fn changed_in(name: &str, value: &Value, change: &dyn Fn(&str, &str) -> Value) -> Value {
    let element = |value: &Value| changed_in(name, value, change);
    match value {
        Value::String(text) => change(name, text),
        Value::List(elements) => Value::List(elements.iter().map(element).collect()),
        Value::Tuple(elements) => Value::Tuple(elements.iter().map(element).collect()),
        Value::Set(elements) => Value::Set(elements.iter().map(element).collect()),
        Value::Map(entries) => Value::map(entries.iter().map(|(key, value)| (key, element(value)))),
        Value::Object(members) => {
            Value::object(members.iter().map(|(name, value)| (name.clone(), changed_in(name, value, change))))
        }
        Value::Dynamic(dynamic) => Value::dynamic(dynamic.ty.clone(), element(&dynamic.value)),
        other => other.clone(),
    }
}

/// The value with that in place of each `text`.
fn with_text(value: &Value, text: &Value) -> Value {
    changed(value, &|name, other| if name == "text" { text.clone() } else { Value::string(other) })
}

/// The paths of the attributes that the predicate holds for. The elements of sets share theirs.
fn paths(value: &Value, holds: &dyn Fn(&str, &Value) -> bool) -> BTreeSet<Path> {
    let mut paths = BTreeSet::new();
    value.walk(|path: &Path, value: &Value| {
        if let Some(Step::Attribute(name)) = path.steps().last()
            && holds(name, value)
        {
            paths.insert(with_labels(path));
        }
    });
    paths
}

/// A label of blocks that differ in type is an attribute to a pass that knows no schema, and a key to the others.
fn with_labels(path: &Path) -> Path {
    let is_label = |name: &Text| name.strip_prefix('k').is_some_and(|number| number.parse::<u8>().is_ok());
    let steps = path.steps().iter().map(|step| match step {
        Step::Attribute(name) if is_label(name) => Step::Key(name.clone()),
        other => other.clone(),
    });
    steps.collect()
}

fn is_text(_: &str, value: &Value) -> bool {
    value.peel().as_str().is_some()
}

/// What a check finds: a problem in an element of a set is one of the set.
fn addressable(paths: impl IntoIterator<Item = Path>) -> BTreeSet<Path> {
    paths.into_iter().map(|path| path.addressable().iter().cloned().collect()).collect()
}

/// Runs a check for values of many shapes.
fn for_each_shape(check: fn(&ValueBuilder)) {
    for shape in 0..3_usize.pow(4) {
        let numbers = (0..4).map(|at| shape / 3_usize.pow(at) % 3).collect();
        check(&ValueBuilder { numbers, next: Cell::new(0) });
    }
}

#[test]
fn every_traversal_visits_every_attribute() {
    for_each_shape(|builder| {
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
        let without = write_only_values::without_values(&secret, value.clone());
        assert_eq!(texts(&without, true), Texts::new(), "write-only values");
        let with = write_only_values::with_values(&secret, without, &value);
        assert_eq!(texts(&with, true), outside, "write-only values of a plan");
    });
}

#[test]
fn computed_values_of_every_object_are_proposed_again() {
    for_each_shape(|builder| {
        let block = schema(&VisitedTexts::default(), &|attribute| attribute);
        let prior = builder.body((&block).into());
        // Core has merged the prior values into the configuration, but the SDK makes its own proposal for elements of sets.
        let config = with_text(&prior, &Value::Null);
        let made = plan::plan(PlanInput { block: &block, config: &config, prior: &prior, proposed: &prior })
            .unwrap();
        assert_eq!(made.state, prior);
    });
}

#[test]
fn every_attribute_is_filled_or_marked_unknown() {
    for_each_shape(|builder| {
        let block = schema(&VisitedTexts::default(), &|attribute| attribute);
        let state = builder.body((&block).into());
        let config = with_text(&state, &Value::Null);
        let all = paths(&state, &|name, _| name == "text");
        let unknown = |value: &Value| paths(value, &|_, value| value.is_unknown());

        let input = PlanInput { block: &block, config: &config, prior: &Value::Null, proposed: &config };
        let planned = plan::plan(input).unwrap().state;
        assert_eq!(planned, with_text(&state, &Value::unknown()), "unknown values");
        let found = plan::wholly_known(&planned);
        assert_eq!(
            addressable(found.iter().map(|it| with_labels(&it.path))),
            addressable(all.clone()),
            "states"
        );

        let mut observed = state.clone();
        let drift = plan::complete(&block, &planned, &mut observed);
        assert_eq!((&observed, drift.changed), (&state, Vec::new()), "completed plans");
        assert_eq!(plan::result_valid(&block, &planned, &state), [], "results");

        let recomputed = schema(&VisitedTexts::default(), &|attribute| match &*attribute.name {
            "text" => attribute.recompute_on([Target::from("key")]),
            _ => attribute,
        });
        let other = changed(&state, &|name, text| match name {
            "key" => Value::string(format!("other {text}")),
            "text" => Value::Null,
            _ => Value::string(text),
        });
        let input = PlanInput { block: &recomputed, config: &other, prior: &state, proposed: &other };
        let planned = plan::plan(input).unwrap().state;
        assert_eq!(unknown(&planned), all, "recomputed values");

        let filled = Value::from("default");
        let with_default = schema(&VisitedTexts::default(), &|mut attribute| {
            attribute.default = (&*attribute.name == "text").then(|| Default::Value(filled.clone()));
            attribute
        });
        let made = plan::with_defaults(&with_default, &config, &Environment::default()).unwrap();
        assert_eq!(made, with_text(&state, &filled), "defaults");
    });
}

/// The attribute with an equivalence under which case does not count, by normal forms or by comparison.
fn without_case(attribute: Attribute, is_normal: bool) -> Attribute {
    fn upper(value: &Value) -> Option<Value> {
        Some(Value::string(value.peel().as_str()?.to_uppercase()))
    }
    attribute.equivalence(if is_normal {
        Equivalence::normal(upper)
    } else {
        Equivalence::relation(|one, other| upper(one) == upper(other))
    })
}

#[test]
fn every_equivalent_value_keeps_its_representation() {
    for_each_shape(|builder| {
        for is_normal in [true, false] {
            let block = schema(&VisitedTexts::default(), &|attribute| without_case(attribute, is_normal));
            let state = builder.body((&block).into());
            let other = changed(&state, &|_, text| Value::string(text.to_uppercase()));
            let all = paths(&state, &is_text);

            let input = PlanInput { block: &block, config: &other, prior: &state, proposed: &other };
            let made = plan::plan(input).unwrap();
            assert_eq!(made.state, state, "plans");
            assert_eq!(made.suppressed.into_iter().collect::<BTreeSet<_>>(), all, "plans");

            let mut observed = other.clone();
            let drift = plan::refresh(&block, &state, &mut observed);
            assert_eq!((&observed, drift.changed), (&state, Vec::new()), "refreshed states");
            assert_eq!(drift.suppressed.into_iter().collect::<BTreeSet<_>>(), all, "refreshed states");
        }
    });
}

#[test]
fn every_change_is_found() {
    for_each_shape(|builder| {
        let block = schema(&VisitedTexts::default(), &|attribute| match &*attribute.name {
            "key" => attribute,
            _ => attribute.replace(Replace::OnChange),
        });
        let state = builder.body((&block).into());
        let other = changed(&state, &|name, text| match name {
            "key" => Value::string(text),
            _ => Value::string(format!("other {text}")),
        });
        let all = paths(&state, &|name, value| name != "key" && is_text(name, value));

        let input = PlanInput { block: &block, config: &other, prior: &state, proposed: &other };
        let made = plan::plan(input).unwrap();
        assert_eq!(made.requires_replace.into_iter().collect::<BTreeSet<_>>(), all, "replacements");
        let drift = plan::refresh(&block, &state, &mut other.clone());
        let found = drift.changed.into_iter().map(|it| it.path);
        assert_eq!(found.collect::<BTreeSet<_>>(), all, "differences");

        // Core trusts plans of sets, for nothing says which element is which.
        let outside = all.iter().filter(|path| !path.steps().contains(&Step::Element)).cloned();
        let found = plan::plan_valid(&block, &Value::Null, &state, &other).into_iter().map(|it| it.path);
        assert_eq!(found.collect::<BTreeSet<_>>(), outside.collect(), "rules of plans");
        let found = plan::result_valid(&block, &state, &other).into_iter().map(|it| it.path);
        assert_eq!(addressable(found), addressable(all.clone()), "rules of results");
    });
}

#[test]
fn every_absent_block_becomes_an_empty_collection() {
    fn with_rules(value: &Value, rules: &Value) -> Value {
        let inner = |value: &Value| with_rules(value, rules);
        match value {
            Value::List(elements) => Value::List(elements.iter().map(inner).collect()),
            Value::Set(elements) => Value::Set(elements.iter().map(inner).collect()),
            Value::Map(entries) => Value::map(entries.iter().map(|(key, value)| (key, inner(value)))),
            Value::Object(members) => Value::object(members.iter().map(|(name, value)| match &**name {
                "rule" => (name, rules.clone()),
                _ => (name, inner(value)),
            })),
            other => other.clone(),
        }
    }
    for_each_shape(|builder| {
        let block = schema(&VisitedTexts::default(), &|attribute| attribute);
        let state = builder.body((&block).into());
        let mut absent = with_rules(&state, &Value::Null);
        normalize::absent_blocks(&block.blocks, &mut absent);
        assert_eq!(absent, with_rules(&state, &Value::list([])));
    });
}

#[test]
fn every_mistake_of_a_schema_is_found() {
    let schema = schema(&VisitedTexts::default(), &|mut attribute| {
        attribute.write_only = true;
        attribute.presence = Presence::Computed;
        attribute
    });
    let builder = ValueBuilder { numbers: vec![1], next: Cell::new(0) };
    let names = |path: &Path| {
        let names = path.steps().iter().filter(|step| matches!(step, Step::Attribute(_)));
        names.cloned().collect::<Path>()
    };
    let all: BTreeSet<_> = paths(&builder.body((&schema).into()), &is_text).iter().map(names).collect();
    let found = Schema::new(schema).check().unwrap_err().errors;
    let found: BTreeSet<_> = found.into_iter().map(|it| names(&it.path)).collect();
    assert_eq!(found.intersection(&all).count(), all.len());
}
