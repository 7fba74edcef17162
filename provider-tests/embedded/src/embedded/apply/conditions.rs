//! The conditions of a resource while a plan is applied.

use ferroform::diag::Severity;

use crate::embedded::conditions::{self, ConditionKind};
use crate::embedded::log::Log;
use crate::embedded::repetition::RepetitionData;
use crate::embedded::scope::Scope;
use crate::language::Marked;
use crate::language::module::Resource;

/// What has to hold before anything is done.
pub(super) fn before(block: &Resource, scope: &Scope<'_>, log: &mut Log) {
    let kind = (ConditionKind::Precondition, Severity::Error);
    conditions::check(&block.lifecycle.preconditions, kind, scope, log);
}

/// What has to hold of the object.
pub(super) fn after(block: &Resource, (own, scope): (&Marked, &Scope<'_>), log: &mut Log) {
    if !block.lifecycle.postconditions.is_empty() {
        let each = RepetitionData { own: Some(own.clone()), ..scope.each.clone() };
        let kind = (ConditionKind::Postcondition, Severity::Error);
        conditions::check(&block.lifecycle.postconditions, kind, &Scope { each: &each, ..*scope }, log);
    }
}
