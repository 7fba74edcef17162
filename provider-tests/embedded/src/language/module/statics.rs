//! Expressions that core reads without evaluating them: constants, keywords, references and lists of these.

use std::fmt;
use std::ops::Range;

use ferroform::ty::Type;
use hcl_edit::expr::{Expression, TraversalOperator};
use hcl_edit::visit::{self, Visit};
use hcl_edit::{Decorated, Span as _};

use super::syntax::SourceExpr;
use super::translate::inner_expression;
use crate::address::{InstanceKey, quoted};
use crate::language::convert::convert;
use crate::language::evaluate::{constant_key, start_of};
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Marked, Span, Subject};

/// A reference whose steps are all constant, as `depends_on` holds them.
#[derive(Debug, Clone)]
pub struct StaticReference {
    /// The first name.
    pub root: String,
    /// The steps after it.
    pub steps: Vec<StaticStep>,
    /// Where it stands.
    pub subject: Subject,
    /// Where the first name stands.
    root_at: Subject,
    /// Where each of the steps stands.
    pub(super) steps_at: Vec<Subject>,
}

/// A step of a [`StaticReference`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StaticStep {
    /// `.name`
    Name(String),
    /// `["key"]`
    Key(String),
    /// `[0]`
    Index(u64),
}

/// As core writes it.
impl fmt::Display for StaticReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        self.steps.iter().try_for_each(|step| match step {
            StaticStep::Name(name) => write!(f, ".{name}"),
            StaticStep::Key(key) => write!(f, "[{}]", quoted(key)),
            StaticStep::Index(index) => write!(f, "[{index}]"),
        })
    }
}

impl PartialEq for StaticReference {
    fn eq(&self, other: &Self) -> bool {
        (&self.root, &self.steps) == (&other.root, &other.steps)
    }
}

impl StaticReference {
    /// Where the steps after the first ones stand.
    pub(super) fn rest(&self, from: usize) -> Option<Subject> {
        let (first, last) = (self.steps_at.get(from)?, self.steps_at.last()?);
        Some(Subject { span: first.span.to(last.span), ..first.clone() })
    }

    /// Where the first name stands, or after that one of the steps.
    pub(crate) fn place(&self, at: usize) -> &Subject {
        let Some(step) = at.checked_sub(1) else { return &self.root_at };
        self.steps_at.get(step).unwrap_or(&self.subject)
    }

    /// Where a name stands for a type that means something else in references, as `local` does.
    pub(super) fn reserved(&self) -> Option<Subject> {
        const RESERVED: [&str; 10] =
            ["count", "each", "local", "path", "self", "terraform", "var", "template", "lazy", "arg"];
        let (name, next) = self.after_modules()?;
        let rest = next.checked_sub(1).map_or_else(|| Some(self.subject.clone()), |at| self.rest(at));
        rest.filter(|_| RESERVED.contains(&name))
    }

    /// What is wrong where `module` has no name after it.
    pub(super) fn nameless_module(&self) -> Option<Diagnostic> {
        let (mut word, mut next) = (self.root.as_str(), 0);
        while word == "module" {
            if !matches!(self.steps.get(next), Some(StaticStep::Name(_))) {
                let place = self.steps_at.get(next).or(self.steps_at.last()).unwrap_or(&self.subject);
                let detail = "The name of a module follows the word module.";
                return Some(Diagnostic::error("Invalid address operator", detail).on(place));
            }
            next += 1 + usize::from(self.is_key(next + 1));
            let Some(StaticStep::Name(after)) = self.steps.get(next) else { return None };
            (word, next) = (after, next + 1);
        }
        None
    }

    /// Where there is more than the address of an object.
    pub(super) fn surplus(&self) -> Option<Subject> {
        let next = self.named()?;
        self.rest(next + usize::from(self.is_key(next)))
    }

