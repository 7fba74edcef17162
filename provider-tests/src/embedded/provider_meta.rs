//! The `provider_meta` values of modules, which go with calls for their resources.

use ferroform::value::Value;

use super::evaluate::{Decoded, decode};
use super::layout::Layout;
use super::log::Log;
use super::repetition::RepetitionData;
use super::scope::Scope;
use super::walk_state::{Time, WalkState};
use crate::address::{ProviderAddress, ResourceAddress};
use crate::diagnostic::Diagnostic;
use crate::language::Subject;

/// The end of the summary for a provider that has no schema for such blocks.
pub(super) const UNSUPPORTED: &str = "doesn't support provider_meta";

/// A `provider_meta` block by the schema of its provider.
pub(super) enum ProviderMeta {
    /// It has this value.
    Value(Value),
    /// It does not fit the schema.
    Invalid(Vec<Diagnostic>),
    /// The provider has no schema for it.
    Unsupported { provider: ProviderAddress, subject: Subject },
}

impl ProviderMeta {
    /// All blocks of a configuration that are for these providers. They are constant, so each has one value.
    pub(super) fn all(layout: &Layout) -> Vec<Self> {
        let walk = WalkState::new(layout.configuration().modules(), Time::Validation);
        let scope = Scope { layout, walk: &walk, module: &walk.root, each: &RepetitionData::default() };
        let evaluated = layout.provider_metas().map(|(address, block)| {
            let schemas = layout.catalogs.get(address).map(|catalog| catalog.schemas());
            let Some(schema) = schemas.and_then(|schemas| schemas.provider_meta.as_ref()) else {
                return Self::Unsupported { provider: address.clone(), subject: block.label.clone() };
            };
            match decode(&block.body, &schema.block, &scope) {
                Decoded { value, diagnostics, .. } if !diagnostics.iter().any(Diagnostic::is_error) => {
                    Self::Value(value)
                }
                Decoded { diagnostics, .. } => Self::Invalid(diagnostics),
            }
        });
        evaluated.collect()
    }

    /// The value that goes with a call for a resource; `None` where there is an error.
    pub(super) fn value(&self, resource: &ResourceAddress, log: &mut Log) -> Option<&Value> {
        match self {
            Self::Value(value) => return Some(value),
            Self::Invalid(diagnostics) => log.extend(diagnostics.iter().cloned()),
            Self::Unsupported { provider, subject } => {
                let summary = format!("Provider {provider} {UNSUPPORTED}");
                let detail = format!(
                    "{resource} belongs to a provider without a schema for provider_meta blocks. Remove the block."
                );
                log.push(Diagnostic::error(summary, detail).on(subject));
            }
        }
        None
    }
}
