//! What expressions can refer to, and their values.

use std::sync::Arc;

use ferroform::path::Path;

use super::expanded_module::ExpandedModule;
use super::layout::Layout;
use super::log::Log;
use super::names::{IteratorsAlone, Names};
use super::repetition::RepetitionData;
use super::walk_state::WalkState;
use crate::diagnostic::Diagnostic;
use crate::language::module::{ModuleConfig, Modules, Objects, SourceExpr};
use crate::language::{
    self, Deprecation, MarkSet, Marked, Traversal, UNKNOWN_FUNCTION, UNKNOWN_PROVIDER_FUNCTION,
};

/// What one body can refer to.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) layout: &'a Layout,
    pub(super) walk: &'a WalkState,
    /// The module instance that has it.
    pub(super) module: &'a ExpandedModule,
    pub(super) each: &'a RepetitionData,
    pub(super) expansion: Expansion,
}

/// What the expressions see with which the blocks of `dynamic` blocks are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expansion {
    /// The same as others.
    Evaluated,
    /// The same, but what has no value is unknown: it was reported already.
    PartlyKnown,
    /// Only iterators: an object was missed.
    WithoutVariables,
}

impl<'a> Scope<'a> {
    pub(super) const fn new(
        layout: &'a Layout,
        walk: &'a WalkState,
        module: &'a ExpandedModule,
        each: &'a RepetitionData,
    ) -> Self {
        Self { layout, walk, module, each, expansion: Expansion::Evaluated }
    }

    pub(super) fn modules(&self) -> &'a Modules {
        self.layout.configuration().modules()
    }

    pub(super) fn config(&self) -> &'a ModuleConfig {
        &self.modules()[self.module.id]
    }
}

/// The value of an expression.
///
/// # Errors
/// It has none: all that is wrong.
pub(super) fn evaluate(expr: &SourceExpr, scope: &Scope<'_>) -> Result<Marked, Vec<Diagnostic>> {
    evaluate_by(expr, &Names::new(scope, expr))
}

/// The value of an expression where core does not look any further into what is wrong with a call: in pre- and postconditions and
/// assertions, and in the `for_each` of objects. Observed on Terraform 1.15.5.
///
/// # Errors
/// It has none: all that is wrong.
pub(super) fn evaluate_without_call_details(
    expr: &SourceExpr,
    scope: &Scope<'_>,
) -> Result<Marked, Vec<Diagnostic>> {
    evaluate(expr, scope).map_err(without_call_details)
}

/// The same problems where core does not look into calls.
pub(super) fn without_call_details(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let changed = |it: Diagnostic| match &*it.summary {
        UNKNOWN_PROVIDER_FUNCTION => Diagnostic { summary: UNKNOWN_FUNCTION.to_owned(), ..it },
        _ => it,
    };
    problems.into_iter().map(changed).collect()
}

/// The value of an expression with which the blocks of a `dynamic` block are made.
///
/// # Errors
/// It has none: all that is wrong.
pub(super) fn evaluate_for_expansion(
    expr: &SourceExpr,
    scope: &Scope<'_>,
) -> Result<Marked, Vec<Diagnostic>> {
    match scope.expansion {
        Expansion::Evaluated => evaluate(expr, scope),
        Expansion::PartlyKnown => evaluate_by(expr, &Names::lenient(scope, expr)),
        Expansion::WithoutVariables => evaluate_without_variables(expr, scope),
    }
}

/// The value of an expression where only iterators have values.
///
/// # Errors
/// It has none: all that is wrong.
pub(super) fn evaluate_without_variables(
    expr: &SourceExpr,
    scope: &Scope<'_>,
) -> Result<Marked, Vec<Diagnostic>> {
    evaluate_by(expr, &IteratorsAlone(Names::new(scope, expr)))
}

