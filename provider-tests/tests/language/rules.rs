//! How the evaluator may differ from core: the rows of the table in `docs/contributing/differences.md`.

use ferroform::value::Number;
use ferroform_core::codec::json::decode_untyped;
use ferroform_testing::language::Diagnostic;

use super::record::is_read;
use super::vector::{Row, evaluated};

/// Whether what differs in a row is by one of the rules.
pub(crate) fn is_listed(row: &Row) -> bool {
    match evaluated(&row.expr) {
        // The parser has words of its own for what neither takes, and refuses a few texts that core takes.
        Err(_) if !is_read(&row.expr) => row.error.is_some() || exceeds_the_parser(&row.expr),
        Err(errors) => errors.iter().all(is_infinite),
        Ok(_) if !has_floats(&row.expr) => false,
        Ok(value) => match (value.value.as_number(), &row.error) {
            // The infinite number of the branch that is not taken has a type for core only.
            (_, Some(error)) => error == "Inconsistent conditional result types" && row.expr.contains(" ? "),
            (Some(number), None) => recorded_number(row).is_some_and(|expected| is_close(number, &expected)),
            (None, None) => false,
        },
    }
}

/// An error about an infinite number. For core it is a value until something refuses or stores it.
fn is_infinite(error: &Diagnostic) -> bool {
    match &*error.summary {
        "Operation failed" => error.detail == "A division by zero has no result that can be stored.",
        "Error in function call" => ["log", "pow"].iter().any(|name| {
            error.detail == format!("Call to function {name:?} failed: a finite number is required.")
        }),
        _ => false,
    }
}

/// Whether a text has what the parser refuses, by the row of the table: a literal beyond `f64`, too many nested levels or
/// operators, or too many keys.
fn exceeds_the_parser(expr: &str) -> bool {
    let mut literals = expr.split(|it: char| !(it.is_ascii_alphanumeric() || it == '.'));
    let is_beyond = |literal: &str| {
        literal.starts_with(|it: char| it.is_ascii_digit())
            && literal.parse::<f64>().is_ok_and(|number| number.is_infinite())
    };
    let (mut depth, mut deepest) = (0_usize, 0);
    for mark in expr.chars() {
        match mark {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    let operators: usize = ["+", "-", "*", "/", "%", "&&", "||", "=="]
        .map(|it| expr.matches(&format!(" {it} ")).count())
        .iter()
        .sum();
    let keys = expr.split([',', '{']).filter_map(|it| it.split_once('='));
    let keys: Vec<&str> = keys.map(|(key, _)| key.trim()).collect();
    let mut keys = keys.iter().map(|key| keys.iter().filter(|other| *other == key).count());
    literals.any(is_beyond) || deepest > 64 || operators > 128 || keys.any(|equal| equal > 52)
}

fn has_floats(expr: &str) -> bool {
    ["log(", "pow("].iter().any(|call| expr.contains(call))
}

fn recorded_number(row: &Row) -> Option<Number> {
    decode_untyped(row.value.as_ref()?.get().as_bytes()).ok()?.as_number().cloned()
}

/// Core computes further with all digits of a logarithm or a power, and here with those of its text.
fn is_close(found: &Number, expected: &Number) -> bool {
    let (found, expected) = (found.to_f64(), expected.to_f64());
    (found - expected).abs() <= 1e-15 * expected.abs()
}

/// Each rule covers what it is about, and nothing beside it.
pub(crate) fn are_narrow() {
    let is_listed = |row: &str| is_listed(&serde_json::from_str(row).expect("a row"));
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let added = |terms: usize| vec!["1"; terms].join(" + ");
    let keyed = |keys: usize| format!("{{ {} }}", vec!["a = 1"; keys].join(", "));
    for (expr, exceeds) in [
        (nested(65), true),
        (format!("[{}]", ["[]"; 80].join(", ")), false),
        (added(130), true),
        (added(100), false),
        (keyed(53), true),
        (keyed(20), false),
    ] {
        assert_eq!(exceeds_the_parser(&expr), exceeds, "{expr}");
    }
    for (row, listed) in [
        (r#"{"expr":"\"\\ud800\"","error":"Invalid escape sequence"}"#, true),
        (r#"{"expr":"1e400 * 2","value":1,"type":"number"}"#, true),
        (r#"{"expr":"1e4 (","value":1,"type":"number"}"#, false),
        (r#"{"expr":"1 / 0","error":"Failed to write plan file"}"#, true),
        (r#"{"expr":"null + 1","error":"Failed to write plan file"}"#, false),
        (r#"{"expr":"log(0, 10)","error":"Failed to write plan file"}"#, true),
        (r#"{"expr":"pow([], 2)","error":"Failed to write plan file"}"#, false),
        (r#"{"expr":"[1 / 0, null + 1]","error":"Failed to write plan file"}"#, false),
        (r#"{"expr":"(true ? [] : log(0, 10))","error":"Inconsistent conditional result types"}"#, true),
        (r#"{"expr":"(true ? [] : 1)","error":"Inconsistent conditional result types"}"#, false),
        (r#"{"expr":"log(2, 10) * 1","value":0.30102999566398114,"type":"number"}"#, true),
        (r#"{"expr":"log(2, 10) * 1","value":0.3010299956639,"type":"number"}"#, false),
        (r#"{"expr":"[log(2, 10)]","value":[0.30102999566398114],"type":["tuple",["number"]]}"#, false),
        (r#"{"expr":"1 / 3","value":0.33333333333333331,"type":"number"}"#, false),
    ] {
        assert_eq!(is_listed(row), listed, "{row}");
    }
}
