//! What a module declares more than once.

use std::collections::HashSet;
use std::hash::Hash;

use super::model::{Module, Resource};
use super::statics::static_reference;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Subject};

/// Reports each repeated declaration.
pub(super) fn check(module: &Module, problems: &mut Vec<Diagnostic>) {
    let mut report = |rule: Rule, summary: String, subject: &Subject| {
        if !rule.holds() {
            return;
        }
        let detail = "This was declared before in the same module. Remove or rename one of the two.";
        problems.push(Diagnostic::error(summary, detail).on(subject));
    };
    let resources: Vec<_> = module.all_resources().collect();
    let surplus = repeated(&resources, |it| (it.mode, it.type_name.clone(), it.name.clone()));
    for resource in &surplus {
        let what = resource.mode.block_type();
        report(
            Rule::ResourceOnce,
            format!("Duplicate {what} {:?} configuration", resource.type_name),
            &resource.subject,
        );
    }
    for variable in repeated(&module.variables, |it| it.name.clone()) {
        report(Rule::VariableOnce, "Duplicate variable declaration".to_owned(), &variable.subject);
    }
    for local in repeated(&module.locals, |it| it.name.clone()) {
        report(Rule::LocalOnce, "Duplicate local value definition".to_owned(), &local.value.definition());
    }
    for output in repeated(&module.outputs, |it| it.name.clone()) {
        report(Rule::OutputOnce, "Duplicate output definition".to_owned(), &output.subject);
    }
    for call in repeated(&module.calls, |it| it.name.clone()) {
        report(Rule::CallOnce, "Duplicate module call".to_owned(), &call.subject);
    }
    // Core ignores a check whose data source is a duplicate.
    let is_surplus =
        |data: &Resource| surplus.iter().any(|resource| std::ptr::eq::<Resource>(**resource, data));
    let checks: Vec<_> =
        module.checks.iter().filter(|it| !it.data.as_deref().is_some_and(is_surplus)).collect();
    for check in repeated(&checks, |it| it.name.clone()) {
        report(Rule::CheckOnce, format!("Duplicate check {:?} configuration", check.name), &check.subject);
    }
    for provider in repeated(&module.providers, |it| (it.name.clone(), it.alias.clone())) {
        report(Rule::ProviderOnce, "Duplicate provider configuration".to_owned(), &provider.subject);
    }
    for meta in repeated(&module.provider_metas, |it| it.provider.clone()) {
        report(Rule::ProviderOnce, "Duplicate provider_meta block".to_owned(), &meta.subject);
    }
    for subject in module.required_provider_blocks.iter().skip(1) {
        report(Rule::ProviderOnce, "Duplicate required providers configuration".to_owned(), subject);
    }
    for store in module.state_stores.iter().skip(1) {
        report(Rule::ProviderOnce, "Duplicate state_store configuration".to_owned(), &store.subject);
    }
    let once = module.imports.iter().filter(|it| static_reference(&it.to).is_some());
    let mut earlier: Vec<&str> = Vec::new();
    for import in once {
        let to = import.to.source().slice(import.to.span());
        // One error for each block before it, as in core.
        for _ in earlier.iter().filter(|other| **other == to) {
            // Without the keys, as in core.
            let resource =
                super::imports::address(import).map(|(to, _)| to.resource.in_any_instance().to_string());
            let summary = format!(
                "Duplicate import configuration for {:?}",
                resource.unwrap_or_else(|_| to.to_owned())
            );
            report(Rule::ImportOnce, summary, import.to.subject());
        }
        earlier.push(to);
    }
}

fn repeated<T, K: Hash + Eq>(all: &[T], key: impl Fn(&T) -> K) -> Vec<&T> {
    let mut seen = HashSet::new();
    all.iter().filter(|item| !seen.insert(key(item))).collect()
}
