//! Blocks in JSON, where they look like arguments until the schema is known.

use hcl_edit::Span as _;
use hcl_edit::expr::Expression;

use super::syntax::{Argument, Body, SourceExpr, key_text};
use crate::language::{Diagnostic, Span, Subject};

/// An argument that was written in JSON, where it may be blocks.
pub(crate) fn argument<'b>(body: &'b Body, name: &str) -> Option<&'b SourceExpr> {
    body.argument(name).filter(|expr| expr.is_json())
}

/// The blocks of an argument with their labels, if they have one, and where they begin.
pub(crate) fn written(
    expr: &SourceExpr,
    is_labelled: bool,
    problems: &mut Vec<Diagnostic>,
) -> Vec<(Option<String>, Body, Subject)> {
    let labelled = match is_labelled {
        true => labelled(expr, problems).into_iter().map(|(label, value)| (Some(label), value)).collect(),
        false => vec![(None, expr.clone())],
    };
    let mut found = Vec::new();
    for (label, expr) in labelled {
        let blocks = unlabelled(&expr, problems).into_iter();
        found.extend(blocks.map(|(body, place)| (label.clone(), body, place)));
    }
    found
}

/// The elements of an array, or the value alone if it is none.
pub(crate) fn elements(expr: &SourceExpr) -> Vec<SourceExpr> {
    match expr.expression() {
        Expression::Array(elements) => elements.iter().map(|element| expr.part(element)).collect(),
        _ => vec![expr.clone()],
    }
}

/// The values of objects in JSON, each with its label; there must be at least one.
pub(crate) fn labelled(expr: &SourceExpr, problems: &mut Vec<Diagnostic>) -> Vec<(String, SourceExpr)> {
    let mut found = Vec::new();
    for element in elements(expr) {
        let members = members(&element, problems).unwrap_or_default();
        found.extend(members.into_iter().map(|(name, value)| (name.to_owned(), value)));
    }
    if found.is_empty() {
        let detail = "At least one property is required here, whose name is the label of the blocks.";
        problems.push(Diagnostic::error("Missing block label", detail).on(expr.beginning()));
    }
    found
}

/// Blocks without labels in JSON, and where they begin: an object is one, an array has several.
pub(crate) fn unlabelled(expr: &SourceExpr, problems: &mut Vec<Diagnostic>) -> Vec<(Body, Subject)> {
    if matches!(expr.expression(), Expression::Null(_)) {
        return Vec::new();
    }
    // Blocks in an array all begin where it does.
    let blocks = elements(expr).into_iter();
    blocks.filter_map(|block| Some((body(&block, problems)?, expr.beginning()))).collect()
}

/// The body of a block. It may be in parts: an array of objects.
fn body(expr: &SourceExpr, problems: &mut Vec<Diagnostic>) -> Option<Body> {
    let subject = expr.subject();
    let end = subject.span.end;
    let is_in_parts = matches!(expr.expression(), Expression::Array(_));
    let brace = match is_in_parts {
        true => expr.beginning(),
        false => Subject { span: Span { start: end.saturating_sub(1), end }, ..subject.clone() },
    };
    let (mut arguments, mut is_complete) = (Vec::new(), true);
    for part in &elements(expr) {
        let is_lost = is_in_parts && matches!(part.expression(), Expression::Null(_));
        let members = if is_lost { misfit(part, problems) } else { members(part, problems) };
        is_complete &= members.is_some();
        // A comment, where a label of that name is none.
        let members = members.into_iter().flatten().filter(|(name, _)| *name != "//");
        arguments.extend(members.map(|(name, value)| Argument { name: name.to_owned(), value }));
    }
    is_complete.then(|| Body { brace: Some(brace), arguments, ..Body::default() })
}

/// What an object holds; null holds nothing.
fn members<'e>(expr: &'e SourceExpr, problems: &mut Vec<Diagnostic>) -> Option<Vec<(&'e str, SourceExpr)>> {
    let object = match expr.expression() {
        Expression::Object(object) => object,
        Expression::Null(_) => return Some(Vec::new()),
        _ => return misfit(expr, problems),
    };
    let named = object.iter().filter_map(|(key, value)| {
        let name = key_text(key)?;
        let place = expr.place(key.span().map(Span::from).unwrap_or_default());
        Some((name, expr.part(value.expr()).of_argument(place.span)))
    });
    Some(named.collect())
}

/// Reports a value that is no block.
fn misfit<T>(expr: &SourceExpr, problems: &mut Vec<Diagnostic>) -> Option<T> {
    let detail = "A block is an object in JSON, and several blocks are an array of objects.";
    problems.push(Diagnostic::error("Incorrect JSON value type", detail).on(expr.beginning()));
    None
}
