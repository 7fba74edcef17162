//! Operators.

use std::cmp::Ordering;

use ferroform::ty::Type;
use ferroform::value::{Number, NumberError, Unknown, Value};
use hcl_edit::Span as _;
use hcl_edit::expr::{BinaryOp, BinaryOperator, UnaryOp, UnaryOperator};

use super::{Evaluator, span_of};
use crate::language::convert::convert;
use crate::language::marked::MarkSet;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Marked, Span, number};
use crate::plan_rules::type_conforms;

const NULL_OPERAND: &str = "Error during operation: argument must not be null.";

/// The operation of an operator on numbers.
type Arithmetic = fn(&Number, &Number) -> Result<Number, NumberError>;

impl Evaluator<'_> {
    pub(super) fn unary(self, operation: &UnaryOp) -> Marked {
        let ty = match operation.operator.value() {
            UnaryOperator::Neg => Type::Number,
            UnaryOperator::Not => Type::Bool,
        };
        let operand = self.with_failure(|| self.expression(&operation.expr));
        let span = span_of(operation.expr.span());
        self.sign(operand, ty, (span_of(operation.operator.span()).to(span), span))
    }

    /// What a sign makes of an operand, of which it is known whether it is wrong. The spans are those of both, and of the
    /// operand.
    pub(super) fn sign(
        self,
        (operand, failed): (Marked, bool),
        ty: Type,
        (whole, span): (Span, Span),
    ) -> Marked {
        let operand = self.operand(operand, &ty, ("operand", span));
        let Some((value, marks)) = operand.filter(|_| !failed) else { return Marked::unknown(ty) };
        let failure = match &value.value {
            Value::Number(number) => match number::negate(number) {
                Ok(number) => return Marked::number(number).mark(marks),
                Err(error) => format!("The result cannot be held: {error}."),
            },
            Value::Bool(value) => return Marked::bool(!value).mark(marks),
            Value::Null => NULL_OPERAND.to_owned(),
            // Core drops the marks of what is unknown here.
            _ if Rule::DroppedMarks.holds() => return Marked::unknown_not_null(ty),
            _ => return Marked::unknown_not_null(ty).mark(marks),
        };
        self.report("Operation failed", failure, whole);
        Marked::unknown(ty)
    }

    pub(super) fn binary(self, operation: &BinaryOp) -> Marked {
        let operator = *operation.operator.value();
        let (left, left_errors) = self.capture_errors(|| self.expression(&operation.lhs_expr));
        let (right, right_errors) = self.capture_errors(|| self.expression(&operation.rhs_expr));
        let (wanted, result) = match operator {
            BinaryOperator::And | BinaryOperator::Or => (Type::Bool, Type::Bool),
            BinaryOperator::Eq | BinaryOperator::NotEq => (Type::Dynamic, Type::Bool),
            BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Mul
            | BinaryOperator::Div
            | BinaryOperator::Mod => (Type::Number, Type::Number),
            _ => (Type::Number, Type::Bool),
        };
        let places = [&operation.lhs_expr, &operation.rhs_expr].map(|side| span_of(side.span()));
        let span = places[0].to(places[1]);
        let left = self.operand(left, &wanted, ("left operand", places[0]));
        let right = self.operand(right, &wanted, ("right operand", places[1]));
        let (Some((left, a)), Some((right, b))) = (left, right) else {
            self.add([left_errors, right_errors].concat());
            return Marked::unknown(result);
        };
        let marks = a.and(b);
        if wanted == Type::Bool
            && let decisive = operator == BinaryOperator::Or
            && let Some((outcome, counts)) = decided([&left, &right], decisive, [&left_errors, &right_errors])
        {
            self.add(counts.to_vec());
            return outcome.mark(marks);
        }
        let errors = [left_errors, right_errors].concat();
        if !errors.is_empty() {
            self.add(errors);
            return Marked::unknown(result).mark(marks);
        }
        if let BinaryOperator::Eq | BinaryOperator::NotEq = operator {
            let equal = equal(&left, &right).map(|equal| equal == (operator == BinaryOperator::Eq));
            return equal.map_or_else(|| Marked::unknown_not_null(Type::Bool), Marked::bool).mark(marks);
        }
        if left.is_null() || right.is_null() {
            self.report("Operation failed", NULL_OPERAND, span);
            return Marked::unknown(result);
        }
        let arithmetic: Arithmetic = match operator {
            // Both are known, and none decides.
            BinaryOperator::And | BinaryOperator::Or => {
                return Marked::bool(operator == BinaryOperator::And).mark(marks);
            }
            BinaryOperator::Plus => number::add,
            BinaryOperator::Minus => number::subtract,
            BinaryOperator::Mul => number::multiply,
            BinaryOperator::Mod => number::remainder,
            BinaryOperator::Div => |a, b| number::divide(a, b).unwrap_or(Err(NumberError::NotFinite)),
            _ => return compare(operator, &left.value, &right.value).mark(marks),
        };
        let (Some(left), Some(right)) = (left.value.as_number(), right.value.as_number()) else {
            return Marked::unknown_not_null(Type::Number).mark(marks);
        };
        let detail = match arithmetic(left, right) {
            Ok(number) => return Marked::number(number).mark(marks),
            Err(NumberError::NotFinite) => "A division by zero has no result that can be stored.".to_owned(),
            Err(error) => format!("The result cannot be held: {error}."),
        };
        self.report("Operation failed", detail, span);
        Marked::unknown(result)
    }

    /// The operand in the type that the operator takes, without its marks; nothing where that is an error.
    fn operand(self, value: Marked, ty: &Type, (name, span): (&str, Span)) -> Option<(Marked, MarkSet)> {
        let (value, marks) = value.unmark_deep();
        match convert(value, ty) {
            Ok(value) => Some((value, marks)),
            Err(error) => {
                self.report("Invalid operand", format!("Unsuitable value for {name}: {error}."), span);
                None
            }
        }
    }
}

