//! Operators.

use std::cmp::Ordering;

use ferroform::ty::Type;
use ferroform::value::{Number, NumberError, Refinements, Unknown, Value};
use hcl_edit::Span as _;
use hcl_edit::expr::{BinaryOp, BinaryOperator, Expression, UnaryOp, UnaryOperator};
use hcl_edit::template::Element;

use super::{Evaluator, Outcome, span_of};
use crate::language::convert::convert;
use crate::language::marked::MarkSet;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Marked, Span, number};
use crate::plan_rules::type_conforms;

/// The operation of an operator on numbers.
type Arithmetic = fn(&Number, &Number) -> Result<Number, NumberError>;

impl Evaluator<'_> {
    pub(super) fn unary(self, operation: &UnaryOp) -> Outcome {
        let span = span_of(operation.expr.span());
        let ty = match operation.operator.value() {
            UnaryOperator::Neg => Type::Number,
            UnaryOperator::Not => Type::Bool,
        };
        let unresolved = self.unresolved_count();
        match self.expression(&operation.expr) {
            Ok(_) if self.unresolved_count() > unresolved => Ok(Marked::unknown(ty)),
            Ok(value) => self.sign((value, ty), span),
            Err(errors) => Err(self.misfitting(errors, (&operation.expr, &ty), "operand")),
        }
    }

    /// What a sign makes of an operand.
    pub(super) fn sign(self, (value, ty): (Marked, Type), span: Span) -> Outcome {
        let (value, marks) = self.operand(value, &ty, ("operand", span))?;
        let result = match &value.value {
            Value::Number(number) => number::negate(number).map(Marked::number).map_err(|error| {
                self.error("Operation failed", format!("The result cannot be held: {error}."), span)
            })?,
            Value::Bool(value) => Marked::bool(!value),
            Value::Null => return Err(self.null_operand(span)),
            // Core drops the marks of what is unknown here.
            _ if Rule::DroppedMarks.holds() => return Ok(Marked::unknown_not_null(ty)),
            _ => Marked::unknown_not_null(ty),
        };
        Ok(result.mark(marks))
    }

    pub(super) fn binary(self, operation: &BinaryOp) -> Outcome {
        let operator = *operation.operator.value();
        if let BinaryOperator::And | BinaryOperator::Or = operator {
            return self.logic(operation, operator == BinaryOperator::Or);
        }
        let unresolved = self.unresolved_count();
        let sides = [&operation.lhs_expr, &operation.rhs_expr].map(|side| self.expression(side));
        // While a constant is looked for, a reference in an operand is an error of the operation.
        if self.unresolved_count() > unresolved {
            return Ok(Marked::unknown(Type::Dynamic));
        }
        if let BinaryOperator::Eq | BinaryOperator::NotEq = operator {
            let [left, right] = super::both(sides)?;
            let ((left, a), (right, b)) = (left.unmark_deep(), right.unmark_deep());
            let equal = equal(&left, &right).map(|equal| equal == (operator == BinaryOperator::Eq));
            return Ok(equal
                .map_or_else(|| Marked::unknown_not_null(Type::Bool), Marked::bool)
                .mark(a.and(b)));
        }
        let places = (span_of(operation.lhs_expr.span()), span_of(operation.rhs_expr.span()));
        let span = places.0.to(places.1);
        let [left, right] = sides;
        let number = |side: Outcome, expr, (name, place)| match side {
            Ok(value) => self.operand(value, &Type::Number, (name, place)),
            Err(errors) => Err(self.misfitting(errors, (expr, &Type::Number), name)),
        };
        let left = number(left, &operation.lhs_expr, ("left operand", places.0));
        let right = number(right, &operation.rhs_expr, ("right operand", places.1));
        let [(left, a), (right, b)] = super::both([left, right])?;
        if left.is_null() || right.is_null() {
            return Err(self.null_operand(span));
        }
        let failed = |detail: String| self.error("Operation failed", detail, span);
        let arithmetic: Arithmetic = match operator {
            BinaryOperator::Plus => number::add,
            BinaryOperator::Minus => number::subtract,
            BinaryOperator::Mul => number::multiply,
            BinaryOperator::Mod => number::remainder,
            BinaryOperator::Div => |a, b| number::divide(a, b).unwrap_or(Err(NumberError::NotFinite)),
            _ => return Ok(compare(operator, &left.value, &right.value).mark(a.and(b))),
        };
        let result = match (left.value.as_number(), right.value.as_number()) {
            (Some(left), Some(right)) => {
                Marked::number(arithmetic(left, right).map_err(|error| match error {
                    NumberError::NotFinite => {
                        failed("A division by zero has no result that can be stored.".to_owned())
                    }
                    error => failed(format!("The result cannot be held: {error}.")),
                })?)
            }
            _ => Marked::unknown_not_null(Type::Number),
        };
        Ok(result.mark(a.and(b)))
    }

    /// `&&` and `||`: one operand may decide, whatever the other one is.
    fn logic(self, operation: &BinaryOp, decisive: bool) -> Outcome {
        let side = |side: &Expression, name| match self.expression(side) {
            Ok(value) => self.operand(value, &Type::Bool, (name, span_of(side.span()))).map(Ok),
            Err(errors) => self.ignored(side, errors).map(Err),
        };
        let (left, left_unresolved) = self.without_counting(|| side(&operation.lhs_expr, "left operand"));
        let (right, right_unresolved) = self.without_counting(|| side(&operation.rhs_expr, "right operand"));
        // A wrong type counts, whatever the other operand is.
        let (left, right) = match (left, right) {
            (Ok(left), Ok(right)) => (left, right),
            (Err(left), Err(right)) => return Err([left, right].concat()),
            (Err(errors), Ok(other)) | (Ok(other), Err(errors)) => {
                return Err([errors, other.err().unwrap_or_default()].concat());
            }
        };
        // A null stands for false where that is decisive.
        let decides =
            |value: &Marked| value.value.as_bool() == Some(decisive) || (value.is_null() && !decisive);
        let ((left, a), (right, b)) = match (left, right) {
            (Ok(left), Ok(right)) => (left, right),
            // An unknown left operand stands for the result, whatever becomes of the right one.
            (Ok((left, marks)), Err(_)) if left.is_unknown() => {
                return Ok(Marked::unknown_not_null(Type::Bool).mark(marks));
            }
            // An error of one operand does not count when the other one decides.
            (Ok((other, marks)), Err(errors)) | (Err(errors), Ok((other, marks))) => {
                return if decides(&other) { Ok(Marked::bool(decisive).mark(marks)) } else { Err(errors) };
            }
            (Err(left), Err(right)) => return Err([left, right].concat()),
        };
        // Neither do references of the other operand.
        let unresolved = match (decides(&left), decides(&right)) {
            (true, _) => left_unresolved,
            (false, true) => right_unresolved,
            (false, false) => left_unresolved + right_unresolved,
        };
        self.add_unresolved(unresolved);
        let result = if decides(&left) || decides(&right) {
            Marked::bool(decisive)
        } else if left.is_unknown() || right.is_unknown() {
            Marked::unknown_not_null(Type::Bool)
        } else if left.is_null() || right.is_null() {
            let spans = span_of(operation.lhs_expr.span()).to(span_of(operation.rhs_expr.span()));
            return Err(self.null_operand(spans));
        } else {
            Marked::bool(!decisive)
        };
        Ok(result.mark(a.and(b)))
    }

    /// The errors of an operand without a value, and the one that comes on top if what its operator gives is of the wrong
    /// type.
    fn misfitting(
        self,
        mut errors: Vec<Diagnostic>,
        (expr, wanted): (&Expression, &Type),
        name: &str,
    ) -> Vec<Diagnostic> {
        if let Some(ty) = result_type(expr)
            && let Err(more) = self.operand(Marked::unknown(ty), wanted, (name, span_of(expr.span())))
        {
            errors.extend(more);
        }
        errors
    }

    fn operand(
        self,
        value: Marked,
        ty: &Type,
        (name, span): (&str, Span),
    ) -> Result<(Marked, MarkSet), Vec<Diagnostic>> {
        let (value, marks) = value.unmark_deep();
        let value = convert(value, ty).map_err(|error| {
            self.error("Invalid operand", format!("Unsuitable value for {name}: {error}."), span)
        })?;
        Ok((value, marks))
    }

    fn null_operand(self, span: Span) -> Vec<Diagnostic> {
        self.error("Operation failed", "Error during operation: argument must not be null.", span)
    }
}

