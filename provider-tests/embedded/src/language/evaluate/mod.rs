//! From expressions to values.

mod access;
mod call;
mod comprehension;
mod condition;
mod heredoc;
mod operator;
mod references;
mod template;

use std::cell::Cell;
use std::sync::Arc;

use ferroform::ty::Type;
use ferroform::value::{Number, Value};
use hcl_edit::Span as _;
use hcl_edit::expr::{Array, Expression, FuncCall, Object, ObjectKey, TraversalOperator};
use hcl_edit::template::Element;

use super::convert::convert;
use super::marked::MarkSet;
use super::scope::{AllUnknown, Scope, Traversal, TraversalStep};
use super::{Diagnostic, Marked, SourceFile, Span, parse};
use crate::language::rule::Rule;

pub(super) use condition::{is_open_set, lengths};
pub(super) use operator::equal;
pub use references::references;
pub(super) use references::references_of;
pub(super) use template::{render, safe_prefix};

/// A value, or everything that is wrong.
pub(super) type Outcome = Result<Marked, Vec<Diagnostic>>;

/// The value of an expression.
///
/// Unknown and null values, marks and types behave as in core. An expression of any depth that the parser accepts is
/// evaluated without exhausting the stack: the parser has a limit.
///
/// # Errors
/// Everything that is wrong with the expression, with the places in the scope's source.
pub fn evaluate(expr: &Expression, scope: &dyn Scope) -> Result<Marked, Vec<Diagnostic>> {
    let evaluator = Evaluator::new(scope);
    evaluator.expression(expr).or_else(|errors| Err(evaluator.ignored(expr, errors)?))
}

/// The value that an expression has whatever its references and calls stand for, if there is one: for core these are errors,
/// which do not keep what is around them from having a value.
pub(crate) fn constant(expr: &Expression, source: &SourceFile) -> Option<Value> {
    let (scope, unresolved) = (AllUnknown(source), Cell::new(0));
    let evaluator = Evaluator { unresolved: Some(&unresolved), ..Evaluator::new(&scope) };
    evaluator.expression(expr).ok().map(|it| it.value).filter(Value::is_wholly_known)
}

/// What is wrong with the references of an expression to objects: names that their schemas do not have.
pub(crate) fn wrong_references(expr: &Expression, scope: &dyn Scope) -> Vec<Diagnostic> {
    let evaluator = Evaluator::new(scope);
    evaluator.wrong_references(&references(expr)).flatten().collect()
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

/// An expression within its scope and the variables of `for` around it.
#[derive(Clone, Copy)]
pub(super) struct Evaluator<'a> {
    scope: &'a dyn Scope,
    local: Option<&'a Local<'a>>,
    /// How many splats are around.
    splats: usize,
    /// Counts references and calls while a [constant] is looked for. For core they are errors there: an operation fails with
    /// its operand, a conditional with the branch that it takes, and nothing else does.
    unresolved: Option<&'a Cell<usize>>,
}

/// A variable of a `for`.
struct Local<'a> {
    name: &'a str,
    value: Marked,
    outer: Option<&'a Local<'a>>,
}

impl<'a> Evaluator<'a> {
    fn new(scope: &'a dyn Scope) -> Self {
        Self { scope, local: None, splats: 0, unresolved: None }
    }

    /// How many references and calls were evaluated so far, where these are counted.
    fn unresolved_count(self) -> usize {
        self.unresolved.map_or(0, Cell::get)
    }

    fn add_unresolved(self, count: usize) {
        if let Some(unresolved) = self.unresolved {
            unresolved.set(unresolved.get() + count);
        }
    }

    /// Evaluates something, and returns how many references and calls it has instead of counting them.
    fn without_counting<T>(self, evaluate: impl FnOnce() -> T) -> (T, usize) {
        let before = self.unresolved_count();
        let result = evaluate();
        let unresolved = self.unresolved_count() - before;
        if let Some(count) = self.unresolved {
            count.set(before);
        }
        (result, unresolved)
    }

