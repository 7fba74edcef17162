//! Secrets stay where they may be.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ferroform::schema::{AttributeType, Block};
use ferroform::ty::Type;
use ferroform::value::{Entries, Value};
use ferroform_core::schema::walk::Member;

use crate::config::Body;
use crate::conformance::bench::{Bench, Stage, errors, schema};
use crate::conformance::rule::{RuleResult, Verdict, not_checked, violated};
use crate::conformance::variants::variants;
use crate::embedded::PlanOptions;
use crate::secrets::{Leak, Secrets, list};

pub(in crate::conformance) fn canaries(bench: &Bench) -> RuleResult {
    // Numbers of that size are refused where ports and lengths are meant; what is refused shows nothing.
    match bench.run(async |stage| looked_for(stage, Sorts::TextsAndNumbers).await) {
        Err(Verdict::NotChecked(_)) => bench.run(async |stage| looked_for(stage, Sorts::Texts).await),
        held => held,
    }
}

async fn looked_for(stage: &mut Stage, sorts: Sorts) -> RuleResult {
    let body = stage.changed.clone().unwrap_or_else(|| stage.minimal.clone());
    let (provider, config) = stage.known(&body).await?;
    let schemas = provider.schemas().clone();
    let block = &schema(&provider, &stage.type_name)?.block;
    let (config, secrets) = planted(block, &config, sorts);
    if secrets.is_empty() {
        return Ok(());
    }
    let schemas = BTreeMap::from([(stage.address.clone(), schemas)]);
    let body = Body::of(block, &config);
    let mut leaks = Vec::new();
    for options in [PlanOptions::default(), PlanOptions::default(), PlanOptions::refresh_only()] {
        let plan = stage.plan(&body, &options).await;
        leaks.extend(secrets.in_diagnostics(&plan.diagnostics));
        errors(&plan.diagnostics).map_err(|error| refused(&leaks, &error))?;
        let json = plan.to_json(&schemas).map_err(|error| not_checked(error.to_string()))?;
        leaks.extend(secrets.in_plan(&json));
        for change in &plan.changes {
            leaks.extend(secrets.in_bytes("the planned private data", &change.private));
        }
        let outcome = stage.core.apply(&plan).await;
        leaks.extend(secrets.in_diagnostics(&outcome.diagnostics));
        errors(&outcome.diagnostics).map_err(|error| refused(&leaks, &error))?;
        leaks.extend(secrets.in_state(&outcome.state).map_err(|error| not_checked(error.to_string()))?);
        stage.state = outcome.state;
    }
    leaks.extend(ended(stage, &secrets, &body).await);
    if leaks.is_empty() { Ok(()) } else { violated(list(&leaks)) }
}

/// What is left to look at when all is done.
async fn ended(stage: &mut Stage, secrets: &Secrets, body: &Body) -> Vec<Leak> {
    let mut leaks = Vec::new();
    if let Err(error) = stage.destroy(body).await {
        leaks.extend(secrets.in_bytes("an error of the destruction", error.as_bytes()));
    }
    leaks.extend(secrets.in_bytes("the transcript", stage.transcript.unmasked().as_bytes()));
    leaks.extend(secrets.in_bytes("the output on stderr", stage.proxy.stderr().as_bytes()));
    leaks
}

/// A leak counts although the rest was refused.
fn refused(leaks: &[Leak], error: &str) -> Verdict {
    if leaks.is_empty() {
        let hint = "give the attributes longer limits, or leave the rule out";
        return not_checked(format!("the configuration with canaries is not applied, {hint}: {error}"));
    }
    Verdict::Violated(list(leaks))
}

/// Of which types canaries are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sorts {
    TextsAndNumbers,
    Texts,
}

/// The configuration with a canary in each sensitive and each write-only attribute: for itself, or for each text and
/// number in it.
pub(super) fn planted(block: &Block, config: &Value, sorts: Sorts) -> (Value, Secrets) {
    let (mut config, mut secrets, mut count) = (config.clone(), Secrets::new(), 0);
    loop {
        // One place at a time: an element of a set has no address, and another place after a change of it.
        let found = RefCell::new(None);
        let places = variants(block, &config, &|place, value| {
            let Member::Attribute(attribute) = place else { return None };
            if found.borrow().is_some() || !(attribute.sensitive || attribute.write_only) {
                return None;
            }
            let mut canaries = Canaries { write_only: attribute.write_only, sorts, count, made: Vec::new() };
            let value = canaries.instead_of(value, &attribute.ty)?;
            *found.borrow_mut() = Some(canaries);
            Some(value)
        });
        let (Some(canaries), Some((path, variant))) = (found.into_inner(), places.into_iter().next()) else {
            return (config, secrets);
        };
        let plant = if canaries.write_only { Secrets::write_only_at } else { Secrets::sensitive_at };
        secrets = canaries.made.iter().fold(secrets, |secrets, canary| plant(secrets, &path, canary));
        (config, count) = (variant, canaries.count);
    }
}

/// Makes the canaries of an attribute.
struct Canaries {
    write_only: bool,
    sorts: Sorts,
    /// How many there are, in other attributes too.
    count: u32,
    made: Vec<String>,
}

/// What numbers among canaries are greater than; they have nine digits, and any integer type of 32 bits holds them.
const NUMBERS: u32 = 918_273_000;

/// How many canaries there can be.
const MOST: u32 = 999;

