//! Core takes the marks of sensitive values away before it calls a provider. So no validator, notation or rule may show
//! a value, whether in a diagnostic or in the log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use ferroform::diag::Error;
use ferroform::model::macro_support::validator;
use ferroform::model::{AttributeValue, Draft, Model, Timeouts};
use ferroform::path;
use ferroform::schema::{Attribute, Block, IdentityAttribute, IdentitySchema, Schema, Validator};
use ferroform::semantic::{Base64Text, Cidr, DecimalText, Duration, IpAddress, Json};
use ferroform::ty::Type;
use ferroform::validate::collection::{each, keys, no_nulls, size, unique, unique_by};
use ferroform::validate::combine::{all, any, any_with_all_warnings, not};
use ferroform::validate::relation::{
    also_requires, at_least_one_of, at_most_one_of, conflicts_with, exactly_one_of, forbidden_when,
    prefer_write_only, required, required_together, required_when,
};
use ferroform::validate::{Check, boolean, kind, number, text};
use ferroform::value::Value;
use ferroform_core::plan;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, PlanResourceChangeRequest, ReadResourceRequest, Request,
    ValidateResourceConfigRequest,
};

use crate::server::canary::{CANARY, DIGITS, check};
use crate::server::support::{
    THING, Thing, capable, config, encoded, encoded_by, message, object, planned, schema, serving, with_id,
};

/// What is said of a configuration of a schema, without a value of it.
fn said(block: Block, config: &Value) -> String {
    let schema = Schema::new(block);
    let request = message!(ValidateResourceConfigRequest {
        type_name: THING.to_owned(),
        config: encoded_by(&schema, config),
        client_capabilities: capable(),
    });
    check(&serving(Thing { schema, ..Thing::default() }), request)
}

