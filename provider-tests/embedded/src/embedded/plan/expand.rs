//! Which instances a resource has, and which it has no longer.

use std::sync::Arc;

use super::PlanWalk;
use crate::address::{InstanceAddress, InstanceKey, Mode, ResourceAddress};
use crate::checks::Checkable;
use crate::diagnostic::Diagnostic;
use crate::embedded::expanded_module::{ExpandedModule, Slots};
use crate::embedded::layout::Resource;
use crate::embedded::log::Log;
use crate::embedded::repetition::{self, Instances, NO_REPETITION, Repetition, RepetitionData, instances};
use crate::embedded::stored_values;
use crate::language::Marked;
use crate::language::rule::Rule;
use crate::plan::{ActionReason, Mode as PlanMode};
use crate::state::ResourceState;

/// The work at one resource.
pub(super) struct Expansion {
    pub(super) modules: Vec<ModuleInstances>,
    pub(super) parts: Vec<Part>,
}

/// The instances of a resource in an instance of its module.
pub(super) struct ModuleInstances {
    pub(super) module: Arc<ExpandedModule>,
    pub(super) instances: Instances,
    /// The values of the instances, as they come.
    pub(super) values: Slots<Marked>,
}

/// The work at one object.
pub(super) enum Part {
    /// An instance that the configuration asks for: the numbers of its module instance and of its value there, its key, and
    /// what it can refer to.
    Instance { module: usize, at: usize, key: InstanceKey, each: Box<RepetitionData> },
    /// An object that it does not ask for.
    /// Rare and large, so on the heap.
    Removed(Box<RemovedObject>),
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
    /// The instances by `count` and `for_each` in all instances of the module, and what the state has beyond them.
    pub(super) fn expand(&self, number: usize) -> Result<Expansion, ()> {
        let resource = self.session.resource(number).ok_or(())?;
        self.check_self_reference_of_list(resource)?;
        let mut log = Log::new(&resource.address);
        let within = self.state.root.instances(self.session.modules(), resource.module);
        // Most resources have one instance; growing on demand would reserve room for four.
        let mut expansion =
            Expansion { modules: Vec::with_capacity(within.len()), parts: Vec::with_capacity(within.len()) };
        for (_, module) in within {
            self.expand_in(number, (resource, module), &mut expansion, &mut log);
        }
        if log.is_fine() {
            self.report_conditions(resource, &expansion);
            if self.imports()
                && let Some(slot) = self.imports.get(number)
            {
                slot.get_or_init(|| self.imports_into(resource, &expansion, &mut log));
            }
        }
        self.diagnostics.absorb(log)?;
        for (address, stored) in self.stored_resources(number) {
            self.add_removed(
                (address, stored),
                &|key| self.verdict(&expansion.modules, address, key),
                &mut expansion.parts,
            );
        }
        let modules = std::mem::take(&mut expansion.modules);
        expansion.parts.retain(|part| match part {
            Part::Instance { module, key, .. } => modules
                .get(*module)
                .is_some_and(|within| self.is_planned_instance(resource, &within.module, key)),
            Part::Removed(removed) => self.targets.has(&removed.address),
        });
        Ok(Expansion { modules, ..expansion })
    }

    /// What is stored of a resource in all instances of its module.
    fn stored_resources(&self, number: usize) -> impl Iterator<Item = (&ResourceAddress, &ResourceState)> {
        let addresses = self.stored.get(number).into_iter().flatten();
        addresses.filter_map(|address| self.start.state.resources.get_key_value(address))
    }

    /// Whether the limits of the plan leave an instance in it.
    fn is_planned_instance(&self, resource: &Resource, module: &ExpandedModule, key: &InstanceKey) -> bool {
        // The configurations of all instances of an action are needed to name one.
        resource.address.mode == Mode::Action
            || self
                .targets
                .has(&InstanceAddress { resource: module.address(&resource.address), key: key.clone() })
    }

    /// The instances in one instance of the module.
    fn expand_in(
        &self,
        number: usize,
        (resource, module): (&Resource, Arc<ExpandedModule>),
        expansion: &mut Expansion,
        log: &mut Log,
    ) {
        let address = module.address(&resource.address);
        let repetition = resource.repetition();
        let is_deferred = || self.state.root.is_deferred(self.session.modules(), &module.path);
        if self.may_defer() && is_deferred() {
            return self.expand_later((number, repetition), module, expansion);
        }
        let found = match instances(repetition, &self.scope(&module, &NO_REPETITION)) {
            Ok((found, warnings)) => {
                log.extend(warnings);
                found
            }
            Err(problems) => return log.extend(problems),
        };
        if matches!(found, Instances::Unknown) {
            if self.may_defer_instances(&address) {
                return self.expand_later((number, repetition), module, expansion);
            }
            if Rule::UnknownCount.holds() {
                return log.push(repetition::unknown(repetition));
            }
        }
        if !matches!(found, Instances::Single) && self.replaces_without_key(&address) {
            let detail =
                format!("{address} has several instances. Name those that shall be replaced by their keys.");
            let summary = "Incompletely-matched force-replace resource instance";
            self.diagnostics.extend(vec![Diagnostic::warning(summary, detail)]);
        }
        let each = found.each();
        stored_values::expose_stored_instances(&self.session, &self.start.state, (&module, number), &found);
        let within = expansion.modules.len();
        let values = Slots::new(each.len());
        for (at, (key, each)) in each.into_iter().enumerate() {
            let each = Box::new(each);
            expansion.parts.push(Part::Instance { module: within, at, key, each });
        }
        expansion.modules.push(ModuleInstances { module, instances: found, values });
    }

