//! Files in the native syntax.

use hcl_edit::Span as _;
use hcl_edit::structure;

use super::content::{RawBlock, RawBody};
use super::reference_check::unavailable_functions;
use super::syntax::{Argument, Block, Body, Heading, SourceExpr};
use crate::language::{Diagnostic, SourceFile, Span, Subject};

/// Reads a file.
pub(super) fn parse(source: &SourceFile) -> Result<RawBody, Diagnostic> {
    let end = source.text().len();
    let body = convert(crate::language::parse::body(source)?, source);
    let end = Subject { source: source.clone(), span: Span { start: end, end } };
    Ok(RawBody::Native { body, end })
}

/// Reports the functions that only a real core has.
pub(super) fn refuse_functions(body: &RawBody, problems: &mut Vec<Diagnostic>) {
    if let RawBody::Native { body, .. } = body {
        refuse_functions_in(body, problems);
    }
}

fn refuse_functions_in(body: &Body, problems: &mut Vec<Diagnostic>) {
    for argument in &body.arguments {
        problems.extend(unavailable_functions(&argument.value));
    }
    body.blocks.iter().for_each(|block| refuse_functions_in(&block.body, problems));
}

fn convert(body: structure::Body, source: &SourceFile) -> Body {
    let mut converted = Body::default();
    for item in body {
        match item {
            structure::Structure::Attribute(attribute) => {
                let value = SourceExpr::native(attribute.value, source);
                let name = attribute.key.span().map(Span::from).unwrap_or(value.span());
                let value = value.of_argument(name);
                converted.arguments.push(Argument { name: attribute.key.as_str().to_owned(), value });
            }
            structure::Structure::Block(block) => converted.blocks.push(self::block(block, source)),
        }
    }
    converted
}

fn block(block: structure::Block, source: &SourceFile) -> Block {
    let type_name = block.ident.span().map(Span::from).unwrap_or_default();
    let label = |label: &structure::BlockLabel| match label {
        structure::BlockLabel::Ident(ident) => ident.span(),
        structure::BlockLabel::String(text) => text.span(),
    };
    let labels: Vec<Span> =
        block.labels.iter().map(|it| label(it).map(Span::from).unwrap_or_default()).collect();
    let span = labels.last().map_or(type_name, |last| type_name.to(*last));
    let brace = brace(source.text(), span.end);
    let place = Subject { source: source.clone(), span: brace };
    Block {
        type_name: block.ident.as_str().to_owned(),
        labels: block.labels.iter().map(|label| label.as_str().to_owned()).collect(),
        body: Body { brace: Some(place), ..convert(block.body, source) },
        subject: Subject { source: source.clone(), span },
        heading: Heading { type_name, labels, brace },
    }
}

/// The brace that opens a body, after blanks and comments.
fn brace(text: &str, heading_end: usize) -> Span {
    let mut rest = text.get(heading_end..).unwrap_or_default().trim_start();
    while let Some((_, after)) = rest.strip_prefix("/*").and_then(|comment| comment.split_once("*/")) {
        rest = after.trim_start();
    }
    let start = text.len() - rest.len();
    Span { start, end: text.len().min(start + 1) }
}

impl From<Block> for RawBlock {
    fn from(block: Block) -> Self {
        let Block { type_name, labels, body, subject, heading } = block;
        let end = Subject { span: heading.brace, ..subject.clone() };
        Self { type_name, labels, body: RawBody::Native { body, end }, subject, heading }
    }
}
