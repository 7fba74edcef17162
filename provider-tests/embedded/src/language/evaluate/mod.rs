//! From expressions to values.

mod access;
mod call;
mod comprehension;
mod condition;
mod heredoc;
mod operator;
mod references;
mod template;

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use ferroform::ty::Type;
use ferroform::value::{Number, Value};
use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, FuncCall, Object, ObjectKey, TraversalOperator};
use hcl_edit::template::Element;

use super::convert::convert;
use super::marked::MarkSet;
use super::scope::{NoReferences, Scope, Traversal, TraversalStep};
use super::{Diagnostic, Marked, SourceFile, Span, parse};
use crate::language::rule::Rule;

pub(crate) use call::{UNKNOWN_FUNCTION, UNKNOWN_PROVIDER_FUNCTION};
pub(super) use condition::{is_open_set, lengths};
pub(super) use operator::equal;
pub use references::references;
pub(super) use references::{constant_key, references_of};
use template::Literals;
pub(super) use template::{render, safe_prefix};

/// A value, or everything that is wrong.
pub(super) type Outcome = Result<Marked, Vec<Diagnostic>>;

/// The value of an expression.
///
/// Unknown and null values, marks and types behave as in core. An expression of any depth that the parser accepts is
/// evaluated without exhausting the stack: the parser has a limit.
///
/// # Errors
/// Everything that is wrong with the expression, with the places in the scope's source; or, where references name attributes
/// that their schemas do not have or have no value in the scope at all, the errors of these alone.
pub fn evaluate(expr: &Expression, scope: &dyn Scope) -> Result<Marked, Vec<Diagnostic>> {
    // Core reports these wherever they stand, and evaluates nothing then.
    let wrong = wrong_references(expr, scope);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    in_scope(scope, |evaluator| evaluator.expression(expr))
}

/// The value that an expression has where references and calls have none, if there is one: for core these are errors, which
/// do not keep what is around them from having a value.
pub(crate) fn constant(expr: &Expression, source: &SourceFile) -> Option<Value> {
    let errors = RefCell::new(Vec::new());
    let scope = NoReferences::new(source.clone()).without_functions();
    let value = Evaluator::new(&scope, &errors).expression(expr).value;
    value.is_wholly_known().then_some(value)
}

/// What is wrong with the references of an expression, whatever becomes of it: names that schemas do not have, and what has no
/// value in the scope at all.
pub(crate) fn wrong_references(expr: &Expression, scope: &dyn Scope) -> Vec<Diagnostic> {
    references(expr).iter().flat_map(|it| wrong_reference(it, scope)).collect()
}

/// The same of one of them.
pub(crate) fn wrong_reference(reference: &Traversal, scope: &dyn Scope) -> Vec<Diagnostic> {
    if !Rule::StaticReference.holds() {
        return Vec::new();
    }
    Evaluator::new(scope, &RefCell::default()).check_reference(reference).err().unwrap_or_default()
}

/// Reads a text that is one expression.
///
/// # Errors
/// A syntax error; its words are not core's.
pub fn parse_expression(source: &SourceFile) -> Result<Expression, Diagnostic> {
    parse::expression(source)
}

/// Reads a text that is a template as between quotes, but without escapes, as in a file for `templatefile`.
///
/// # Errors
/// A syntax error; its words are not core's.
pub fn parse_template(source: &SourceFile) -> Result<hcl_edit::template::Template, Diagnostic> {
    parse::template(source)
}

/// Evaluates something in a scope.
pub(super) fn in_scope(scope: &dyn Scope, evaluate: impl FnOnce(Evaluator<'_>) -> Marked) -> Outcome {
    let errors = RefCell::new(Vec::new());
    let value = evaluate(Evaluator::new(scope, &errors));
    let errors = errors.into_inner();
    if errors.is_empty() { Ok(value) } else { Err(errors) }
}

/// An expression within its scope and the variables of `for` around it.
///
/// As in core, an expression has a value also where it is wrong, mostly an unknown one of the type that it would have, so
/// that what is around it is evaluated as well.
#[derive(Clone, Copy)]
pub(super) struct Evaluator<'a> {
    scope: &'a dyn Scope,
    local: Option<&'a Local<'a>>,
    /// How many splats are around.
    splats: usize,
    /// Whether objects are those of JSON here. Within its templates they are written in the native syntax.
    is_json: bool,
    /// The errors so far.
    errors: &'a RefCell<Vec<Diagnostic>>,
}

