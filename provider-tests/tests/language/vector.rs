//! Recorded results, and what the evaluator says to the same expressions.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ferroform::path::Step;
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::{json::decode_untyped, type_json};
use ferroform_testing::language::{
    Diagnostic, MarkSet, Marked, Resolved, Scope, SourceFile, Traversal, TraversalStep, evaluate,
    function_names, parse_expression,
};
use libtest_mimic::Failed;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

use super::record::shows_marks;
use super::rules::is_listed;
use super::{RECORDED, agreement, departures, files};

/// What a core makes of an expression: a value, something unknown or partly unknown, or an error.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) expr: String,
    /// The value; what is known of it, if not all is.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Box<RawValue>>,
    /// The type of a wholly known value.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) ty: Option<Box<RawValue>>,
    /// Whether it is unknown as a whole or in parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unknown: Option<Extent>,
    /// Which parts of it are sensitive, if this is shown and there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sensitive: Option<Json>,
    /// The summaries of the errors, each once and in their order as texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// A value that is there, and may be null.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(from).map(Some)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Extent {
    All,
    Parts,
}

impl Row {
    /// The row as comparable text.
    fn line(&self) -> String {
        serde_json::to_string(self).expect("rows are JSON")
    }
}

/// What the core says when a result is infinite and cannot be stored.
pub(crate) const UNSTORABLE: &str = "Failed to write plan file";

/// What stands for something that only a core knows.
pub(crate) const SETUP: &str = r#"
variable "e" {
  default   = "x"
  ephemeral = true
}

resource "terraform_data" "u" {
  input = timestamp()
}

locals {
  us  = terraform_data.u.id
  ud  = try(terraform_data.u.id)
  un  = tonumber(terraform_data.u.id)
  ub  = tobool(terraform_data.u.id)
  ul  = split(",", terraform_data.u.id)
  uset = toset(split(",", terraform_data.u.id))
  um  = zipmap(split(",", terraform_data.u.id), split(",", terraform_data.u.id))
  uo  = tobool(terraform_data.u.id) ? { a = 1 } : { a = 2 }
}
"#;

/// The files of vectors: those of chosen expressions, and those of generated ones.
pub(crate) const CHOSEN: &str = "vectors.jsonl";
pub(crate) const GENERATED: &str = "generated.jsonl";

pub(crate) fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/language").join(name)
}

/// The first line of a file: the core from which the rows are.
fn head() -> String {
    json!({ "core": RECORDED }).to_string()
}

pub(crate) fn write(name: &str, rows: &[Row]) -> Result<(), String> {
    let lines = std::iter::once(head()).chain(rows.iter().map(Row::line));
    let text: String = lines.map(|line| line + "\n").collect();
    std::fs::write(file(name), text).map_err(|error| error.to_string())
}

pub(crate) fn rows(name: &str) -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(file(name)).map_err(|error| error.to_string())?;
    let mut lines = text.lines();
    let core = lines.next().unwrap_or_default();
    if core != head() {
        return Err(format!(
            "{name} is not from {RECORDED}; record it again with FERROFORM_RECORD=1: {core}"
        ));
    }
    lines.map(|line| serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))).collect()
}

/// The committed file holds exactly what the core says.
pub(crate) fn compare_with_file(name: &str, recorded: &[Row]) -> Result<(), String> {
    let committed: Vec<String> = rows(name)?.iter().map(Row::line).collect();
    let recorded: Vec<String> = recorded.iter().map(Row::line).collect();
    let mut differences = String::new();
    for line in recorded.iter().filter(|line| !committed.contains(line)) {
        let _ = writeln!(differences, "+ {line}");
    }
    for line in committed.iter().filter(|line| !recorded.contains(line)) {
        let _ = writeln!(differences, "- {line}");
    }
    if differences.is_empty() { Ok(()) } else { Err(format!("{name} is out of date:\n{differences}")) }
}

/// The evaluator says to each expression what the core said, but for differences by rule, which are listed exactly.
pub(crate) fn all_agree(name: &str, topics: &[(&str, Vec<String>)]) -> Result<(), Failed> {
    let rows = rows(name)?;
    are_of(&rows, &topics.iter().flat_map(|(_, expressions)| expressions).collect::<Vec<_>>())?;
    let (mut left, mut wrong, mut listed) = (rows.iter(), Vec::new(), String::new());
    for (topic, expressions) in topics {
        let mut agreeing = 0;
        for row in left.by_ref().take(expressions.len()) {
            match check(row) {
                Ok(()) => agreeing += 1,
                Err(difference) if is_listed(row) => listed.push_str(&(difference + "\n")),
                Err(difference) => wrong.push(difference),
            }
        }
        agreement::count((RECORDED, topic), "expressions", agreeing, expressions.len());
    }
    if !wrong.is_empty() {
        return Err(format!("{} of {} differ:\n{}", wrong.len(), rows.len(), wrong.join("\n")).into());
    }
    departures::compare(&file(name).with_extension("departures.txt"), &listed)
}