/// The type of what an operation or a template gives, whatever its parts are; `None` for other expressions.
pub(super) fn result_type(expr: &Expression) -> Option<Type> {
    match expr {
        Expression::Parenthesis(inner) => result_type(inner.inner()),
        Expression::UnaryOp(operation) => Some(match operation.operator.value() {
            UnaryOperator::Neg => Type::Number,
            UnaryOperator::Not => Type::Bool,
        }),
        Expression::BinaryOp(operation) => Some(match operation.operator.value() {
            BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Mul
            | BinaryOperator::Div
            | BinaryOperator::Mod => Type::Number,
            _ => Type::Bool,
        }),
        Expression::StringTemplate(template) => type_of_template(template),
        Expression::HeredocTemplate(heredoc) => type_of_template(&heredoc.template),
        _ => None,
    }
}

/// A template makes a string, unless it is nothing but an interpolation.
fn type_of_template<'e>(template: impl IntoIterator<Item = &'e Element>) -> Option<Type> {
    let mut elements = template.into_iter();
    match (elements.next(), elements.next()) {
        (Some(Element::Interpolation(_)), None) => None,
        _ => Some(Type::String),
    }
}

fn compare(operator: BinaryOperator, left: &Value, right: &Value) -> Marked {
    let holds = |ordering: Ordering| match operator {
        BinaryOperator::Less => ordering.is_lt(),
        BinaryOperator::LessEq => ordering.is_le(),
        BinaryOperator::Greater => ordering.is_gt(),
        _ => ordering.is_ge(),
    };
    if let (Value::Number(left), Value::Number(right)) = (left, right) {
        return Marked::bool(holds(left.cmp(right)));
    }
    // What is known of an unknown may be enough. Core takes all bounds for such that are not reached.
    let ((least, most), (other_least, other_most)) = (bounds(left), bounds(right));
    if most.zip(other_least).is_some_and(|(most, least)| most < least) {
        return Marked::bool(holds(Ordering::Less));
    }
    if least.zip(other_most).is_some_and(|(least, most)| least > most) {
        return Marked::bool(holds(Ordering::Greater));
    }
    Marked::unknown_not_null(Type::Bool)
}