/// A variable of a `for`.
struct Local<'a> {
    name: &'a str,
    value: Marked,
    outer: Option<&'a Local<'a>>,
}

impl<'a> Evaluator<'a> {
    fn new(scope: &'a dyn Scope, errors: &'a RefCell<Vec<Diagnostic>>) -> Self {
        Self { scope, local: None, splats: 0, is_json: scope.source().is_json(), errors }
    }

    fn add(self, errors: Vec<Diagnostic>) {
        self.errors.borrow_mut().extend(errors);
    }

    /// Reports an error, and returns an unknown value of any type.
    fn report(self, summary: &str, detail: impl Into<String>, span: Span) -> Marked {
        self.add(vec![Diagnostic::error(summary, detail).at(self.scope.source(), span)]);
        Marked::unknown(Type::Dynamic)
    }

    /// How many errors there are so far.
    fn error_count(self) -> usize {
        self.errors.borrow().len()
    }

    /// Evaluates something, and returns its errors instead of reporting them.
    fn capture_errors<T>(self, evaluate: impl FnOnce() -> T) -> (T, Vec<Diagnostic>) {
        let before = self.error_count();
        let result = evaluate();
        (result, self.errors.borrow_mut().split_off(before))
    }

    /// Evaluates something, and returns whether it has errors.
    fn with_failure<T>(self, evaluate: impl FnOnce() -> T) -> (T, bool) {
        let before = self.error_count();
        let result = evaluate();
        (result, self.error_count() > before)
    }

    fn expression(self, expr: &Expression) -> Marked {
        match expr {
            Expression::Null(_) => Marked::null(),
            Expression::Bool(value) => Marked::bool(*value.value()),
            Expression::Number(number) => self.number(number),
            Expression::String(text) => Marked::string(text.value()),
            Expression::Array(array) => {
                Marked::tuple(array.iter().map(|element| self.expression(element)).collect())
            }
            Expression::Object(object) => self.object(object),
            Expression::StringTemplate(template) => {
                Self { is_json: false, ..self }.template(template.iter(), Literals::Quoted)
            }
            Expression::HeredocTemplate(heredoc) => {
                let flushed = heredoc::flushed(heredoc, self.scope.source());
                let flushed = flushed.filter(|_| Rule::Indentation.holds());
                self.template(flushed.as_ref().unwrap_or(&heredoc.template).iter(), Literals::Lines)
            }
            Expression::Parenthesis(inner) => self.expression(inner.inner()),
            Expression::Variable(name) => {
                let steps = (Vec::new(), Vec::new());
                self.resolve(&references::traversal(name, span_of(name.span()), steps))
            }
            Expression::Traversal(traversal) => self.traversal(traversal),
            Expression::FuncCall(call) => self.function_call(call),
            Expression::Conditional(choice) => self.choice(choice),
            Expression::UnaryOp(operation) => self.unary(operation),
            Expression::BinaryOp(operation) => self.binary(operation),
            Expression::ForExpr(comprehension) => self.for_expression(comprehension),
        }
    }

    /// The number as it is written, which the parser may have rounded.
    fn number(self, number: &hcl_edit::Formatted<hcl_edit::Number>) -> Marked {
        let written = number.span().map(|span| self.scope.source().slice(span.into()));
        let parsed = written
            .and_then(|text| text.parse::<Number>().ok())
            .map_or_else(|| number.value().to_string().parse::<Number>(), Ok);
        parsed.map_or_else(
            |error| self.report("Invalid number literal", format!("{error}."), span_of(number.span())),
            Marked::number,
        )
    }