impl Canaries {
    /// A value like that one; `None` if it has canaries already, or can have none.
    fn instead_of(&mut self, value: &Value, ty: &AttributeType) -> Option<Value> {
        let value = match (value.peel(), ty) {
            (Value::Null, AttributeType::Plain(Type::String)) => self.text(),
            (Value::Null, AttributeType::Plain(Type::Number)) => self.number()?,
            (value, _) => self.in_each(value),
        };
        (!self.made.is_empty()).then_some(value)
    }

    fn in_each(&mut self, value: &Value) -> Value {
        let mut all = |values: &mut dyn Iterator<Item = &Value>| -> Vec<Value> {
            values.map(|value| self.in_each(value)).collect()
        };
        match value.peel() {
            Value::String(text) if !is_canary(text) => self.text(),
            Value::Number(number) if !is_canary(&number.to_string()) => {
                self.number().unwrap_or_else(|| value.clone())
            }
            Value::List(elements) => Value::List(all(&mut elements.iter())),
            Value::Tuple(elements) => Value::Tuple(all(&mut elements.iter())),
            Value::Set(elements) => Value::set(all(&mut elements.as_slice().iter())),
            Value::Map(entries) => Value::map(named(entries, all(&mut entries.values()))),
            Value::Object(entries) => Value::object(named(entries, all(&mut entries.values()))),
            _ => value.clone(),
        }
    }

    fn text(&mut self) -> Value {
        let canary = format!("{}-canary-{:03}", if self.write_only { "wo" } else { "sens" }, self.next());
        self.made.push(canary.clone());
        Value::from(canary)
    }

    fn number(&mut self) -> Option<Value> {
        if self.sorts == Sorts::Texts || self.count >= MOST {
            return None;
        }
        let canary = NUMBERS + self.next();
        self.made.push(canary.to_string());
        Some(Value::from(i64::from(canary)))
    }

    fn next(&mut self) -> u32 {
        self.count += 1;
        self.count
    }
}

fn named(entries: &Entries, values: Vec<Value>) -> Vec<(String, Value)> {
    entries.keys().map(str::to_owned).zip(values).collect()
}

fn is_canary(text: &str) -> bool {
    let number = text.parse::<u32>().is_ok_and(|number| (NUMBERS..=NUMBERS + MOST).contains(&number));
    number || text.starts_with("sens-canary-") || text.starts_with("wo-canary-")
}

#[cfg(test)]
mod tests {
    use ferroform::schema::{Attribute, BlockNesting, NestedBlock, NestedObject, Nesting};

    use super::*;

    fn secret(name: &'static str, ty: impl Into<AttributeType>) -> Attribute {
        Attribute::optional(name, ty).sensitive()
    }

    fn object(members: &[(&str, Value)]) -> Value {
        Value::object(members.iter().cloned())
    }

    fn texts<const N: usize>(texts: [&str; N]) -> Vec<Value> {
        texts.map(Value::from).to_vec()
    }

    /// Sets, numbers, and collections of either, each with canaries of their own.
    #[test]
    fn every_secret_has_a_canary() {
        let key = || vec![Attribute::optional("name", Type::String), secret("key", Type::String)];
        let write_only = Attribute::optional("pin", Type::Number).write_only();
        let rule = Block::new(key());
        let block = Block::new([
            secret("token", Type::String),
            write_only,
            secret("names", Type::list(Type::String)),
            secret("ports", Type::map(Type::Number)),
            secret("on", Type::Bool),
            Attribute::optional("users", NestedObject::new(Nesting::Set, key())),
        ])
        .blocks([NestedBlock::new("rule", BlockNesting::Set, rule)]);
        let user = |name: &str, key: &str| object(&[("name", name.into()), ("key", key.into())]);
        let ports = |a: i64| Value::map([("a", Value::from(a))]);
        let with = |token: Value, pin: Value, names: Vec<Value>, ports: Value, keys: [&str; 4]| {
            let [one, two, three, four] = keys;
            object(&[
                ("token", token),
                ("pin", pin),
                ("names", Value::List(names)),
                ("ports", ports),
                ("on", Value::from(true)),
                ("users", Value::set(vec![user("a", one), user("b", two)])),
                ("rule", Value::set(vec![user("c", three), user("d", four)])),
            ])
        };
        let before = with(Value::Null, Value::from(7), texts(["x", "y"]), ports(80), ["k", "k", "k", "k"]);
        let numbers = with(
            "sens-canary-001".into(),
            Value::from(918_273_002),
            texts(["sens-canary-003", "sens-canary-004"]),
            ports(918_273_005),
            ["sens-canary-006", "sens-canary-007", "sens-canary-008", "sens-canary-009"],
        );
        let (config, secrets) = planted(&block, &before, Sorts::TextsAndNumbers);
        assert_eq!(config, numbers);
        let seen = |text: &str| secrets.in_bytes("a log", text.as_bytes()).len();
        assert_eq!((seen("pin=918273002"), seen("918273005,sens-canary-009"), seen("80")), (1, 2, 0));

        let only_texts = with(
            "sens-canary-001".into(),
            Value::from(7),
            texts(["sens-canary-002", "sens-canary-003"]),
            ports(80),
            ["sens-canary-004", "sens-canary-005", "sens-canary-006", "sens-canary-007"],
        );
        assert_eq!(planted(&block, &before, Sorts::Texts).0, only_texts);
    }
}
