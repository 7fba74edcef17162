//! What is planned for targets and not applied.
//!
//! A plan with targets has all instances of the resources that they need. The graph of an apply has a node for each
//! instance, so that a reference by key leads to that instance alone, and core applies the others of them no more than what
//! is no target. Observed on Terraform 1.15.5.

use std::collections::{BTreeSet, HashMap};

use super::graph::instances;
use crate::address::InstanceKey;
use crate::embedded::layout::{Layout, Resource};
use crate::embedded::target::{is_any_about, needed_by};
use crate::plan::{Mode, Plan, ResourceChange};

/// The resources of which instances are left out, by number, with the keys of those that are applied.
#[derive(Default)]
pub(super) struct LeftOut(HashMap<usize, BTreeSet<InstanceKey>>);

impl LeftOut {
    pub(super) fn of(layout: &Layout, plan: &Plan) -> Self {
        let targets = plan.limits();
        if targets.is_empty() || plan.mode != Mode::Normal {
            return Self::default();
        }
        let (needed, nodes) = (needed_by(&targets, layout), instances(layout, plan));
        let all = needed.iter().filter_map(|number| Some((*number, layout.resource(*number)?)));
        let only_needed = all.filter(|(_, it)| it.is_repeated() && !is_any_about(&targets, &it.address));
        let named = only_needed.filter_map(|(number, resource)| {
            let keys = named_keys(layout, &needed, (number, resource))?;
            let has_others = nodes.iter().any(|(of, key)| *of == number && !keys.contains(key));
            let are_planned = keys.iter().all(|key| nodes.contains(&(number, key)));
            (has_others && are_planned).then_some((number, keys))
        });
        Self(named.collect())
    }

    /// Whether a change is left out.
    pub(super) fn has(&self, layout: &Layout, change: &ResourceChange) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let number = layout.number(&change.address.resource.in_any_instance());
        let keys = number.and_then(|number| self.0.get(&number));
        keys.is_some_and(|keys| !keys.contains(&change.address.key))
    }

    /// Whether a declaration needs an instance that is left out, so that core does not look at it.
    pub(super) fn is_needed_by(&self, layout: &Layout, number: usize) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let needed = layout.ancestors([number]);
        self.0.iter().filter(|(resource, _)| needed.contains(resource)).any(|(resource, applied)| {
            let block = layout.resource(*resource).map(|block| (*resource, block));
            let named = block.and_then(|block| named_keys(layout, &needed, block));
            named.is_none_or(|named| !named.is_subset(applied))
        })
    }
}

/// The keys by which some declarations name instances of a resource; none where one of them needs it as a whole.
fn named_keys(
    layout: &Layout,
    declarations: &BTreeSet<usize>,
    (number, resource): (usize, &Resource),
) -> Option<BTreeSet<InstanceKey>> {
    let needs = |other: &&usize| **other != number && layout.references(**other).contains(&number);
    let mut keys = BTreeSet::new();
    for other in declarations.iter().filter(needs) {
        keys.extend(layout.keys_named_by(*other, resource)?);
    }
    (!keys.is_empty()).then_some(keys)
}
