//! Asks a real core for the value of each expression, all in a few plans.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ferroform_testing::language::{SourceFile, parse_expression};
use ferroform_testing::real::{Core, Severity, Workspace};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::vector::{Extent, Row, SETUP, UNSTORABLE};
use super::{calls, cases, files, phrases};

/// The chosen expressions by topic, each once.
pub(crate) fn topics() -> Vec<(&'static str, Vec<String>)> {
    let mut seen = BTreeSet::new();
    let mut topic = |name, all: &mut dyn Iterator<Item = String>| {
        (name, all.filter(|expr| seen.insert(expr.clone())).collect())
    };
    vec![
        topic("phrases", &mut phrases::all()),
        topic("cases", &mut cases::all()),
        topic("calls", &mut calls::all()),
        topic("files", &mut files::all()),
    ]
}

#[derive(Deserialize)]
struct Plan {
    #[serde(default)]
    output_changes: BTreeMap<String, Change>,
    planned_values: Values,
    #[serde(default)]
    resource_changes: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    name: String,
    change: Change,
}

#[derive(Deserialize)]
struct Change {
    after: Option<Box<RawValue>>,
    after_unknown: serde_json::Value,
    #[serde(default)]
    after_sensitive: serde_json::Value,
}

#[derive(Deserialize)]
struct Values {
    #[serde(default)]
    outputs: BTreeMap<String, Output>,
}

#[derive(Deserialize)]
struct Output {
    #[serde(rename = "type")]
    ty: Option<Box<RawValue>>,
}

/// One row for each expression. The time of a plan grows faster than the number of its outputs. A text that the parser
/// refuses is in a plan of its own, for it might end in the middle of the next one.
pub(crate) fn record(core: &Core, expressions: &[String]) -> Result<Vec<Row>, String> {
    let (read, refused): (Vec<_>, Vec<_>) = expressions.iter().cloned().partition(|expr| is_read(expr));
    let mut rows = BTreeMap::new();
    for some in read.chunks(150).chain(refused.chunks(1)) {
        rows.extend(record_some(core, some)?.into_iter().map(|row| (row.expr.clone(), row)));
    }
    Ok(expressions.iter().filter_map(|expr| rows.get(expr).cloned()).collect())
}

/// Whether the parser of the embedded core takes a text. Core takes a few more; see `docs/language.md`.
pub(crate) fn is_read(expr: &str) -> bool {
    parse_expression(&SourceFile::new("main.tf", expr)).is_ok()
}

/// Each expression is an output; those with errors are taken out until a plan succeeds.
fn record_some(core: &Core, expressions: &[String]) -> Result<Vec<Row>, String> {
    let workspace = Workspace::new(core, &[]).map_err(|error| error.to_string())?;
    let workspace = workspace.with_time_limit(Duration::from_secs(600));
    files::write(&workspace.dir());
    let run = |args: &[&str]| workspace.run(args).map_err(|error| error.to_string());
    let mut errors: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    loop {
        let (text, lines) = configuration(expressions, &errors);
        workspace.write("main.tf", &text).map_err(|error| error.to_string())?;
        // `Workspace::plan` reads the plan, which cannot hold all numbers.
        let planned = run(&["plan", "-json", "-input=false", "-out=recorded"])?;
        if planned.succeeded() {
            return rows(expressions, &errors, &run(&["show", "-json", "recorded"])?.stdout);
        }
        let mut found: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for diagnostic in planned.diagnostics.iter().filter(|found| found.severity == Severity::Error) {
            for (name, _) in
                diagnostic.detail.split("output value \"o").skip(1).filter_map(|rest| rest.split_once('"'))
            {
                let row = name.parse().map_err(|_| format!("no output o{name}"))?;
                found.entry(row).or_default().insert(diagnostic.summary.clone());
            }
            // What a plan cannot hold is found when it is stored, and told without a place.
            let stored = diagnostic.summary.split_once("failed to encode terraform_data.o");
            if let Some((name, _)) = stored.and_then(|(_, rest)| rest.split_once(' ')) {
                let row = name.parse().map_err(|_| format!("no resource o{name}"))?;
                found.entry(row).or_default().insert(UNSTORABLE.to_owned());
            }
            let line = diagnostic.range.as_ref().map_or(0, |range| range.start.line);
            let row = lines.partition_point(|(start, _)| *start <= line);
            if let Some((_, row)) = row.checked_sub(1).and_then(|at| lines.get(at)) {
                found.entry(*row).or_default().insert(diagnostic.summary.clone());
            }
        }
        if found.is_empty() {
            return Err(format!("the plan fails: {:?} {}", planned.diagnostics, planned.stderr));
        }
        errors.append(&mut found);
    }
}

/// The configuration, and the line on which each expression begins.
fn configuration(
    expressions: &[String],
    errors: &BTreeMap<usize, BTreeSet<String>>,
) -> (String, Vec<(u64, usize)>) {
    let (mut text, mut lines) = (SETUP.to_owned(), Vec::new());
    for (at, expr) in expressions.iter().enumerate().filter(|(at, _)| !errors.contains_key(at)) {
        lines.push((text.lines().count() as u64 + 1, at));
        text.push_str(&format!("output \"o{at}\" {{\n  sensitive = true\n  value = {expr}\n}}\n"));
        // A plan shows the marks in resources only.
        if shows_marks(expr) {
            text.push_str(&format!("resource \"terraform_data\" \"o{at}\" {{\n  input = {expr}\n}}\n"));
        }
    }
    (text, lines)
}

/// Whether it is seen which parts of the value are sensitive.
pub(crate) fn shows_marks(expr: &str) -> bool {
    expr.contains("sensitive(") && !expr.contains("var.e")
}

fn rows(
    expressions: &[String],
    errors: &BTreeMap<usize, BTreeSet<String>>,
    shown: &str,
) -> Result<Vec<Row>, String> {
    let mut plan: Plan = serde_json::from_str(shown).map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for (at, expr) in expressions.iter().enumerate() {
        let mut row =
            Row { expr: expr.clone(), value: None, ty: None, unknown: None, sensitive: None, error: None };
        if let Some(errors) = errors.get(&at) {
            row.error = Some(errors.iter().cloned().collect::<Vec<_>>().join("; "));
            rows.push(row);
            continue;
        }
        let name = format!("o{at}");
        let resource = plan.resource_changes.iter().find(|resource| resource.name == name);
        let marks = resource.and_then(|resource| resource.change.after_sensitive.get("input"));
        row.sensitive = marks.filter(|marks| any_true(marks)).cloned();
        // A null output is no output.
        let null = || RawValue::from_string("null".to_owned()).ok();
        let Some(change) = plan.output_changes.remove(&name) else {
            row.value = null();
            rows.push(row);
            continue;
        };
        row.unknown = match &change.after_unknown {
            serde_json::Value::Bool(false) => None,
            serde_json::Value::Bool(true) => Some(Extent::All),
            parts if any_true(parts) => Some(Extent::Parts),
            _ => None,
        };
        match row.unknown {
            Some(Extent::All) => {}
            Some(Extent::Parts) => row.value = change.after,
            None => {
                row.value = change.after.or_else(null);
                row.ty = plan.planned_values.outputs.remove(&name).and_then(|output| output.ty);
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

fn any_true(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Bool(value) => *value,
        serde_json::Value::Array(elements) => elements.iter().any(any_true),
        serde_json::Value::Object(members) => members.values().any(any_true),
        _ => false,
    }
}
