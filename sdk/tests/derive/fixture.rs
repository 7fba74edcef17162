//! A model that uses everything.

use std::collections::{BTreeMap, BTreeSet};

use ferroform::diag::{Diagnostics, Error, Result};
use ferroform::model::{AttributeValue, Decode, Model, SetOf, WriteOnly};
use ferroform::path::Path;
use ferroform::schema::Validator;
use ferroform::value::{Dynamic, Number, Value};

/// How fast it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, AttributeValue)]
pub(crate) enum Tier {
    Standard,
    VeryFast,
    #[attr(name = "glacier-1")]
    Glacier,
}

/// A storage bucket.
///
/// It holds objects.
#[derive(Model)]
#[model(version = 3, deprecated = "Use a store.")]
pub(crate) struct Bucket {
    /// Chosen by the service.
    #[attr(computed, identity)]
    pub(crate) id: String,
    #[attr(replace, validate = [not_empty, starts_low, Validator::new("free", |_, _, _| ())])]
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    #[attr(default = false)]
    pub(crate) versioning: bool,
    #[attr(default = "eu", replace = if_configured)]
    pub(crate) zone: String,
    #[attr(default_with = usual_size)]
    pub(crate) size: u32,
    #[attr(optional, computed, keep)]
    pub(crate) region: String,
    #[attr(computed)]
    pub(crate) note: Option<String>,
    #[attr(sensitive, deprecated = "Use `seed`.")]
    pub(crate) token: Option<String>,
    pub(crate) seed: WriteOnly<String>,
    pub(crate) salt: WriteOnly<Option<Vec<u8>>>,
    pub(crate) tier: Tier,
    pub(crate) tags: Option<BTreeMap<String, String>>,
    pub(crate) zones: BTreeSet<String>,
    pub(crate) weights: Option<SetOf<f64>>,
    pub(crate) exact: Option<Number>,
    pub(crate) pair: Option<(String, Option<i64>)>,
    pub(crate) any: Option<Dynamic>,
    pub(crate) owner: Owner,
    pub(crate) owners: Option<Vec<Owner>>,
    #[attr(name = "type")]
    pub(crate) kind: Option<String>,
    pub(crate) r#final: Option<bool>,
    /// Rules of access.
    #[attr(block, min_items = 1, max_items = 4, deprecated = "Use `owners`.")]
    pub(crate) rule: Vec<Rule>,
    #[attr(block)]
    pub(crate) label: SetOf<Rule>,
    #[attr(block)]
    pub(crate) part: BTreeMap<String, Rule>,
    #[attr(block)]
    pub(crate) lock: Option<Rule>,
    #[attr(block)]
    pub(crate) root: Rule,
    #[attr(block = group)]
    pub(crate) limits: Limits,
    #[attr(block, computed)]
    pub(crate) found: Vec<Found>,
}

#[derive(Model)]
#[model(nested)]
pub(crate) struct Owner {
    pub(crate) name: String,
    #[attr(sensitive)]
    pub(crate) mail: Option<String>,
}

/// Who may do what.
#[derive(Model)]
#[model(nested)]
pub(crate) struct Rule {
    pub(crate) action: String,
    pub(crate) count: Option<u8>,
}

#[derive(Model)]
#[model(nested)]
pub(crate) struct Limits {
    pub(crate) bytes: Option<u64>,
}

#[derive(Model)]
#[model(nested)]
pub(crate) struct Found {
    #[attr(computed)]
    pub(crate) at: String,
}

fn not_empty(name: &str) -> Result {
    if name.is_empty() { Err(Error::new("Empty Name", "Give it a name.")) } else { Ok(()) }
}

fn starts_low(path: &Path, value: &Value, diagnostics: &mut Diagnostics) {
    if value.as_str().is_some_and(|name| name.starts_with(char::is_uppercase)) {
        diagnostics.extend(Error::new("Upper Case", "Start low.").at(path.clone()));
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the signature that `default_with` takes")]
fn usual_size(_: &Path) -> Result<u32> {
    Ok(7)
}

pub(crate) fn rule(action: &str) -> Value {
    Value::object([("action", Value::from(action)), ("count", Value::Null)])
}

pub(crate) fn owner(name: &str) -> Value {
    Value::object([("name", Value::from(name)), ("mail", Value::from("hidden@example.org"))])
}

/// A whole bucket, as a configuration has it once everything is known.
pub(crate) fn bucket() -> Value {
    Value::object([
        ("id", Value::from("b-1")),
        ("name", Value::from("logs")),
        ("description", Value::Null),
        ("versioning", Value::from(true)),
        ("zone", Value::from("eu")),
        ("size", Value::from(7)),
        ("region", Value::from("north")),
        ("note", Value::Null),
        ("token", Value::from("canary-token")),
        ("seed", Value::Null),
        ("salt", Value::Null),
        ("tier", Value::from("very_fast")),
        ("tags", Value::map([("env", Value::from("prod"))])),
        ("zones", Value::set(["a", "b"].map(Value::from))),
        ("weights", Value::set([Value::Number("0.1".parse().expect("a number"))])),
        ("exact", Value::Number("12345678901234567890123".parse().expect("a number"))),
        ("pair", Value::tuple([Value::from("x"), Value::Null])),
        ("any", Value::dynamic(ferroform::ty::Type::Bool, Value::from(true))),
        ("owner", owner("ann")),
        ("owners", Value::list([owner("bob")])),
        ("type", Value::from("plain")),
        ("final", Value::from(true)),
        ("rule", Value::list([rule("read")])),
        ("label", Value::set([rule("write")])),
        ("part", Value::map([("a", rule("list"))])),
        ("lock", Value::Null),
        ("root", rule("all")),
        ("limits", Value::object([("bytes", Value::from(9))])),
        ("found", Value::list([Value::object([("at", Value::from("here"))])])),
    ])
}

/// The bucket with another value at one attribute.
pub(crate) fn bucket_with(name: &str, value: Value) -> Value {
    let Value::Object(mut entries) = bucket() else { unreachable!("the fixture is an object") };
    entries.insert(name, value);
    Value::Object(entries)
}

/// The same with the write-only value that a plan at apply has.
pub(crate) fn planned(name: &str, value: Value) -> Value {
    let Value::Object(mut entries) = bucket_with(name, value) else {
        unreachable!("the fixture is an object")
    };
    entries.insert("seed", Value::from("canary-seed"));
    Value::Object(entries)
}

#[expect(clippy::needless_pass_by_value, reason = "most values are made for the call")]
pub(crate) fn decode<T: Decode>(value: Value) -> Result<T> {
    let mut at = Path::root();
    let result = T::decode(&value, &mut at);
    assert!(at.is_root(), "the path was not given back as it was: {at}");
    result
}