/// The rows are of these expressions, in their order.
fn are_of(rows: &[Row], expressions: &[&String]) -> Result<(), String> {
    let recorded: Vec<&String> = rows.iter().map(|row| &row.expr).collect();
    if recorded == expressions {
        return Ok(());
    }
    let stale = recorded.iter().filter(|it| !expressions.contains(it)).map(|it| format!("- {it}\n"));
    let missing = expressions.iter().filter(|it| !recorded.contains(it)).map(|it| format!("+ {it}\n"));
    let differences: String = stale.chain(missing).collect();
    Err(format!(
        "the recording is of other expressions; record it again with FERROFORM_RECORD=1:\n{differences}"
    ))
}

/// Every function stands in some vector that has a value, but for those whose result is never the same.
pub(crate) fn cover_every_function() -> Result<(), String> {
    /// Their results depend on the machine, are refused here, or are never known before apply. Core refuses `list` and `map`, too.
    const WITHOUT: [&str; 10] = [
        "abspath",
        "base64gzip",
        "bcrypt",
        "list",
        "map",
        "pathexpand",
        "plantimestamp",
        "rsadecrypt",
        "timestamp",
        "uuid",
    ];
    let rows = rows(CHOSEN)?;
    let missing: Vec<&str> = function_names()
        .into_iter()
        .filter(|name| !WITHOUT.contains(name))
        .filter(|name| {
            let call = format!("{name}(");
            !rows.iter().any(|row| row.error.is_none() && row.expr.contains(&call))
        })
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("no vector for {missing:?}")) }
}

/// The names that the expressions use.
struct Names {
    source: SourceFile,
    phase: Phase,
}

/// Core evaluates an expression twice, and what is wrong with it while validating is all that it says.
#[derive(Clone, Copy, PartialEq)]
enum Phase {
    /// Nothing is known of the attributes of resources but their types.
    Validate,
    Plan,
}

impl Scope for Names {
    fn source(&self) -> &SourceFile {
        &self.source
    }

    fn directory(&self) -> Option<&Path> {
        Some(files::folder())
    }

    fn resolve(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        let resolved = |value, steps| Ok(Resolved { value, steps });
        match (traversal.root.as_str(), traversal.steps.as_slice()) {
            ("terraform_data", [TraversalStep::Attribute(_), ..]) => {
                let id = match self.phase {
                    Phase::Validate => Value::unknown(),
                    Phase::Plan => Value::Unknown(ferroform::value::Unknown::not_null()),
                };
                let members = [
                    ("id", Type::String, id),
                    ("output", Type::Dynamic, Value::unknown()),
                    ("input", Type::Dynamic, Value::unknown()),
                ];
                let ty = Type::object(members.iter().map(|(name, ty, _)| (*name, ty.clone())));
                let value = Value::object(members.map(|(name, _, value)| (name, value)));
                resolved(Marked::new(value, &ty), 1)
            }
            ("var", [TraversalStep::Attribute(_), ..]) => {
                resolved(Marked::string("x").mark(MarkSet::EPHEMERAL), 1)
            }
            ("local", [TraversalStep::Attribute(name), ..]) => {
                let setup = SETUP.lines().filter_map(|line| line.trim().split_once('='));
                let found = setup.into_iter().find(|(known, _)| known.trim() == name);
                let (_, text) =
                    found.ok_or_else(|| vec![Diagnostic::error("no such local", name.clone())])?;
                resolved(evaluated_in(self.phase, text.trim())?, 1)
            }
            _ => Err(vec![Diagnostic::error("Invalid reference", "There is no such name.")]),
        }
    }
}

pub(crate) fn evaluated(text: &str) -> Result<Marked, Vec<Diagnostic>> {
    evaluated_in(Phase::Validate, text)?;
    evaluated_in(Phase::Plan, text)
}

fn evaluated_in(phase: Phase, text: &str) -> Result<Marked, Vec<Diagnostic>> {
    let source = SourceFile::new("main.tf", text);
    let expr = parse_expression(&source).map_err(|error| vec![error])?;
    evaluate(&expr, &Names { source, phase })
}