    /// The type of a resource that has no name after it, in a module.
    pub(super) fn nameless_resource(&self) -> Option<Subject> {
        let (_, next) = self.after_modules()?;
        self.rest(next.checked_sub(1)?).filter(|_| next == self.steps.len())
    }

    /// How many of the steps name a resource, without a key.
    fn named(&self) -> Option<usize> {
        let (name, next) = self.after_modules()?;
        Some(next + 1 + usize::from(matches!(name, "data" | "ephemeral" | "resource")))
    }

    /// The reference to a removed resource without what follows its name, and where the first step stands that does. No words
    /// but `data` can stand before its type.
    pub(super) fn without_key(mut self) -> (Self, Option<Subject>) {
        let named = self.after_modules().map(|(name, next)| next + 1 + usize::from(name == "data"));
        let named = named.unwrap_or(usize::MAX);
        let after = self.steps_at.get(named).cloned();
        self.steps.truncate(named);
        (self, after)
    }

    /// Where the first key of a module stands.
    pub(super) fn module_key(&self) -> Option<&Subject> {
        let modules = self.after_modules().map_or(self.steps.len(), |(_, next)| next);
        (0..modules).find(|at| self.is_key(*at)).and_then(|at| self.steps_at.get(at))
    }

    /// The first name after those of modules, and how many of the steps it comes after.
    fn after_modules(&self) -> Option<(&str, usize)> {
        let (mut name, mut next) = (self.root.as_str(), 0);
        while name == "module" {
            next += 1 + usize::from(self.is_key(next + 1));
            let Some(StaticStep::Name(after)) = self.steps.get(next) else { return None };
            (name, next) = (after, next + 1);
        }
        Some((name, next))
    }

    fn is_key(&self, at: usize) -> bool {
        !matches!(self.steps.get(at), None | Some(StaticStep::Name(_)))
    }

    /// Where each of the steps stands in that file.
    pub(super) fn step_spans(&self) -> Vec<Span> {
        self.steps_at.iter().map(|step| step.span).collect()
    }

    pub(super) fn error(&self, summary: &str, detail: impl Into<String>) -> Diagnostic {
        Diagnostic::error(summary, detail).on(&self.subject)
    }
}

/// Collects what is wrong while constants are read.
pub(super) struct Statics<'a>(pub(super) &'a mut Vec<Diagnostic>);