    fn object(self, object: &Object) -> Marked {
        let mut attributes = Vec::with_capacity(object.len());
        let (mut marks, mut all_known, mut names) = (MarkSet::default(), true, HashSet::new());
        for (key, value) in object.iter() {
            let (name, failed) = self.with_failure(|| self.object_key(key));
            let attribute = self.expression(value.expr());
            let (name, found) = name.unmark();
            marks.add(found);
            let name = if failed { None } else { self.attribute_name(name, key, value.expr()) };
            all_known &= name.is_some();
            let Some(name) = name else { continue };
            // The native syntax takes the last one.
            if self.is_json && !names.insert(Arc::clone(&name)) {
                let detail = format!("The attribute {name:?} is there already.");
                self.report("Duplicate object attribute", detail, span_of(key.span()));
                continue;
            }
            attributes.push((name, attribute));
        }
        // Core forgets the marks where it does not know all names.
        if all_known { Marked::object(attributes).mark(marks) } else { Marked::unknown(Type::Dynamic) }
    }

    fn object_key(self, key: &ObjectKey) -> Marked {
        match key {
            ObjectKey::Ident(name) => Marked::string(name.as_str()),
            ObjectKey::Expression(Expression::Variable(name)) => Marked::string(name.as_str()),
            ObjectKey::Expression(Expression::Null(_)) => Marked::string("null"),
            ObjectKey::Expression(expr @ Expression::Traversal(_)) => self.report(
                "Ambiguous attribute key",
                "A key that is a reference is put in parentheses, and one that is a text in quotes.",
                span_of(expr.span()),
            ),
            ObjectKey::Expression(expr) => self.expression(expr),
        }
    }

    /// The name of an attribute, if it is known. In the native syntax core reports a null at the value.
    fn attribute_name(self, name: Marked, key: &ObjectKey, value: &Expression) -> Option<Arc<str>> {
        const IN_JSON: &str = "Invalid object key expression";
        if name.is_null() {
            let (summary, span) =
                if self.is_json { (IN_JSON, key.span()) } else { ("Null value as key", value.span()) };
            self.report(summary, "A null cannot be the key of an object.", span_of(span));
            return None;
        }
        match convert(name, &Type::String) {
            Ok(name) => name.value.as_str().map(Arc::from),
            Err(error) => {
                let detail = format!("The key of an object must be a string: {error}.");
                let summary = if self.is_json { IN_JSON } else { "Incorrect key type" };
                self.report(summary, detail, span_of(key.span()));
                None
            }
        }
    }

    /// Whether a name is that of a variable of a `for` around.
    fn is_local(self, name: &str) -> bool {
        std::iter::successors(self.local, |found| found.outer).any(|found| found.name == name)
    }

    /// The value of a reference, with all its steps.
    fn resolve(self, traversal: &Traversal) -> Marked {
        let mut local = self.local;
        while let Some(found) = local {
            if found.name == traversal.root {
                return self.follow(found.value.clone(), traversal, 0);
            }
            local = found.outer;
        }
        // What a list finds has no type before it is listed, and its schema has one.
        let unlisted = (traversal.root == "list").then(|| self.check_reference(traversal).err()).flatten();
        match unlisted.map_or_else(|| self.scope.resolve(traversal), Err) {
            Ok(resolved) => self.follow(resolved.value, traversal, resolved.steps),
            Err(mut errors) => {
                for error in &mut errors {
                    if error.place.is_none() {
                        *error = error.clone().at(self.scope.source(), traversal.span);
                    }
                }
                self.add(errors);
                Marked::unknown(Type::Dynamic)
            }
        }
    }

