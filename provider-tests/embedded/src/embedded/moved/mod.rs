//! `moved` blocks, and the moves that go without saying when `count` comes or goes.

mod check;
mod cross;
mod statement;

use std::collections::{BTreeSet, HashMap};

use super::log::Log;
use super::plan::PlanWalk;
use super::session::Session;
use super::state_objects::{self, ObjectKey};
use crate::address::{InstanceAddress, InstanceKey, ModuleInstance, ResourceAddress, Target};
use crate::diagnostic::Diagnostic;
use crate::language::module::ModuleConfig;
use crate::language::rule::Rule;
use crate::state::{InstanceState, State};
pub(super) use check::{
    imports_into_modules, imports_into_nowhere, imports_without_configuration, imports_without_generation,
    removed_still_declared, removed_warnings,
};
use cross::{Crossing, across};
use statement::{Statement, in_order};

/// The objects that are moved but not targeted, which the plan cannot leave alone.
pub(super) fn excluded(
    moved: &HashMap<InstanceAddress, InstanceAddress>,
    targets: &[Target],
) -> Option<Diagnostic> {
    let is_targeted = |it: &&InstanceAddress| targets.iter().any(|target| target.covers(it));
    let all: BTreeSet<&InstanceAddress> = moved.iter().flat_map(|(to, from)| [from, to]).collect();
    let excluded: Vec<String> =
        all.into_iter().filter(|it| !is_targeted(it)).map(ToString::to_string).collect();
    if targets.is_empty() || excluded.is_empty() {
        return None;
    }
    let detail = format!(
        "Objects that have moved have to be among the targets, with where they were and where they are now. Add these: \
         {}.",
        excluded.join(", ")
    );
    Some(Diagnostic::error("Moved resource instances excluded by targeting", detail))
}

/// A state in which everything is where the configuration says.
pub(super) struct Moves {
    pub(super) state: State,
    /// Where objects were, by where they are now.
    pub(super) moved: HashMap<InstanceAddress, InstanceAddress>,
    /// What providers said of objects that they took over.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// What could not be moved because there was something already.
    blocked: Vec<String>,
}

fn statements(session: &Session) -> Vec<Statement<'_>> {
    let of_module = |(id, config)| {
        let config: &ModuleConfig = config;
        config.module.moved.iter().map(move |block| Statement::new(id, &config.path, block))
    };
    session.modules().iter().flat_map(of_module).collect()
}

/// Makes all moves. Of statements that lead in a circle none is followed.
pub(super) async fn apply(session: &Session, state: &State) -> Moves {
    let statements = statements(session);
    let (moved, diagnostics, blocked) = (HashMap::new(), Vec::new(), Vec::new());
    let mut moves = Moves { state: state.clone(), moved, diagnostics, blocked };
    let Some(ordered) = in_order(&statements) else { return moves };
    let implied = implied(session, &statements, state);
    for statement in ordered {
        for (from, to) in pairs(statement, &mut moves) {
            one(session, &from, &to, &mut moves).await;
        }
    }
    for (from, to) in implied {
        one(session, &from, &to, &mut moves).await;
    }
    moves
}

/// What is wrong with the statements, by what a walk has found to be there.
pub(super) fn validate(walk: &PlanWalk) -> Vec<Diagnostic> {
    let statements = statements(&walk.session);
    let mut problems = check::statements(walk, &statements);
    // Where something else is wrong, that comes first.
    if problems.is_empty() && in_order(&statements).is_none() && Rule::MovedCycle.holds() {
        let detail = "The moved blocks lead in a circle, so nobody can tell where the objects shall be.";
        problems.push(Diagnostic::error("Cyclic dependency in move statements", detail));
    }
    problems
}

impl Moves {
    /// The warning about objects that stay where they were.
    pub(super) fn unresolved(&self) -> Option<Diagnostic> {
        if self.blocked.is_empty() {
            return None;
        }
        let detail = format!(
            "Some objects stay where they are, because there are others already where they shall be: {}.",
            self.blocked.join(", ")
        );
        Some(Diagnostic::warning("Unresolved resource instance address changes", detail))
    }
}