impl Statics<'_> {
    /// A constant `true` or `false`; strings that say so count.
    pub(super) fn bool(&mut self, expr: &SourceExpr) -> Option<bool> {
        self.constant(expr, &Type::Bool)?.value.as_bool()
    }

    /// A constant string; numbers and bools count.
    pub(super) fn string(&mut self, expr: &SourceExpr) -> Option<String> {
        self.constant(expr, &Type::String)?.value.as_str().map(ToOwned::to_owned)
    }

    /// The value of an expression without references and calls, as that type.
    fn constant(&mut self, expr: &SourceExpr, ty: &Type) -> Option<Marked> {
        let problems = constant(expr.expression());
        let at = problems.iter().map(|(summary, detail, span)| expr.error_at(*span, *summary, *detail));
        let found = self.0.len();
        self.0.extend(at);
        let unsuitable = match expr.constant() {
            Ok(value) => match convert(value, ty) {
                Ok(value) if !value.is_null() => return Some(value),
                Ok(_) => "null value is not allowed".to_owned(),
                Err(error) => error.to_string(),
            },
            Err(errors) if self.0.len() == found => {
                self.0.extend(errors);
                return None;
            }
            Err(_) => "value must be known".to_owned(),
        };
        let detail = format!("Unsuitable value: {unsuitable}.");
        let place = match expr.is_json() {
            true => expr.beginning(),
            false => expr.place(start_of(expr.expression())),
        };
        self.0.push(Diagnostic::error("Unsuitable value type", detail).on(place));
        None
    }

    /// A reference; in JSON, and with a warning also in the native syntax, it may be a string that holds it.
    pub(super) fn reference(&mut self, expr: &SourceExpr) -> Option<StaticReference> {
        let text = expr.expression().as_str().map(ToOwned::to_owned);
        let Some(text) = text else { return self.unquoted(expr) };
        if !expr.is_json() {
            let detail = "In this context, references are expected literally rather than in quotes. Remove the quotes.";
            let warning = Diagnostic::warning("Quoted references are deprecated", detail);
            self.0.push(expr.placed(warning));
        }
        match inner_expression(expr, &text) {
            Ok(inner) => {
                let mut found = self.unquoted(&inner)?;
                if expr.is_json() {
                    found.subject.span = expr.span_of_text(text.len());
                }
                Some(found)
            }
            Err(problem) => {
                self.0.push(if expr.is_json() {
                    expr.error("Invalid expression", REFERENCE)
                } else {
                    problem
                });
                None
            }
        }
    }

    /// A reference that must not be quoted in the native syntax.
    pub(super) fn plain_reference(&mut self, expr: &SourceExpr) -> Option<StaticReference> {
        if expr.expression().as_str().is_some() && !expr.is_json() {
            self.0.push(expr.error("Invalid expression", REFERENCE));
            return None;
        }
        self.reference(expr)
    }

    fn unquoted(&mut self, expr: &SourceExpr) -> Option<StaticReference> {
        let found = static_reference(expr);
        if found.is_none() {
            self.0.push(expr.error("Invalid expression", REFERENCE));
        }
        found
    }

    /// The elements of a list that is written as such.
    pub(super) fn list(&mut self, expr: &SourceExpr) -> Vec<SourceExpr> {
        match expr.expression() {
            Expression::Array(array) => array.iter().map(|element| expr.part(element)).collect(),
            _ => {
                let detail = "A static list expression is required.";
                self.0.push(expr.error_at(start_of(expr.expression()), "Invalid expression", detail));
                Vec::new()
            }
        }
    }

    /// What `depends_on` names.
    pub(super) fn depends_on(&mut self, expr: &SourceExpr) -> Vec<StaticReference> {
        let elements = self.list(expr);
        let found: Vec<_> = elements.iter().filter_map(|element| self.reference(element)).collect();
        let actions = found.iter().filter(|it| it.root == "action" && Rule::ActionReference.holds());
        let detail = "Nothing depends on an action. Name a resource or a data source instead.";
        self.0.extend(actions.map(|it| it.error("Invalid depends_on Action Reference", detail)));
        found
    }

    /// A keyword that, with a warning, may be quoted in the native syntax, too.
    pub(super) fn quoted_keyword(&mut self, expr: &SourceExpr) -> Option<String> {
        let quoted = expr.expression().as_str().filter(|_| !expr.is_json()).map(ToOwned::to_owned);
        if quoted.is_some() {
            let detail =
                "In this context, keywords are expected literally rather than in quotes. Remove the quotes.";
            self.0.push(expr.placed(Diagnostic::warning("Quoted keywords are deprecated", detail)));
        }
        quoted.or_else(|| self.keyword(expr))
    }

    /// A keyword; in JSON a string.
    pub(super) fn keyword(&mut self, expr: &SourceExpr) -> Option<String> {
        match expr.expression() {
            Expression::Variable(name) => Some(name.as_str().to_owned()),
            Expression::String(text) if expr.is_json() => Some(text.value().clone()),
            _ => None,
        }
    }
}

const REFERENCE: &str = "A single static variable reference is required: only attribute access and indexing with \
                         constant keys. No calculations, function calls, template expressions, etc are allowed here.";

/// What is found in an expression that must be a constant.
const VARIABLE: (&str, &str) = ("Variables not allowed", "Variables may not be used here.");
const FUNCTION: (&str, &str) = ("Function calls not allowed", "Functions may not be called here.");

