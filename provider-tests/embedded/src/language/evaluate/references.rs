//! Which references an expression has.

use ferroform::value::{Number, Value};
use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, ForExpr, ObjectKey, TraversalOperator};
use hcl_edit::template::{Directive, Element, Template};

use super::span_of;
use crate::language::Span;
use crate::language::scope::{Traversal, TraversalStep};

/// All references of an expression in the order in which they stand, those to variables of its own `for` left out.
#[must_use]
pub fn references(expr: &Expression) -> Vec<Traversal> {
    let mut found = ReferenceCollector { bound: Vec::new(), traversals: Vec::new() };
    found.expression(expr);
    found.traversals
}

/// The same of a template.
pub(in crate::language) fn references_of(template: &Template) -> Vec<Traversal> {
    let mut found = ReferenceCollector { bound: Vec::new(), traversals: Vec::new() };
    template.iter().for_each(|part| found.element(part));
    found.traversals
}

/// The constant steps at the beginning, and where they stand.
pub(super) fn constant_steps(
    operators: &[hcl_edit::Decorated<TraversalOperator>],
) -> (Vec<TraversalStep>, Vec<Span>) {
    let mut spans = Vec::new();
    let steps = operators.iter().map_while(|operator| {
        let step = match operator.value() {
            TraversalOperator::GetAttr(name) => TraversalStep::Attribute(name.to_string()),
            TraversalOperator::LegacyIndex(at) => TraversalStep::Index(Value::from(*at.value())),
            TraversalOperator::Index(key) => TraversalStep::Index(constant_key(key)?),
            _ => return None,
        };
        spans.push(span_of(operator.span()));
        Some(step)
    });
    (steps.collect(), spans)
}

/// A key that is constant. To core a number below zero is a calculation.
pub(in crate::language) fn constant_key(key: &Expression) -> Option<Value> {
    match key {
        Expression::String(key) => Some(Value::string(key.value())),
        Expression::Number(at) => {
            let text = at.value().to_string();
            text.parse::<Number>().ok().filter(|_| !text.starts_with('-')).map(Value::from)
        }
        _ => None,
    }
}

/// A reference whose first name stands there.
pub(super) fn traversal(
    root: &str,
    at: Span,
    (steps, step_spans): (Vec<TraversalStep>, Vec<Span>),
) -> Traversal {
    let span = step_spans.last().map_or(at, |end| at.to(*end));
    Traversal { root: root.to_owned(), steps, span, step_spans }
}

/// The types without arguments.
const TYPES: [&str; 4] = ["any", "bool", "number", "string"];

struct ReferenceCollector {
    /// The variables of the `for`s around.
    bound: Vec<String>,
    traversals: Vec<Traversal>,
}

impl ReferenceCollector {
    fn add(&mut self, root: &str, span: Span, (steps, step_spans): (Vec<TraversalStep>, Vec<Span>)) {
        if !self.bound.iter().any(|name| name == root) {
            self.traversals.push(traversal(root, span, (steps, step_spans)));
        }
    }

    fn expression(&mut self, expr: &Expression) {
        match expr {
            Expression::Null(_) | Expression::Bool(_) | Expression::Number(_) | Expression::String(_) => {}
            Expression::Array(array) => array.iter().for_each(|element| self.expression(element)),
            Expression::Object(object) => object.iter().for_each(|(key, value)| {
                match key {
                    ObjectKey::Expression(key) if !matches!(key, Expression::Variable(_)) => {
                        self.expression(key)
                    }
                    _ => {}
                }
                self.expression(value.expr());
            }),
            Expression::StringTemplate(template) => template.iter().for_each(|part| self.element(part)),
            Expression::HeredocTemplate(heredoc) => {
                heredoc.template.iter().for_each(|part| self.element(part));
            }
            Expression::Parenthesis(inner) => self.expression(inner.inner()),
            Expression::Variable(name) => {
                self.add(name.as_str(), span_of(name.span()), (Vec::new(), Vec::new()))
            }
            Expression::Conditional(condition) => {
                self.expression(&condition.cond_expr);
                self.expression(&condition.true_expr);
                self.expression(&condition.false_expr);
            }
            Expression::FuncCall(call) => {
                // What follows the value in a call of `convert` is a type, whose keywords refer to nothing.
                let is_core = call.name.namespace.iter().all(|name| name.as_str() == "core");
                let values = if is_core && call.name.name.as_str() == "convert" { 1 } else { usize::MAX };
                call.args.iter().take(values).for_each(|argument| self.expression(argument));
                let bound = self.bound.len();
                self.bound.extend(TYPES.map(str::to_owned));
                call.args.iter().skip(values).for_each(|argument| self.expression(argument));
                self.bound.truncate(bound);
            }
            Expression::Traversal(traversal) => self.traversal(traversal),
            Expression::UnaryOp(operation) => self.expression(&operation.expr),
            Expression::BinaryOp(operation) => {
                self.expression(&operation.lhs_expr);
                self.expression(&operation.rhs_expr);
            }
            Expression::ForExpr(comprehension) => self.comprehension(comprehension),
        }
    }

    fn traversal(&mut self, traversal: &hcl_edit::expr::Traversal) {
        match &traversal.expr {
            Expression::Variable(root) => {
                self.add(root.as_str(), span_of(root.span()), constant_steps(&traversal.operators));
            }
            other => self.expression(other),
        }
        for operator in &traversal.operators {
            if let TraversalOperator::Index(key) = operator.value() {
                self.expression(key);
            }
        }
    }

    fn comprehension(&mut self, comprehension: &ForExpr) {
        self.expression(&comprehension.intro.collection_expr);
        let names = comprehension.intro.key_var.iter().chain([&comprehension.intro.value_var]);
        self.within(names.map(|name| name.to_string()).collect(), |found| {
            let parts = comprehension.key_expr.iter().chain([&comprehension.value_expr]);
            parts
                .chain(comprehension.cond.as_ref().map(|cond| &cond.expr))
                .for_each(|part| found.expression(part));
        });
    }

    fn within(&mut self, names: Vec<String>, inner: impl FnOnce(&mut Self)) {
        let outer = self.bound.len();
        self.bound.extend(names);
        inner(self);
        self.bound.truncate(outer);
    }

    fn element(&mut self, element: &Element) {
        match element {
            Element::Literal(_) => {}
            Element::Interpolation(interpolation) => self.expression(&interpolation.expr),
            Element::Directive(directive) => match directive.as_ref() {
                Directive::If(directive) => {
                    self.expression(&directive.if_expr.cond_expr);
                    let other = directive.else_expr.iter().map(|other| &other.template);
                    std::iter::once(&directive.if_expr.template)
                        .chain(other)
                        .for_each(|template| template.iter().for_each(|part| self.element(part)));
                }
                Directive::For(directive) => {
                    let intro = &directive.for_expr;
                    self.expression(&intro.collection_expr);
                    let names = intro.key_var.iter().chain([&intro.value_var]);
                    self.within(names.map(|name| name.to_string()).collect(), |found| {
                        intro.template.iter().for_each(|part| found.element(part));
                    });
                }
            },
        }
    }
}
