//! JSON values as expressions.
//!
//! A JSON value is written down in the native syntax and parsed as such, so that expressions are the same whichever
//! syntax they come from. What is in the JSON text at which place is kept for messages.

use std::collections::HashMap;

use hcl_edit::expr::Expression;
use hcl_edit::template::{Element, Template};
use hcl_edit::visit::{self, Visit};
use hcl_edit::{Span as _, Spanned};

use super::json::{Json, Node};
use super::syntax::{Origin, SourceExpr};
use crate::language::{Diagnostic, SourceFile, Span, Subject, parse};

/// The expression that a JSON value stands for: strings are templates, also those that are keys of objects.
pub(super) fn translate(node: &Node, file: &SourceFile) -> Result<SourceExpr, Diagnostic> {
    build(node, file, Strings::Templates)
}

/// The value of a constant, such as one in a JSON file of variables: strings stand for themselves.
pub(super) fn literal(node: &Node, file: &SourceFile) -> Result<SourceExpr, Diagnostic> {
    build(node, file, Strings::Literal)
}

/// A JSON string that holds an expression and no template: a reference or a keyword.
pub(super) fn inner_expression(expr: &SourceExpr, text: &str) -> Result<SourceExpr, Diagnostic> {
    let subject = expr.subject();
    let source = SourceFile::new(subject.source.path(), text);
    let origin = Origin { file: subject.source.clone(), parts: vec![(0, subject.span)] };
    match parse::expression(&source) {
        Ok(parsed) => Ok(SourceExpr::json(parsed, source, subject.span, origin)),
        Err(problem) => Err(problem.at(&subject.source, subject.span)),
    }
}

/// The expression that is the text of a JSON string, where core parses the text as an expression (`replace_triggered_by`, the
/// actions of triggers and `to` of imports). A template is an error at its first character.
pub(super) fn held_expression(expr: &SourceExpr, text: &str) -> Result<SourceExpr, Vec<Diagnostic>> {
    if let Some(at) =
        text.find(['$', '%']).filter(|at| text.get(at + 1..).is_some_and(|it| it.starts_with('{')))
    {
        let detail = "The string must be a reference, without a template around it.";
        let whole = expr.span_of_text(text.len());
        let start = whole.start + at;
        let subject = Subject { span: Span { start, end: start + 1 }, ..expr.subject().clone() };
        let expected = if text.get(..at).is_some_and(|before| before.ends_with('.')) {
            "Invalid attribute name"
        } else {
            "Invalid expression"
        };
        let unknown = text.get(at..).is_some_and(|it| it.starts_with('$')).then_some("Invalid character");
        let problems = unknown.into_iter().chain([expected]);
        return Err(problems.map(|summary| Diagnostic::error(summary, detail).on(&subject)).collect());
    }
    inner_expression(expr, text).map_err(|problem| vec![problem])
}

/// A reference; one in a JSON string stands for core at the start of the string, and is as long as its own text.
pub(super) fn unquoted(expr: SourceExpr) -> SourceExpr {
    let inner = expr.json_string().and_then(|text| {
        let inner = inner_expression(&expr, &text).ok()?;
        Some(inner.with_span_of(&expr, expr.span_of_text(text.len())))
    });
    inner.unwrap_or(expr)
}

fn build(node: &Node, file: &SourceFile, strings: Strings) -> Result<SourceExpr, Diagnostic> {
    let mut writer = Writer { file, text: String::new(), parts: Vec::new(), strings };
    writer.node(node)?;
    let Writer { text, parts, .. } = writer;
    let source = SourceFile::new(file.path(), text);
    match parse::expression(&source) {
        Ok(parsed) => Ok(SourceExpr::json(parsed, source, node.span, Origin { file: file.clone(), parts })),
        Err(problem) => Err(problem.at(file, node.span)),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strings {
    Templates,
    Literal,
}

struct Writer<'a> {
    file: &'a SourceFile,
    text: String,
    parts: Vec<(usize, Span)>,
    strings: Strings,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node) -> Result<(), Diagnostic> {
        self.parts.push((self.text.len(), node.span));
        match &node.value {
            Json::Null => self.text.push_str("null"),
            Json::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Json::Number(number) => self.text.push_str(number),
            Json::String(text) => self.string(text, node.span)?,
            Json::Array(elements) => {
                self.text.push('[');
                for element in elements {
                    self.node(element)?;
                    self.text.push_str(", ");
                }
                self.text.push(']');
            }
            Json::Object(properties) => {
                self.text.push('{');
                let mut written = HashMap::new();
                for property in properties {
                    self.parts.push((self.text.len(), property.name_span));
                    // The parser refuses a key that was there before; it is for the evaluation to do so.
                    let before: &mut usize = written.entry(&property.name).or_default();
                    self.text.push_str(&"(".repeat(*before));
                    self.string(&property.name, property.name_span)?;
                    self.text.push_str(&")".repeat(*before));
                    *before += 1;
                    self.text.push_str(" = ");
                    self.node(&property.value)?;
                    self.text.push_str(", ");
                }
                self.text.push('}');
            }
        }
        Ok(())
    }

    fn string(&mut self, text: &str, span: Span) -> Result<(), Diagnostic> {
        self.text.push('"');
        if self.strings == Strings::Literal {
            let text = text.replace("${", "$${").replace("%{", "%%{");
            escape(&text, &mut self.text);
        } else if text.contains("${") || text.contains("%{") {
            self.template(text).map_err(|problem| problem.at(self.file, span))?;
        } else {
            escape(text, &mut self.text);
        }
        self.text.push('"');
        Ok(())
    }

    /// Only what is literal in a template is escaped; expressions in it are taken over.
    fn template(&mut self, text: &str) -> Result<(), Diagnostic> {
        let template = parse::template(&SourceFile::new(self.file.path(), text))?;
        let mut literals = Literals(Vec::new());
        literals.visit_template(&template);
        let mut done = 0;
        for (start, end) in literals.0 {
            self.text.push_str(text.get(done..start).unwrap_or_default());
            escape(text.get(start..end).unwrap_or_default(), &mut self.text);
            done = end;
        }
        self.text.push_str(text.get(done..).unwrap_or_default());
        Ok(())
    }
}

/// The literal parts of a template, and of the templates within its directives, but not those within expressions.
struct Literals(Vec<(usize, usize)>);

impl Visit for Literals {
    fn visit_template(&mut self, template: &Template) {
        template.iter().for_each(|element| match element {
            Element::Interpolation(_) => {}
            element => visit::visit_element(self, element),
        });
    }

    fn visit_expr(&mut self, _: &Expression) {}

    fn visit_literal(&mut self, literal: &Spanned<String>) {
        self.0.extend(literal.span().map(|span| (span.start, span.end)));
    }
}

fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
}
