//! What is wrong with what a configuration says of objects that it declares elsewhere, or no longer.

use std::collections::HashMap;

use super::statement::Statement;
use crate::address::{InstanceAddress, InstanceKey, ModuleInstance, ResourceAddress};
use crate::config::{Config, ImportBlock, MoveEndpoint, RemovedBlock, RemovedFrom};
use crate::diagnostic::{Diagnostic, SourceRange};
use crate::embedded::Core;
use crate::embedded::check::Check;
use crate::embedded::session::Session;
use crate::language::Subject;
use crate::language::rule::Rule;

/// Single instances that were moved away, with the places of the statements that say so.
pub(in crate::embedded) type MovedInstances = HashMap<InstanceAddress, Option<Subject>>;

/// Checks all statements, each in every instance of the module that makes it. What comes back are the single instances
/// of resources that must not be declared any more.
pub(super) fn statements(
    session: &Session,
    statements: &[Statement<'_>],
    diagnostics: &mut Vec<Diagnostic>,
) -> MovedInstances {
    let mut left = MovedInstances::new();
    let mut known = MoveEndpoints::default();
    for statement in statements {
        let source = statement.block.source.as_ref();
        let placed = |error: Diagnostic| Diagnostic { place: SourceRange::of(source), ..error };
        for module in instances(&session.config, &statement.block.module) {
            let [from, to] = [&statement.block.from, &statement.block.to].map(|end| within(&module, end));
            if from == to && Rule::MovedToItself.holds() {
                let detail = format!("The moved block for {from} leads to itself.");
                diagnostics.push(placed(Diagnostic::error("Redundant move statement", detail)));
                continue;
            }
            if still_exists(session, &from, &to) && Rule::MovedStillThere.holds() {
                let detail =
                    format!("{from} is still declared, although a moved block says that it is now {to}.");
                diagnostics.push(placed(Diagnostic::error("Moved object still exists", detail)));
            }
            let ambiguous = known.ambiguous(from.to_string(), to.to_string()).into_iter();
            diagnostics.extend(ambiguous.filter(|_| Rule::MovedTwice.holds()).map(placed));
            if let (MoveEndpoint::Resource(from), MoveEndpoint::Resource(to)) = (from, to)
                && !is_whole(&from, &to)
            {
                left.insert(from, source.cloned());
            }
        }
    }
    left
}

/// Whether a statement is about resources with all their instances.
fn is_whole(from: &InstanceAddress, to: &InstanceAddress) -> bool {
    from.key == InstanceKey::None && to.key == InstanceKey::None
}

/// The ends that were seen, as texts.
#[derive(Default)]
struct MoveEndpoints {
    from: HashMap<String, String>,
    to: HashMap<String, String>,
}

impl MoveEndpoints {
    fn ambiguous(&mut self, from: String, to: String) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        let summary = "Ambiguous move statements";
        match self.from.get(&from) {
            Some(other) if *other != to => {
                let detail = format!("{from} is moved both to {other} and to {to}.");
                problems.push(Diagnostic::error(summary, detail));
            }
            Some(_) => {}
            None => drop(self.from.insert(from.clone(), to.clone())),
        }
        match self.to.get(&to) {
            Some(other) if *other != from => {
                let detail = format!("Both {other} and {from} are moved to {to}.");
                problems.push(Diagnostic::error(summary, detail));
            }
            Some(_) => {}
            None => drop(self.to.insert(to, from)),
        }
        problems
    }
}

/// The instances of a module, by its names.
fn instances(config: &Config, names: &[String]) -> Vec<ModuleInstance> {
    if names.is_empty() {
        return vec![ModuleInstance::default()];
    }
    config.modules.iter().filter(|module| module.names() == *names).cloned().collect()
}

