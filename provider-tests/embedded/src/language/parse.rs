//! From texts to the syntax trees of `hcl-edit`.

mod scan;

use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, Traversal, TraversalOperator};
use hcl_edit::structure::Body;
use hcl_edit::template::Template;
use hcl_edit::visit::{self, Visit};

use self::scan::{Start, scan};
use super::{Diagnostic, SourceFile, Span};

/// The body of a file. Its spans are offsets in the file as it is, byte order mark included.
pub(super) fn body(source: &SourceFile) -> Result<Body, Diagnostic> {
    let text = scan(source, Start::Body)?;
    let body = hcl_edit::parser::parse_body(&text).map_err(|error| syntax_error(source, &error))?;
    without_fractions(body, source, |fractions, body| fractions.visit_body(body))
}

/// A text that is one expression.
pub(super) fn expression(source: &SourceFile) -> Result<Expression, Diagnostic> {
    let text = scan(source, Start::Expression)?;
    let expr = hcl_edit::parser::parse_expr(&text).map_err(|error| syntax_error(source, &error))?;
    without_fractions(expr, source, |fractions, expr| fractions.visit_expr(expr))
}

/// A text that is a template as between quotes, but without escapes.
pub(super) fn template(source: &SourceFile) -> Result<Template, Diagnostic> {
    let text = scan(source, Start::Template)?;
    let template = hcl_edit::parser::parse_template(&text).map_err(|error| syntax_error(source, &error))?;
    without_fractions(template, source, |fractions, template| fractions.visit_template(template))
}

/// An error of the parser, in our words: core has others for each mistake.
fn syntax_error(source: &SourceFile, error: &hcl_edit::parser::Error) -> Diagnostic {
    let offset = error.location().offset();
    let end = source.text().len();
    let span = Span { start: offset.min(end), end: offset.saturating_add(1).min(end) };
    let message = error.message();
    if message.contains("found redefined attribute") {
        let detail = "The argument was already set. Each argument may be set only once.";
        return Diagnostic::error("Attribute redefined", detail).at(source, span);
    }
    let message = message.trim_end_matches('.');
    Diagnostic::error("Invalid syntax", format!("The configuration cannot be read here: {message}."))
        .at(source, span)
}

/// Refuses `a.0.1`: core reads the number `0.1` there, which is no index.
fn without_fractions<T>(
    tree: T,
    source: &SourceFile,
    visit: impl FnOnce(&mut Fractions, &T),
) -> Result<T, Diagnostic> {
    let mut fractions = Fractions(None);
    visit(&mut fractions, &tree);
    let Some(span) = fractions.0 else { return Ok(tree) };
    let detail = "One index cannot follow the other after a dot. Write both in brackets, as in a[0][1].";
    Err(Diagnostic::error("Invalid legacy index syntax", detail).at(source, span))
}

/// Finds the first number with a point among the indexes after dots.
struct Fractions(Option<Span>);

impl Visit for Fractions {
    fn visit_traversal(&mut self, traversal: &Traversal) {
        visit::visit_traversal(self, traversal);
        let operators = &traversal.operators;
        let span = |at: usize| operators.get(at).and_then(|it| it.span()).map(Span::from);
        let is_legacy = |at: usize| {
            operators.get(at).is_some_and(|it| matches!(it.value(), TraversalOperator::LegacyIndex(_)))
        };
        let is_one_number = |at: usize| {
            let (own, next) = (span(at), span(at + 1));
            is_legacy(at)
                && is_legacy(at + 1)
                && own.is_some_and(|own| next.is_some_and(|next| own.end == next.start))
        };
        let Some(first) = (0..operators.len()).find(|at| is_one_number(*at)) else { return };
        let last = (first..operators.len()).find(|at| !is_one_number(*at)).unwrap_or(first);
        let before = first.checked_sub(1).filter(|at| {
            operators.get(*at).is_some_and(|it| matches!(it.value(), TraversalOperator::AttrSplat(_)))
        });
        // After a splat core points at the star.
        let (first, last) = before.map_or((first, last), |splat| (splat, splat));
        if let (None, Some(first), Some(last)) = (self.0, span(first), span(last)) {
            self.0 = Some(Span { start: first.start + 1, end: last.end });
        }
    }
}
