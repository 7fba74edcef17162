//! The `provider_meta` values of modules, which go with calls for their resources.

use std::collections::HashMap;

use ferroform::value::Value;

use super::evaluate::{Decoded, decode};
use super::layout::{Layout, Resource};
use super::log::Log;
use super::repetition::NO_REPETITION;
use super::scope::Scope;
use super::walk_state::{Time, WalkState};
use crate::address::ProviderAddress;
use crate::diagnostic::Diagnostic;
use crate::language::Subject;
use crate::language::module::ModuleId;

/// The end of the summary for a provider that has no schema for such blocks.
pub(super) const UNSUPPORTED: &str = "doesn't support provider_meta";

/// The `provider_meta` blocks of a configuration, by module and provider.
pub(super) type ProviderMetas = HashMap<(ModuleId, ProviderAddress), ProviderMeta>;

/// A `provider_meta` block by the schema of its provider.
pub(super) enum ProviderMeta {
    /// It has this value.
    Value(Value),
    /// It does not fit the schema.
    Invalid(Vec<Diagnostic>),
    /// The provider has no schema for it.
    Unsupported(Subject),
}

impl ProviderMeta {
    /// All blocks of a configuration, by module and provider. They are constant, so each has one value.
    pub(super) fn all(layout: &Layout) -> ProviderMetas {
        if layout.provider_metas.is_empty() {
            return ProviderMetas::new();
        }
        let modules = layout.configuration().modules();
        let walk = WalkState::new(modules, Time::Validation);
        let scope = Scope::new(layout, &walk, &walk.root, &NO_REPETITION);
        let evaluated = |((id, provider), at): (&(ModuleId, ProviderAddress), &usize)| {
            let block = modules[*id].module.provider_metas.get(*at)?;
            let schemas = layout.catalogs.get(provider).map(|catalog| catalog.schemas());
            let meta = match schemas.and_then(|schemas| schemas.provider_meta.as_ref()) {
                None => Self::Unsupported(block.label.clone()),
                Some(schema) => match decode(&block.body, &schema.block, &scope) {
                    Decoded { diagnostics, .. } if diagnostics.iter().any(Diagnostic::is_error) => {
                        Self::Invalid(diagnostics)
                    }
                    Decoded { value, .. } => Self::Value(value),
                },
            };
            Some(((*id, provider.clone()), meta))
        };
        layout.provider_metas.iter().filter_map(evaluated).collect()
    }

    /// The value that goes with a call for a resource; `None` where there is an error.
    pub(super) fn value(&self, resource: &Resource, log: &mut Log) -> Option<&Value> {
        match self {
            Self::Value(value) => return Some(value),
            Self::Invalid(diagnostics) => log.extend(diagnostics.iter().cloned()),
            Self::Unsupported(subject) => {
                let summary = format!("Provider {} {UNSUPPORTED}", resource.provider.provider);
                let detail = format!(
                    "{} belongs to a provider without a schema for provider_meta blocks. Remove the block.",
                    resource.address
                );
                log.push(Diagnostic::error(summary, detail).on(subject));
            }
        }
        None
    }
}
