//! What is wrong with what a configuration says of objects that it declares elsewhere, or no longer.

use std::collections::HashMap;

use super::statement::{Statement, are_whole};
use crate::address::{InstanceAddress, ModuleInstance, MoveEndpoint, RemovedFrom};
use crate::diagnostic::Diagnostic;
use crate::embedded::check::Check;
use crate::embedded::generated_config::generation_target;
use crate::embedded::import_target::{INVALID_TO, missing};
use crate::embedded::plan::PlanWalk;
use crate::embedded::session::Session;
use crate::language::module::{Import, PlacedRemoved, Removed, import_target};
use crate::language::rule::Rule;

/// Checks all statements, each in every instance of the module that makes it, by what a walk has found to be there.
pub(super) fn statements(walk: &PlanWalk, statements: &[Statement<'_>]) -> Vec<Diagnostic> {
    let session = &walk.session;
    let mut diagnostics = Vec::new();
    let mut known = MoveEndpoints::default();
    for statement in statements {
        let block = statement.block;
        for (_, module) in walk.state.root.instances(session.modules(), statement.module) {
            let [from, to] = [&block.from, &block.to].map(|end| within(&module.path, end));
            if from == to && Rule::MovedToItself.holds() {
                let detail = format!("The moved block for {from} leads to itself.");
                diagnostics.push(Diagnostic::error("Redundant move statement", detail).on(&block.subject));
                continue;
            }
            if still_exists(walk, (&from, &to)) {
                let detail =
                    format!("{from} is still declared, although a moved block says that it is now {to}.");
                diagnostics.push(Diagnostic::error("Moved object still exists", detail).on(&block.subject));
            }
            let ambiguous = known.ambiguous((&from, &to)).into_iter();
            let ambiguous = ambiguous.filter(|_| Rule::MovedTwice.holds());
            diagnostics.extend(ambiguous.map(|it| it.on(&block.subject)));
        }
    }
    diagnostics
}

/// An endpoint as text, and whether it is whole: a resource or module as such is another endpoint than its instance without
/// a key.
type EndpointText = (bool, String);

/// The endpoints of the statements so far, each with the one at the other end.
#[derive(Default)]
struct MoveEndpoints {
    from: HashMap<EndpointText, String>,
    to: HashMap<EndpointText, String>,
}

impl MoveEndpoints {
    fn ambiguous(&mut self, (from, to): (&MoveEndpoint, &MoveEndpoint)) -> Vec<Diagnostic> {
        let is_whole = are_whole((from, to));
        let [from, to] = [from, to].map(ToString::to_string);
        let other = |known: &mut HashMap<EndpointText, String>, end: &String, beyond: &String| {
            let known = known.entry((is_whole, end.clone())).or_insert_with(|| beyond.clone());
            (known != beyond).then(|| known.clone())
        };
        let away = other(&mut self.from, &from, &to)
            .map(|other| format!("{from} is moved both to {other} and to {to}."));
        let there = other(&mut self.to, &to, &from)
            .map(|other| format!("Both {other} and {from} are moved to {to}."));
        let details = away.into_iter().chain(there);
        details.map(|detail| Diagnostic::error("Ambiguous move statements", detail)).collect()
    }
}

fn within(module: &ModuleInstance, end: &MoveEndpoint) -> MoveEndpoint {
    match end {
        MoveEndpoint::Module(inner) => MoveEndpoint::Module(module.join(inner)),
        MoveEndpoint::Resource(address) => {
            let mut address = address.clone();
            address.resource.module = module.join(&address.resource.module);
            MoveEndpoint::Resource(address)
        }
    }
}

/// Whether what was moved away is declared all the same.
fn still_exists(walk: &PlanWalk, (from, to): (&MoveEndpoint, &MoveEndpoint)) -> bool {
    let is_whole = are_whole((from, to));
    match (from, to) {
        (MoveEndpoint::Module(from), MoveEndpoint::Module(_)) => {
            let exists = if is_whole { is_called(walk, from) } else { is_there(walk, from) };
            exists && Rule::MovedStillThere.holds()
        }
        (MoveEndpoint::Resource(from), MoveEndpoint::Resource(_)) => match is_whole {
            true => {
                let exists = walk.has_resource(&from.resource) || is_imported(walk, from);
                exists && Rule::MovedStillThere.holds()
            }
            false => {
                let exists = walk.has_instance(from) || is_imported(walk, from);
                exists && walk.session.checks(Check::MovedStillDeclared)
            }
        },
        _ => false,
    }
}

/// Whether an object whose resource is not declared is imported. Core plans it as if it were there, where it imports.
fn is_imported(walk: &PlanWalk, address: &InstanceAddress) -> bool {
    without_configuration(walk).any(|(_, to)| to == *address)
}

/// Whether there is that instance of a module.
fn is_there(walk: &PlanWalk, module: &ModuleInstance) -> bool {
    walk.state.root.find(walk.session.modules(), module).is_some()
}

/// Whether a module is called, however many instances it has.
fn is_called(walk: &PlanWalk, module: &ModuleInstance) -> bool {
    let Some(((name, _), around)) = module.0.split_last() else { return false };
    let modules = walk.session.modules();
    let caller = walk.state.root.find(modules, &ModuleInstance(around.to_vec()));
    caller.is_some_and(|caller| modules.called(caller.id, name).is_some())
}

fn still_declared(session: &Session, removed: &PlacedRemoved<'_>) -> Option<Diagnostic> {
    let (from, emulated) = (&removed.from, &session.core.emulated);
    let (summary, subject) = match from {
        RemovedFrom::Resource(_) => {
            let mut resources = session.layout.resources().iter();
            let resource = resources.find(|it| from.covers(&it.address))?;
            (emulated.removed_resource(), &resource.block.subject)
        }
        RemovedFrom::Module(module) => {
            let modules = session.modules();
            (emulated.removed_module(), &modules.call(modules.find(module)?)?.1.subject)
        }
    };
    let subject = if emulated.reports_at_removed() { &removed.block.subject } else { subject };
    let detail = format!("The removed block says that {from} is not declared any more, but it is.");
    Some(Diagnostic::error(summary, detail).on(subject))
}

fn not_there(import: &Import, to: &InstanceAddress) -> Diagnostic {
    Diagnostic { address: Some(to.to_string()), ..missing(import, to) }
}

/// An import into a resource of the root module that is not declared.
fn not_declared(import: &Import, to: &InstanceAddress) -> Diagnostic {
    let detail = match generation_target(import) {
        Some(_) => format!(
            "The configuration for the given import target {to} does not exist. Declare the resource, or let a plan \
             generate its configuration: `plan -generate-config-out=generated.tf`, or `PlanOptions::generation` in a test."
        ),
        None => format!(
            "The configuration for the given import target {to} does not exist. Declare the resource: configuration \
             cannot be generated for instances with a key, nor for import blocks with for_each."
        ),
    };
    let error = Diagnostic { detail, ..not_there(import, to) };
    if import.is_of_each() { Diagnostic { summary: INVALID_TO.to_owned(), ..error } } else { error }
}

/// The imports into resources that are not declared.
fn undeclared(session: &Session) -> impl Iterator<Item = (&Import, InstanceAddress)> {
    let imports = session.configuration().root().imports.iter().filter(|_| Rule::ImportConfigured.holds());
    let targets = imports.filter_map(|import| Some((import, import_target(import).ok()?.0)));
    targets.filter(|(_, to)| session.layout.number(&to.resource).is_none())
}

/// Those of the root module that are planned and whose configuration could be generated.
fn without_configuration(walk: &PlanWalk) -> impl Iterator<Item = (&Import, InstanceAddress)> {
    let generated = undeclared(&walk.session).filter(|(import, _)| generation_target(import).is_some());
    generated.filter(|(_, to)| walk.imports() && walk.targets.has(to))
}

/// The errors of imports into the root module whose configuration cannot be generated, which core finds by validation.
pub(in crate::embedded) fn imports_without_generation(session: &Session) -> Vec<Diagnostic> {
    let in_root = undeclared(session).filter(|(_, to)| to.resource.module.0.is_empty());
    let lost = in_root.filter(|(import, _)| generation_target(import).is_none());
    lost.map(|(import, to)| not_declared(import, &to)).collect()
}

/// The errors of imports whose configuration is not generated, which core finds while it plans. It may also say "Resource
/// has no configuration" where the state has the resource: which one it is, is a matter of chance.
pub(in crate::embedded) fn imports_without_configuration(walk: &PlanWalk) -> Vec<Diagnostic> {
    without_configuration(walk).map(|(import, to)| not_declared(import, &to)).collect()
}

/// The imports into modules that are not called.
pub(in crate::embedded) fn imports_into_nowhere(session: &Session) -> Vec<Diagnostic> {
    let imports = session.configuration().root().imports.iter().filter(|_| Rule::ImportConfigured.holds());
    let lost = imports.filter_map(|import| {
        let (to, _) = import_target(import).ok()?;
        session.modules().find(&to.resource.module).is_none().then(|| not_there(import, &to))
    });
    lost.collect()
}

/// The imports of objects that a module which is called does not declare.
pub(in crate::embedded) fn imports_into_modules(session: &Session) -> impl Iterator<Item = Diagnostic> {
    let in_modules = undeclared(session).filter(|(_, to)| !to.resource.module.0.is_empty());
    in_modules.map(|(import, to)| not_there(import, &to))
}

/// The problems with `removed` blocks of what is still declared.
pub(in crate::embedded) fn removed_still_declared(session: &Session) -> Vec<Diagnostic> {
    if !session.checks(Check::RemovedStillConfigured) {
        return Vec::new();
    }
    session.modules().removed().filter_map(|it| still_declared(session, &it)).collect()
}

/// The warnings of OpenTofu about these `removed` blocks.
pub(in crate::embedded) fn removed_warnings<'b>(
    blocks: impl IntoIterator<Item = &'b Removed>,
) -> Vec<Diagnostic> {
    let warning = |block: &Removed| {
        let (summary, detail) = match block.destroy {
            None => (
                "Missing lifecycle from the removed block",
                "Say with lifecycle { destroy = ... } whether the object is to be destroyed. It is not where nothing is said.",
            ),
            Some(false) if !block.provisioners.is_empty() => (
                "Removed block provisioners will not be executed",
                "Nothing is destroyed, so its provisioners do not run. Set destroy in the lifecycle block, or remove them.",
            ),
            Some(_) => return None,
        };
        Some(Diagnostic::warning(summary, detail).on(&block.subject))
    };
    blocks.into_iter().filter_map(warning).collect()
}
