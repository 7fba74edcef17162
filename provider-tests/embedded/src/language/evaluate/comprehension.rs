//! `for` expressions.

use std::sync::Arc;

use ferroform::path::Step;
use ferroform::ty::Type;
use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, ForExpr};

use super::{Evaluator, Local, Outcome, span_of};
use crate::language::convert::{convert, describe};
use crate::language::marked::MarkSet;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Marked, Span};

/// The variables of a `for` and what they run over.
pub(super) struct Loop<'e> {
    pub(super) key: Option<&'e str>,
    pub(super) value: &'e str,
    pub(super) collection: &'e Expression,
}

/// What a run over a collection has found: the results, or that they depend on something unknown.
pub(super) struct Run<T> {
    pub(super) results: Option<Vec<T>>,
    pub(super) marks: MarkSet,
}

impl Evaluator<'_> {
    /// The result of a `for`, and the type that it has where an element is an error.
    pub(super) fn for_expression(self, comprehension: &ForExpr) -> (Outcome, Type) {
        let intro = Loop {
            key: comprehension.intro.key_var.as_ref().map(|name| name.as_str()),
            value: comprehension.intro.value_var.as_str(),
            collection: &comprehension.intro.collection_expr,
        };
        let condition = comprehension.cond.as_ref().map(|condition| &condition.expr);
        // There may be no element for which it is evaluated.
        let mut each = comprehension.key_expr.iter().chain([&comprehension.value_expr]).chain(condition);
        if let Err(errors) = each.try_for_each(|expr| self.check_references(expr)) {
            return (Err(errors), Type::Dynamic);
        }
        match &comprehension.key_expr {
            None => self.for_tuple((&intro, condition), &comprehension.value_expr),
            Some(key) => {
                let members = (key, &comprehension.value_expr, comprehension.grouping);
                (self.for_object((&intro, condition), members), Type::Dynamic)
            }
        }
    }

    fn for_tuple(
        self,
        (intro, condition): (&Loop<'_>, Option<&Expression>),
        element: &Expression,
    ) -> (Outcome, Type) {
        let mut types = Vec::new();
        let run = self.each(intro, condition, |inner, _| {
            let (value, ty) = inner.with_type(element);
            types.push(value.as_ref().map_or(ty, |value| value.ty.clone()));
            Ok((Some(value?), MarkSet::default()))
        });
        match run {
            Ok(Run { results: Some(results), marks }) => {
                (Ok(Marked::tuple(results).mark(marks)), Type::Dynamic)
            }
            Ok(Run { results: None, marks }) => {
                (Ok(Marked::unknown(Type::Dynamic).mark(marks)), Type::Dynamic)
            }
            Err(errors) if types.is_empty() => (Err(errors), Type::Dynamic),
            Err(errors) => (Err(errors), Type::tuple(types)),
        }
    }

    fn for_object(
        self,
        (intro, condition): (&Loop<'_>, Option<&Expression>),
        (key, value, grouping): (&Expression, &Expression, bool),
    ) -> Outcome {
        let mut keys_known = true;
        let run = self.each(intro, condition, |inner, known| {
            let found = inner.key(key, known && keys_known);
            keys_known &= matches!(found, Ok((Some(_), _)));
            let (key, marks) = found?;
            let Some(key) = key else { return Ok((None, marks)) };
            Ok((Some((key, inner.expression(value)?)), marks))
        })?;
        let Some(results) = run.results else {
            return Ok(Marked::unknown(Type::Dynamic).mark(run.marks));
        };
        let attributes = if grouping && Rule::Grouping.holds() {
            grouped(results)
        } else {
            self.distinct(results, span_of(key.span()))?
        };
        Ok(Marked::object(attributes).mark(run.marks))
    }

    /// Evaluates something for each element of a collection. `result` gets whether all keys and conditions so far are known; it
    /// returns nothing where it is unknown, and the marks that it adds to the whole.
    pub(super) fn each<T>(
        self,
        intro: &Loop<'_>,
        condition: Option<&Expression>,
        mut result: impl FnMut(Evaluator<'_>, bool) -> Result<(Option<T>, MarkSet), Vec<Diagnostic>>,
    ) -> Result<Run<T>, Vec<Diagnostic>> {
        let span = span_of(intro.collection.span());
        let (collection, mut marks) = self.expression(intro.collection)?.unmark();
        if collection.is_null() {
            return Err(self.error(
                "Iteration over null value",
                "A null value cannot be used as the collection of a 'for'.",
                span,
            ));
        }
        match &collection.ty {
            // Core forgets the marks of what has no type yet.
            Type::Dynamic => return Ok(Run { results: None, marks: MarkSet::default() }),
            ty if ty.is_primitive() => {
                let detail = format!("A {} cannot be used as the collection of a 'for'.", describe(ty));
                return Err(self.error("Iteration over non-iterable value", detail, span));
            }
            _ => {}
        }
        let mut of_any = MarkSet::default();
        if condition.is_some() {
            // A condition that is wrong for whatever element is told of before any is looked at.
            let any = || Marked::unknown(Type::Dynamic);
            let key = Local { name: intro.key.unwrap_or_default(), value: any(), outer: self.local };
            let outer = if intro.key.is_some() { Some(&key) } else { self.local };
            let value = Local { name: intro.value, value: any(), outer };
            let unresolved = self.unresolved_count();
            Evaluator { local: Some(&value), ..self }.wanted(condition, &mut of_any, true)?;
            if self.unresolved_count() > unresolved {
                return Ok(Run { results: None, marks });
            }
        }
        if collection.is_unknown() {
            return Ok(Run { results: None, marks: marks.and(of_any) });
        }
        let (mut results, mut unknown, mut errors) = (Vec::new(), false, Vec::new());
        for (step, value) in collection.parts() {
            let key = match step {
                Step::Index(at) => Marked::number(at as u64),
                Step::Attribute(name) | Step::Key(name) => Marked::string(name),
                _ => value.clone(),
            };
            let key = Local { name: intro.key.unwrap_or_default(), value: key, outer: self.local };
            let outer = if intro.key.is_some() { Some(&key) } else { self.local };
            let value = Local { name: intro.value, value, outer };
            let inner = Evaluator { local: Some(&value), ..self };
            match inner.wanted(condition, &mut marks, !unknown) {
                Ok(Some(true)) => match result(inner, !unknown) {
                    Err(found) => errors.extend(found),
                    Ok((result, found)) => {
                        marks = marks.and(found);
                        unknown |= result.is_none();
                        results.extend(result);
                    }
                },
                Ok(Some(false)) => {}
                Ok(None) => unknown = true,
                Err(found) => {
                    errors.extend(found);
                    unknown = true;
                }
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Run { results: (!unknown).then_some(results), marks })
    }

    /// Whether the condition lets an element through; `None` while it is unknown. Where something before is not known, core
    /// does not report a value of the wrong type.
    fn wanted(
        self,
        condition: Option<&Expression>,
        marks: &mut MarkSet,
        reports: bool,
    ) -> Result<Option<bool>, Vec<Diagnostic>> {
        let Some(condition) = condition else { return Ok(Some(true)) };
        let span = span_of(condition.span());
        let (value, found) = self.expression(condition)?.unmark();
        marks.add(found);
        let (summary, detail) = if value.is_null() {
            ("Condition is null", "The value of the 'if' clause must not be null.".to_owned())
        } else {
            match convert(value, &Type::Bool) {
                Ok(value) => return Ok(value.value.as_bool()),
                Err(error) => {
                    ("Invalid 'for' condition", format!("The 'if' clause value is invalid: {error}."))
                }
            }
        };
        if reports { Err(self.error(summary, detail, span)) } else { Ok(None) }
    }

    /// The key of one element, or nothing where it is unknown, and its marks. Where something before is not known, core does
    /// not report a key of the wrong type.
    fn key(self, key: &Expression, reports: bool) -> Result<(Option<Arc<str>>, MarkSet), Vec<Diagnostic>> {
        let span = span_of(key.span());
        let (key, marks) = self.expression(key)?.unmark();
        if key.is_unknown() {
            return Ok((None, marks));
        }
        let wrong = if key.is_null() {
            "The key expression of a 'for' must not be null.".to_owned()
        } else {
            match convert(key, &Type::String) {
                Ok(key) => return Ok((key.value.as_str().map(Arc::from), marks)),
                Err(error) => format!("The key expression has an unsuitable value: {error}."),
            }
        };
        if reports { Err(self.error("Invalid object key", wrong, span)) } else { Ok((None, marks)) }
    }

    fn distinct(
        self,
        results: Vec<(Arc<str>, Marked)>,
        span: Span,
    ) -> Result<Vec<(Arc<str>, Marked)>, Vec<Diagnostic>> {
        let mut names: Vec<&Arc<str>> = results.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) && Rule::DistinctKeys.holds() {
            let detail = "Two different items have the same key. If duplicates are expected, add an ellipsis (...) after \
                          the value expression to group them by key.";
            return Err(self.error("Duplicate object key", detail, span));
        }
        Ok(results)
    }
}

/// One tuple for all values of a key.
fn grouped(results: Vec<(Arc<str>, Marked)>) -> Vec<(Arc<str>, Marked)> {
    let mut groups: std::collections::BTreeMap<Arc<str>, Vec<Marked>> = std::collections::BTreeMap::new();
    for (key, value) in results {
        groups.entry(key).or_default().push(value);
    }
    groups.into_iter().map(|(key, values)| (key, Marked::tuple(values))).collect()
}
