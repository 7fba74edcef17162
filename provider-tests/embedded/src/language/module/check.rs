//! What can be told of a configuration before its schemas are known.

use super::Tree;
use super::content::unsupported_argument;
use super::model::{Import, Module};
use crate::address::Mode;
use crate::embedded::CoreVersion;
use crate::language::Diagnostic;
use crate::language::rule::Rule;

/// Checks a module and all that it calls.
pub(super) fn tree(tree: &Tree, emulated: &CoreVersion, problems: &mut Vec<Diagnostic>) {
    super::providers::check(tree, problems);
    let mut open = vec![(tree, true)];
    while let Some((tree, is_root)) = open.pop() {
        module(&tree.module, is_root, problems);
        required_versions(&tree.module, emulated, problems);
        lifecycle_destroy(&tree.module, emulated, problems);
        open.extend(tree.children.values().map(|child| (child, false)));
    }
}

fn module(module: &Module, is_root: bool, problems: &mut Vec<Diagnostic>) {
    let provisioners = module.resources.iter().flat_map(|resource| &resource.provisioners);
    for provisioner in provisioners.filter(|it| it.type_name != "local-exec" && Rule::ProvisionerKind.holds())
    {
        let detail = format!("There is no provisioner {:?}.", provisioner.type_name);
        let error = Diagnostic::error("Missing required provisioner plugin", detail);
        problems.push(error.on(&provisioner.subject));
    }
    problems.extend(module.imports.iter().filter_map(|import| provider_of_import(module, import)));
    // Core does not look at the keys of those of modules that are called.
    for import in module.imports.iter().filter(|_| is_root) {
        problems.extend(super::imports::target(import).err().into_iter().flatten());
    }
}

/// The provider of an import is for what is generated: what is configured, or in another module, has its own.
fn provider_of_import(module: &Module, import: &Import) -> Option<Diagnostic> {
    let (provider, place) = import.provider.as_ref()?;
    let (to, _) = super::imports::target(import).ok()?;
    let to = &to.resource;
    let target = (to.mode, &to.type_name, &to.name);
    let configured = module.resources.iter().find(|it| (it.mode, &it.type_name, &it.name) == target);
    let is_own = to.module.0.is_empty() && configured.is_none_or(|it| it.provider.as_ref() == Some(provider));
    let detail = "The provider can be named only where configuration is generated. Name it in the block of the resource.";
    (!is_own).then(|| Diagnostic::error("Invalid import provider argument", detail).on(place))
}

/// The version constraints that the emulated core does not fit.
fn required_versions(module: &Module, emulated: &CoreVersion, problems: &mut Vec<Diagnostic>) {
    let required = emulated.requires_version().then_some(&module.required_versions);
    for (text, subject) in required.into_iter().flatten() {
        let version = emulated.version.to_string();
        let constraint = super::version::Constraint::parse(text);
        let prereleases = constraint.as_ref().map_or(0, super::version::Constraint::prereleases);
        if prereleases > 0 {
            let detail = "A required version cannot be one before a release. Name the release.";
            let error = Diagnostic::error("Invalid required_version constraint", detail).on(subject);
            problems.extend(std::iter::repeat_n(error, prereleases));
            continue;
        }
        let allowed = constraint.and_then(|it| it.allows(&version));
        if allowed == Some(false) && Rule::RequiredVersion.holds() {
            let detail =
                format!("The configuration requires {text}, and the embedded core behaves as {version}.");
            problems.push(Diagnostic::error("Unsupported Terraform Core version", detail).on(subject));
        }
    }
}

/// `destroy` in `lifecycle` blocks, which only managed objects have, and only in OpenTofu.
fn lifecycle_destroy(module: &Module, emulated: &CoreVersion, problems: &mut Vec<Diagnostic>) {
    for resource in &module.resources {
        let Some(destroy) = &resource.lifecycle.destroy else { continue };
        let (summary, detail) = match resource.mode {
            _ if !emulated.keeps_on_request() => {
                problems.push(unsupported_argument("destroy", destroy, false));
                continue;
            }
            Mode::Data => (
                "Invalid data resource lifecycle argument",
                "Data sources have no lifecycle argument \"destroy\".",
            ),
            Mode::Ephemeral => (
                "Invalid lifecycle configuration for ephemeral resource",
                "Ephemeral resources have no lifecycle argument \"destroy\".",
            ),
            Mode::Managed | Mode::Action | Mode::List => continue,
        };
        problems.push(destroy.name_error(summary, detail));
    }
}