/// The least and the greatest number that a value may be.
fn bounds(value: &Value) -> (Option<&Number>, Option<&Number>) {
    match value {
        Value::Number(number) => (Some(number), Some(number)),
        Value::Unknown(unknown) => unknown.refinements().map_or((None, None), |known| {
            (known.lower.as_ref().map(|bound| &bound.limit), known.upper.as_ref().map(|bound| &bound.limit))
        }),
        _ => (None, None),
    }
}

/// Whether two values without marks are equal; `None` while that depends on something unknown.
pub(in crate::language) fn equal(a: &Marked, b: &Marked) -> Option<bool> {
    match (a.is_null(), b.is_null()) {
        (true, true) => return Some(true),
        (true, false) => return if b.is_not_null() { Some(false) } else { None },
        (false, true) => return if a.is_not_null() { Some(false) } else { None },
        (false, false) => {}
    }
    if a.ty != b.ty {
        // As long as a type is open, the values may turn out to have one type, if nothing of it speaks against that.
        let may_agree = type_conforms(&a.ty, &b.ty) || type_conforms(&b.ty, &a.ty);
        return if may_agree && (is_open(a) || is_open(b)) { None } else { Some(false) };
    }
    if let (Value::Unknown(unknown), other) | (other, Value::Unknown(unknown)) = (&a.value, &b.value) {
        return if admits(unknown, other) { None } else { Some(false) };
    }
    match (&a.value, &b.value) {
        (Value::List(_) | Value::Tuple(_), _) | (Value::Object(_), _) => {
            let (a, b) = (a.elements(), b.elements());
            if a.len() != b.len() {
                return Some(false);
            }
            every(a.iter().zip(&b))
        }
        (Value::Map(left), Value::Map(right)) => {
            if !left.keys().eq(right.keys()) {
                return Some(false);
            }
            every(a.elements().iter().zip(&b.elements()))
        }
        (Value::Set(left), Value::Set(right)) => {
            if a.value.is_wholly_known() && b.value.is_wholly_known() {
                return Some(left == right);
            }
            None
        }
        (left, right) => Some(left == right),
    }
}

/// Whether something in the value is unknown together with its type.
fn is_open(value: &Marked) -> bool {
    value.ty.has_dynamic() && (value.is_unknown() || value.elements().iter().any(is_open))
}

/// Whether all pairs are equal: the first that differs or is not certain decides.
fn every<'v>(pairs: impl Iterator<Item = (&'v Marked, &'v Marked)>) -> Option<bool> {
    for (a, b) in pairs {
        match equal(a, b) {
            Some(true) => {}
            other => return other,
        }
    }
    Some(true)
}

/// Whether what is known of an unknown leaves it open whether it equals another value.
fn admits(unknown: &Unknown, other: &Value) -> bool {
    let Value::Unknown(other) = other else { return unknown.admits(other) };
    let prefix = |known: Option<&Refinements>| known.and_then(|known| known.prefix.clone());
    match (prefix(unknown.refinements()), prefix(other.refinements())) {
        (Some(a), Some(b)) => a.starts_with(b.as_ref()) || b.starts_with(a.as_ref()),
        _ => true,
    }
}
