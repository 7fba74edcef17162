//! Which objects are created before the ones that they replace are destroyed.
//!
//! `create_before_destroy` holds for the dependencies of a resource as well: its old object needs their old objects until it is
//! destroyed. It does so also where the resource has no objects or is no target.
//!
//! The graph of an apply has a node for each instance, so that a reference by key leads to that instance alone, while a plan
//! does not tell the instances of a resource apart. Observed on Terraform 1.15.5.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::graph::instances;
use crate::address::InstanceKey;
use crate::embedded::layout::Layout;
use crate::plan::Plan;

/// The numbers of the resources, each with the keys of its instances; none for all of them.
#[derive(Default)]
pub(super) struct CreatedFirst(HashMap<usize, Option<BTreeSet<InstanceKey>>>);

impl CreatedFirst {
    pub(super) fn of(layout: &Layout, plan: &Plan) -> Self {
        let resources = layout.resources().iter().enumerate();
        let mut open: Vec<usize> =
            resources.filter(|(_, it)| it.is_created_first()).map(|(number, _)| number).collect();
        if open.is_empty() {
            return Self::default();
        }
        let nodes = instances(layout, plan);
        let mut found: HashMap<_, _> = open.iter().map(|number| (*number, None)).collect();
        let mut seen: HashSet<usize> = open.iter().copied().collect();
        while let Some(number) = open.pop() {
            for other in layout.references(number) {
                if seen.insert(*other) {
                    open.push(*other);
                }
                let Some(resource) = layout.resource(*other) else { continue };
                let named = layout.keys_named_by(number, resource);
                match named.filter(|keys| keys.iter().all(|key| nodes.contains(&(*other, key)))) {
                    None => drop(found.insert(*other, None)),
                    Some(keys) => {
                        if let Some(known) = found.entry(*other).or_insert_with(|| Some(BTreeSet::new())) {
                            known.extend(keys);
                        }
                    }
                }
            }
        }
        Self(found)
    }

    /// Whether an instance of a resource is created first.
    pub(super) fn has(&self, number: usize, key: &InstanceKey) -> bool {
        self.0.get(&number).is_some_and(|keys| keys.as_ref().is_none_or(|keys| keys.contains(key)))
    }
}