    /// One instance stands for all that there may be, and what there is stays.
    fn expand_later(
        &self,
        (number, repetition): (usize, Repetition<'_>),
        module: Arc<ExpandedModule>,
        expansion: &mut Expansion,
    ) {
        self.set_uncounted(number);
        let (key, each) = (InstanceKey::any(), Box::new(repetition.any()));
        let within = expansion.modules.len();
        expansion.parts.push(Part::Instance { module: within, at: 0, key, each });
        let (instances, values) = (Instances::Unknown, Slots::new(1));
        expansion.modules.push(ModuleInstances { module, instances, values });
    }

    /// Takes note of the instances of a resource that has conditions.
    fn report_conditions(&self, resource: &Resource, expansion: &Expansion) {
        if !resource.has_conditions()
            || expansion.modules.iter().any(|it| matches!(it.instances, Instances::Unknown))
        {
            return;
        }
        let objects = expansion.parts.iter().filter_map(|part| match part {
            Part::Instance { module, key, .. } => {
                Some((expansion.modules.get(*module)?.module.path.clone(), key.clone()))
            }
            Part::Removed(_) => None,
        });
        self.state.results().expand(Checkable::Resource(resource.address.clone()), objects);
    }

    /// Whether a stored instance is one of those that the configuration asks for.
    fn verdict(&self, modules: &[ModuleInstances], resource: &ResourceAddress, key: &InstanceKey) -> Verdict {
        let Some(within) = modules.iter().find(|it| it.module.path == resource.module) else {
            // Whether it is one of those that stay is known when its module has instances.
            if self.state.root.is_deferred(self.session.modules(), &resource.module) {
                return Verdict::Stays;
            }
            return Verdict::Goes(Some(ActionReason::DeleteBecauseNoModule));
        };
        if matches!(within.instances, Instances::Unknown) || within.instances.has(key) {
            return Verdict::Stays;
        }
        Verdict::Goes(Some(match (&within.instances, key) {
            (Instances::Count(_), InstanceKey::Index(_)) => ActionReason::DeleteBecauseCountIndex,
            (Instances::ForEach(_), InstanceKey::Key(_)) => ActionReason::DeleteBecauseEachKey,
            _ => ActionReason::DeleteBecauseWrongRepetition,
        }))
    }

    /// All objects of a resource that is not configured, or is to be destroyed.
    pub(super) fn expand_removed(&self, resource: &ResourceAddress) -> Expansion {
        let mut parts = Vec::new();
        if let Some(stored) = self.start.state.resources.get(resource) {
            let destroys = self.start.options.mode == PlanMode::Destroy;
            let verdict = |key: &InstanceKey| {
                let address = InstanceAddress { resource: resource.clone(), key: key.clone() };
                Verdict::Goes(match self.start.moved.contains_key(&address) {
                    _ if destroys => None,
                    true => Some(ActionReason::DeleteBecauseNoMoveTarget),
                    false => Some(ActionReason::DeleteBecauseNoResourceConfig),
                })
            };
            self.add_removed((resource, stored), &verdict, &mut parts);
        }
        parts.retain(|part| match part {
            Part::Removed(removed) => self.targets.has(&removed.address),
            Part::Instance { .. } => true,
        });
        Expansion { modules: Vec::new(), parts }
    }

    fn add_removed(
        &self,
        (resource, stored): (&ResourceAddress, &ResourceState),
        verdict: &dyn Fn(&InstanceKey) -> Verdict,
        parts: &mut Vec<Part>,
    ) {
        for (key, instance) in &stored.instances {
            let address = || InstanceAddress { resource: resource.clone(), key: key.clone() };
            if instance.current.is_some()
                && let Verdict::Goes(reason) = verdict(key)
            {
                let removed = RemovedObject { address: address(), deposed: None, reason };
                parts.push(Part::Removed(Box::new(removed)));
            }
            parts.extend(instance.deposed.keys().map(|deposed| {
                let deposed = Some(deposed.clone());
                Part::Removed(Box::new(RemovedObject { address: address(), deposed, reason: None }))
            }));
        }
    }
}
