//! The conditions of a resource while it is planned.

use super::{Place, PlanWalk};
use crate::embedded::conditions::{self, Occasion};
use crate::embedded::evaluate::Evaluated;
use crate::embedded::log::Log;
use crate::embedded::scope::Each;

impl PlanWalk {
    /// What has to hold before anything is done.
    pub(super) fn preconditions(&self, place: &Place<'_>, log: &mut Log) {
        if let (Some(block), Some(severity)) = (self.block(place), self.start.strictness) {
            let occasion = (Occasion::Precondition, severity);
            conditions::check(&block.lifecycle.preconditions, occasion, &self.scope(place.each), log);
        }
    }

    /// What has to hold of the object.
    pub(super) fn postconditions(&self, place: &Place<'_>, own: &Evaluated, log: &mut Log) {
        if let (Some(block), Some(severity)) = (self.block(place), self.start.strictness)
            && !block.lifecycle.postconditions.is_empty()
        {
            let each = Each { own: Some(own.clone()), ..place.each.clone() };
            let occasion = (Occasion::Postcondition, severity);
            conditions::check(&block.lifecycle.postconditions, occasion, &self.scope(&each), log);
        }
    }
}
