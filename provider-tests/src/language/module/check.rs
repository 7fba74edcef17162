//! What can be told of a configuration before its schemas are known.

use super::Tree;
use super::decode::{NEEDS_REAL_CORE, needs_detail};
use super::model::Module;
use super::syntax::SourceExpr;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, TraversalStep, references};
use crate::embedded::CoreVersion;

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
    for variable in &module.variables {
        let conditions = variable.validations.iter().map(|it| &it.condition);
        problems.extend(conditions.filter_map(|it| of_another(&variable.name, it)));
    }
    for resource in &module.resources {
        let lifecycle = &resource.lifecycle;
        let triggers = lifecycle.replace_triggered_by.iter();
        for expr in triggers.chain(&lifecycle.replace_triggered_by_of_override) {
            problems.extend(super::replace_trigger(expr).err().into_iter().flatten());
        }
    }
    for output in module.outputs.iter().filter(|_| is_root) {
        if let Some(deprecated) = &output.deprecated {
            let detail = "Nothing refers to the outputs of the root module, so they cannot be deprecated.";
            let error = Diagnostic::error("Root module output deprecated", detail);
            problems.push(error.on(&deprecated.subject));
        }
        if output.ephemeral == Some(true) && Rule::EphemeralRoot.holds() {
            let detail = "Outputs of the root module are stored, so they cannot be ephemeral.";
            problems.push(Diagnostic::error("Ephemeral output not allowed", detail).on(&output.subject));
        }
    }
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

/// The condition of a variable must refer to that variable.
fn of_another(name: &str, condition: &SourceExpr) -> Option<Diagnostic> {
    let own = references(condition.expression()).into_iter().any(|reference| {
        reference.root == "var"
            && matches!(reference.steps.first(), Some(TraversalStep::Attribute(it)) if it == name)
    });
    let detail = format!("The condition must refer to var.{name}, or it would say nothing about it.");
    let error = || condition.error("Invalid variable validation condition", detail);
    (!own && Rule::ValidationOfOther.holds()).then(error)
}

/// The error about something that only a real core does.
pub(super) fn needs_real_core(what: &str) -> Diagnostic {
    Diagnostic::error(NEEDS_REAL_CORE, needs_detail(what))
}