fn within(module: &ModuleInstance, end: &MoveEndpoint) -> MoveEndpoint {
    let joined = |inner: &ModuleInstance| ModuleInstance(module.0.iter().chain(&inner.0).cloned().collect());
    match end {
        MoveEndpoint::Module(inner) => MoveEndpoint::Module(joined(inner)),
        MoveEndpoint::Resource(InstanceAddress { resource, key }) => {
            let resource = ResourceAddress { module: joined(&resource.module), ..resource.clone() };
            MoveEndpoint::Resource(InstanceAddress { resource, key: key.clone() })
        }
    }
}

/// Whether what was moved away is declared all the same. Of single instances of resources nothing is known yet.
fn still_exists(session: &Session, from: &MoveEndpoint, to: &MoveEndpoint) -> bool {
    match (from, to) {
        (MoveEndpoint::Module(from), MoveEndpoint::Module(to)) => {
            let whole =
                [from, to].iter().all(|it| it.0.last().is_some_and(|(_, key)| *key == InstanceKey::None));
            session.config.modules.iter().any(|module| match (module.0.split_last(), from.0.split_last()) {
                (Some((last, around)), Some((name, before))) if whole => around == before && last.0 == name.0,
                _ => module == from,
            })
        }
        (MoveEndpoint::Resource(from), MoveEndpoint::Resource(to)) => {
            is_whole(from, to) && session.layout.number(&from.resource).is_some()
        }
        _ => false,
    }
}

fn still_declared(session: &Session, removed: &RemovedBlock) -> Option<Diagnostic> {
    let from = &removed.from;
    let (declared, summary, source) = match from {
        RemovedFrom::Resource(_) => {
            let mut blocks = session.config.resources.iter();
            let block = blocks.find(|block| from.covers(&block.address));
            let mut in_modules = session.config.in_modules.iter();
            let declared = block.is_some() || in_modules.any(|it| from.covers(it));
            (
                declared,
                session.core.emulated.removed_resource(),
                block.and_then(|block| block.source.as_ref()),
            )
        }
        RemovedFrom::Module(module) => {
            let names = module.names();
            let declared = session.config.modules.iter().any(|it| it.names() == names);
            (declared, session.core.emulated.removed_module(), removed.still_called.as_ref())
        }
    };
    let detail = || format!("The removed block says that {from} is not declared any more, but it is.");
    declared.then(|| Diagnostic { place: SourceRange::of(source), ..Diagnostic::error(summary, detail()) })
}

fn not_there(import: &ImportBlock) -> Diagnostic {
    let detail = format!(
        "The configuration for the given import {} does not exist. All target instances must have an associated \
         configuration to be imported.",
        import.to
    );
    let error = Diagnostic::error("Configuration for import target does not exist", detail);
    let place = SourceRange::of(import.source.as_ref());
    Diagnostic { address: Some(import.to.to_string()), place, ..error }
}

/// The imports into modules that turned out to have no instances at all. Where there are some, these tell of others.
pub(super) fn missing_imports(session: &Session) -> Vec<Diagnostic> {
    let imports = session.config.imports.iter().filter(|import| {
        let any = import.to.resource.in_any_instance();
        let mut blocks = session.config.resources.iter();
        import.keys.is_empty()
            && session.declared(&import.to.resource).is_none()
            && !blocks.any(|block| block.address.in_any_instance() == any)
    });
    imports.map(not_there).collect()
}

impl Core {
    /// The problems with what a configuration says of objects that it does not declare (any more).
    pub(in crate::embedded) fn misplaced(&self, session: &Session) -> Vec<Diagnostic> {
        let declared = |resource: &ResourceAddress| session.declared(resource).is_some();
        let mut problems = Vec::new();
        let in_modules = &session.config.in_modules;
        let is_missing = |import: &&ImportBlock| {
            let resource = &import.to.resource;
            let in_some = || in_modules.contains(&*resource.in_any_instance());
            !declared(resource) && (import.keys.is_empty() || !in_some())
        };
        let missing = session.config.imports.iter().filter(is_missing);
        problems.extend(missing.filter(|_| Rule::ImportConfigured.holds()).map(not_there));
        if session.checks(Check::RemovedStillConfigured) {
            problems.extend(session.config.removed.iter().filter_map(|it| still_declared(session, it)));
        }
        problems
    }
}
