//! What can be told of a configuration before its schemas are known.

use super::Tree;
use super::decode::{NEEDS_REAL_CORE, needs_detail};
use super::model::{Condition, Import, Module, Provisioner, Resource, When};
use super::syntax::SourceExpr;
use crate::embedded::CoreVersion;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Traversal, TraversalStep, references};

/// Checks a module and all that it calls.
pub(super) fn tree(tree: &Tree, emulated: &CoreVersion, problems: &mut Vec<Diagnostic>) {
    super::providers::check(tree, problems);
    let mut open = vec![(tree, true)];
    while let Some((tree, is_root)) = open.pop() {
        module(&tree.module, is_root, problems);
        required_versions(&tree.module, emulated, problems);
        open.extend(tree.children.values().map(|child| (child, false)));
    }
}

fn module(module: &Module, is_root: bool, problems: &mut Vec<Diagnostic>) {
    for resource in &module.resources {
        problems.extend(self_references(resource));
    }
    let of_resources = module.resources.iter().flat_map(|resource| &resource.provisioners);
    let of_removed = module.removed.iter().flat_map(|removed| &removed.provisioners);
    problems.extend(of_resources.chain(of_removed).flat_map(refers_to_others));
    problems.extend(module.imports.iter().filter_map(|import| provider_of_import(module, import)));
    // Core does not look at those of modules that are called.
    for import in module.imports.iter().filter(|_| is_root) {
        problems.extend(super::imports::target(import).err().into_iter().flatten());
    }
    for output in module.outputs.iter().filter(|_| is_root) {
        if let Some(deprecated) = &output.deprecated {
            let detail = "Nothing refers to the outputs of the root module, so they cannot be deprecated.";
            let error = Diagnostic::error("Root module output deprecated", detail);
            problems.push(error.on(&deprecated.subject));
        }
    }
}

/// The provider of an import is for what is generated: what is configured, or in another module, has its own.
fn provider_of_import(module: &Module, import: &Import) -> Option<Diagnostic> {
    let (provider, place) = import.provider.as_ref()?;
    let (to, _) = super::imports::target(import).ok()?;
    let to = &to.resource;
    let is_target = |it: &&Resource| (it.mode, &it.type_name, &it.name) == (to.mode, &to.type_name, &to.name);
    let configured = module.resources.iter().find(is_target);
    let is_own = to.module.0.is_empty() && configured.is_none_or(|it| it.provider.as_ref() == Some(provider));
    let detail = "The provider can be named only where configuration is generated. Name it in the block of the resource.";
    (!is_own).then(|| Diagnostic::error("Invalid import provider argument", detail).on(place))
}

/// The version constraints that the emulated core does not fit.
fn required_versions(module: &Module, emulated: &CoreVersion, problems: &mut Vec<Diagnostic>) {
    let required = emulated.requires_version().then_some(&module.required_versions);
    for (text, subject) in required.into_iter().flatten() {
        let version = emulated.version.to_string();
        let allowed = super::version::Constraint::parse(text).and_then(|it| it.allows(&version));
        if allowed == Some(false) && Rule::RequiredVersion.holds() {
            let detail =
                format!("The configuration requires {text}, and the embedded core behaves as {version}.");
            problems.push(Diagnostic::error("Unsupported Terraform Core version", detail).on(subject));
        }
    }
}

/// What a resource says of itself where it cannot: in the conditions that have "self" for it, or come before it, and in the
/// conditions of its triggers.
fn self_references(resource: &Resource) -> Vec<Diagnostic> {
    let lifecycle = &resource.lifecycle;
    let of = |kind, all: &[Condition]| -> Vec<Diagnostic> {
        all.iter().filter_map(|it| refers_to_itself((resource, kind), &it.condition)).collect()
    };
    let mut problems = of("precondition", &lifecycle.preconditions);
    problems.extend(of("postcondition", &lifecycle.postconditions));
    for condition in lifecycle.action_triggers.iter().filter_map(|trigger| trigger.condition.as_ref()) {
        if references(condition.expression()).into_iter().any(|it| it.root == "self") {
            let detail = "The condition of a trigger cannot refer to \"self\".";
            problems.push(condition.error("Self reference not allowed", detail));
        }
    }
    problems
}

fn refers_to_itself((resource, kind): (&Resource, &str), condition: &SourceExpr) -> Option<Diagnostic> {
    let own = references(condition.expression()).into_iter().any(|it| is_to(&it, resource));
    let detail =
        format!("The configuration of {}.{} may not refer to itself.", resource.type_name, resource.name);
    own.then(|| condition.error(format!("Invalid reference in {kind}"), detail))
}

fn is_to(reference: &Traversal, resource: &Resource) -> bool {
    reference.resource() == Some((resource.mode, &resource.type_name, &resource.name))
}

/// Before something is destroyed nothing else may be needed, because it may be deleted already.
fn refers_to_others(provisioner: &Provisioner) -> Vec<Diagnostic> {
    let is_allowed = |reference: &Traversal| match (reference.root.as_str(), reference.steps.first()) {
        ("self" | "path" | "terraform", _) => true,
        ("count", Some(TraversalStep::Attribute(name))) => name == "index",
        ("each", Some(TraversalStep::Attribute(name))) => name == "key",
        _ => false,
    };
    let detail = "A provisioner that runs before its object is destroyed may refer only to that object, by \
                  \"self\", \"count.index\" or \"each.key\".";
    let others = |expr: &SourceExpr| -> Vec<Diagnostic> {
        let all = references(expr.expression()).into_iter().filter(|reference| !is_allowed(reference));
        all.map(|_| expr.error("Invalid reference from destroy provisioner", detail)).collect()
    };
    let is_at_destruction = provisioner.when == When::Destroy;
    let arguments = provisioner.body.arguments.iter().filter(|_| is_at_destruction);
    arguments.flat_map(|argument| others(&argument.value)).collect()
}

/// The error about something that only a real core does.
pub(super) fn needs_real_core(what: &str) -> Diagnostic {
    Diagnostic::error(NEEDS_REAL_CORE, needs_detail(what))
}
