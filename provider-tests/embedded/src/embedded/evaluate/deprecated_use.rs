//! Where core reports that something deprecated is used: not always at the part that is.

use std::sync::Arc;

use ferroform::path::{Path, Step};
use ferroform::schema::BlockNesting;
use ferroform::schema::NestedBlock as BlockSchema;
use ferroform::ty::Type;

use super::body::{BlockPlace, Decoder};
use super::dynamic::ExpandedBlock;
use crate::diagnostic::Diagnostic;
use crate::embedded::scope::deprecation_warning;
use crate::language::module::Body;
use crate::language::{Deprecation, Subject};

/// Where something is reported: how far a path leads to it, and the place.
#[derive(Clone)]
pub(super) struct ReportedAt {
    pub(super) path: Path,
    pub(super) place: Option<Subject>,
}

impl Decoder<'_> {
    /// Warns of something deprecated, once for all parts of the value that have the same path.
    pub(super) fn report_deprecated(&mut self, what: &Arc<Deprecation>, at: ReportedAt) {
        let reported = self.reported.entry(at.path.clone()).or_default();
        if !reported.contains(what) {
            reported.push(Arc::clone(what));
            let warning = Diagnostic { path: Some(at.path), ..deprecation_warning(what) };
            self.diagnostics.push(warning.about(at.place));
        }
    }

    /// Warns of what is deprecated in the collection that decides on the number of blocks.
    pub(super) fn report_collection(&mut self, block: &ExpandedBlock<'_>, path: &Path) {
        if !self.scope.layout.warns_of_deprecated {
            return;
        }
        for what in &block.marks.deprecated {
            let all = || path.steps().split_last().map(|(_, steps)| steps.iter().cloned().collect());
            let own = || ReportedAt { path: all().unwrap_or_default(), place: self.brace.clone() };
            self.report_deprecated(what, self.reports_at.clone().unwrap_or_else(own));
        }
    }

    /// Where warnings are reported about what is within a block, if not at its parts.
    pub(super) fn reports_within(&self, block: &ExpandedBlock<'_>, at: BlockPlace<'_>) -> Option<ReportedAt> {
        let is_in_set = matches!(at.path.steps().last(), Some(Step::Element));
        let own = || ReportedAt { path: at.path.clone(), place: at.inner_place.cloned() };
        let needs_own = self.scope.layout.warns_of_deprecated && (is_in_set || block.each.is_some());
        self.reports_at.clone().or_else(|| needs_own.then(own))
    }
}

/// The steps that lead to a value of that type without passing into a set, whose elements have no address.
pub(super) fn before_set<'s>(ty: &Type, steps: &'s [Step]) -> &'s [Step] {
    let mut within = Some(ty);
    for (at, step) in steps.iter().enumerate() {
        within = match (within, step) {
            (Some(Type::Set(_)), _) => return &steps[..at],
            (Some(Type::List(element) | Type::Map(element)), _) => Some(element),
            (Some(Type::Object(object)), Step::Attribute(name) | Step::Key(name)) => object.attribute(name),
            (Some(Type::Tuple(types)), Step::Index(index)) => types.get(*index),
            _ => return steps,
        };
    }
    steps
}

/// Where core reports what is within blocks of a type and has no path: at the end of the body that has them. In JSON a set is one
/// value, and it finds the block of a set of its own in another block (observed on Terraform 1.15.5).
pub(super) fn inner_place<'b>(schema: &BlockSchema, body: &'b Body, path: &Path) -> Option<&'b Subject> {
    let mut written = body.blocks.iter().filter(|block| block.type_name == *schema.name);
    let set = match (schema.nesting, body.argument(&schema.name)) {
        (BlockNesting::Set, Some(json)) => Some(json.subject()),
        (BlockNesting::Set, None) if path.steps().len() > 1 => match (written.next(), written.next()) {
            (Some(alone), None) => alone.body.brace.as_ref(),
            _ => None,
        },
        _ => None,
    };
    set.or(body.brace.as_ref())
}