/// The instances that a statement moves. Where something is already, nothing is moved to.
fn pairs(statement: &Statement<'_>, moves: &mut Moves) -> Vec<(InstanceAddress, InstanceAddress)> {
    let mut pairs = Vec::new();
    if statement.is_of_modules() {
        let modules: BTreeSet<&ModuleInstance> = moves.state.resources.keys().map(|it| &it.module).collect();
        for from in &modules {
            let Some(to) = statement.module(from).filter(|to| to != *from) else { continue };
            if modules.contains(&to) {
                moves.blocked.push(format!("{from} could not move to {to}"));
                continue;
            }
            for (resource, stored) in moves.state.resources.iter().filter(|(it, _)| it.module == **from) {
                let moved = ResourceAddress { module: to.clone(), ..resource.clone() };
                pairs.extend(stored.instances.keys().map(|key| (at(resource, key), at(&moved, key))));
            }
        }
        return pairs;
    }
    for (resource, stored) in &moves.state.resources {
        let found = stored.instances.keys().filter_map(|key| {
            let from = at(resource, key);
            let to = statement.instance(&from).filter(|to| *to != from)?;
            Some((from, to))
        });
        let found: Vec<_> = found.collect();
        let Some((_, to)) = found.first() else { continue };
        if statement.is_of_all_instances() && moves.state.resources.contains_key(&to.resource) {
            moves.blocked.push(format!("{resource} could not move to {}", to.resource));
        } else {
            pairs.extend(found);
        }
    }
    pairs
}

fn at(resource: &ResourceAddress, key: &InstanceKey) -> InstanceAddress {
    InstanceAddress { resource: resource.clone(), key: key.clone() }
}

/// The only instance becomes the first when `count` is added, and the first the only one when it is taken away,
/// unless a block speaks of the resource.
fn implied(
    session: &Session,
    statements: &[Statement<'_>],
    state: &State,
) -> Vec<(InstanceAddress, InstanceAddress)> {
    let mut moves = Vec::new();
    for (resource, stored) in &state.resources {
        // An instance of a module that is no longer declared moves like the others before it is deleted.
        let Some(declared) = session.layout.declared(resource) else { continue };
        if statements.iter().any(|it| it.from.speaks_of(resource) || it.to.speaks_of(resource)) {
            continue;
        }
        let (none, first) = (InstanceKey::None, InstanceKey::Index(0));
        let (from, to) = match (&declared.block.count, &declared.block.for_each) {
            (Some(_), _) => (none, first),
            (None, None) => (first, none),
            (None, Some(_)) => continue,
        };
        if stored.instances.contains_key(&from)
            && !stored.instances.contains_key(&to)
            && Rule::ImpliedMove.holds()
        {
            let at = |key| InstanceAddress { resource: resource.clone(), key };
            moves.push((at(from), at(to)));
        }
    }
    moves
}

async fn one(session: &Session, from: &InstanceAddress, to: &InstanceAddress, moves: &mut Moves) {
    let Some(old) = moves.state.resources.get(&from.resource) else { return };
    let Some(instance) = old.instances.get(&from.key).cloned() else { return };
    let old_provider = old.provider.clone();
    let occupied = moves.state.resources.get(&to.resource).and_then(|it| it.instances.get(&to.key));
    if occupied.is_some_and(|it| it.current.is_some()) {
        return moves.blocked.push(format!("{from} could not move to {to}"));
    }
    let target = session.layout.declared(&to.resource);
    let provider = target.map_or_else(|| old_provider.clone(), |resource| resource.provider.clone());
    let same = from.resource.type_name == to.resource.type_name && provider.provider == old_provider.provider;
    let instance = if same || target.is_none() {
        instance
    } else {
        let mut log = Log::new(to);
        let moved = across(
            session,
            &Crossing { from, to, provider: &provider.provider, old: &old_provider.provider },
            instance,
            &mut log,
        )
        .await;
        moves.diagnostics.extend(log.into_diagnostics());
        let Some(moved) = moved else { return };
        moved
    };
    let InstanceState { current, deposed } = instance;
    state_objects::set(&mut moves.state, from, ObjectKey::Current, None);
    for key in deposed.keys() {
        state_objects::set(&mut moves.state, from, ObjectKey::Deposed(key), None);
    }
    for (key, object) in deposed {
        state_objects::set(&mut moves.state, to, ObjectKey::Deposed(&key), Some((object, &provider)));
    }
    if let Some(object) = current {
        state_objects::set(&mut moves.state, to, ObjectKey::Current, Some((object, &provider)));
    }
    let first = moves.moved.remove(from).unwrap_or_else(|| from.clone());
    moves.moved.insert(to.clone(), first);
}