/// A validator by the name of the function that makes it, and a value of a type of which it says something.
type Row = (&'static str, Type, Value, Validator);

fn texts() -> Vec<Row> {
    let row = |name, validator: Check<kind::Text>| (name, Type::String, canary(), validator.into());
    vec![
        row("length", text::length(..=3)),
        row("characters", text::characters(..=3)),
        row("one_of", text::one_of(["a", "b"])),
        row("one_of_ignoring_case", text::one_of_ignoring_case(["a", "b"])),
        row("none_of", text::none_of([CANARY])),
        row("none_of_ignoring_case", text::none_of_ignoring_case([CANARY])),
        row("satisfies", text::satisfies("a short text", |it| it.len() < 3)),
        #[cfg(feature = "regex")]
        row("matches", text::matches("^[a-z]$", "a letter")),
    ]
}

fn numbers() -> Vec<Row> {
    let row = |name, validator: Validator| (name, Type::Number, DIGITS.into(), validator);
    vec![
        row("at_least", number::at_least(DIGITS + 1).into()),
        row("at_most", number::at_most(1).into()),
        row("between", number::between(1, 2).into()),
        row("one_of", number::one_of([1, 2]).into()),
        row("none_of", number::none_of([DIGITS]).into()),
        row("at_least_sum_of", number::at_least_sum_of(["number", "one"]).into()),
        row("at_most_sum_of", number::at_most_sum_of(["one"]).into()),
        row("equal_to_sum_of", number::equal_to_sum_of(["number", "one"]).into()),
        row("equal_to_product_of", number::equal_to_product_of(["number", "number"]).into()),
        ("is_true", Type::Bool, false.into(), boolean::is_true().into()),
        ("is_false", Type::Bool, true.into(), boolean::is_false().into()),
    ]
}

fn collections() -> Vec<Row> {
    let list = |name, value, validator| (name, Type::list(Type::String), Value::list(value), validator);
    let keyed = || Value::object([("key", canary())]);
    let objects = Type::list(Type::object([("key", Type::String)]));
    let map = Value::map([("key", canary())]);
    let short = || text::length(..=3);
    vec![
        list("size", vec![canary()], size(2..).into()),
        list("unique", vec![canary(), canary()], unique().into()),
        ("unique_by", objects, Value::list([keyed(), keyed()]), unique_by("key").into()),
        list("no_nulls", vec![canary(), Value::Null], no_nulls().into()),
        list("each", vec![canary()], validator::<Vec<String>, _>(each(short()))),
        ("each", Type::map(Type::String), map, validator::<BTreeMap<String, String>, _>(each(short()))),
        (
            "keys",
            Type::map(Type::String),
            // The path of an element names its key, which is the user's own word for it.
            Value::map([("long key", canary())]),
            validator::<BTreeMap<String, String>, _>(keys(short())),
        ),
    ]
}

fn combinations() -> Vec<Row> {
    let row = |name, validator: Validator| (name, Type::String, canary(), validator);
    let short = || (text::length(..=3), text::one_of(["a"]));
    vec![
        row("all", validator::<String, _>(all(short()))),
        row("any", validator::<String, _>(any(short()))),
        row("any_with_all_warnings", validator::<String, _>(any_with_all_warnings(short()))),
        row("not", validator::<String, _>(not(text::length(4..)))),
    ]
}

fn relations() -> Vec<Row> {
    let set = |name, validator: Check<kind::Anything>| (name, Type::String, canary(), validator.into());
    let left_out =
        |name, validator: Check<kind::Anything>| (name, Type::String, Value::Null, validator.into());
    vec![
        left_out("required", required()),
        set("conflicts_with", conflicts_with(["text"])),
        set("also_requires", also_requires(["absent"])),
        set("exactly_one_of", exactly_one_of(["text"])),
        left_out("at_least_one_of", at_least_one_of(["absent"])),
        set("at_most_one_of", at_most_one_of(["text"])),
        set("required_together", required_together(["absent"])),
        left_out("required_when", required_when("text", [CANARY])),
        set("forbidden_when", forbidden_when("text", [CANARY])),
        set("prefer_write_only", prefer_write_only("write_only")),
    ]
}

fn canary() -> Value {
    Value::string(CANARY)
}

/// A validator of the attribute `a`, in a configuration in which something else is wrong too.
fn with_others((_, ty, value, validator): &Row) -> (Block, Value) {
    let wrong = vec![text::length(..=3).into()];
    let attributes = vec![
        Attribute::optional("a", ty.clone()).validators([validator.clone()]),
        Attribute::optional("absent", Type::String),
        Attribute::optional("number", Type::Number),
        Attribute::optional("one", Type::Number),
        Attribute::optional("text", Type::String),
        Attribute::optional("write_only", Type::String).write_only(),
        Attribute::optional("wrong", Type::String).validators(wrong),
    ];
    let config = Value::object([
        ("a", value.clone()),
        ("absent", Value::Null),
        ("number", DIGITS.into()),
        ("one", 1.into()),
        ("text", canary()),
        ("write_only", Value::Null),
        ("wrong", canary()),
    ]);
    (Block::new(attributes), config)
}

#[test]
fn no_validator_shows_a_value() {
    let rows = [texts(), numbers(), collections(), combinations(), relations()].concat();
    for row in &rows {
        let (block, config) = with_others(row);
        let said = said(block, &config);
        assert!(said.contains(" a"), "{} says nothing of `a`: {said}", row.0);
    }
    let shown: BTreeSet<&str> = rows.iter().map(|row| row.0).collect();
    let missing: Vec<String> = stock().into_iter().filter(|name| !shown.contains(&**name)).collect();
    assert_eq!(missing, [""; 0], "validators without a row");
}

/// The functions that make validators.
fn stock() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("core/src/validate");
    let files = ["boolean", "collection", "combine", "number", "relation", "text"];
    let mut names = BTreeSet::new();
    for file in files {
        let source = fs::read_to_string(folder.join(file).with_extension("rs")).expect("a source");
        let functions = source.lines().filter_map(|line| line.strip_prefix("pub fn "));
        names.extend(functions.filter_map(|rest| rest.split(['(', '<']).next()).map(str::to_owned));
    }
    // These name other attributes; and a program without the feature has no expressions.
    let left_out = |name: &str| {
        ["root", "parent"].contains(&name) || (name == "matches" && cfg!(not(feature = "regex")))
    };
    names.retain(|name| !left_out(name));
    assert!(names.len() > 30, "{names:?}");
    names
}

/// A word that is none of these.
#[derive(AttributeValue, Debug, Clone, Copy)]
enum Size {
    Small,
    Large,
}

/// What types refuse of themselves, and an author's own checks.
#[derive(Model)]
#[model(validate = whole)]
struct Typed {
    json: Option<Json>,
    jsons: Option<Vec<Json>>,
    duration: Option<Duration>,
    address: Option<IpAddress>,
    cidr: Option<Cidr>,
    decimal: Option<DecimalText>,
    base64: Option<Base64Text>,
    size: Option<Size>,
    byte: Option<u8>,
    #[attr(validate = |_: &str| Err(Error::new("Not Liked", "Write something else.")))]
    own: Option<String>,
    rule: Option<Rule>,
    #[attr(timeouts = [create])]
    timeouts: Option<Timeouts>,
}

#[derive(Model)]
#[model(nested)]
struct Rule {
    json: Option<Json>,
    byte: Option<u8>,
}

fn whole(_: &Draft<Typed>) -> ferroform::diag::Result {
    Err(Error::new("Not Liked", "Write something else."))
}

#[test]
fn no_type_shows_a_value() {
    let text = || Value::from(format!("{CANARY}!"));
    let rule = Value::object([("json", text()), ("byte", DIGITS.into())]);
    let values = [
        ("json", text()),
        ("jsons", Value::list([text()])),
        ("duration", text()),
        ("address", text()),
        ("cidr", text()),
        ("decimal", text()),
        ("base64", text()),
        ("size", text()),
        ("byte", DIGITS.into()),
        ("own", text()),
        ("rule", rule),
        ("timeouts", Value::object([("create", text())])),
    ];
    let said_of_typed = |values: [(&str, Value); 12]| said(Typed::block(), &Value::object(values));
    let said = said_of_typed(values.clone());
    for (name, _) in &values {
        assert!(said.contains(&format!("error {name}")), "nothing is said of {name}: {said}");
    }

    // A check of the whole object is made of one that fits.
    let values = values.map(|(name, value)| (name, if name == "own" { value } else { Value::Null }));
    let said = said_of_typed(values);
    assert!(said.contains("error: Not Liked"), "{said}");
}

