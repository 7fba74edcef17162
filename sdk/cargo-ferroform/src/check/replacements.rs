//! What forces a replacement.
//!
//! No schema says so, so the program is asked: `PlanResourceChange` with a stored object and a configuration in which one
//! attribute becomes unknown. An unknown value is valid wherever a type is, so the question needs no example. The program is
//! not configured, hence it needs no service and no credentials. What the code of a resource decides with its client, or by
//! the new value, stays unseen.

use std::collections::BTreeMap;

use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, NestedBlock, Nesting, Presence, Schema,
};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::client::{self, PlanRequest, StoredObject};
use ferroform_testing::plan_rules::{proposed_new, requires_replace};

use super::changes::{Change, Level};
use crate::failure::Outcome;
use crate::provider::asked;

/// Whether a change of an attribute or block replaces the object, by its path such as `cloud_server.disk.size`; `None`
/// where the program does not say.
pub(super) type Replacements = BTreeMap<String, Option<bool>>;

/// Asks a program.
///
/// # Errors
/// It is no provider, or core would refuse a schema.
pub(super) fn of(program: &std::path::Path) -> Outcome<Replacements> {
    asked(program, async |provider| {
        let mut all = Replacements::new();
        for (name, schema) in &provider.schemas().resources {
            let sample = block(&schema.block);
            let prior = StoredObject { value: sample.prior, ..StoredObject::none() };
            // A program that replaces an object without a change, or cannot plan, says nothing.
            let plans = replaced(provider, (name, schema), &prior, &sample.config).await == Some(false);
            for (path, config) in sample.changed {
                let answer =
                    if plans { replaced(provider, (name, schema), &prior, &config).await } else { None };
                all.insert(format!("{name}.{path}"), answer);
            }
        }
        all
    })
}

/// What differs between a release and now, and what cannot be compared. An attribute that only one of both has is no
/// change of this kind.
pub(super) fn between(released: &Replacements, now: &Replacements) -> (Vec<Change>, Vec<String>) {
    let (mut changes, mut skipped) = (Vec::new(), Vec::new());
    let both = released.iter().filter_map(|(path, before)| Some((path, before, now.get(path)?)));
    for (path, before, now) in both {
        let (level, text) = match (before, now) {
            (Some(false), Some(true)) => (
                Level::Breaking,
                "forces a replacement; objects that were updated in place are destroyed and created anew",
            ),
            (Some(true), Some(false)) => (Level::Feature, "forces no replacement any more"),
            (None, _) | (_, None) => {
                skipped.push(path.clone());
                continue;
            }
            _ => continue,
        };
        changes.push(Change { level, text: format!("resource {path} {text}") });
    }
    (changes, skipped)
}

async fn replaced(
    provider: &client::Provider,
    (name, schema): (&str, &Schema),
    prior: &StoredObject,
    config: &Value,
) -> Option<bool> {
    let proposed = proposed_new(&schema.block, &prior.value, config);
    let request = PlanRequest { prior, config, proposed: &proposed, planned_private: Default::default() };
    let planned = provider.plan(name, request).await.ok()?;
    let (paths, _) =
        requires_replace(&schema.block, &prior.value, &planned.object.value, &planned.requires_replace);
    (!paths.is_empty() || !planned.diagnostics.has_errors()).then_some(!paths.is_empty())
}

/// A stored value, its configuration, and that configuration with one change each.
struct Sample {
    prior: Value,
    config: Value,
    /// By the path of what is changed, which is empty for the value itself.
    changed: Vec<(String, Value)>,
}

impl Sample {
    /// What only the provider sets.
    fn of_provider(prior: Value) -> Self {
        Self { prior, config: Value::Null, changed: Vec::new() }
    }

    /// The same inside of a collection.
    fn map(self, wrap: impl Fn(Value) -> Value) -> Self {
        Self {
            prior: wrap(self.prior),
            config: wrap(self.config),
            changed: self.changed.into_iter().map(|(path, value)| (path, wrap(value))).collect(),
        }
    }

