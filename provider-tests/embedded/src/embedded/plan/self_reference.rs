//! Resources whose arguments name the resource itself.

use std::collections::{BTreeMap, BTreeSet};

use super::PlanWalk;
use super::expand::{Expansion, Part};
use crate::address::{InstanceKey, Mode};
use crate::diagnostic::Diagnostic;
use crate::embedded::layout::{self, Resource};
use crate::embedded::walk::{NodeOutcome, WalkResult};
use crate::language::Subject;
use crate::language::module::{SourceExpr, keys_of, places_of};

impl PlanWalk {
    /// Refuses a list that names itself. To core, "limit" and "include_resource" are no arguments of an instance.
    pub(super) fn check_self_reference_of_list(&self, resource: &Resource) -> NodeOutcome {
        if resource.address.mode != Mode::List {
            return Ok(());
        }
        let block = &resource.block;
        let config = block.body.blocks.iter().flat_map(|config| layout::expressions(&config.body));
        let named = self.places_in(resource, config.chain(&block.count).chain(&block.for_each));
        self.refuse(named.into_iter().take(1).map(|(_, place)| refers_to_itself(resource, place)))
    }

    /// Refuses a resource of which planned instances wait for themselves or for each other. An instance waits for those of
    /// the same module instance that its resource names, and for all of them where a name has no key, or that of none.
    pub(super) fn check_self_references(&self, resource: &Resource, expansion: &Expansion) -> NodeOutcome {
        if resource.address.mode == Mode::List {
            return Ok(());
        }
        let named = self.places_in(resource, layout::expressions(&resource.block.body));
        let keys: Vec<InstanceKey> =
            named.iter().map(|(key, _)| key.clone()).chain(self.keys_waited_for(resource)).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let mut planned: BTreeMap<usize, BTreeSet<&InstanceKey>> = BTreeMap::new();
        for part in &expansion.parts {
            if let Part::Instance { module, key, .. } = part {
                planned.entry(*module).or_default().insert(key);
            }
        }
        let (mut cycles, mut refused) = (Vec::new(), Vec::new());
        for planned in planned.values() {
            let (there, absent): (Vec<_>, Vec<_>) = keys.iter().partition(|key| planned.contains(key));
            let waited_for = if absent.is_empty() { there.into_iter().collect() } else { planned.clone() };
            if waited_for.len() > 1 {
                cycles.extend(WalkResult::Cycle.diagnostic());
            }
            let is_own = |key: &InstanceKey| waited_for.contains(key) || *key == InstanceKey::None;
            for (key, place) in &named {
                if !waited_for.is_empty() && is_own(key) && !refused.contains(&place) {
                    refused.push(place);
                }
            }
        }
        // No instance is planned where some are in a cycle.
        if cycles.is_empty() {
            cycles.extend(refused.into_iter().map(|place| refers_to_itself(resource, place.clone())));
        }
        self.refuse(cycles)
    }

    /// The keys of own instances that the resource waits for, without needing their values.
    fn keys_waited_for(&self, resource: &Resource) -> Vec<InstanceKey> {
        let own = (resource.module, resource.at);
        let mut keys = keys_of(self.session.modules(), own, &resource.block.depends_on);
        let triggers = self.places_in(resource, &resource.block.lifecycle.replace_triggered_by);
        keys.extend(triggers.into_iter().map(|(key, _)| key));
        keys
    }

    fn places_in<'e>(
        &self,
        resource: &Resource,
        exprs: impl IntoIterator<Item = &'e SourceExpr>,
    ) -> Vec<(InstanceKey, Subject)> {
        let own = (resource.module, resource.at);
        exprs.into_iter().flat_map(|expr| places_of(self.session.modules(), own, expr)).collect()
    }

    fn refuse(&self, errors: impl IntoIterator<Item = Diagnostic>) -> NodeOutcome {
        let errors: Vec<_> = errors.into_iter().collect();
        let is_fine = errors.is_empty();
        self.diagnostics.extend(errors);
        if is_fine { Ok(()) } else { Err(()) }
    }
}

fn refers_to_itself(resource: &Resource, place: Subject) -> Diagnostic {
    let detail = format!("Configuration for {} may not refer to itself.", resource.address);
    let summary = match resource.address.mode {
        Mode::Ephemeral => "Ephemeral resource instance has expired",
        Mode::Action | Mode::List | Mode::Managed | Mode::Data => "Self-referential block",
    };
    Diagnostic::error(summary, detail).on(place)
}