    fn expression(self, expr: &Expression) -> Outcome {
        match expr {
            Expression::Null(_) => Ok(Marked::null()),
            Expression::Bool(value) => Ok(Marked::bool(*value.value())),
            Expression::Number(number) => self.number(number),
            Expression::String(text) => Ok(Marked::string(text.value())),
            Expression::Array(array) => self.tuple(array).0,
            Expression::Object(object) => self.object(object).0,
            Expression::StringTemplate(template) => self.template(template.iter()),
            Expression::HeredocTemplate(heredoc) => {
                let flushed = heredoc::flushed(heredoc, self.scope.source());
                let flushed = flushed.filter(|_| Rule::Indentation.holds());
                self.template(flushed.as_ref().unwrap_or(&heredoc.template).iter())
            }
            Expression::Parenthesis(inner) => self.expression(inner.inner()),
            Expression::Variable(name) => {
                let steps = (Vec::new(), Vec::new());
                self.resolve(&references::traversal(name, span_of(name.span()), steps))
            }
            Expression::Traversal(traversal) => self.traversal(traversal),
            Expression::FuncCall(call) => self.function_call(call),
            Expression::Conditional(choice) => self.choice(choice).0,
            Expression::UnaryOp(operation) => self.unary(operation),
            Expression::BinaryOp(operation) => self.binary(operation),
            Expression::ForExpr(comprehension) => self.for_expression(comprehension).0,
        }
    }

    /// The number as it is written, which the parser may have rounded.
    fn number(self, number: &hcl_edit::Formatted<hcl_edit::Number>) -> Outcome {
        let written = number.span().map(|span| self.scope.source().slice(span.into()));
        let parsed = written
            .and_then(|text| text.parse::<Number>().ok())
            .map_or_else(|| number.value().to_string().parse::<Number>(), Ok);
        parsed.map(Marked::number).map_err(|error| {
            self.error("Invalid number literal", format!("{error}."), span_of(number.span()))
        })
    }

    /// A tuple, and the type that it has where a part is an error.
    fn tuple(self, array: &Array) -> (Outcome, Type) {
        let parts: Vec<(Outcome, Type)> = array.iter().map(|element| self.with_type(element)).collect();
        let failed = parts.iter().any(|(part, _)| part.is_err()).then(|| {
            let ty =
                |(part, ty): &(Outcome, Type)| part.as_ref().map_or_else(|_| ty.clone(), |it| it.ty.clone());
            Type::tuple(parts.iter().map(ty))
        });
        let tuple = all(parts.into_iter().map(|(part, _)| part)).map(Marked::tuple);
        (tuple, failed.unwrap_or(Type::Dynamic))
    }

    /// An object, and the type that it has where a part is an error.
    fn object(self, object: &Object) -> (Outcome, Type) {
        let (mut attributes, mut types) = (Vec::with_capacity(object.len()), Vec::new());
        let (mut marks, mut errors, mut unknown) = (MarkSet::default(), Vec::new(), false);
        for (key, value) in object.iter() {
            let name = match self.object_key(key, value.expr()) {
                Ok((name, found)) => {
                    marks.add(found);
                    name
                }
                Err(found) => {
                    errors.extend(found);
                    None
                }
            };
            unknown |= name.is_none();
            match (name, self.with_type(value.expr())) {
                (Some(name), (Ok(value), _)) => attributes.push((name, value)),
                (None, (Ok(_), _)) => {}
                (name, (Err(found), ty)) => {
                    types.extend(name.map(|name| (name, ty)));
                    errors.extend(found);
                }
            }
        }
        match (errors.is_empty(), unknown) {
            // Core forgets the marks where it does not know all names.
            (true, true) => (Ok(Marked::unknown(Type::Dynamic)), Type::Dynamic),
            (true, false) => (Ok(Marked::object(attributes).mark(marks)), Type::Dynamic),
            (false, true) => (Err(errors), Type::Dynamic),
            (false, false) => {
                types.extend(attributes.into_iter().map(|(name, value)| (name, value.ty)));
                (Err(errors), Type::object(types))
            }
        }
    }

