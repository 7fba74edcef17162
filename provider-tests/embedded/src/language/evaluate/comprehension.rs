//! `for` expressions.

use std::collections::BTreeMap;
use std::sync::Arc;

use ferroform::path::Step;
use ferroform::ty::Type;
use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, ForExpr};

use super::{Evaluator, Local, span_of};
use crate::language::Marked;
use crate::language::convert::{convert, describe};
use crate::language::marked::MarkSet;
use crate::language::rule::Rule;

/// The variables of a `for` and what they run over.
pub(super) struct Loop<'e> {
    pub(super) key: Option<&'e str>,
    pub(super) value: &'e str,
    pub(super) collection: &'e Expression,
    pub(super) condition: Option<&'e Expression>,
    /// Whether an unknown condition of an element must be of type bool, as in core for an object.
    pub(super) checks_unknown: bool,
}

/// How a run over a collection has ended.
pub(super) struct Run {
    /// Whether nothing unknown decides on the results.
    pub(super) is_known: bool,
    pub(super) marks: MarkSet,
}

/// The wrong condition of a `for`.
const INVALID_CONDITION: &str = "Invalid 'for' condition";

impl Evaluator<'_> {
    pub(super) fn for_expression(self, comprehension: &ForExpr) -> Marked {
        let intro = Loop {
            key: comprehension.intro.key_var.as_ref().map(|name| name.as_str()),
            value: comprehension.intro.value_var.as_str(),
            collection: &comprehension.intro.collection_expr,
            condition: comprehension.cond.as_ref().map(|condition| &condition.expr),
            checks_unknown: comprehension.key_expr.is_some(),
        };
        match &comprehension.key_expr {
            None => self.for_tuple(&intro, &comprehension.value_expr),
            Some(key) => self.for_object(&intro, key, &comprehension.value_expr, comprehension.grouping),
        }
    }

    fn for_tuple(self, intro: &Loop<'_>, element: &Expression) -> Marked {
        let mut elements = Vec::new();
        let run = self.each(intro, |inner, _, _| {
            elements.push(inner.expression(element));
            true
        });
        if run.is_known { Marked::tuple(elements) } else { Marked::unknown(Type::Dynamic) }.mark(run.marks)
    }

    fn for_object(self, intro: &Loop<'_>, key: &Expression, value: &Expression, grouping: bool) -> Marked {
        let mut members: BTreeMap<Arc<str>, Vec<Marked>> = BTreeMap::new();
        let groups = grouping && Rule::Grouping.holds();
        let run = self.each(intro, |inner, known, marks| {
            let Some(name) = inner.key(key, marks, known) else { return false };
            let value = inner.expression(value);
            let values = members.entry(name).or_default();
            if !groups && !values.is_empty() && Rule::DistinctKeys.holds() {
                let detail = "Two different items have the same key. If duplicates are expected, add an ellipsis (...) \
                              after the value expression to group them by key.";
                inner.report("Duplicate object key", detail, span_of(key.span()));
            } else {
                values.push(value);
            }
            true
        });
        if !run.is_known {
            return Marked::unknown(Type::Dynamic).mark(run.marks);
        }
        let members = members.into_iter().filter_map(|(key, mut values)| {
            Some((key, if groups { Marked::tuple(values) } else { values.pop()? }))
        });
        Marked::object(members.collect()).mark(run.marks)
    }

    /// Evaluates something for each element of a collection that the condition lets through. `result` gets whether all keys
    /// and conditions so far are known, and the marks of the whole; it returns whether what it has found is known.
    pub(super) fn each(
        self,
        intro: &Loop<'_>,
        mut result: impl FnMut(Evaluator<'_>, bool, &mut MarkSet) -> bool,
    ) -> Run {
        let span = span_of(intro.collection.span());
        let nothing = || Run { is_known: false, marks: MarkSet::default() };
        let (collection, mut marks) = self.expression(intro.collection).unmark();
        if collection.is_null() {
            let detail = "A null value cannot be used as the collection of a 'for'.";
            self.report("Iteration over null value", detail, span);
            return nothing();
        }
        match &collection.ty {
            // Core forgets the marks of what has no type yet.
            Type::Dynamic => return nothing(),
            ty if ty.is_primitive() => {
                let detail = format!("A {} cannot be used as the collection of a 'for'.", describe(ty));
                self.report("Iteration over non-iterable value", detail, span);
                return nothing();
            }
            _ => {}
        }
        let mut of_any = MarkSet::default();
        if let Some(condition) = intro.condition {
            // Core reports a condition that is wrong for every element before it looks at any.
            let any = || Marked::unknown(Type::Dynamic);
            let check = |inner: Evaluator<'_>| {
                inner.wanted((condition, true), &mut of_any, Some("Condition is null"));
            };
            let ((), failed) = self.with_failure(|| self.within(intro, (any(), any()), check));
            if failed {
                return nothing();
            }
        }
        if collection.is_unknown() {
            return Run { is_known: false, marks: marks.and(of_any) };
        }
        let mut is_known = true;
        for (step, value) in collection.parts() {
            let key = match step {
                Step::Index(at) => Marked::number(at as u64),
                Step::Attribute(name) | Step::Key(name) => Marked::string(name),
                _ => value.clone(),
            };
            is_known &= self.within(intro, (key, value), |inner| {
                let null_summary = is_known.then_some(INVALID_CONDITION);
                let wanted = intro.condition.map_or(Some(true), |it| {
                    inner.wanted((it, intro.checks_unknown), &mut marks, null_summary)
                });
                match wanted {
                    Some(true) => result(inner, is_known, &mut marks),
                    wanted => wanted.is_some(),
                }
            });
        }
        Run { is_known, marks }
    }

    /// Evaluates something within the variables of a `for`.
    fn within<T>(
        self,
        intro: &Loop<'_>,
        (key, value): (Marked, Marked),
        evaluate: impl FnOnce(Evaluator<'_>) -> T,
    ) -> T {
        let key = Local { name: intro.key.unwrap_or_default(), value: key, outer: self.local };
        let outer = if intro.key.is_some() { Some(&key) } else { self.local };
        let value = Local { name: intro.value, value, outer };
        evaluate(Evaluator { local: Some(&value), ..self })
    }

    /// Whether the condition lets an element through; nothing while it is unknown. Without a summary for a null nothing is
    /// reported: where something before is not known, core does not report a null or a value of the wrong type.
    fn wanted(
        self,
        (condition, checks_unknown): (&Expression, bool),
        marks: &mut MarkSet,
        null_summary: Option<&str>,
    ) -> Option<bool> {
        let (value, found) = self.expression(condition).unmark();
        marks.add(found);
        if value.is_unknown() && !checks_unknown {
            return None;
        }
        let (summary, detail) = if value.is_null() {
            (null_summary?, "The value of the 'if' clause must not be null.".to_owned())
        } else {
            match convert(value, &Type::Bool) {
                Ok(value) => return value.value.as_bool(),
                Err(_) if null_summary.is_none() => return None,
                Err(error) => (INVALID_CONDITION, format!("The 'if' clause value is invalid: {error}.")),
            }
        };
        self.report(summary, detail, span_of(condition.span()));
        None
    }

    /// The key of one element, or nothing where it is unknown. Where something before is not known, core does not report a
    /// key of the wrong type.
    fn key(self, key: &Expression, marks: &mut MarkSet, reports: bool) -> Option<Arc<str>> {
        let span = span_of(key.span());
        let (key, found) = self.expression(key).unmark();
        marks.add(found);
        if key.is_unknown() {
            return None;
        }
        let wrong = if key.is_null() {
            "The key expression of a 'for' must not be null.".to_owned()
        } else {
            match convert(key, &Type::String) {
                Ok(key) => return key.value.as_str().map(Arc::from),
                Err(error) => format!("The key expression has an unsuitable value: {error}."),
            }
        };
        if reports {
            self.report("Invalid object key", wrong, span);
        }
        None
    }
}
