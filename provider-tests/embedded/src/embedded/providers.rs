//! The provider instances of a walk.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::OnceCell;

use super::check::Check;
use super::evaluate::{Decoded, decode};
use super::log::Log;
use super::managed::Managed;
use super::object::Kind;
use super::repetition::NO_REPETITION;
use super::scope::Scope;
use super::session::Session;
use super::walk::{Graph, WalkResult, Walker, until_done, walk};
use super::walk_state::WalkState;
use crate::address::{ProviderConfigAddress, ResourceAddress};
use crate::client::{Catalog, Client, Error, Provider};
use crate::diagnostic::Diagnostic;
use crate::language::module::Body;

/// One instance for each provider configuration that is in use, by number.
pub(super) struct Providers {
    session: Arc<Session>,
    addresses: Vec<ProviderConfigAddress>,
    numbers: HashMap<ProviderConfigAddress, usize>,
    instances: Vec<Instance>,
    applying: bool,
}

/// An instance, which is asked for its schemas when it is called first.
#[derive(Default)]
struct Instance {
    client: OnceCell<Client>,
    provider: OnceCell<Provider>,
}

/// Whether there is such a configuration. A default one of the root module needs no block.
pub(super) fn is_present(session: &Session, address: &ProviderConfigAddress) -> bool {
    let is_default = address.alias.is_none() && address.module.0.is_empty();
    is_default || session.layout.provider_block(address).is_some()
}

