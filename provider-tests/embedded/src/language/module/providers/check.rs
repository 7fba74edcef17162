//! What is wrong with the provider configurations of modules.

use super::{ModuleScope, ProviderConfigLocation, ProviderConfigName, Tree, decode};
use crate::address::ProviderAddress;
use crate::language::module::SourceExpr;
use crate::language::module::model::{Call, Module, Provider, ProviderName, RequiredProvider};
use crate::language::{Diagnostic, Subject};

/// Checks the provider configurations of all modules.
pub(in crate::language::module) fn check(tree: &Tree, problems: &mut Vec<Diagnostic>) {
    let root = ModuleScope { module: &tree.module, outer: None };
    let mut checker = Checker { problems, missing: None };
    checker.duplicates(&tree.module);
    for required in &tree.module.required_providers {
        for alias in required.aliases.iter().filter(|alias| !has_block(&tree.module, alias)) {
            let detail = format!("There is no provider block for {}.", shown(alias));
            checker.error("Undefined provider configuration", &detail, &required.subject);
        }
    }
    checker.calls(tree, &root, None);
    let missing = checker.missing.filter(|_| !problems.iter().any(Diagnostic::is_error));
    problems.extend(missing);
}

fn is_builtin(provider: &ProviderAddress) -> bool {
    *provider == decode::assumed("terraform")
}

struct Checker<'a> {
    problems: &'a mut Vec<Diagnostic>,
    /// The first configuration that is passed and is not there, for which core looks last.
    missing: Option<Diagnostic>,
}

/// Whether a module has a block for that name.
fn has_block(module: &Module, (name, alias): &ProviderName) -> bool {
    module.providers.iter().any(|it| (&it.name, &it.alias) == (name, alias))
}

/// Whether it has one without arguments, and no other.
fn has_empty_block(module: &Module, (name, alias): &ProviderName) -> bool {
    let mut blocks = module.providers.iter().filter(|it| (&it.name, &it.alias) == (name, alias)).peekable();
    blocks.peek().is_some() && blocks.all(is_empty)
}

fn shown((name, alias): &ProviderName) -> String {
    alias.as_ref().map_or_else(|| name.clone(), |alias| format!("{name}.{alias}"))
}

/// A block without arguments once stood for a configuration that is passed.
fn is_empty(provider: &Provider) -> bool {
    provider.body.arguments.is_empty() && provider.body.blocks.is_empty()
}