fn evaluate_by(expr: &SourceExpr, names: &impl language::Scope) -> Result<Marked, Vec<Diagnostic>> {
    let value = language::evaluate(expr.expression(), names);
    value.map_err(|problems| problems.into_iter().map(|problem| expr.placed(problem)).collect())
}

/// What is wrong with the references of an expression to objects: names that their schemas do not have.
pub(super) fn wrong_references(expr: &SourceExpr, scope: &Scope<'_>) -> Vec<Diagnostic> {
    let wrong = language::wrong_references(expr.expression(), &Names::new(scope, expr));
    wrong.into_iter().map(|problem| expr.placed(problem)).collect()
}

impl Objects for Scope<'_> {
    fn wrong_attributes(&self, expr: &SourceExpr, reference: &Traversal) -> Vec<Diagnostic> {
        let wrong = language::wrong_reference(reference, &Names::new(self, expr));
        wrong.into_iter().map(|problem| expr.placed(problem)).collect()
    }
}

/// The warnings about what is deprecated in a value that is used, as far as it is looked into.
pub(super) fn deprecations((value, depth): (&Marked, Depth), scope: &Scope<'_>) -> Vec<Diagnostic> {
    let warning = |(path, what): (&Path, &Arc<Deprecation>)| Diagnostic {
        path: Some(path.clone()),
        ..deprecation_warning(what)
    };
    deprecated_parts(value, scope).filter(|(path, _)| depth.reaches(path)).map(warning).collect()
}

/// What is deprecated in a value that is used, and where, if core warns of it.
pub(super) fn deprecated_parts<'v>(
    value: &'v Marked,
    scope: &Scope<'_>,
) -> impl Iterator<Item = (&'v Path, &'v Arc<Deprecation>)> {
    let warns = scope.layout.warns_of_deprecated;
    let all = value.marks.iter().filter(move |_| warns);
    all.flat_map(|(path, set)| set.deprecated.iter().map(move |what| (path, what)))
}

/// The warning about something deprecated that is used.
pub(super) fn deprecation_warning(what: &Deprecation) -> Diagnostic {
    let detail = match what.message.as_str() {
        "" => "The value comes from an attribute that is deprecated.",
        message => message,
    };
    Diagnostic::warning("Deprecated value used", detail)
}

/// How far it is looked into a value for what is deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Only what the value is as a whole.
    Whole,
    /// Also its parts.
    Parts,
}

impl Depth {
    fn reaches(self, path: &Path) -> bool {
        self == Self::Parts || path.is_root()
    }
}

/// Reports what is deprecated in the value of an expression, where it stands.
pub(super) fn report_deprecated(
    (value, depth): (&Marked, Depth),
    expr: &SourceExpr,
    (scope, log): (&Scope<'_>, &mut Log),
) {
    for warning in deprecations((value, depth), scope) {
        let path = warning.path.clone().unwrap_or_default();
        log.push(Diagnostic { path: None, ..warning }.on(expr.place_of_part(&path)));
    }
}

/// Removes the marks of deprecated values, so that a value warns once.
pub(super) fn forget_deprecated(value: &mut Marked, depth: Depth) {
    value.marks = std::mem::take(&mut value.marks).without_deprecated(|path| depth.reaches(path));
}

/// What is sensitive in a value, as paths that it really has.
pub(super) fn sensitive_paths(value: &Marked) -> Vec<Path> {
    marked_paths(value, |set| set.sensitive)
}

/// What is ephemeral in a value, as paths that it really has.
pub(super) fn ephemeral_paths(value: &Marked) -> Vec<Path> {
    marked_paths(value, |set| set.ephemeral)
}

/// What has marks of a kind in a value, as paths that it really has.
pub(super) fn marked_paths(value: &Marked, wanted: fn(&MarkSet) -> bool) -> Vec<Path> {
    let marked = value.marks.iter().filter(|(_, set)| wanted(set)).map(|(path, _)| path.clone());
    super::evaluate::marks::within(&value.value, marked)
}