/// Whether warnings about a configuration are reported: core does so once, where it validates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Warnings {
    Report,
    Skip,
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
            if !is_present(session, &address) && session.checks(Check::ProviderConfigPresent) {
                let detail = format!(
                    "To work with its objects the configuration of {address} is required, but it has been \
                     removed."
                );
                problems.push(Diagnostic::error("Provider configuration not present", detail));
            }
            all.numbers.insert(address.clone(), all.addresses.len());
            all.addresses.push(address);
            all.instances.push(Instance::default());
        }
        if problems.is_empty() { Ok(all) } else { Err(problems) }
    }

    /// The instances of the walk that applies.
    pub(super) fn applying(self) -> Self {
        Self { applying: true, ..self }
    }

    pub(super) fn len(&self) -> usize {
        self.addresses.len()
    }

    pub(super) fn number(&self, address: &ProviderConfigAddress) -> Option<usize> {
        self.numbers.get(address).copied()
    }

    pub(super) fn instance(&self, address: &ProviderConfigAddress) -> Option<&Provider> {
        self.instances.get(self.number(address)?)?.provider.get()
    }

    /// The type of a resource at the provider that makes it.
    ///
    /// # Errors
    /// The provider was not configured, or it has no such type.
    pub(super) fn managed<'a>(
        &'a self,
        provider: &ProviderConfigAddress,
        resource: &'a ResourceAddress,
    ) -> Result<Managed<'a>, Error> {
        let Some(instance) = self.instance(provider) else {
            let problem = format!("the provider {provider} was not configured");
            return Err(Error::Start { problem, stderr: String::new() });
        };
        let kind = Kind::of(instance.catalog(), resource);
        let meta = self.session.provider_meta(resource);
        Ok(Managed { session: &self.session, provider: instance, kind, block: kind.block()?, meta })
    }

    /// The declaration of a provider configuration, if it has a block.
    pub(super) fn declaration(&self, number: usize) -> Option<usize> {
        self.session.layout.provider_number(self.addresses.get(number)?)
    }

    /// The resources that a provider configuration refers to, directly or by way of named values.
    pub(super) fn refers_to(&self, number: usize) -> Vec<usize> {
        self.session.layout.direct_dependencies_among(self.declaration(number))
    }

    /// Starts an instance, and validates its configuration if there is any (validate walk).
    pub(super) async fn validate(&self, number: usize, walk: &WalkState) -> Log {
        let mut log = self.log(number);
        if self.launched(number, &mut log).await.is_some()
            && let Some(block) = self.block(number)
            && !(block.arguments.is_empty() && block.blocks.is_empty())
        {
            self.config(number, (block, Warnings::Report), walk, &mut log).await;
        }
        log
    }

    /// Starts an instance and configures it.
    pub(super) async fn configure(&self, number: usize, walk: &WalkState) -> Log {
        let mut log = self.log(number);
        let empty = Body::default();
        let block = self.block(number);
        if self.launched(number, &mut log).await.is_some()
            && let Some((provider, config)) =
                self.config(number, (block.unwrap_or(&empty), Warnings::Skip), walk, &mut log).await
            && let Some(found) = log.answered(self.session.limited(provider.configure(&config)).await)
        {
            log.of_configuration(found, block.unwrap_or(&empty));
        }
        if !log.is_fine() && block.is_none() && self.session.checks(Check::ProviderConfigImplied) {
            let detail = "The configuration is empty, because there is no block for this provider.";
            log.error("Invalid provider configuration", detail);
        }
        log
    }

    /// The same for the command `import`, which insists on a configuration that is known.
    pub(super) async fn configure_for_import(&self, number: usize, walk: &WalkState) -> Log {
        let mut log = self.log(number);
        self.started(number, &mut log).await;
        if let (Some(body), Some(catalog)) = (self.block(number), self.catalog(number))
            && !self.decoded(number, (body, catalog), walk).value.is_wholly_known()
            && self.session.checks(Check::ProviderConfigKnown)
        {
            let detail =
                "The configuration of the provider depends on values that cannot be determined before apply.";
            log.error("Invalid provider configuration", detail);
            return log;
        }
        self.configure(number, walk).await
    }

    /// Validates a configuration, and tells which it is.
    async fn config(
        &self,
        number: usize,
        (body, warnings): (&Body, Warnings),
        walk: &WalkState,
        log: &mut Log,
    ) -> Option<(Provider, ferroform::value::Value)> {
        let catalog = self.catalog(number)?;
        let mut decoded = self.decoded(number, (body, catalog), walk);
        if warnings == Warnings::Skip {
            decoded.diagnostics.retain(Diagnostic::is_error);
        }
        let Decoded { value, .. } = decoded.report_to(log)?;
        let provider = self.started(number, log).await?;
        let found = log.answered(self.session.limited(provider.validate_config(&value)).await)?;
        log.of_configuration(found, body);
        log.is_fine().then_some((provider, value))
    }

    /// A configuration by its schema, in the first instance of its module: such a module has one only.
    fn decoded(&self, number: usize, (body, catalog): (&Body, &Catalog), walk: &WalkState) -> Decoded {
        let layout = &self.session.layout;
        let modules = layout.configuration().modules();
        let block = self.addresses.get(number).and_then(|address| layout.provider_block(address));
        let instances = block.map(|(id, _)| walk.root.instances(modules, id)).unwrap_or_default();
        let module = instances.first().map_or(&walk.root, |(_, module)| module);
        let scope = Scope::new(layout, walk, module, &NO_REPETITION);
        decode(body, &catalog.schemas().provider.block, &scope)
    }

    /// Starts an instance, if it does not run yet.
    async fn launched(&self, number: usize, log: &mut Log) -> Option<Client> {
        let address = &self.addresses.get(number)?.provider;
        let launch = || self.session.launch(address);
        log.answered(self.instances.get(number)?.client.get_or_try_init(launch).await).cloned()
    }

    /// An instance that can be called.
    pub(super) async fn started(&self, number: usize, log: &mut Log) -> Option<Provider> {
        let client = self.launched(number, log).await?;
        let address = &self.addresses.get(number)?.provider;
        let start = || async {
            let provider = self.session.instance(address, client).await?;
            let allows = self.applying && self.session.core.emulated.has_deferral();
            Ok(if allows { provider.allowing_deferral() } else { provider })
        };
        log.answered(self.instances.get(number)?.provider.get_or_try_init(start).await).cloned()
    }

    /// Walks a graph. All instances are told to stop when the command is.
    pub(super) async fn walk<W: Walker>(&self, walker: Arc<W>, graph: Graph) -> WalkResult {
        let core = &self.session.core;
        let stop = async {
            core.cancel.cancelled().await;
            self.stop().await;
        };
        until_done(walk(walker, graph, core.parallelism, &core.cancel), stop).await
    }

    /// Tells all instances to stop.
    pub(super) async fn stop(&self) {
        for client in self.instances.iter().filter_map(|instance| instance.client.get()) {
            // A provider that does not stop is waited for within the limit of its call, as any other.
            drop(self.session.limited(client.stop_provider(Default::default())).await);
        }
    }

    /// The types of the provider that an instance is of.
    pub(super) fn catalog(&self, number: usize) -> Option<&Catalog> {
        self.session.catalog(&self.addresses.get(number)?.provider)
    }

    fn block(&self, number: usize) -> Option<&Body> {
        let address = self.addresses.get(number)?;
        self.session.layout.provider_block(address).map(|(_, block)| &block.body)
    }

    /// The address of a provider configuration.
    pub(super) fn name(&self, number: usize) -> String {
        self.addresses.get(number).map(ToString::to_string).unwrap_or_default()
    }

    fn log(&self, number: usize) -> Log {
        Log::within(&self.name(number), self.block(number))
    }
}