    /// The name of an attribute, if it is known, and the marks of what it was made of. Core reports a null at the value.
    fn object_key(
        self,
        key: &ObjectKey,
        value: &Expression,
    ) -> Result<(Option<Arc<str>>, MarkSet), Vec<Diagnostic>> {
        let expr = match key {
            ObjectKey::Ident(name) => return Ok((Some(Arc::from(name.as_str())), MarkSet::default())),
            ObjectKey::Expression(Expression::Variable(name)) => {
                return Ok((Some(Arc::from(name.as_str())), MarkSet::default()));
            }
            ObjectKey::Expression(Expression::Null(_)) => {
                return Ok((Some(Arc::from("null")), MarkSet::default()));
            }
            ObjectKey::Expression(expr) => expr,
        };
        let span = span_of(expr.span());
        if let Expression::Traversal(_) = expr {
            return Err(self.error(
                "Ambiguous attribute key",
                "A key that is a reference is put in parentheses, and one that is a text in quotes.",
                span,
            ));
        }
        let (key, marks) = self.expression(expr)?.unmark();
        if key.is_null() {
            let detail = "A null cannot be the key of an object.";
            return Err(self.error("Null value as key", detail, span_of(value.span())));
        }
        let key = convert(key, &Type::String).map_err(|error| {
            self.error("Incorrect key type", format!("The key of an object must be a string: {error}."), span)
        })?;
        Ok((key.value.as_str().map(Arc::from), marks))
    }

    /// Whether a name is that of a variable of a `for` around.
    fn is_local(self, name: &str) -> bool {
        std::iter::successors(self.local, |found| found.outer).any(|found| found.name == name)
    }

    /// The value of a reference, with all its steps.
    fn resolve(self, traversal: &Traversal) -> Outcome {
        let mut local = self.local;
        while let Some(found) = local {
            if found.name == traversal.root {
                return self.follow(found.value.clone(), traversal, 0);
            }
            local = found.outer;
        }
        // What a list finds has no type before it is listed, and its schema has one.
        if traversal.root == "list" {
            self.check_reference(traversal)?;
        }
        self.add_unresolved(1);
        let resolved = self.scope.resolve(traversal).map_err(|mut errors| {
            for error in &mut errors {
                if error.place.is_none() {
                    *error = error.clone().at(self.scope.source(), traversal.span);
                }
            }
            errors
        })?;
        self.follow(resolved.value, traversal, resolved.steps)
    }

    /// The errors of an expression whose outcome does not count.
    fn ignored(self, expr: &Expression, errors: Vec<Diagnostic>) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        self.check_references(expr).map(|()| errors)
    }

    /// Whether the objects that an expression refers to have the attributes that it names.
    ///
    /// # Errors
    /// Those that the schema does not have are errors wherever the reference stands, and whatever becomes of it.
    fn check_references(self, expr: &Expression) -> Result<(), Vec<Diagnostic>> {
        self.wrong_references(&references(expr)).next().map_or(Ok(()), Err)
    }

    /// What is wrong with each of these references, where something is.
    fn wrong_references(self, all: &[Traversal]) -> impl Iterator<Item = Vec<Diagnostic>> {
        let others = all.iter().filter(move |it| !self.is_local(&it.root) && Rule::StaticReference.holds());
        others.filter_map(move |it| self.check_reference(it).err())
    }

    fn check_reference(self, traversal: &Traversal) -> Result<(), Vec<Diagnostic>> {
        let Some((ty, steps)) = self.scope.object_type(traversal) else { return Ok(()) };
        let Some(TraversalStep::Attribute(name)) = traversal.steps.get(steps) else { return Ok(()) };
        let span = traversal.step_spans.get(steps).copied().unwrap_or(traversal.span);
        match ty.as_object().and_then(|object| object.attribute(name)) {
            Some(ty) => self.follow(Marked::unknown(ty.clone()), traversal, steps + 1).map(drop),
            None => {
                let detail =
                    format!("This object has no argument, nested block, or attribute named {name:?}.");
                Err(self.error("Unsupported attribute", detail, span))
            }
        }
    }

    fn error(self, summary: &str, detail: impl Into<String>, span: Span) -> Vec<Diagnostic> {
        vec![Diagnostic::error(summary, detail).at(self.scope.source(), span)]
    }
}

/// All values, or all errors of those that have none.
fn all(outcomes: impl Iterator<Item = Outcome>) -> Result<Vec<Marked>, Vec<Diagnostic>> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for outcome in outcomes {
        match outcome {
            Ok(value) => values.push(value),
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(errors) }
}

/// Both, or all errors of those that have any.
fn both<T>(outcomes: [Result<T, Vec<Diagnostic>>; 2]) -> Result<[T; 2], Vec<Diagnostic>> {
    match outcomes {
        [Ok(left), Ok(right)] => Ok([left, right]),
        outcomes => Err(outcomes.into_iter().filter_map(Result::err).flatten().collect()),
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

/// The bool of a condition that has been converted to one; `None` while it is unknown.
fn known_bool(value: &Value) -> Option<bool> {
    value.as_bool()
}
