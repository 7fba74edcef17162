//! Bodies, blocks and expressions where they stand, whichever of the two syntaxes they are written in.

use std::collections::BTreeSet;
use std::sync::Arc;

use ferroform::path::{Path, Step};
use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, ObjectKey};

use crate::language::evaluate::start_of;
use crate::language::{
    Diagnostic, Marked, NoReferences, SourceFile, Span, Subject, Traversal, evaluate, references,
};

/// An expression with its place. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SourceExpr {
    expression: Arc<Expression>,
    source: SourceFile,
    subject: Subject,
    /// The name of the argument whose value it is, in the file of the subject.
    name: Option<Span>,
    origin: Option<Arc<Origin>>,
}

/// Where the parts of a text come from that stands for a JSON value.
#[derive(Debug)]
pub(super) struct Origin {
    pub(super) file: SourceFile,
    /// Offsets in the text, in order, with the JSON strings, numbers and so on that begin there.
    pub(super) parts: Vec<(usize, Span)>,
}

/// The text of a key of an object, if it is a name or a string.
pub(crate) fn key_text(key: &ObjectKey) -> Option<&str> {
    match key {
        ObjectKey::Ident(name) => Some(name.as_str()),
        ObjectKey::Expression(Expression::Variable(name)) => Some(name.as_str()),
        ObjectKey::Expression(key) => key.as_str(),
    }
}

impl SourceExpr {
    /// An expression in the native syntax.
    pub(super) fn native(expression: Expression, source: &SourceFile) -> Self {
        let span = expression.span().map(Span::from).unwrap_or_default();
        let subject = Subject { source: source.clone(), span };
        Self { expression: Arc::new(expression), source: source.clone(), subject, name: None, origin: None }
    }

    /// An expression that was JSON: `source` is the text it was put into, `span` the place of the JSON value.
    pub(super) fn json(expression: Expression, source: SourceFile, span: Span, origin: Origin) -> Self {
        let subject = Subject { source: origin.file.clone(), span };
        Self { expression: Arc::new(expression), source, subject, name: None, origin: Some(Arc::new(origin)) }
    }

    /// The same as the value of the argument whose name stands there.
    pub(crate) fn of_argument(self, name: Span) -> Self {
        Self { name: Some(name), ..self }
    }

    /// The same expression as the value of an argument that another one is now, with that place in the text.
    pub(super) fn with_span_of(self, other: &Self, span: Span) -> Self {
        Self { name: other.name, subject: Subject { span, ..self.subject }, ..self }
    }

    /// The parsed expression. Its spans are offsets in [`source`](Self::source).
    #[must_use]
    pub fn expression(&self) -> &Expression {
        &self.expression
    }

    /// What it refers to, in order.
    pub(crate) fn references(&self) -> Vec<Traversal> {
        references(self.expression())
    }

    /// The text in which the spans of the expression are: the file, or for JSON a text that means the same.
    #[must_use]
    pub fn source(&self) -> &SourceFile {
        &self.source
    }

    /// Where it stands in the file that a person wrote.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Where it begins: in JSON core points so at objects and arrays.
    pub(crate) fn beginning(&self) -> Subject {
        let Subject { source, span } = self.subject.clone();
        let is_open = matches!(*self.expression, Expression::Array(_) | Expression::Object(_));
        let end = if is_open { span.start + 1 } else { span.end };
        Subject { source, span: Span { end, ..span } }
    }

    /// Where its first part begins, which is where core says that it is of the wrong form.
    pub(crate) fn start(&self) -> Subject {
        if self.is_json() { self.subject.clone() } else { self.place(start_of(self.expression())) }
    }

    /// Where the name of the argument stands whose value it is; without one, where it stands itself.
    #[must_use]
    pub fn name(&self) -> Subject {
        Subject { span: self.name.unwrap_or(self.subject.span), ..self.subject.clone() }
    }

    /// Where the argument stands as a whole, from its name on.
    #[must_use]
    pub fn definition(&self) -> Subject {
        // In JSON up to the end of the string, of which an address may be a part.
        Subject {
            span: self.name().span.to(self.subject.span).to(self.place(self.span()).span),
            ..self.subject.clone()
        }
    }

    /// The span of the whole expression in [`source`](Self::source).
    pub(super) fn span(&self) -> Span {
        self.expression.span().map(Span::from).unwrap_or_default()
    }

