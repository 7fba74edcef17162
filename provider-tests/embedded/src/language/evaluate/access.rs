//! Attributes, indexes and splats.

use ferroform::ty::Type;
use ferroform::value::Value;
use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, Traversal as Written, TraversalOperator};

use super::references::constant_steps;
use super::{Evaluator, Outcome, span_of};
use crate::language::convert::{convert, describe};
use crate::language::rule::Rule;
use crate::language::scope::{Traversal, TraversalStep};
use crate::language::{Marked, Span};

/// The written operators of a traversal, one after the other.
type Operators<'a> = &'a [hcl_edit::Decorated<TraversalOperator>];

/// Each splat is a level of recursion, and of the value that it makes.
const MOST_SPLATS: usize = 64;

impl Evaluator<'_> {
    pub(super) fn traversal(self, traversal: &Written) -> Outcome {
        if let Expression::Variable(root) = &traversal.expr {
            let steps = constant_steps(&traversal.operators);
            let rest = traversal.operators.get(steps.0.len()..).unwrap_or_default();
            let base = super::references::traversal(root, span_of(root.span()), steps);
            if let [index, rest @ ..] = rest
                && let TraversalOperator::Index(key) = index.value()
                && !self.is_local(root)
                && self.scope.takes_index(&base)
            {
                return self.element(&base, (key, span_of(index.span())), rest);
            }
            return self.apply(self.resolve(&base), rest);
        }
        let span = span_of(traversal.expr.span());
        // The parser takes a sign for a part of the number, and core for an operator on all that follows.
        if let Expression::Number(_) = &traversal.expr
            && self.scope.source().slice(span).starts_with('-')
        {
            let number = self.sign((self.expression(&traversal.expr)?, Type::Number), span)?;
            let value = self.apply(Ok(number), &traversal.operators)?;
            let end = traversal.operators.last().map_or(span, |last| span_of(last.span()));
            return self.sign((value, Type::Number), Span { start: span.start + 1, end: end.end });
        }
        let first = traversal.operators.first().map(|operator| operator.value());
        let names_element =
            matches!(first, Some(TraversalOperator::GetAttr(_) | TraversalOperator::Index(_)));
        match self.with_type(&traversal.expr) {
            // Core looks for elements also where one of the others is an error.
            (Err(mut errors), ty) if names_element && ty != Type::Dynamic => {
                let more = self.apply(Ok(Marked::unknown(ty)), &traversal.operators);
                errors.extend(more.err().into_iter().flatten());
                Err(errors)
            }
            (value, _) => self.apply(value, &traversal.operators),
        }
    }

    /// An element of a collection, of which the others are not asked for. Where that does not come to a value, the
    /// collection as a whole tells why.
    fn element(self, base: &Traversal, (key, span): (&Expression, Span), rest: Operators<'_>) -> Outcome {
        let key = self.expression(key);
        if let Ok(known) = &key
            && known.marks.all().is_empty()
            && matches!(known.value, Value::Number(_) | Value::String(_))
        {
            let (inner, inner_spans) = constant_steps(rest);
            let rest = rest.get(inner.len()..).unwrap_or_default();
            let mut element = base.clone();
            element.steps.push(TraversalStep::Index(known.value.clone()));
            element.steps.extend(inner);
            element.step_spans.push(span);
            element.step_spans.extend(inner_spans);
            if let Ok(value) = self.resolve(&element) {
                return self.apply(Ok(value), rest);
            }
        }
        self.apply(self.indexed(self.resolve(base), key, span), rest)
    }

    /// An element, or all that is wrong on the way to it. What has an error counts as unknown, so a null collection or
    /// key beside it is reported too.
    fn indexed(self, value: Outcome, key: Outcome, span: Span) -> Outcome {
        let mut errors = Vec::new();
        let mut known = |outcome: Outcome| {
            outcome.unwrap_or_else(|found| {
                errors.extend(found);
                Marked::unknown(Type::Dynamic)
            })
        };
        let (value, key) = (known(value), known(key));
        let found = self.index(value, key, span);
        if errors.is_empty() {
            return found;
        }
        errors.extend(found.err().into_iter().flatten());
        Err(errors)
    }

    /// Applies the operators. An invalid index key is reported even if there is nothing to index.
    fn apply(self, mut value: Outcome, operators: Operators<'_>) -> Outcome {
        for (at, operator) in operators.iter().enumerate() {
            let span = span_of(operator.span());
            let rest = operators.get(at + 1..).unwrap_or_default();
            value = match operator.value() {
                TraversalOperator::GetAttr(name) => {
                    value.and_then(|value| self.attribute(value, name.as_str(), span))
                }
                TraversalOperator::Index(key) => self.indexed(value, self.expression(key), span),
                TraversalOperator::LegacyIndex(at) => {
                    value.and_then(|value| self.index(value, Marked::number(*at.value()), span))
                }
                TraversalOperator::FullSplat(_) => return self.splat(value?, rest, span),
                TraversalOperator::AttrSplat(_) if !Rule::AttributeSplat.holds() => {
                    return self.splat(value?, rest, span);
                }
                TraversalOperator::AttrSplat(_) => {
                    let attribute = |operator: &&hcl_edit::Decorated<TraversalOperator>| {
                        matches!(
                            operator.value(),
                            TraversalOperator::GetAttr(_) | TraversalOperator::LegacyIndex(_)
                        )
                    };
                    let (each, rest) = rest.split_at(rest.iter().take_while(attribute).count());
                    let splat = self.splat(value?, each, span);
                    return self.within_splat().apply(splat, rest);
                }
            };
        }
        value
    }

    /// The constant steps of a reference after the first ones, applied to what these have led to.
    pub(super) fn follow(self, mut value: Marked, traversal: &Traversal, taken: usize) -> Outcome {
        for (at, step) in traversal.steps.iter().enumerate().skip(taken) {
            let span = traversal.step_spans.get(at).copied().unwrap_or(traversal.span);
            value = match step {
                TraversalStep::Attribute(name) => self.attribute(value, name, span)?,
                TraversalStep::Index(key) => {
                    let ty = if key.as_number().is_some() { Type::Number } else { Type::String };
                    self.index(value, Marked::plain(key.clone(), ty), span)?
                }
            };
        }
        Ok(value)
    }

    fn attribute(self, value: Marked, name: &str, span: Span) -> Outcome {
        let (value, marks) = value.unmark();
        if value.is_null() {
            return Err(self.error(
                "Attempt to get attribute from null value",
                "This value is null, so it does not have any attributes.",
                span,
            ));
        }
        let unsupported = |detail: String| Err(self.error("Unsupported attribute", detail, span));
        let found = match &value.ty {
            Type::Dynamic => Marked::unknown(Type::Dynamic),
            Type::Object(object) => match (value.named(name), object.attribute(name)) {
                (Some(found), _) => found,
                (None, Some(ty)) => Marked::unknown(ty.clone()),
                (None, None) => {
                    return unsupported(format!("This object does not have an attribute named {name:?}."));
                }
            },
            Type::Map(element) => match value.named(name) {
                Some(found) => found,
                None if value.is_unknown() => Marked::unknown(element.as_ref().clone()),
                None => {
                    let detail = format!("This map does not have an element with the key {name:?}.");
                    return Err(self.error("Missing map element", detail, span));
                }
            },
            ty => return unsupported(format!("A value of type {} does not have attributes.", describe(ty))),
        };
        Ok(found.mark(marks))
    }

    fn index(self, value: Marked, key: Marked, span: Span) -> Outcome {
        let ((value, marks), (key, key_marks)) = (value.unmark(), key.unmark());
        // Core forgets the marks of the name of an attribute, and of a key where it cannot tell whether there is such an element.
        let counts = match value.ty {
            Type::Dynamic | Type::Object(_) => false,
            Type::Tuple(_) => !key.is_unknown(),
            _ => !key.is_unknown() && !value.is_unknown(),
        };
        let marks = if counts { marks.and(key_marks) } else { marks };
        if value.is_null() {
            let detail = "This value is null, so it does not have any indices.";
            return Err(self.error("Attempt to index null value", detail, span));
        }
        let invalid = |detail: String| self.error("Invalid index", detail, span);
        if key.is_null() {
            return Err(invalid("A null cannot be an index.".to_owned()));
        }
        if value.ty == Type::Dynamic || key.ty == Type::Dynamic {
            return Ok(Marked::unknown(Type::Dynamic).mark(marks));
        }
        let key_type = match &value.ty {
            Type::List(_) | Type::Tuple(_) => Type::Number,
            Type::Map(_) | Type::Object(_) => Type::String,
            Type::Set(_) => {
                return Err(invalid(
                    "Elements of a set are identified only by their value and don't have an index."
                        .to_owned(),
                ));
            }
            _ => return Err(invalid("This value does not have any indices.".to_owned())),
        };
        let key = convert(key, &key_type)
            .map_err(|error| invalid(format!("The given key does not fit this value: {error}.")))?;
        let missing = || "The given key does not identify an element in this collection value.".to_owned();
        let found = match &key.value {
            // The number is not looked at as long as the list is unknown.
            Value::Number(_) if value.is_unknown() && matches!(value.ty, Type::List(_)) => {
                unknown_element(&value.ty, 0)
            }
            Value::Number(at) => {
                let at = at.to_i64().and_then(|at| usize::try_from(at).ok()).ok_or_else(|| {
                    invalid("An index must be a whole number that is not negative.".to_owned())
                })?;
                value.at(at).or_else(|| value.is_unknown().then(|| unknown_element(&value.ty, at)).flatten())
            }
            Value::String(name) => value
                .named(name)
                .or_else(|| value.is_unknown().then(|| unknown_member(&value.ty, name)).flatten()),
            _ => match &value.ty {
                Type::List(element) | Type::Map(element) => Some(Marked::unknown(element.as_ref().clone())),
                _ => Some(Marked::unknown(Type::Dynamic)),
            },
        };
        found.map(|found| found.mark(marks)).ok_or_else(|| invalid(missing()))
    }

    /// The operators applied to each element; to the value itself, as the only element, if it is no sequence.
    fn splat(self, value: Marked, each: Operators<'_>, span: Span) -> Outcome {
        if self.splats == MOST_SPLATS {
            let detail = format!(
                "More than {MOST_SPLATS} splat operators follow each other. Apply some of them in a local value first."
            );
            return Err(self.error("Too many splat operators", detail, span));
        }
        self.within_splat().splat_elements(value, each, span)
    }

    fn within_splat(self) -> Self {
        Self { splats: self.splats + 1, ..self }
    }

    fn splat_elements(self, value: Marked, each: Operators<'_>, span: Span) -> Outcome {
        let (value, marks) = value.unmark();
        let sequence = matches!(value.ty, Type::List(_) | Type::Set(_) | Type::Tuple(_));
        if value.is_null() {
            if sequence {
                let detail = "A splat cannot be applied to a null list, set or tuple.";
                return Err(self.error("Splat of null value", detail, span));
            }
            let elements = if Rule::SplatNull.holds() { Vec::new() } else { vec![value] };
            return Ok(Marked::tuple(elements).mark(marks));
        }
        if value.ty == Type::Dynamic {
            return Ok(Marked::unknown(Type::Dynamic).mark(marks));
        }
        if value.is_unknown() {
            if !sequence && !value.is_not_null() {
                // A null would become an empty tuple. What is wrong with anything else counts all the same.
                self.apply(Ok(value), each)?;
                return Ok(Marked::unknown(Type::Dynamic).mark(marks));
            }
            let element = match &value.ty {
                Type::List(element) | Type::Set(element) => element.as_ref().clone(),
                Type::Tuple(types) => {
                    let parts = types.iter().map(|ty| self.apply(Ok(Marked::unknown(ty.clone())), each));
                    let parts = super::all(parts)?.into_iter().map(|part| part.ty);
                    return Ok(Marked::unknown_not_null(Type::tuple(parts)).mark(marks));
                }
                ty => {
                    return Ok(
                        Marked::tuple(vec![self.apply(Ok(Marked::unknown(ty.clone())), each)?]).mark(marks)
                    );
                }
            };
            let element = self.apply(Ok(Marked::unknown(element)), each)?;
            return Ok(Marked::unknown_not_null(Type::list(element.ty)).mark(marks));
        }
        let elements =
            if sequence || !Rule::SplatScalar.holds() { value.elements() } else { vec![value.clone()] };
        let results = super::all(elements.into_iter().map(|element| self.apply(Ok(element), each)))?;
        // The elements of a list or set have one type, and so have the results unless something in them decides.
        let one = match (&value.ty, results.split_first()) {
            (Type::List(element) | Type::Set(element), None) => {
                Some(self.apply(Ok(Marked::unknown(element.as_ref().clone())), each)?.ty)
            }
            (Type::List(_) | Type::Set(_), Some((first, rest))) => {
                rest.iter().all(|other| other.ty == first.ty).then(|| first.ty.clone())
            }
            _ => None,
        };
        Ok(match one {
            Some(ty) => Marked::list(ty, results),
            None => Marked::tuple(results),
        }
        .mark(marks))
    }
}

fn unknown_element(ty: &Type, at: usize) -> Option<Marked> {
    match ty {
        Type::List(element) => Some(Marked::unknown(element.as_ref().clone())),
        Type::Tuple(types) => types.get(at).cloned().map(Marked::unknown),
        _ => None,
    }
}

fn unknown_member(ty: &Type, name: &str) -> Option<Marked> {
    match ty {
        Type::Map(element) => Some(Marked::unknown(element.as_ref().clone())),
        Type::Object(object) => object.attribute(name).cloned().map(Marked::unknown),
        _ => None,
    }
}
