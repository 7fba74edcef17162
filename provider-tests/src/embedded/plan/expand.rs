//! Which instances a resource has, and which it has no longer.

use std::sync::OnceLock;

use super::PlanWalk;
use crate::address::{InstanceAddress, InstanceKey, Mode, ResourceAddress};
use crate::config::{Repetition, ResourceBlock};
use crate::diagnostic::{self, Diagnostic};
use crate::embedded::check::Check;
use crate::embedded::conditions;
use crate::embedded::evaluate::Evaluated;
use crate::embedded::log::Log;
use crate::embedded::scope::{Instances, RepetitionData, any_instance, instances};
use crate::language::rule::Rule;
use crate::plan::ActionReason;
use crate::state::ResourceState;

/// The work at one resource.
pub(super) struct Expansion {
    pub(super) instances: Instances,
    pub(super) parts: Vec<Part>,
    /// The values of the instances, as they come.
    pub(super) values: Vec<OnceLock<Evaluated>>,
}

/// The work at one object.
pub(super) enum Part {
    /// An instance that the configuration asks for: the number of its value, its key, and what it can refer to.
    Instance { at: usize, key: InstanceKey, each: Box<RepetitionData> },
    /// An object that it does not ask for.
    Removed(RemovedObject),
}

/// An object that shall not be there any more.
pub(super) struct RemovedObject {
    pub(super) address: InstanceAddress,
    pub(super) deposed: Option<String>,
    /// Why, for a current object.
    pub(super) reason: Option<ActionReason>,
}

/// Whether a stored instance stays, or why it goes.
enum Verdict {
    Stays,
    Goes(Option<ActionReason>),
}

impl PlanWalk {
    /// The instances by `count` and `for_each`, and what the state has beyond them.
    pub(super) fn expand(&self, number: usize) -> Result<Expansion, ()> {
        let Some(block) = self.session.block(number) else { return Err(()) };
        let resource = &block.address;
        let is_deferred = self.session.is_deferred(&resource.module) && self.may_defer();
        let found = match self.repeated(resource, &block.repetition) {
            _ if is_deferred => return Ok(self.expand_later(number, block)),
            Some(Instances::Unknown) if self.may_defer_instances(resource) => {
                return Ok(self.expand_later(number, block));
            }
            _ => self.instances_of(resource, &block.repetition).ok_or(())?,
        };
        if block.lifecycle.has_conditions() {
            let keys = found.each().into_iter().map(|(key, _)| key).collect();
            self.values.results().expand(resource, keys);
        }
        let mut log = Log::new(resource);
        if !matches!(found, Instances::Single) && self.replaces(resource) {
            let detail =
                format!("{resource} has several instances. Name those that shall be replaced by their keys.");
            log.push(Diagnostic::warning("Incompletely-matched force-replace resource instance", detail));
        }
        let mut parts = Vec::new();
        for (at, (key, each)) in found.each().into_iter().enumerate() {
            let address = InstanceAddress { resource: resource.clone(), key };
            if let Some(source) = self.start.left.get(&address)
                && self.session.checks(Check::MovedStillDeclared)
            {
                let detail =
                    format!("{address} is still declared, although a moved block says where it is now.");
                let error = Diagnostic::error("Moved object still exists", detail);
                let error = Diagnostic { place: diagnostic::SourceRange::of(source.as_ref()), ..error };
                // It is planned all the same.
                self.diagnostics.extend(vec![Diagnostic { address: Some(address.to_string()), ..error }]);
            }
            parts.push(Part::Instance { at, key: address.key, each: Box::new(each) });
        }
        if self.start.purpose == super::Purpose::Plan
            && let Some(slot) = self.imports.get(number)
        {
            slot.get_or_init(|| self.imports_into(number, &found, &mut log));
        }
        let fine = log.is_fine();
        self.diagnostics.absorb(log);
        if !fine {
            return Err(());
        }
        let values = parts.iter().map(|_| OnceLock::new()).collect();
        if let Some(stored) = self.start.state.resources.get(resource) {
            self.add_gone(resource, stored, &|key| verdict(&found, key), &mut parts);
        }
        parts.retain(|part| match part {
            // The configurations of all instances of an action are needed to name one.
            Part::Instance { .. } if resource.mode == Mode::Action => true,
            Part::Instance { key, .. } => {
                self.targets.has(&InstanceAddress { resource: resource.clone(), key: key.clone() })
            }
            Part::Removed(gone) => self.targets.has(&gone.address),
        });
        Ok(Expansion { instances: found, parts, values })
    }

    /// One instance stands for all that there may be, and what there is stays.
    fn expand_later(&self, number: usize, block: &ResourceBlock) -> Expansion {
        self.set_uncounted(number);
        let address = InstanceAddress { resource: block.address.clone(), key: InstanceKey::any() };
        let each = Box::new(any_instance(&block.repetition));
        let parts = match self.targets.has(&address) {
            true => vec![Part::Instance { at: 0, key: address.key, each }],
            false => Vec::new(),
        };
        Expansion { instances: Instances::Unknown, parts, values: vec![OnceLock::new()] }
    }