    /// Whether it was written as JSON: then its strings are templates, and keywords are strings.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.origin.is_some()
    }

    /// Where core sees the first characters of the text of a JSON string: it counts from the quote, as if there were none.
    pub(crate) fn span_of_text(&self, length: usize) -> Span {
        let start = self.subject.span.start;
        Span { start, end: start + length }
    }

    /// The text of the JSON string that it is, be it a template or not.
    pub(super) fn json_string(&self) -> Option<String> {
        let text = self.subject.source.slice(self.subject.span);
        self.is_json().then(|| serde_json::from_str(text).ok()).flatten()
    }

    /// A part of this expression, as an expression of its own.
    pub(crate) fn part(&self, part: &Expression) -> Self {
        let span = part.span().map(Span::from);
        let subject = span.map_or_else(|| self.subject.clone(), |span| self.place(span));
        Self {
            expression: Arc::new(part.clone()),
            source: self.source.clone(),
            subject,
            name: None,
            origin: self.origin.clone(),
        }
    }

    /// The same object, or array of objects, without some of its members.
    pub(super) fn without_members(&self, is_left_out: impl Fn(&str) -> bool) -> Self {
        let reduce = |value: &mut Expression| {
            let Expression::Object(object) = value else { return };
            let left_out = |key: &&ObjectKey| key_text(key).is_some_and(&is_left_out);
            let keys: Vec<_> = object.iter().map(|(key, _)| key).filter(left_out).cloned().collect();
            keys.iter().for_each(|key| drop(object.remove(key)));
        };
        let mut expression = Expression::clone(self.expression());
        match &mut expression {
            Expression::Array(elements) => elements.iter_mut().for_each(reduce),
            one => reduce(one),
        }
        Self { expression: Arc::new(expression), ..self.clone() }
    }

    /// Where the part of its value stands that is at a path, as far as it is written by itself.
    pub(crate) fn place_of_part(&self, path: &Path) -> Subject {
        let mut part = self.expression();
        for step in path.steps() {
            let inner = match (part, step) {
                (Expression::Object(object), Step::Attribute(name) | Step::Key(name)) => {
                    let is_named = |key: &ObjectKey| key_text(key) == Some(&**name);
                    object.iter().filter(|(key, _)| is_named(key)).last().map(|(_, value)| value.expr())
                }
                (Expression::Array(elements), Step::Index(at)) => elements.get(*at),
                _ => None,
            };
            let Some(inner) = inner else { break };
            part = inner;
        }
        self.part(part).subject
    }

    /// The place of a span of the expression in the file that a person wrote.
    #[must_use]
    pub fn place(&self, span: Span) -> Subject {
        let Some(origin) = &self.origin else { return Subject { source: self.source.clone(), span } };
        let after = origin.parts.partition_point(|(start, _)| *start <= span.start);
        let part = after.checked_sub(1).and_then(|at| origin.parts.get(at));
        let span = part.map_or(self.subject.span, |(_, span)| *span);
        Subject { source: origin.file.clone(), span }
    }

    /// The place of a part of the expression: in JSON, within the string that has it.
    pub(super) fn place_within(&self, span: Span) -> Subject {
        let whole = self.place(span);
        let parts = self.origin.iter().flat_map(|origin| &origin.parts);
        let Some((start, _)) = parts.take_while(|(start, _)| *start <= span.start).last() else {
            return whole;
        };
        if *start == span.start {
            return whole;
        }
        // Both texts begin with the quote.
        let at = |offset: usize| (whole.span.start + offset.saturating_sub(*start)).min(whole.span.end);
        Subject { span: Span { start: at(span.start), end: at(span.end) }, ..whole }
    }

    /// The value of a constant.
    pub(super) fn constant(&self) -> Result<Marked, Vec<Diagnostic>> {
        let scope = NoReferences::new(self.source.clone()).without_functions();
        let value = evaluate(&self.expression, &scope);
        value.map_err(|found| found.into_iter().map(|problem| self.placed(problem)).collect())
    }

    /// The diagnostic of an evaluation, about the file that a person wrote.
    #[must_use]
    pub fn placed(&self, diagnostic: Diagnostic) -> Diagnostic {
        match &diagnostic.place {
            Some(place) if self.is_json() => {
                let subject = self.place_within(place.span());
                diagnostic.on(subject)
            }
            Some(_) => diagnostic,
            None => diagnostic.on(&self.subject),
        }
    }

    /// An error about this expression.
    pub(crate) fn error(&self, summary: impl Into<String>, detail: impl Into<String>) -> Diagnostic {
        self.placed(Diagnostic::error(summary, detail))
    }

    /// An error about a part of this expression.
    pub(crate) fn error_at(
        &self,
        span: Span,
        summary: impl Into<String>,
        detail: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(summary, detail).on(self.place(span))
    }

    /// An error about the argument whose value it is, by its name.
    pub(super) fn name_error(&self, summary: impl Into<String>, detail: impl Into<String>) -> Diagnostic {
        Diagnostic::error(summary, detail).on(self.name())
    }
}

