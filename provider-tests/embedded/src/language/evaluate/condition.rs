//! Conditionals.

use ferroform::ty::Type;
use ferroform::value::{Bound, Refinements, Value, unify};
use hcl_edit::Span as _;
use hcl_edit::expr::{Conditional, Expression};

use super::{Evaluator, span_of};
use crate::language::convert::{convert, describe, single_type};
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Marked, Span};

/// A result of a conditional, and what is wrong with it.
pub(super) type Branch = (Marked, Vec<Diagnostic>);

impl Evaluator<'_> {
    pub(super) fn choice(self, choice: &Conditional) -> Marked {
        let results = [&choice.true_expr, &choice.false_expr];
        let branches = results.map(|result| self.capture_errors(|| self.expression(result)));
        let [from, to] = results.map(|result| span_of(result.span()));
        self.conditional(&choice.cond_expr, branches, from.to(to))
    }

    /// One of two results, in the type that both have in common and with the marks of both as a whole. What is wrong with the
    /// other one does not count.
    pub(super) fn conditional(
        self,
        condition: &Expression,
        [(yes, yes_errors), (no, no_errors)]: [Branch; 2],
        results: Span,
    ) -> Marked {
        let Some(ty) = common(&yes, &no) else {
            let (yes, no) = (describe(&yes.ty), describe(&no.ty));
            let detail = format!(
                "The true and false result expressions must have consistent types, not {yes} and {no}."
            );
            return self.report("Inconsistent conditional result types", detail, results);
        };
        let span = span_of(condition.span());
        let (condition, marks) = self.expression(condition).unmark();
        if condition.is_null() {
            let detail = "The condition value is null. Conditions must either be true or false.";
            self.report("Null condition", detail, span);
            return Marked::unknown(ty);
        }
        let marks = [&yes, &no].into_iter().fold(marks, |marks, result| {
            if Rule::ConditionalMarks.holds() { marks.and(result.marks.whole()) } else { marks }
        });
        // The type of something unknown is not looked at.
        if condition.is_unknown() {
            return either(&yes, &no, ty).mark(marks);
        }
        let condition = match convert(condition, &Type::Bool) {
            Ok(condition) => condition,
            Err(error) => {
                let detail = format!("The condition must be a bool: {error}.");
                self.report("Incorrect condition type", detail, span);
                return Marked::unknown(ty);
            }
        };
        let (chosen, errors, other) = match condition.value.as_bool() {
            Some(false) => (no, no_errors, yes.ty),
            _ => (yes, yes_errors, no.ty),
        };
        self.add(errors);
        if !Rule::ConditionalType.holds() {
            return chosen.mark(marks);
        }
        let converted = if other == ty && has_mixed_parts(&chosen, &ty) {
            Err("all elements must have the same type".to_owned())
        } else {
            convert(chosen, &ty).map_err(|error| error.to_string())
        };
        let result = converted.unwrap_or_else(|error| {
            self.report("Inconsistent conditional result types", format!("{error}."), results);
            Marked::unknown(ty)
        });
        result.mark(marks)
    }
}

/// Whether a tuple or an object has parts of several types where the other result is an empty list or map of any type.
/// Core does not bring them to one type then, as it does otherwise.
fn has_mixed_parts(result: &Marked, ty: &Type) -> bool {
    let is_structure = matches!(result.ty, Type::Tuple(_) | Type::Object(_));
    let is_open = matches!(ty, Type::List(_) | Type::Map(_)) && ty.element() == Some(&Type::Dynamic);
    is_structure && is_open && single_type(result.elements().iter().map(|part| &part.ty)).is_none()
}

/// The type of both results.
fn common(yes: &Marked, no: &Marked) -> Option<Type> {
    // One with marks is no literal, and counts as any other value of no type.
    let untyped_null =
        |value: &Marked| value.ty == Type::Dynamic && value.is_null() && value.marks.all().is_empty();
    if untyped_null(yes) {
        return Some(no.ty.clone());
    }
    if untyped_null(no) {
        return Some(yes.ty.clone());
    }
    if yes.ty == Type::Dynamic || no.ty == Type::Dynamic {
        return Some(Type::Dynamic);
    }
    unify(&[yes.ty.clone(), no.ty.clone()])
}

/// What is known about the result while the condition is unknown: that it is null, the range of numbers, and of the lengths
/// of collections of the same type. The marks of their parts are lost, as in core.
fn either(yes: &Marked, no: &Marked, ty: Type) -> Marked {
    if yes.is_null() && no.is_null() {
        return Marked::plain(Value::Null, ty);
    }
    if ty == Type::Dynamic {
        return Marked::unknown(ty);
    }
    let not_null = yes.is_not_null() && no.is_not_null();
    let mut known = Refinements { not_null, ..Refinements::default() };
    match (&yes.ty, &no.ty) {
        (Type::Number, Type::Number) => {
            let ((a_lower, a_upper), (b_lower, b_upper)) = (bounds(&yes.value), bounds(&no.value));
            known.lower = a_lower.zip(b_lower).map(|(a, b)| if b.limit < a.limit { b } else { a });
            known.upper = a_upper.zip(b_upper).map(|(a, b)| if b.limit > a.limit { b } else { a });
        }
        (Type::List(_) | Type::Set(_) | Type::Map(_), other) if yes.ty == *other => {
            let lengths = lengths(&yes.value).zip(lengths(&no.value));
            known.min_length = lengths.map(|(a, b)| a.0.min(b.0)).filter(|_| not_null);
            known.max_length = lengths.and_then(|(a, b)| Some(a.1?.max(b.1?)));
        }
        _ => {}
    }
    Marked::refined(ty, known)
}

/// The range of a number.
fn bounds(value: &Value) -> (Option<Bound>, Option<Bound>) {
    match value {
        Value::Number(number) => {
            let bound = Bound { limit: number.clone(), inclusive: true };
            (Some(bound.clone()), Some(bound))
        }
        Value::Unknown(unknown) => {
            unknown.refinements().map(|known| (known.lower.clone(), known.upper.clone())).unwrap_or_default()
        }
        _ => (None, None),
    }
}

/// Whether elements of a set may turn out to be equal, so that their number is not certain.
pub(in crate::language) fn is_open_set(value: &Value) -> bool {
    matches!(value, Value::Set(_)) && lengths(value).is_some_and(|(least, most)| most != Some(least))
}

/// The least and the greatest number of elements of a collection.
pub(in crate::language) fn lengths(value: &Value) -> Option<(u64, Option<u64>)> {
    match value {
        Value::List(elements) => Some((elements.len() as u64, Some(elements.len() as u64))),
        Value::Map(entries) => Some((entries.len() as u64, Some(entries.len() as u64))),
        Value::Set(set) => {
            let least = if value.is_wholly_known() { set.len() } else { set.len().min(1) };
            Some((least as u64, Some(set.len() as u64)))
        }
        Value::Unknown(unknown) => {
            let known = unknown.refinements();
            Some((
                known.and_then(|known| known.min_length).unwrap_or(0),
                known.and_then(|known| known.max_length),
            ))
        }
        _ => None,
    }
}
