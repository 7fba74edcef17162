//! From texts to the syntax trees of `hcl-edit`.

mod scan;

use hcl_edit::expr::Expression;
use hcl_edit::structure::Body;
use hcl_edit::template::Template;

use self::scan::{Start, scan};
use super::{Diagnostic, SourceFile, Span};

/// The body of a file. Its spans are offsets in the file as it is, byte order mark included.
pub(super) fn body(source: &SourceFile) -> Result<Body, Diagnostic> {
    let text = scan(source, Start::Body)?;
    hcl_edit::parser::parse_body(&text).map_err(|error| syntax_error(source, &error))
}

/// A text that is one expression.
pub(super) fn expression(source: &SourceFile) -> Result<Expression, Diagnostic> {
    let text = scan(source, Start::Expression)?;
    hcl_edit::parser::parse_expr(&text).map_err(|error| syntax_error(source, &error))
}

/// A text that is a template as between quotes, but without escapes.
pub(super) fn template(source: &SourceFile) -> Result<Template, Diagnostic> {
    let text = scan(source, Start::Template)?;
    hcl_edit::parser::parse_template(&text).map_err(|error| syntax_error(source, &error))
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