impl Checker<'_> {
    fn error(&mut self, summary: &str, detail: &str, subject: &Subject) {
        self.problems.push(Diagnostic::error(summary, detail).on(subject));
    }

    fn warning(&mut self, summary: &str, detail: &str, subject: &Subject) {
        self.problems.push(Diagnostic::warning(summary, detail).on(subject));
    }

    /// `fixed` says why the modules called here must not configure providers.
    fn calls(&mut self, tree: &Tree, within: &ModuleScope<'_>, fixed: Option<&Subject>) {
        for call in &tree.module.calls {
            let Some(child) = tree.children.get(&call.name) else { continue };
            let repeated = call.count.as_ref().or(call.for_each.as_ref()).map(SourceExpr::subject);
            let repeated = repeated.or(call.depends_on.first().map(|first| &first.subject));
            let fixed = fixed.or(repeated);
            let inner = ModuleScope { module: &child.module, outer: Some((within, call)) };
            // Of a module that is wrong itself core knows nothing.
            let is_loaded = !child.diagnostics.iter().any(Diagnostic::is_error);
            self.passed(within, Some(&inner).filter(|_| is_loaded), call);
            if is_loaded {
                self.duplicates(&child.module);
                self.configured(&inner, call, fixed);
                self.calls(child, &inner, fixed);
            }
        }
    }

    fn configured(&mut self, inner: &ModuleScope<'_>, call: &Call, fixed: Option<&Subject>) {
        let blocks = &inner.module.providers;
        if let Some(subject) = fixed
            && !blocks.iter().all(is_empty)
        {
            let detail = format!(
                "The module {} configures providers itself, so it is there once and for all: a module around it or it \
                 itself cannot have \"count\", \"for_each\" or \"depends_on\". Pass the providers to it instead.",
                call.name
            );
            self.error("Module is incompatible with count, for_each, and depends_on", &detail, subject);
        }
        for block in blocks {
            let name = (block.name.clone(), block.alias.clone());
            if is_empty(block) {
                let detail = "An empty provider block says nothing. Require the provider, with configuration_aliases if \
                              it is passed under an alias.";
                self.warning("Redundant empty provider block", detail, &block.subject);
            } else if let Some(at) = call.providers.iter().position(|(passed, _)| *passed == name) {
                let detail = format!("{} is passed to the module, which configures it itself.", shown(&name));
                let subject = call.passed_at.get(at).map_or(&call.subject, |(inside, _)| inside);
                self.error("Cannot override provider configuration", &detail, subject);
            }
        }
        for alias in inner.module.required_providers.iter().flat_map(|required| &required.aliases) {
            let has = blocks.iter().any(|it| !is_empty(it) && (&it.name, &it.alias) == (&alias.0, &alias.1));
            if !has && !call.providers.iter().any(|(passed, _)| passed == alias) {
                let detail = format!("The module needs {}, and it is not passed to it.", shown(alias));
                self.error("Missing required provider configuration", &detail, &call.subject);
            }
        }
    }

    /// What is passed to a module, which is unknown where the module is wrong itself.
    fn passed(&mut self, outer: &ModuleScope<'_>, inner: Option<&ModuleScope<'_>>, call: &Call) {
        for ((inside, outside), places) in call.providers.iter().zip(&call.passed_at) {
            if let Some(inner) = inner {
                self.taken(call, (outer, outside), (inner, inside), places);
            }
            self.given(outer, outside, &places.1);
        }
    }

    /// Whether a module takes what it is passed.
    fn taken(
        &mut self,
        call: &Call,
        (outer, outside): (&ModuleScope<'_>, &ProviderName),
        (inner, inside): (&ModuleScope<'_>, &ProviderName),
        (inside_at, outside_at): &(Subject, Subject),
    ) {
        let required_inside = inner.module.required_provider(&inside.0);
        let is_required = match (&inside.1, required_inside) {
            (None, required) => required.is_some(),
            (Some(_), required) => required.is_some_and(|it| it.aliases.contains(inside)),
        };
        let named = |required: Option<&RequiredProvider>, (name, _): &ProviderName| {
            required.map_or_else(|| decode::default_address(name), |it| it.address.clone())
        };
        let needed = named(required_inside, inside);
        // An empty block once said that the module is passed a configuration.
        if !is_required && !has_empty_block(inner.module, inside) {
            let detail = format!("The module {} does not require {}.", call.name, shown(inside));
            if needed == decode::default_address(&needed.type_name) {
                self.warning("Reference to undefined provider", &detail, inside_at);
            } else {
                self.error("Reference to undefined provider", &detail, inside_at);
            }
        }
        let required_outside = outer.module.required_provider(&outside.0);
        let given = named(required_outside, outside);
        // The root module may leave it to its user which provider has a name.
        let is_local = required_outside.is_none() && outer.outer.is_none() && outside.0 == needed.type_name;
        if needed != given && (!is_local || is_builtin(&needed)) {
            let detail = format!("{given} is passed to the module {}, which needs {needed}.", call.name);
            let is_elsewhere = inner.module.required_providers.iter().any(|it| it.address == given);
            let subject = if is_elsewhere { inside_at } else { outside_at };
            self.error("Provider type mismatch", &detail, subject);
        }
    }

    /// What a module passes on: whether it has that.
    fn given(&mut self, within: &ModuleScope<'_>, name: &ProviderName, subject: &Subject) {
        let is_required = within.module.required_provider(&name.0).is_some();
        let missing = match within.place(name) {
            missing if !missing.exists => missing,
            _ if name.1.is_some() || has_block(within.module, name) => return,
            _ if is_required => {
                let meant = within.meant(name);
                let Some((_, call)) = within.outer.filter(|_| within.passed(&meant).is_none()) else {
                    return;
                };
                let detail = format!("The module passes {} on, which is not passed to it.", name.0);
                self.warning("Missing required provider configuration", &detail, &call.subject);
                // What is passed on is looked for in the module itself, where only the built-in provider is of its own.
                if is_builtin(&meant.provider.address()) {
                    return;
                }
                ProviderConfigLocation { depth: within.depth(), meant, exists: false }
            }
            _ => {
                let detail = format!("There is no provider {} here that could be passed.", name.0);
                self.warning("Reference to undefined provider", &detail, subject);
                let meant = within.meant(name);
                // It is there only where it is required, configured or passed to.
                if within.passed(&meant).is_some() {
                    return;
                }
                ProviderConfigLocation { depth: within.depth(), meant, exists: false }
            }
        };
        let path: String =
            within.path().iter().take(missing.depth).map(|call| format!("module.{call}.")).collect();
        let ProviderConfigName { provider, alias } = missing.meant;
        let alias = alias.map(|alias| format!(".{alias}")).unwrap_or_default();
        let summary = format!("missing provider {path}provider[\"{}\"]{alias}", provider.address());
        let error = Diagnostic::error(summary, "Require it, or write a provider block for it.").on(subject);
        self.missing.get_or_insert(error);
    }

    /// One provider under two names.
    fn duplicates(&mut self, module: &Module) {
        let all = &module.required_providers;
        for (at, required) in all.iter().enumerate() {
            if all.iter().take(at).any(|other| other.address == required.address) {
                let detail = format!("{} is required under another name already.", required.address);
                self.warning("Duplicate required provider", &detail, &required.subject);
            }
        }
        for resource in module.resources.iter().filter(|resource| resource.provider.is_none()) {
            let implied = resource.implied_provider();
            let assumed = decode::assumed(&implied);
            if all.iter().all(|it| it.name != implied) && all.iter().any(|it| it.address == assumed) {
                let detail = format!("{assumed} is required under another name, which this does not use.");
                self.warning("Duplicate required provider", &detail, &resource.subject);
            }
        }
    }
}
