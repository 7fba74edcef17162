//! Values that are defined by themselves, and modules that wait for themselves.

use std::collections::HashMap;

use super::model::Module;
use super::statics::StaticStep;
use super::syntax::SourceExpr;
use crate::language::{Diagnostic, TraversalStep, references};

/// Reports local values and validations of variables that refer to each other in a cycle, and modules that depend on
/// themselves. A variable is there for others when its validations have been looked at.
pub(super) fn check(module: &Module, problems: &mut Vec<Diagnostic>) {
    let locals = module.locals.iter().map(|it| (("local", it.name.as_str()), vec![&it.value]));
    let variables = module.variables.iter().map(|it| {
        let conditions = it.validations.iter().flat_map(|it| [&it.condition, &it.error_message]);
        (("var", it.name.as_str()), conditions.collect())
    });
    let nodes: Vec<((&str, &str), Vec<&SourceExpr>)> = locals.chain(variables).collect();
    let numbers: HashMap<(&str, &str), usize> =
        nodes.iter().enumerate().map(|(at, (node, _))| (*node, at)).collect();
    let edges: Vec<Vec<usize>> = nodes
        .iter()
        .enumerate()
        .map(|(at, ((kind, _), exprs))| {
            let all = exprs.iter().flat_map(|expr| references(expr.expression()));
            let named = all.filter_map(|reference| match reference.steps.first() {
                Some(TraversalStep::Attribute(name)) => {
                    numbers.get(&(reference.root.as_str(), name.as_str())).copied()
                }
                _ => None,
            });
            // A condition is about its own variable.
            named.filter(|to| *kind == "local" || *to != at).collect()
        })
        .collect();
    for (at, ((_, name), exprs)) in nodes.iter().enumerate() {
        if edges.get(at).is_some_and(|edges| edges.contains(&at)) {
            let detail = format!("local.{name} is defined by itself.");
            problems
                .extend(exprs.iter().map(|expr| expr.error("Self-referencing local value", detail.as_str())));
        }
    }
    let cycle = cycle(&edges).filter(|cycle| cycle.len() > 1);
    let names = cycle.iter().flatten().filter_map(|at| nodes.get(*at));
    let names: Vec<String> = names.map(|((kind, name), _)| format!("{kind}.{name} (expand)")).collect();
    problems.extend(cycle.map(|_| Diagnostic::error(format!("Cycle: {}", names.join(", ")), "")));
    for call in &module.calls {
        let own = |reference: &&super::statics::StaticReference| {
            reference.root == "module"
                && matches!(reference.steps.first(), Some(StaticStep::Name(name)) if *name == call.name)
        };
        if call.depends_on.iter().any(|reference| own(&reference)) {
            let name = format!("Cycle: module.{0} (close), module.{0} (expand)", call.name);
            problems.push(Diagnostic::error(name, ""));
        }
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