    fn check_reference(self, traversal: &Traversal) -> Result<(), Vec<Diagnostic>> {
        if let Some(error) = self.scope.reference_error(traversal) {
            return Err(vec![error.at(self.scope.source(), traversal.through(0))]);
        }
        let Some((ty, steps)) = self.scope.object_type(traversal) else { return Ok(()) };
        let Some(step) = traversal.steps.get(steps) else { return Ok(()) };
        let span = traversal.step_spans.get(steps).copied().unwrap_or(traversal.span);
        let TraversalStep::Attribute(name) = step else {
            let detail = "This object has attributes, which are named after a dot.";
            return Err(vec![
                Diagnostic::error("Invalid index operation", detail).at(self.scope.source(), span),
            ]);
        };
        if let Some((step, error)) = self.scope.lost_step(traversal, steps) {
            let span = traversal.step_spans.get(step).copied().unwrap_or(traversal.span);
            return Err(vec![error.at(self.scope.source(), span)]);
        }
        let (_, errors) =
            self.capture_errors(|| match ty.as_object().and_then(|object| object.attribute(name)) {
                Some(ty) => self.follow(Marked::unknown(ty.clone()), traversal, steps + 1),
                None => {
                    let detail =
                        format!("This object has no argument, nested block, or attribute named {name:?}.");
                    self.report("Unsupported attribute", detail, span)
                }
            });
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// The span of something parsed; empty for something made otherwise.
fn span_of(span: Option<std::ops::Range<usize>>) -> Span {
    span.map(Span::from).unwrap_or_default()
}

/// The beginning of an expression, by which core points at some of them.
pub(super) fn start_of(expr: &Expression) -> Span {
    let whole = span_of(expr.span());
    let first = |length: usize| Span { start: whole.start, end: whole.start + length };
    match expr {
        Expression::Array(_) | Expression::Object(_) | Expression::ForExpr(_) | Expression::UnaryOp(_) => {
            first(1)
        }
        // Without the quotes.
        Expression::String(_) if whole.end > whole.start + 1 => {
            Span { start: whole.start + 1, end: whole.end - 1 }
        }
        Expression::StringTemplate(template) => beginning(template.iter()).unwrap_or(whole),
        Expression::HeredocTemplate(heredoc) => beginning(heredoc.template.iter()).unwrap_or(whole),
        // With the parenthesis.
        Expression::FuncCall(call) => first(name_length(call) + 1),
        Expression::Conditional(conditional) => start_of(&conditional.cond_expr),
        Expression::BinaryOp(operation) => start_of(&operation.lhs_expr),
        Expression::Parenthesis(inner) => start_of(inner.inner()),
        Expression::Traversal(traversal) => start_of_traversal(traversal).unwrap_or(whole),
        _ => whole,
    }
}

/// The brackets of the first splat, or else of the last index that is no constant, or else where that begins which is
/// looked into; `None` for a plain reference, which is pointed at as a whole.
fn start_of_traversal(traversal: &hcl_edit::expr::Traversal) -> Option<Span> {
    let operators = || traversal.operators.iter();
    let is_splat = |it: &TraversalOperator| {
        matches!(it, TraversalOperator::FullSplat(_) | TraversalOperator::AttrSplat(_))
    };
    let is_computed = |it: &TraversalOperator| match it {
        TraversalOperator::Index(key) => !matches!(key, Expression::Number(_) | Expression::String(_)),
        _ => false,
    };
    if let Some(splat) = operators().find(|it| is_splat(it.value())) {
        return Some(span_of(splat.span()));
    }
    if let Some(index) = operators().rev().find(|it| is_computed(it.value())) {
        let start = span_of(index.span()).start;
        return Some(Span { start, end: start + 1 });
    }
    match &traversal.expr {
        Expression::Variable(_) => None,
        base => Some(start_of(base)),
    }
}

/// How long the name of a function is as it is written.
fn name_length(call: &FuncCall) -> usize {
    let namespace = call.name.namespace.iter().map(|name| name.as_str().len() + "::".len());
    namespace.sum::<usize>() + call.name.name.as_str().len()
}

/// That of a template; one that is nothing but an interpolation is taken as a whole.
fn beginning<'e>(mut elements: impl Iterator<Item = &'e Element>) -> Option<Span> {
    match (elements.next()?, elements.next()) {
        (Element::Interpolation(_), None) => None,
        (Element::Interpolation(it), _) => Some(start_of(&it.expr)),
        (element, _) => element.span().map(Span::from),
    }
}