/// Checks that a type refuses a value at its path.
#[cfg(any(feature = "time", feature = "url", feature = "yaml"))]
macro_rules! refused {
    ($ty:ty, $value:expr) => {{
        #[derive(Model)]
        struct One {
            a: Option<$ty>,
        }
        let said = said(One::block(), &Value::object([("a", Value::from($value))]));
        assert!(said.contains("error a"), "{said}");
    }};
}

#[cfg(any(feature = "time", feature = "url", feature = "yaml"))]
#[test]
fn no_notation_that_comes_with_a_feature_shows_a_value() {
    #[cfg(feature = "time")]
    refused!(ferroform::semantic::Rfc3339, CANARY);
    #[cfg(feature = "url")]
    refused!(ferroform::semantic::Url, CANARY);
    #[cfg(feature = "yaml")]
    refused!(ferroform::semantic::Yaml, format!("[{CANARY}"));
}

/// A rule, who breaks it, and in which call.
type Broken = (plan::Rule, Thing, Request);

fn plans(thing: Thing) -> (Thing, Request) {
    let request = message!(PlanResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: encoded(&object(CANARY, &format!("{CANARY} before"))),
        proposed_new_state: encoded(&config(CANARY)),
        config: encoded(&config(CANARY)),
    });
    (thing, request.into())
}

fn creates(thing: Thing) -> (Thing, Request) {
    let request = message!(ApplyResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: encoded(&Value::Null),
        planned_state: encoded(&planned(CANARY)),
        config: encoded(&config(CANARY)),
    });
    (thing, request.into())
}

fn rules() -> Vec<Broken> {
    let another = || format!("{CANARY}, another one");
    let secret = |mut state: Value| {
        if let Value::Object(entries) = &mut state {
            entries.insert("secret", canary());
        }
        state
    };
    let of = |rule, (thing, request): (Thing, Request)| (rule, thing, request);
    let plan = |hook: crate::server::support::PlanHook| plans(Thing { plan: hook, ..Thing::default() });
    let create =
        |state: Value| creates(Thing { create: Box::new(move |_, _| Ok(state.clone())), ..Thing::default() });
    let planning = move |state: Value| {
        plan(Box::new(move |_, change| {
            change.planned = state.clone();
            Ok(())
        }))
    };
    vec![
        of(plan::Rule::PlanFollowsConfig, planning(planned(&another()))),
        of(
            plan::Rule::ReplacePathExists,
            plan(Box::new(|cx, _| {
                cx.requires_replace(path!(gone));
                Ok(())
            })),
        ),
        of(plan::Rule::ResultFollowsPlan, create(object(CANARY, &another()))),
        of(plan::Rule::Known, create(with_id(Value::unknown(), CANARY))),
        of(plan::Rule::WriteOnlyNull, create(secret(object(CANARY, CANARY)))),
        of(plan::Rule::IdentityKept, renames(&another())),
    ]
}

/// A read that finds another identity than the stored one.
fn renames(another: &str) -> (Thing, Request) {
    let id = IdentityAttribute::required("id", Type::String);
    let identity = IdentitySchema::new([id]);
    let found = object(another, CANARY);
    let thing = Thing {
        identity_schema: Some(identity),
        read: Box::new(move |_, _| Ok(Some(found.clone()))),
        ..Thing::default()
    };
    let id = Schema::new(Block::new([Attribute::required("id", Type::String)]));
    let request = message!(ReadResourceRequest {
        type_name: THING.to_owned(),
        current_state: encoded(&object(CANARY, CANARY)),
        current_identity: Some(encoded_by(&id, &Value::object([("id", canary())]))),
    });
    (thing, request.into())
}

#[test]
fn violated_rules_show_no_value() {
    assert!(schema().check().is_ok());
    let mut shown = Vec::new();
    for (rule, thing, request) in rules() {
        let said = check(&serving(thing), request);
        let breach = plan::Violation { rule, path: ferroform::path::Path::root(), found: String::new() };
        let summary = breach.diagnostic("", "").summary;
        assert!(said.contains(&summary), "{rule:?} is not said to be broken: {said}");
        shown.push(rule);
    }
    for rule in [
        plan::Rule::PlanFollowsConfig,
        plan::Rule::ResultFollowsPlan,
        plan::Rule::ReplacePathExists,
        plan::Rule::Known,
        plan::Rule::WriteOnlyNull,
        plan::Rule::IdentityKept,
    ] {
        assert!(shown.contains(&rule), "{rule:?} is not tried");
    }
}
