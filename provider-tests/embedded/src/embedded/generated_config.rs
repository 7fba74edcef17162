//! Configuration for objects that are there already (`-generate-config-out`).

use std::sync::Arc;

use ferroform::value::Value;

use super::log::Log;
use super::object::Kind;
use super::session::Session;
use crate::address::{InstanceKey, ResourceAddress};
use crate::client::Provider;
use crate::config::{config_from_state, resource_text};
use crate::language::SourceFile;
use crate::language::module::{Body, Configuration, Import, Resource, import_target, load_texts};
use crate::state::State;

/// The configuration of an imported object.
pub(super) struct GeneratedConfig {
    /// The `resource` block.
    pub(super) text: String,
    /// What it says.
    pub(super) body: Body,
}

/// The configuration of an object: the provider generates it, if it can (`GenerateResourceConfig`).
pub(super) async fn generated_value(
    (session, provider): (&Session, &Provider),
    kind: Kind<'_>,
    value: &Value,
    log: &mut Log,
) -> Option<Value> {
    let can = provider.catalog().schemas().capabilities.generate_resource_config;
    if !(can && session.core.emulated.calls_generate_config()) {
        return Some(config_from_state(log.answered(kind.block())?, value));
    }
    let call = provider.generate_config(kind.type_name, value);
    let (config, found) = log.answered(session.limited(call).await)?;
    log.provider(found);
    log.is_fine().then_some(config)
}

/// Generates the configuration of an object that a block imports.
pub(super) async fn generate(
    at: (&Session, &Provider),
    kind: Kind<'_>,
    block: &Resource,
    value: &Value,
    log: &mut Log,
) -> Option<GeneratedConfig> {
    let config = generated_value(at, kind, value, log).await?;
    let schema = log.answered(kind.block())?;
    let text = resource_text((&block.type_name, &block.name), block.provider.as_ref(), schema, &config)
        .map_err(|error| log.error("Failed to generate configuration", error.to_string()))
        .ok()?;
    // What is planned is what is written.
    let tree = load_texts(".", vec![SourceFile::new("generated.tf", text.as_str())]);
    let tree = tree.map_err(|problems| log.extend(problems)).ok()?;
    let body = tree.module.resources.first()?.body.clone();
    Some(GeneratedConfig { text, body })
}

/// The resource for which configuration can be generated, if a block imports into such a one.
pub(super) fn generation_target(import: &Import) -> Option<ResourceAddress> {
    let (to, keys) = import_target(import).ok()?;
    let is_single = import.for_each.is_none() && keys.is_empty() && to.key == InstanceKey::None;
    (is_single && to.resource.module.0.is_empty()).then_some(to.resource)
}

/// The configuration with a resource for each import into one that it does not declare.
pub(super) fn with_generated(configuration: &Configuration, state: &State) -> Configuration {
    let missing = configuration.root().imports.iter().filter_map(|import| {
        let to = generation_target(import)?;
        let is_known = configuration.declares(&to) || state.resources.contains_key(&to);
        (!is_known).then(|| Arc::new(Resource::generated(&to, import)))
    });
    configuration.with_resources(missing.collect())
}