/// The same expression of the same place.
impl PartialEq for SourceExpr {
    fn eq(&self, other: &Self) -> bool {
        self.expression == other.expression
            && self.subject.span == other.subject.span
            && self.subject.source.path() == other.subject.source.path()
    }
}

/// An argument, `name = value`.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// The name.
    pub name: String,
    /// The value.
    pub value: SourceExpr,
}

impl Argument {
    /// The error of one in JSON whose name is there already.
    pub(crate) fn duplicate(&self) -> Diagnostic {
        self.value.name_error("Duplicate argument", format!("The argument {:?} was already set.", self.name))
    }
}

/// What a body holds beside that which the language itself knows: the arguments and blocks of a provider.
///
/// In JSON a block and an argument look the same until the schema is known, so there everything is an argument.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Body {
    /// The arguments, in order.
    pub arguments: Vec<Argument>,
    /// The blocks, in order.
    pub blocks: Vec<Block>,
    /// Where missing arguments are reported.
    pub(crate) brace: Option<Subject>,
    /// The names of the arguments that the block itself has, where an override file changes it.
    pub(crate) base: Option<BTreeSet<String>>,
}

/// A block.
#[derive(Debug, Clone)]
pub struct Block {
    /// The type.
    pub type_name: String,
    /// The labels.
    pub labels: Vec<String>,
    /// What is in it.
    pub body: Body,
    /// Where it begins.
    pub subject: Subject,
    /// Where the parts of its heading stand.
    pub(super) heading: Heading,
}

/// Where the parts of the heading of a block stand, in the file of its subject.
#[derive(Debug, Clone)]
pub(super) struct Heading {
    pub(super) type_name: Span,
    pub(super) labels: Vec<Span>,
    /// The opening brace, or in JSON the closing one: what the block lacks is told of there.
    pub(super) brace: Span,
}

impl PartialEq for Block {
    fn eq(&self, other: &Self) -> bool {
        (&self.type_name, &self.labels, &self.body) == (&other.type_name, &other.labels, &other.body)
    }
}

impl Body {
    /// Whether an argument before that one has its name.
    pub(crate) fn is_repeated(&self, at: usize) -> bool {
        let (before, rest) = self.arguments.split_at(at.min(self.arguments.len()));
        rest.first().is_some_and(|argument| before.iter().any(|other| other.name == argument.name))
    }

    /// The value of an argument.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&SourceExpr> {
        self.arguments.iter().find(|argument| argument.name == name).map(|argument| &argument.value)
    }

    /// Whether an override file changes it. Core looks only for what it knows in such a body, so nothing in it is refused.
    pub(crate) fn is_overridden(&self) -> bool {
        self.base.is_some()
    }

    /// Whether it lacks an argument that is required. An override file does not help what the block itself lacks.
    pub(crate) fn lacks(&self, name: &str) -> bool {
        self.argument(name).is_none() || self.base.as_ref().is_some_and(|base| !base.contains(name))
    }
}

impl Block {
    /// A part of its heading.
    pub(super) fn part(&self, span: Span) -> Subject {
        Subject { span, ..self.subject.clone() }
    }

    /// Where its type stands.
    pub(crate) fn type_place(&self) -> Subject {
        self.part(self.heading.type_name)
    }

    /// Where that one of its labels stands.
    pub(crate) fn label_place(&self, at: usize) -> Option<Subject> {
        self.heading.labels.get(at).map(|span| self.part(*span))
    }

    /// The type of the blocks that it stands for: its own, or the one that a `dynamic` block makes.
    pub(crate) fn produces(&self) -> &str {
        match (self.type_name.as_str(), self.labels.as_slice()) {
            ("dynamic", [made]) => made,
            (type_name, _) => type_name,
        }
    }
}