    /// The instances of a resource or a module by `count` and `for_each`; `None` if there are errors, which are told
    /// by [`instances_of`](Self::instances_of).
    pub(super) fn repeated(&self, of: &ResourceAddress, repetition: &Repetition) -> Option<Instances> {
        instances(repetition, &self.scope(&RepetitionData::default()), &mut Log::new(of))
    }

    /// The instances of a resource or a module by `count` and `for_each`, which have to be known.
    pub(super) fn instances_of(&self, of: &ResourceAddress, repetition: &Repetition) -> Option<Instances> {
        let mut log = Log::new(of);
        let each = RepetitionData::default();
        let found = instances(repetition, &self.scope(&each), &mut log);
        if let Some(Instances::Unknown) = found
            && Rule::UnknownCount.holds()
        {
            let (summary, detail) = unknown_repetition(repetition);
            let place = repetition.expressions().next().and_then(conditions::place);
            log.push(Diagnostic { place, ..Diagnostic::error(summary, detail) });
        }
        let fine = log.is_fine();
        self.diagnostics.absorb(log);
        found.filter(|_| fine)
    }

    /// All objects of a resource that is not configured, or is to be destroyed.
    pub(super) fn expand_gone(&self, resource: &ResourceAddress) -> Expansion {
        let mut parts = Vec::new();
        if let Some(stored) = self.start.state.resources.get(resource) {
            let destroys = self.start.purpose == super::Purpose::Destroy;
            // Whether it is one of those that stay is known when its module has instances.
            if !destroys && self.session.is_deferred(&resource.module) {
                return Expansion { instances: Instances::Single, parts, values: Vec::new() };
            }
            let declared = || self.session.config.in_modules.contains(&*resource.in_any_instance());
            let no_instance = !destroys && !resource.module.0.is_empty() && declared();
            let verdict = |key: &InstanceKey| {
                let address = InstanceAddress { resource: resource.clone(), key: key.clone() };
                Verdict::Goes(match self.start.moved.contains_key(&address) {
                    _ if destroys => None,
                    _ if no_instance => Some(ActionReason::DeleteBecauseNoModule),
                    true => Some(ActionReason::DeleteBecauseNoMoveTarget),
                    false => Some(ActionReason::DeleteBecauseNoResourceConfig),
                })
            };
            self.add_gone(resource, stored, &verdict, &mut parts);
        }
        parts.retain(|part| match part {
            Part::Removed(gone) => self.targets.has(&gone.address),
            Part::Instance { .. } => true,
        });
        Expansion { instances: Instances::Single, parts, values: Vec::new() }
    }

    fn add_gone(
        &self,
        resource: &ResourceAddress,
        stored: &ResourceState,
        verdict: &dyn Fn(&InstanceKey) -> Verdict,
        parts: &mut Vec<Part>,
    ) {
        for (key, instance) in &stored.instances {
            let address = || InstanceAddress { resource: resource.clone(), key: key.clone() };
            if instance.current.is_some()
                && let Verdict::Goes(reason) = verdict(key)
            {
                parts.push(Part::Removed(RemovedObject { address: address(), deposed: None, reason }));
            }
            parts.extend(instance.deposed.keys().map(|deposed| {
                Part::Removed(RemovedObject {
                    address: address(),
                    deposed: Some(deposed.clone()),
                    reason: None,
                })
            }));
        }
    }
}

/// Whether a stored instance is one of those that the configuration asks for.
fn verdict(instances: &Instances, key: &InstanceKey) -> Verdict {
    let reason = match (instances, key) {
        (Instances::Unknown, _) | (Instances::Single, InstanceKey::None) => return Verdict::Stays,
        (Instances::Count(count), InstanceKey::Index(index)) if index < count => return Verdict::Stays,
        (Instances::Count(_), InstanceKey::Index(_)) => ActionReason::DeleteBecauseCountIndex,
        (Instances::ForEach(entries), InstanceKey::Key(key)) => {
            // The entries come in the order of their keys.
            if entries.binary_search_by(|(other, _)| other.cmp(key)).is_ok() {
                return Verdict::Stays;
            }
            ActionReason::DeleteBecauseEachKey
        }
        _ => ActionReason::DeleteBecauseWrongRepetition,
    };
    Verdict::Goes(Some(reason))
}

fn unknown_repetition(repetition: &Repetition) -> (&'static str, &'static str) {
    match repetition {
        Repetition::ForEach(_) => (
            "Invalid for_each argument",
            "The \"for_each\" value depends on resource attributes that cannot be determined until apply, so the \
             instances cannot be predicted.",
        ),
        _ => (
            "Invalid count argument",
            "The \"count\" value depends on resource attributes that cannot be determined until apply, so the \
             number of instances cannot be predicted.",
        ),
    }
}

/// Whether the address is of a data source.
pub(super) fn is_data(address: &InstanceAddress) -> bool {
    address.resource.mode == Mode::Data
}
