//! Recorded results, and what the evaluator says to the same expressions.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ferroform::codec::{json::decode_untyped, type_json};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::language::{
    Diagnostic, MarkSet, Marked, Resolved, Scope, SourceFile, Traversal, TraversalStep, evaluate,
    function_names, parse_expression,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::files;

/// What a core makes of an expression: a value, something unknown or partly unknown, or an error.
#[derive(Debug, Serialize, Deserialize)]
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
    /// The summary of the first error.
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

/// What the core says when a result is infinite: here the operation fails already.
const UNSTORABLE: &str = "Failed to write plan file";

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

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/language/vectors.jsonl")
}

pub(crate) fn write(rows: &[Row]) -> Result<(), String> {
    let text: String = rows.iter().map(|row| row.line() + "\n").collect();
    std::fs::write(file(), text).map_err(|error| error.to_string())
}

fn rows() -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(file()).map_err(|error| error.to_string())?;
    text.lines().map(|line| serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))).collect()
}

/// The committed file holds exactly what the core says.
pub(crate) fn compare_with_file(recorded: &[Row]) -> Result<(), String> {
    let committed: Vec<String> = rows()?.iter().map(Row::line).collect();
    let recorded: Vec<String> = recorded.iter().map(Row::line).collect();
    let mut differences = String::new();
    for line in recorded.iter().filter(|line| !committed.contains(line)) {
        let _ = writeln!(differences, "+ {line}");
    }
    for line in committed.iter().filter(|line| !recorded.contains(line)) {
        let _ = writeln!(differences, "- {line}");
    }
    if differences.is_empty() { Ok(()) } else { Err(format!("vectors.jsonl is out of date:\n{differences}")) }
}

/// The evaluator says to each expression what the core said.
pub(crate) fn all_agree() -> Result<(), String> {
    let rows = rows()?;
    if rows.len() < 500 {
        return Err(format!("there are {} vectors only", rows.len()));
    }
    // Where the evaluator still departs from the core, by the expression as in `vectors.jsonl`.
    let known: std::collections::HashSet<String> = include_str!("departures.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{line}: {error}")))
        .collect::<Result<_, _>>()?;
    let mut wrong = Vec::new();
    for row in &rows {
        match (check(row), known.contains(&row.expr)) {
            (Err(difference), false) => wrong.push(difference),
            (Ok(()), true) => wrong.push(format!("  {} agrees by now: take it off the list", row.expr)),
            _ => {}
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{} of {} differ:\n{}", wrong.len(), rows.len(), wrong.join("\n")))
}

/// Every function stands in some vector that has a value, but for those whose result is never the same.
pub(crate) fn cover_every_function() -> Result<(), String> {
    /// Their results depend on the machine, are refused here, or are never known before apply.
    const WITHOUT: [&str; 8] =
        ["abspath", "base64gzip", "bcrypt", "pathexpand", "plantimestamp", "rsadecrypt", "timestamp", "uuid"];
    let rows = rows()?;
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
                let id = Value::Unknown(ferroform::value::Unknown::not_null());
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
                resolved(evaluated(text.trim())?, 1)
            }
            _ => Err(vec![Diagnostic::error("Invalid reference", "There is no such name.")]),
        }
    }
}

pub(crate) fn evaluated(text: &str) -> Result<Marked, Vec<Diagnostic>> {
    let source = SourceFile::new("main.tf", text);
    let expr = parse_expression(&source).map_err(|error| vec![error])?;
    evaluate(&expr, &Names { source })
}

fn check(row: &Row) -> Result<(), String> {
    let wrong = |found: String| Err(format!("  {}\n    core: {}\n    here: {found}", row.expr, said(row)));
    match (evaluated(&row.expr), &row.error) {
        (Err(errors), Some(summary)) => {
            if summary == UNSTORABLE || errors.iter().any(|error| error.summary == *summary) {
                return Ok(());
            }
            wrong(format!("error {:?}", errors.first().map(|error| (&error.summary, &error.detail))))
        }
        (Err(errors), None) => {
            wrong(format!("error {:?}", errors.first().map(|error| (&error.summary, &error.detail))))
        }
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

fn said(row: &Row) -> String {
    let raw = |raw: &Option<Box<RawValue>>| raw.as_ref().map_or("-", |raw| raw.get()).to_owned();
    match (&row.error, row.unknown) {
        (Some(error), _) => format!("error {error:?}"),
        (None, Some(extent)) => format!("unknown {extent:?} {}", raw(&row.value)),
        (None, None) => format!("{} as {}", raw(&row.value), raw(&row.ty)),
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
