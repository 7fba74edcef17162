//! The provider instances of a walk.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::evaluate::{Decoded, decode};
use super::log::Log;
use super::scope::Scope;
use super::session::Session;
use crate::address::ProviderConfigAddress;
use crate::client::Provider;
use crate::config::Body;
use crate::diagnostic::Diagnostic;

/// One instance for each provider configuration that is in use, by number.
pub(super) struct Providers {
    session: Arc<Session>,
    addresses: Vec<ProviderConfigAddress>,
    numbers: HashMap<ProviderConfigAddress, usize>,
    instances: Vec<OnceLock<Provider>>,
    applying: bool,
}

impl Providers {
    /// The instances for those configurations; only a default one may be without a block.
    pub(super) fn new(
        session: &Arc<Session>,
        in_use: impl IntoIterator<Item = ProviderConfigAddress>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut all = Self {
            session: session.clone(),
            addresses: Vec::new(),
            numbers: HashMap::new(),
            instances: Vec::new(),
            applying: false,
        };
        let mut problems = Vec::new();
        for address in in_use {
            if all.numbers.contains_key(&address) {
                continue;
            }
            let has_block = address.alias.is_some() || !address.module.0.is_empty();
            if has_block && session.provider_block(&address).is_none() {
                let detail = format!(
                    "To work with its objects the configuration of {address} is required, but it has been \
                     removed."
                );
                problems.push(Diagnostic::error("Provider configuration not present", detail));
            }
            all.numbers.insert(address.clone(), all.addresses.len());
            all.addresses.push(address);
            all.instances.push(OnceLock::new());
        }
        if problems.is_empty() { Ok(all) } else { Err(problems) }
    }

    /// The instances of the walk that applies.
    pub(super) fn applying(self) -> Self {
        Self { applying: true, ..self }
    }

    /// Takes over the instances of an earlier part of the same walk.
    pub(super) fn adopt(&self, earlier: &Self) {
        for (address, slot) in self.addresses.iter().zip(&self.instances) {
            if let Some(provider) = earlier.instance(address) {
                slot.get_or_init(|| provider.clone());
            }
        }
    }

    /// The address with that number.
    pub(super) fn address(&self, number: usize) -> Option<&ProviderConfigAddress> {
        self.addresses.get(number)
    }

    pub(super) fn len(&self) -> usize {
        self.addresses.len()
    }

    pub(super) fn number(&self, address: &ProviderConfigAddress) -> Option<usize> {
        self.numbers.get(address).copied()
    }

    pub(super) fn instance(&self, address: &ProviderConfigAddress) -> Option<&Provider> {
        self.instances.get(self.number(address)?)?.get()
    }

    /// The resources that a provider configuration refers to.
    pub(super) fn refers_to(&self, number: usize) -> Vec<usize> {
        let block = self.addresses.get(number).and_then(|address| self.session.provider_block(address));
        block.map(|block| self.session.layout.referred_to(&block.body)).unwrap_or_default()
    }

    /// Starts an instance, and validates its configuration if there is any (validate walk).
    pub(super) async fn validate(&self, number: usize, scope: &Scope<'_>) -> Log {
        let mut log = self.log(number);
        if let Some(provider) = self.start(number, &mut log).await
            && let Some(block) = self.block(number)
            && !(block.arguments.is_empty() && block.blocks.is_empty())
        {
            self.config(&provider, block, scope, &mut log).await;
        }
        log
    }

    /// Starts an instance and configures it.
    pub(super) async fn configure(&self, number: usize, scope: &Scope<'_>) -> Log {
        let mut log = self.log(number);
        let empty = Body::default();
        let block = self.block(number);
        if let Some(provider) = self.start(number, &mut log).await
            && let Some(config) = self.config(&provider, block.unwrap_or(&empty), scope, &mut log).await
            && let Some(found) = log.answered(self.session.limited(provider.configure(&config)).await)
        {
            log.provider(found);
        }
        if !log.is_fine() && block.is_none() {
            let detail = "The configuration is empty, because there is no block for this provider.";
            log.error("Invalid provider configuration", detail);
        }
        log
    }

    /// The same for the command `import`, which insists on a configuration that is known.
    pub(super) async fn configure_for_import(&self, number: usize, scope: &Scope<'_>) -> Log {
        let mut log = self.log(number);
        let address = self.addresses.get(number);
        let schema = address.and_then(|address| self.session.catalog(&address.provider));
        if let (Some(body), Some(catalog)) = (self.block(number), schema)
            && !decode(body, &catalog.schemas().provider.block, scope).value.is_wholly_known()
        {
            let detail =
                "The configuration of the provider depends on values that cannot be determined before apply.";
            log.error("Invalid provider configuration", detail);
            return log;
        }
        self.configure(number, scope).await
    }

    async fn config(
        &self,
        provider: &Provider,
        body: &Body,
        scope: &Scope<'_>,
        log: &mut Log,
    ) -> Option<ferroform::value::Value> {
        let Decoded { value, diagnostics, .. } = decode(body, &provider.schemas().provider.block, scope);
        log.extend(diagnostics);
        if !log.is_fine() {
            return None;
        }
        let found = log.answered(self.session.limited(provider.validate_config(&value)).await)?;
        log.provider(found);
        log.is_fine().then_some(value)
    }

    async fn start(&self, number: usize, log: &mut Log) -> Option<Provider> {
        let address = &self.addresses.get(number)?.provider;
        let client = log.answered(self.session.launch(address).await)?;
        let catalog = self.session.catalog(address)?;
        let provider = if catalog.schemas().capabilities.get_provider_schema_optional {
            catalog.provider(client)
        } else {
            log.answered(self.session.limited(self.session.core.connect(client)).await)?
        };
        let provider = if self.applying { provider.allowing_deferral() } else { provider };
        Some(self.instances.get(number)?.get_or_init(|| provider).clone())
    }

    /// Tells all instances to stop.
    pub(super) async fn stop(&self) {
        for provider in self.instances.iter().filter_map(OnceLock::get) {
            // A provider that does not stop is waited for within the limit of its call, as any other.
            drop(self.session.limited(provider.stop()).await);
        }
    }

    fn block(&self, number: usize) -> Option<&Body> {
        let address = self.addresses.get(number)?;
        self.session.provider_block(address).map(|block| &block.body)
    }

    /// The address of a provider configuration.
    pub(super) fn name(&self, number: usize) -> String {
        self.addresses.get(number).map(ToString::to_string).unwrap_or_default()
    }

    fn log(&self, number: usize) -> Log {
        Log::new(&self.name(number))
    }
}