pub(crate) fn check(row: &Row) -> Result<(), String> {
    let wrong = |found: String| Err(format!("{}\n  core: {}\n  here: {found}", json!(row.expr), said(row)));
    match (evaluated(&row.expr), &row.error) {
        (Err(errors), Some(summary)) => {
            let found: BTreeSet<&str> = errors.iter().map(|error| error.summary.as_str()).collect();
            if found.into_iter().collect::<Vec<_>>().join("; ") == *summary {
                return Ok(());
            }
            wrong(told(&errors))
        }
        (Err(errors), None) => wrong(told(&errors)),
        (Ok(value), Some(_)) => wrong(format!("{:?}", value.value)),
        (Ok(value), None) => {
            let extent = if value.is_unknown() {
                Some(Extent::All)
            } else if value.value.is_wholly_known() {
                None
            } else {
                Some(Extent::Parts)
            };
            let ty = type_json::encode(&value.ty);
            if extent != row.unknown {
                return wrong(format!("{:?}", value.value));
            }
            if let Some(expected) = &row.value {
                let expected =
                    decode_untyped(expected.get().as_bytes()).map_err(|error| error.to_string())?;
                if untyped(&value.value) != expected {
                    return wrong(format!("{:?}", value.value));
                }
            }
            let mut marks = BTreeSet::new();
            marked(row.sensitive.as_ref().unwrap_or(&Json::Null), "", &mut marks);
            if shows_marks(&row.expr) && own_marks(&value) != marks {
                return wrong(format!("{:?}", value.marks));
            }
            match &row.ty {
                // A null output has no type.
                Some(expected) if !value.is_null() && !same_json(expected.get(), &ty) => {
                    wrong(format!("{:?} as {ty}", value.value))
                }
                _ => Ok(()),
            }
        }
    }
}

fn told(errors: &[Diagnostic]) -> String {
    format!("error {:?}", errors.iter().map(|error| (&error.summary, &error.detail)).collect::<Vec<_>>())
}

/// The places that are marked, as texts.
fn marked(marks: &Json, at: &str, found: &mut BTreeSet<String>) {
    match marks {
        Json::Bool(true) => drop(found.insert(at.to_owned())),
        Json::Array(parts) => {
            parts.iter().enumerate().for_each(|(step, part)| marked(part, &format!("{at}/{step}"), found));
        }
        Json::Object(parts) => {
            parts.iter().for_each(|(step, part)| marked(part, &format!("{at}/{step}"), found));
        }
        _ => {}
    }
}

/// Those of a value. What is in something marked is not told.
fn own_marks(value: &Marked) -> BTreeSet<String> {
    let sensitive = value.marks.iter().filter(|(_, set)| set.sensitive);
    let places: Vec<Vec<String>> =
        sensitive.map(|(path, _)| path.steps().iter().map(step).collect()).collect();
    let within =
        |place: &[String]| places.iter().any(|other| other.len() < place.len() && place.starts_with(other));
    let outer = places.iter().filter(|place| !within(place));
    outer.map(|place| place.iter().map(|step| format!("/{step}")).collect()).collect()
}

fn step(step: &Step) -> String {
    match step {
        Step::Attribute(name) => name.to_string(),
        Step::Key(key) => key.to_string(),
        Step::Index(at) => at.to_string(),
        _ => "element".to_owned(),
    }
}

fn said(row: &Row) -> String {
    let raw = |raw: &Option<Box<RawValue>>| raw.as_ref().map_or("-", |raw| raw.get()).to_owned();
    match (&row.error, row.unknown) {
        (Some(error), _) => format!("error {error:?}"),
        (None, Some(extent)) => format!("unknown {extent:?} {} {:?}", raw(&row.value), row.sensitive),
        (None, None) => format!("{} as {} {:?}", raw(&row.value), raw(&row.ty), row.sensitive),
    }
}

fn same_json(a: &str, b: &str) -> bool {
    let read = |text| serde_json::from_str::<serde_json::Value>(text).ok();
    read(a) == read(b)
}

/// The value as JSON shows it: without types, and without what is unknown.
fn untyped(value: &Value) -> Value {
    match value {
        Value::List(elements) | Value::Tuple(elements) => Value::tuple(elements.iter().map(untyped)),
        Value::Set(set) => Value::tuple(set.sorted().into_iter().map(untyped)),
        Value::Map(entries) | Value::Object(entries) => Value::object(
            entries
                .iter()
                .filter(|(_, value)| !value.is_unknown())
                .map(|(name, value)| (name, untyped(value))),
        ),
        Value::Unknown(_) => Value::Null,
        value => value.clone(),
    }
}
