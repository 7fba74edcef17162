//! Attributes, indexes and splats.

use ferroform::ty::Type;
use ferroform::value::{Refinements, Value};
use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, Traversal as Written, TraversalOperator};

use super::references::constant_steps;
use super::{Evaluator, lengths, span_of};
use crate::language::convert::{convert, describe, single_type};
use crate::language::rule::Rule;
use crate::language::scope::{Traversal, TraversalStep};
use crate::language::{Marked, Span};

/// The written operators of a traversal, one after the other.
type Operators<'a> = &'a [hcl_edit::Decorated<TraversalOperator>];

/// Each splat is a level of recursion, and of the value that it makes.
const MOST_SPLATS: usize = 64;

/// Whether an operator has no expression but one that is written down.
fn is_constant(operator: &TraversalOperator) -> bool {
    match operator {
        TraversalOperator::GetAttr(_) | TraversalOperator::LegacyIndex(_) => true,
        TraversalOperator::Index(key) => matches!(
            key,
            Expression::Null(_) | Expression::Bool(_) | Expression::Number(_) | Expression::String(_)
        ),
        TraversalOperator::FullSplat(_) | TraversalOperator::AttrSplat(_) => false,
    }
}

impl Evaluator<'_> {
    pub(super) fn traversal(self, traversal: &Written) -> Marked {
        let before = self.error_count();
        let span = span_of(traversal.expr.span());
        if let Expression::Variable(root) = &traversal.expr {
            let steps = constant_steps(&traversal.operators);
            let rest = traversal.operators.get(steps.0.len()..).unwrap_or_default();
            let base = super::references::traversal(root, span_of(root.span()), steps);
            if let [index, rest @ ..] = rest
                && let TraversalOperator::Index(key) = index.value()
                && !self.is_local(root)
                && self.scope.takes_index(&base)
            {
                let element = self.element(&base, (key, span_of(index.span())), rest);
                return self.apply(element.0, element.1, (span.start, before));
            }
            return self.apply(self.resolve(&base), rest, (span.start, before));
        }
        // The parser takes a sign for a part of the number, and core for an operator on all that follows.
        if let Expression::Number(_) = &traversal.expr
            && self.scope.source().slice(span).starts_with('-')
        {
            let number = self.sign((self.expression(&traversal.expr), false), Type::Number, (span, span));
            let operand =
                self.with_failure(|| self.apply(number, &traversal.operators, (span.start, before)));
            let end = traversal.operators.last().map_or(span, |last| span_of(last.span()));
            let whole = span.to(end);
            let unsigned = Span { start: whole.start + 1, ..whole };
            return self.sign(operand, Type::Number, (whole, unsigned));
        }
        self.apply(self.expression(&traversal.expr), &traversal.operators, (span.start, before))
    }

    /// An element of a collection, of which the others are not asked for, and the operators that are left. Where that does
    /// not come to a value, the collection as a whole tells why.
    fn element<'o>(
        self,
        base: &Traversal,
        (key, span): (&Expression, Span),
        rest: Operators<'o>,
    ) -> (Marked, Operators<'o>) {
        let (key, errors) = self.capture_errors(|| self.expression(key));
        if errors.is_empty()
            && key.marks.all().is_empty()
            && matches!(key.value, Value::Number(_) | Value::String(_))
        {
            let (inner, inner_spans) = constant_steps(rest);
            let left = rest.get(inner.len()..).unwrap_or_default();
            let mut element = base.clone();
            element.steps.push(TraversalStep::Index(key.value.clone()));
            element.steps.extend(inner);
            element.step_spans.push(span);
            element.step_spans.extend(inner_spans);
            let (value, errors) = self.capture_errors(|| self.resolve(&element));
            if errors.is_empty() {
                return (value, left);
            }
        }
        let collection = self.resolve(base);
        self.add(errors);
        (self.index(collection, key, span), rest)
    }

    /// Applies the operators to a value; `start` is where its expression begins, and `before` is how many errors there were
    /// before it was evaluated. A splat and what belongs to it is not applied to what is wrong, and everything else to
    /// something unknown then. Operators without expressions are one step to core, of which the first error is the last.
    fn apply(self, mut value: Marked, operators: Operators<'_>, (start, before): (usize, usize)) -> Marked {
        let mut before_step = Some(self.error_count());
        for (at, operator) in operators.iter().enumerate() {
            if !is_constant(operator) {
                before_step = None;
            } else if self.error_count() > *before_step.get_or_insert_with(|| self.error_count()) {
                continue;
            }
            let span = span_of(operator.span());
            let rest = operators.get(at + 1..).unwrap_or_default();
            let failed = || self.error_count() > before;
            value = match operator.value() {
                TraversalOperator::GetAttr(name) => self.attribute(value, name.as_str(), span),
                TraversalOperator::Index(key) => self.index(value, self.expression(key), span),
                TraversalOperator::LegacyIndex(at) => self.index(value, Marked::number(*at.value()), span),
                TraversalOperator::FullSplat(_) if failed() => return Marked::unknown(Type::Dynamic),
                TraversalOperator::AttrSplat(_) if failed() => Marked::unknown(Type::Dynamic),
                TraversalOperator::AttrSplat(_) if Rule::AttributeSplat.holds() => {
                    let is_attribute = |operator: &&hcl_edit::Decorated<TraversalOperator>| {
                        matches!(
                            operator.value(),
                            TraversalOperator::GetAttr(_) | TraversalOperator::LegacyIndex(_)
                        )
                    };
                    let (each, rest) = rest.split_at(rest.iter().take_while(is_attribute).count());
                    let splat = self.splat(value, each, (start, span));
                    return self.within_splat().apply(splat, rest, (start, before));
                }
                TraversalOperator::FullSplat(_) | TraversalOperator::AttrSplat(_) => {
                    return self.splat(value, rest, (start, span));
                }
            };
        }
        value
    }

    /// The constant steps of a reference after the first ones, applied to what these have led to.
    pub(super) fn follow(self, mut value: Marked, traversal: &Traversal, taken: usize) -> Marked {
        for (at, step) in traversal.steps.iter().enumerate().skip(taken) {
            let span = traversal.step_spans.get(at).copied().unwrap_or(traversal.span);
            value = match step {
                TraversalStep::Attribute(name) => self.attribute(value, name, span),
                TraversalStep::Index(key) => {
                    let ty = if key.as_number().is_some() { Type::Number } else { Type::String };
                    self.index(value, Marked::plain(key.clone(), ty), span)
                }
            };
        }
        value
    }

    fn attribute(self, value: Marked, name: &str, span: Span) -> Marked {
        let (value, marks) = value.unmark();
        if value.is_null() {
            return self.report(
                "Attempt to get attribute from null value",
                "This value is null, so it does not have any attributes.",
                span,
            );
        }
        let unsupported = |detail: String| self.report("Unsupported attribute", detail, span);
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
                    return self.report("Missing map element", detail, span);
                }
            },
            ty => return unsupported(format!("A value of type {} does not have attributes.", describe(ty))),
        };
        found.mark(marks)
    }

    fn index(self, value: Marked, key: Marked, span: Span) -> Marked {
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
            return self.report("Attempt to index null value", detail, span);
        }
        let invalid = |detail: String| self.report("Invalid index", detail, span);
        if key.is_null() {
            return invalid("A null cannot be an index.".to_owned());
        }
        if value.ty == Type::Dynamic || key.ty == Type::Dynamic {
            return Marked::unknown(Type::Dynamic).mark(marks);
        }
        let key_type = match &value.ty {
            Type::List(_) | Type::Tuple(_) => Type::Number,
            Type::Map(_) | Type::Object(_) => Type::String,
            Type::Set(_) => {
                return invalid(
                    "Elements of a set are identified only by their value and don't have an index."
                        .to_owned(),
                );
            }
            _ => return invalid("This value does not have any indices.".to_owned()),
        };
        let key = match convert(key, &key_type) {
            Ok(key) => key,
            Err(error) => return invalid(format!("The given key does not fit this value: {error}.")),
        };
        let missing = || "The given key does not identify an element in this collection value.".to_owned();
        let found = match &key.value {
            // The number is not looked at as long as the list is unknown.
            Value::Number(_) if value.is_unknown() && matches!(value.ty, Type::List(_)) => {
                unknown_element(&value.ty, 0)
            }
            Value::Number(at) => {
                let Some(at) = at.to_i64().and_then(|at| usize::try_from(at).ok()) else {
                    return invalid("An index must be a whole number that is not negative.".to_owned());
                };
                if matches!(&value.value, Value::List(elements) | Value::Tuple(elements) if elements.len() == at)
                {
                    // To core that is a mistake of its own, which matters where it is asked whether two are the same.
                    return invalid(
                        "The index is the number of elements, and the first one is 0.".to_owned(),
                    );
                }
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
        found.map_or_else(|| invalid(missing()), |found| found.mark(marks))
    }

    /// The operators applied to each element; to the value itself, as the only element, if it is no sequence.
    fn splat(self, value: Marked, each: Operators<'_>, (start, span): (usize, Span)) -> Marked {
        if self.splats == MOST_SPLATS {
            let detail = format!(
                "More than {MOST_SPLATS} splat operators follow each other. Apply some of them in a local value first."
            );
            return self.report("Too many splat operators", detail, span);
        }
        self.within_splat().splat_elements(value, each, (start, span))
    }

    fn within_splat(self) -> Self {
        Self { splats: self.splats + 1, ..self }
    }

    fn splat_elements(self, value: Marked, each: Operators<'_>, (start, span): (usize, Span)) -> Marked {
        let (value, marks) = value.unmark();
        let sequence = matches!(value.ty, Type::List(_) | Type::Set(_) | Type::Tuple(_));
        if value.is_null() {
            if sequence {
                let detail = "A splat cannot be applied to a null list, set or tuple.";
                return self.report("Splat of null value", detail, Span { start, end: span.start });
            }
            let elements = if Rule::SplatNull.holds() { Vec::new() } else { vec![value] };
            return Marked::tuple(elements).mark(marks);
        }
        if value.ty == Type::Dynamic {
            return Marked::unknown(Type::Dynamic).mark(marks);
        }
        let applied = |element: Marked| self.apply(element, each, (span.start, self.error_count()));
        let of_type = |ty: &Type| applied(Marked::unknown(ty.clone())).ty;
        if value.is_unknown() && sequence {
            let ty = match &value.ty {
                Type::List(element) | Type::Set(element) => Type::list(of_type(element)),
                Type::Tuple(types) => Type::tuple(types.iter().map(of_type)),
                _ => Type::Dynamic,
            };
            let bounds = lengths(&value.value).filter(|_| matches!(value.ty, Type::List(_) | Type::Set(_)));
            let known = Refinements {
                not_null: true,
                min_length: bounds.map(|(least, _)| least),
                max_length: bounds.and_then(|(_, most)| most),
                ..Refinements::default()
            };
            return Marked::refined(ty, known).mark(marks);
        }
        // A null would become an empty tuple. What is wrong with anything else counts all the same.
        let is_open = value.is_unknown() && !value.is_not_null();
        let elements =
            if sequence || !Rule::SplatScalar.holds() { value.elements() } else { vec![value.clone()] };
        let (results, failed) =
            self.with_failure(|| elements.into_iter().map(&applied).collect::<Vec<Marked>>());
        if is_open {
            return Marked::unknown(Type::Dynamic).mark(marks);
        }
        let is_tuple = !matches!(value.ty, Type::List(_) | Type::Set(_));
        if failed {
            // The types of the results serve for those that unknown elements would have, without evaluating all of it again.
            let ty = match results.first() {
                Some(first) if !is_tuple => Type::list(first.ty.clone()),
                _ => Type::tuple(results.iter().map(|result| result.ty.clone())),
            };
            return Marked::unknown(ty).mark(marks);
        }
        if is_tuple {
            return Marked::tuple(results).mark(marks);
        }
        if results.is_empty() {
            let ty = value.ty.element().map_or(Type::Dynamic, of_type);
            return Marked::list(ty, results).mark(marks);
        }
        // The elements of a list or set have one type, and so have the results unless something in them decides.
        let Some(one) = single_type(results.iter().map(|result| &result.ty)) else {
            let detail = "The results of the splat for the elements of a list or set have different types. Write it as a 'for' \
                          expression.";
            return self.report("Invalid nested splat expressions", detail, span);
        };
        Marked::list(one, results).mark(marks)
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