/// What `&&` and `||` make of operands of which one decides, and the errors that count then: those of the other one do not.
fn decided<'e>(
    [left, right]: [&Marked; 2],
    decisive: bool,
    [left_errors, right_errors]: [&'e [Diagnostic]; 2],
) -> Option<(Marked, &'e [Diagnostic])> {
    // A null counts as false.
    let is = |value: &Marked, wanted: bool| match &value.value {
        Value::Null => !wanted,
        value => value.as_bool() == Some(wanted),
    };
    let unknown = || Marked::unknown_not_null(Type::Bool);
    match (left.is_unknown(), right.is_unknown()) {
        // An unknown left operand stands for the result, whatever becomes of the right one.
        (true, true) => left_errors.is_empty().then(|| (unknown(), left_errors)),
        (false, _) if is(left, decisive) => Some((Marked::bool(decisive), left_errors)),
        (_, false) if is(right, decisive) => Some((Marked::bool(decisive), right_errors)),
        (true, false) if is(right, !decisive) => Some((unknown(), left_errors)),
        (false, true) if is(left, !decisive) => Some((unknown(), right_errors)),
        _ => None,
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
    if a.is_null() && b.is_not_null() || b.is_null() && a.is_not_null() {
        return Some(false);
    }
    match (&a.value, &b.value) {
        (Value::Unknown(_), Value::Unknown(_)) => return None,
        (Value::Unknown(unknown), _) => return unknown_equals((unknown, &a.ty), b),
        (_, Value::Unknown(unknown)) => return unknown_equals((unknown, &b.ty), a),
        (Value::Null, Value::Null) => return Some(true),
        _ => {}
    }
    if is_open(a) || is_open(b) {
        // The values may turn out to have one type, if nothing of it speaks against that.
        let may_agree = type_conforms(&a.ty, &b.ty) || type_conforms(&b.ty, &a.ty);
        return if may_agree { None } else { Some(false) };
    }
    if a.ty != b.ty {
        return Some(false);
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

/// Whether an unknown value equals a known one: `Some(false)` where its type or its refinements exclude that, `None` otherwise.
fn unknown_equals((unknown, ty): (&Unknown, &Type), known: &Marked) -> Option<bool> {
    let possible = known.is_null() || type_conforms(&known.ty, ty) && unknown.admits(&known.value);
    if possible { None } else { Some(false) }
}