/// Why an expression is no constant, and where.
pub(super) fn constant(expr: &Expression) -> Vec<(&'static str, &'static str, Span)> {
    struct Finder(Vec<(&'static str, &'static str, Span)>);
    impl Visit for Finder {
        fn visit_expr(&mut self, expr: &Expression) {
            match expr {
                Expression::Variable(name) => self.found(VARIABLE, name.span()),
                Expression::FuncCall(call) => self.found(FUNCTION, call.span()),
                expr => visit::visit_expr(self, expr),
            }
        }
    }
    impl Finder {
        fn found(&mut self, (summary, detail): (&'static str, &'static str), span: Option<Range<usize>>) {
            self.0.push((summary, detail, span.map(Span::from).unwrap_or_default()));
        }
    }
    let mut finder = Finder(Vec::new());
    finder.visit_expr(expr);
    finder.0
}

/// What is said of the key of no instance.
pub(super) const NO_KEY: &str = "The key of an instance is a whole number or a string.";

/// Whether a constant is the key of no instance.
pub(super) fn is_no_key(key: &Expression) -> bool {
    match key {
        Expression::Null(_) | Expression::Bool(_) => true,
        key => constant_key(key).is_some_and(|key| InstanceKey::of(&key).is_none()),
    }
}

/// Where the first constant stands that is the key of no instance.
pub(super) fn impossible_key(expr: &SourceExpr) -> Option<Subject> {
    let (_, operators) = traversed(expr.expression()).filter(|_| !expr.is_json())?;
    let is_impossible = |operator: &&Decorated<TraversalOperator>| match operator.value() {
        TraversalOperator::Index(key) => is_no_key(key),
        _ => false,
    };
    let span = operators.iter().find(is_impossible)?.span()?;
    Some(expr.place(span.into()))
}

/// The expression as a reference, if it is nothing else.
pub(super) fn static_reference(expr: &SourceExpr) -> Option<StaticReference> {
    let subject = expr.subject().clone();
    let (root, operators) = traversed(expr.expression())?;
    let steps: Option<Vec<StaticStep>> = operators
        .iter()
        .map(|operator| match operator.value() {
            TraversalOperator::GetAttr(name) => Some(StaticStep::Name(name.as_str().to_owned())),
            TraversalOperator::LegacyIndex(index) => Some(StaticStep::Index(*index.value())),
            TraversalOperator::Index(Expression::String(key)) => Some(StaticStep::Key(key.value().clone())),
            TraversalOperator::Index(Expression::Number(index)) => {
                index.value().as_u64().map(StaticStep::Index)
            }
            _ => None,
        })
        .collect();
    let first = match expr.expression() {
        Expression::Traversal(traversal) => traversal.expr.span(),
        name => name.span(),
    };
    let first = first.map(Span::from).unwrap_or_default();
    let place = |span: Span| match subject.source.is_json() {
        // Core counts from the quote.
        true => {
            let at = |offset: usize| subject.span.start + offset.saturating_sub(first.start);
            Subject { span: Span { start: at(span.start), end: at(span.end) }, ..subject.clone() }
        }
        false => expr.place(span),
    };
    let spans = operators.iter().map(|operator| operator.span().map(Span::from).unwrap_or_default());
    let steps_at = spans.map(place).collect();
    let root_at = place(first);
    Some(StaticReference { root: root.to_owned(), steps: steps?, subject, root_at, steps_at })
}

/// The name that an expression begins with and what follows it, if it is nothing else.
pub(super) fn traversed(expr: &Expression) -> Option<(&str, &[Decorated<TraversalOperator>])> {
    match expr {
        Expression::Variable(name) => Some((name.as_str(), &[])),
        Expression::Traversal(traversal) => match &traversal.expr {
            Expression::Variable(name) => Some((name.as_str(), traversal.operators.as_slice())),
            _ => None,
        },
        _ => None,
    }
}

/// The name that an expression begins with, if it is a reference.
pub(super) fn root_of(expr: &Expression) -> Option<&str> {
    match expr {
        Expression::Variable(name) => Some(name.as_str()),
        Expression::Traversal(traversal) => root_of(&traversal.expr),
        _ => None,
    }
}
