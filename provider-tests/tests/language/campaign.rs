//! Generated expressions: what no person has thought of, evaluated here and by the real core.
//!
//! `cargo test -p ferroform-testing --test language -- --ignored campaign` does so with `FERROFORM_COUNT` expressions from
//! the number `FERROFORM_SEED` on, or with each line of the file `FERROFORM_EXPRESSIONS`. Each expression that differs is
//! reported as small as it gets.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use ferroform_testing::real::Core;

use super::generate::expression;
use super::generated::{Expr, number};
use super::record::record;
use super::rules::is_listed;
use super::vector::{Row, check};

/// How many expressions are recorded.
const SAMPLE: u64 = 1500;

/// How often what differs is made smaller, and the most attempts for each expression.
const ROUNDS: usize = 8;
const ATTEMPTS: usize = 12;

/// The texts of the recorded sample.
pub(crate) fn sample() -> Vec<String> {
    let texts: BTreeSet<String> = (0..SAMPLE).map(|seed| expression(seed).to_string()).collect();
    texts.into_iter().collect()
}

/// Asks both for the values.
pub(crate) fn run(core: &Core) -> Result<(), String> {
    let expressions: Vec<Expr> = match std::env::var("FERROFORM_EXPRESSIONS") {
        Ok(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
            text.lines().filter(|line| !line.is_empty()).map(Expr::text).collect()
        }
        Err(_) => {
            let first = number("FERROFORM_SEED", 1_000_000)?;
            let count = number("FERROFORM_COUNT", 1000)?;
            (first..first + count).map(expression).collect()
        }
    };
    let mut different = differences(core, &expressions)?;
    let count = different.len();
    for _ in 0..ROUNDS {
        if !smaller(core, &mut different)? {
            break;
        }
    }
    if different.is_empty() {
        return Ok(());
    }
    let mut kinds: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, difference) in different {
        kinds.entry(kind(&difference)).or_default().insert(difference);
    }
    let mut report = String::new();
    for (kind, differences) in kinds {
        let _ = writeln!(report, "{kind} ({})", differences.len());
        differences.iter().for_each(|difference| report.push_str(&format!("{difference}\n")));
    }
    Err(format!("{report}{} of {} expressions agree", expressions.len() - count, expressions.len()))
}

/// The expressions that differ, and how.
fn differences(core: &Core, expressions: &[Expr]) -> Result<Vec<(Expr, String)>, String> {
    let texts: Vec<String> = expressions.iter().map(Expr::to_string).collect();
    let rows = record(core, &texts)?;
    let found = expressions.iter().zip(&rows);
    Ok(found.filter_map(|(expr, row)| Some((expr.clone(), difference(row)?))).collect())
}

/// How the result of the evaluator differs from that of core, unless a rule lists it.
fn difference(row: &Row) -> Option<String> {
    check(row).err().filter(|_| !is_listed(row))
}

/// Replaces each expression by the shortest simpler one with a difference of the same kind.
fn smaller(core: &Core, different: &mut [(Expr, String)]) -> Result<bool, String> {
    let mut attempts = Vec::new();
    for (at, (expr, _)) in different.iter().enumerate() {
        let mut simpler = expr.simpler();
        simpler.sort_by_cached_key(|expr| expr.to_string().len());
        attempts.extend(simpler.into_iter().take(ATTEMPTS).map(|expr| (at, expr)));
    }
    let expressions: Vec<Expr> = attempts.iter().map(|(_, expr)| expr.clone()).collect();
    let texts: Vec<String> = expressions.iter().map(Expr::to_string).collect();
    let rows = record(core, &texts)?;
    let mut done = BTreeSet::new();
    for ((at, expr), row) in attempts.into_iter().zip(&rows) {
        let Some(difference) = difference(row) else { continue };
        if kind(&difference) == kind(&different[at].1) && done.insert(at) {
            different[at] = (expr, difference);
        }
    }
    Ok(!done.is_empty())
}

/// What core says and what is said here, without values.
fn kind(difference: &str) -> String {
    let lines = difference.lines().skip(1).map(str::trim);
    let kinds = lines.map(|line| {
        let (side, said) = line.split_once(": ").unwrap_or((line, ""));
        let said = match said.split_once("error ") {
            Some(("", said)) => said.split('"').nth(1).unwrap_or_default(),
            _ if said.starts_with("unknown") || said.contains("Unknown") => "unknown",
            _ => "value",
        };
        format!("{side}: {said}")
    });
    kinds.collect::<Vec<_>>().join(", ")
}