    /// And with this in the place of the whole.
    fn or(mut self, value: Value) -> Self {
        self.changed.push((String::new(), value));
        self
    }

    fn object(members: &[(&str, Self)]) -> Self {
        let of = |value: &dyn Fn(&str, &Self) -> Value| {
            Value::object(members.iter().map(|(name, member)| (*name, value(name, member))))
        };
        let mut changed = Vec::new();
        for (name, member) in members {
            for (path, value) in &member.changed {
                let path = if path.is_empty() { (*name).to_owned() } else { format!("{name}.{path}") };
                let config = of(&|other, it| if other == *name { value.clone() } else { it.config.clone() });
                changed.push((path, config));
            }
        }
        Self { prior: of(&|_, it| it.prior.clone()), config: of(&|_, it| it.config.clone()), changed }
    }
}

fn block(block: &Block) -> Sample {
    let attributes = block.attributes.iter().map(|it| (&*it.name, attribute(it)));
    let blocks = block.blocks.iter().map(|it| (&*it.name, nested_block(it)));
    Sample::object(&attributes.chain(blocks).collect::<Vec<_>>())
}

fn attribute(attribute: &Attribute) -> Sample {
    let sample = match &attribute.ty {
        _ if is_left_out(&attribute.name) || attribute.write_only => {
            let config = Value::Null;
            Sample { prior: Value::Null, config, changed: Vec::new() }
        }
        AttributeType::Plain(ty) => {
            let (prior, config) = (plain(ty), plain(ty));
            Sample { prior, config, changed: Vec::new() }
        }
        AttributeType::Nested(object) => {
            let members = object.attributes.iter().map(|it| (&*it.name, self::attribute(it)));
            let element = Sample::object(&members.collect::<Vec<_>>());
            match object.nesting {
                Nesting::Single => element,
                Nesting::List => element.map(|it| Value::list([it])),
                Nesting::Set => element.map(|it| Value::set([it])),
                Nesting::Map => element.map(|it| Value::map([("a", it)])),
            }
        }
    };
    match attribute.presence {
        Presence::Computed => Sample::of_provider(sample.prior),
        _ if is_left_out(&attribute.name) => sample,
        _ => sample.or(Value::unknown()),
    }
}

fn nested_block(nested: &NestedBlock) -> Sample {
    if is_left_out(&nested.name) {
        let (prior, config) = (nested.absent(), nested.absent());
        return Sample { prior, config, changed: Vec::new() };
    }
    let is_dynamic = nested.ty() == Type::Dynamic;
    let sample = block(&nested.block);
    match nested.nesting {
        BlockNesting::Single | BlockNesting::Group => sample.or(nested.absent()),
        BlockNesting::List if is_dynamic => {
            sample.map(|it| nested.dynamic_value(Value::tuple([it]))).or(Value::unknown())
        }
        BlockNesting::Map if is_dynamic => {
            sample.map(|it| nested.dynamic_value(Value::object([("a", it)]))).or(Value::unknown())
        }
        BlockNesting::List => sample.map(|it| Value::list([it])).or(Value::unknown()),
        BlockNesting::Set => sample.map(|it| Value::set([it])).or(Value::unknown()),
        BlockNesting::Map => sample.map(|it| Value::map([("a", it)])).or(Value::unknown()),
    }
}

/// Timeouts are no part of the object, and must be durations.
fn is_left_out(name: &str) -> bool {
    name == "timeouts"
}

/// Some value of a type.
fn plain(ty: &Type) -> Value {
    match ty {
        Type::String => Value::from("a"),
        Type::Number => Value::from(1),
        Type::Bool => Value::from(true),
        Type::Dynamic => Value::dynamic(Type::String, Value::from("a")),
        Type::List(element) => Value::list([plain(element)]),
        Type::Set(element) => Value::set([plain(element)]),
        Type::Map(element) => Value::map([("a", plain(element))]),
        Type::Tuple(elements) => Value::tuple(elements.iter().map(plain)),
        Type::Object(object) => Value::object(object.attributes().iter().map(|(name, ty)| (name, plain(ty)))),
    }
}
