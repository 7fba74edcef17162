//! Local values that are defined by themselves.

use std::collections::HashMap;

use super::model::Module;
use crate::language::{Diagnostic, TraversalStep, references};

/// Reports local values that refer to each other in a cycle.
pub(super) fn locals(module: &Module, problems: &mut Vec<Diagnostic>) {
    let numbers: HashMap<&str, usize> =
        module.locals.iter().enumerate().map(|(at, local)| (local.name.as_str(), at)).collect();
    let edges: Vec<Vec<usize>> = module
        .locals
        .iter()
        .map(|local| {
            let named = references(local.value.expression()).into_iter().filter_map(|reference| {
                match (reference.root.as_str(), reference.steps.first()) {
                    ("local", Some(TraversalStep::Attribute(name))) => numbers.get(name.as_str()).copied(),
                    _ => None,
                }
            });
            named.collect()
        })
        .collect();
    for (at, local) in module.locals.iter().enumerate() {
        if edges.get(at).is_some_and(|edges| edges.contains(&at)) {
            let detail = format!("local.{} is defined by itself.", local.name);
            problems.push(local.value.error("Self-referencing local value", detail));
        }
    }
    if let Some(cycle) = cycle(&edges)
        && cycle.len() > 1
    {
        let names: Vec<String> = cycle
            .iter()
            .filter_map(|at| module.locals.get(*at))
            .map(|local| format!("local.{} (expand)", local.name))
            .collect();
        problems.push(Diagnostic::error(format!("Cycle: {}", names.join(", ")), ""));
    }
}

/// A cycle in a graph, if there is one. Nodes are taken away as long as some have no edges to others that are left.
fn cycle(edges: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut waiting: Vec<usize> = edges.iter().map(Vec::len).collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (from, to) in edges.iter().enumerate() {
        for to in to {
            users.get_mut(*to)?.push(from);
        }
    }
    let mut free: Vec<usize> =
        waiting.iter().enumerate().filter(|(_, count)| **count == 0).map(|(at, _)| at).collect();
    let mut done = vec![false; edges.len()];
    while let Some(node) = free.pop() {
        *done.get_mut(node)? = true;
        for user in users.get(node)? {
            let count = waiting.get_mut(*user)?;
            *count -= 1;
            if *count == 0 {
                free.push(*user);
            }
        }
    }
    // Every node that is left has an edge to another one that is left: following them leads into a cycle.
    let left = |node: &usize| done.get(*node) == Some(&false);
    let mut path = vec![(0..edges.len()).find(left)?];
    loop {
        let next = *edges.get(*path.last()?)?.iter().find(|node| left(node))?;
        if let Some(start) = path.iter().position(|node| *node == next) {
            return Some(path.split_off(start));
        }
        path.push(next);
    }
}
