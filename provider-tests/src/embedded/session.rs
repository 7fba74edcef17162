//! One command: the schemas of its providers, and its configuration laid out.

use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use super::check::Check;
use super::evaluate::deprecated;
use super::functions::Functions;
use super::layout::{Layout, Resource, configured_provider};
use super::log::Log;
use super::plan::import_expressions;
use super::{Core, builtin};
use crate::address::{Mode, ModuleInstance, ProviderAddress, ProviderConfigAddress, ResourceAddress};
use crate::client::{Catalog, Client, Error, Provider};
use crate::config::{Config, ProviderBlock, ResourceBlock};
use crate::diagnostic::{Diagnostic, SourceRange};
use crate::language::module::{Declared, PendingCall};
use crate::state::State;

/// Puts dependencies into the order in which they are stored.
pub(super) fn sort_dependencies(all: &mut Vec<ResourceAddress>) {
    all.sort_by_cached_key(ToString::to_string);
    all.dedup();
}

pub(super) struct Session {
    pub(super) core: Core,
    pub(super) config: Arc<Config>,
    pub(super) layout: Layout,
    /// The numbers of the blocks of provider configurations.
    provider_blocks: HashMap<ProviderConfigAddress, usize>,
    /// The same with an instance for each module that has none yet.
    standing_in: Option<Arc<Self>>,
}

impl Session {
    /// Gets the schemas of all providers that the configuration or the state names, and checks that the
    /// configuration hangs together.
    pub(super) async fn open(
        core: &Core,
        config: &Config,
        state: &State,
    ) -> Result<Arc<Self>, Vec<Diagnostic>> {
        Self::open_knowing(core, config, state, &HashMap::new()).await
    }

    /// The same for a later part of the same command, which asks no provider a second time.
    pub(super) async fn open_after(
        &self,
        config: &Config,
        state: &State,
    ) -> Result<Arc<Self>, Vec<Diagnostic>> {
        Self::open_knowing(&self.core, config, state, &self.layout.catalogs).await
    }

    async fn open_knowing(
        core: &Core,
        config: &Config,
        state: &State,
        known: &HashMap<ProviderAddress, Catalog>,
    ) -> Result<Arc<Self>, Vec<Diagnostic>> {
        let Some(pending) = &config.pending else { return Self::load_all(core, config, state, known).await };
        let standing_in = Self::load_all(core, &pending.standing_in, state, known).await?;
        standing_in.again(config)
    }

    /// The same for another configuration of the same modules.
    pub(super) fn again(self: &Arc<Self>, config: &Config) -> Result<Arc<Self>, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let mut session = Self::laid_out(&self.core, config, &mut problems);
        session.layout.catalogs.clone_from(&self.layout.catalogs);
        session.layout.tells_deprecated = self.layout.tells_deprecated;
        session.layout.functions = self.layout.functions.clone();
        session.standing_in = Some(self.standing_in.clone().unwrap_or_else(|| self.clone()));
        if problems.is_empty() { Ok(Arc::new(session)) } else { Err(problems) }
    }

    /// What can be validated: all modules have instances there.
    pub(super) fn to_validate(self: &Arc<Self>) -> &Arc<Self> {
        self.standing_in.as_ref().unwrap_or(self)
    }

    /// This, and what has instances for the modules that have none here.
    pub(super) fn with_standing_in(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.standing_in.as_deref())
    }

    /// Whether there was something that was not known before a walk.
    pub(super) fn had_pending(&self) -> bool {
        self.standing_in.is_some()
    }

    fn laid_out(core: &Core, config: &Config, problems: &mut Vec<Diagnostic>) -> Self {
        let mut local: Vec<_> =
            core.providers.iter().map(|known| (known.local_name.clone(), known.address.clone())).collect();
        local.push(("terraform".to_owned(), builtin::address()));
        let mut layout = Layout::new(config, &local, problems);
        layout.checks = core.checks;
        layout.tells_deprecated = core.emulated.tells_deprecated();
        let blocks = config.providers.iter().enumerate();
        let provider_blocks =
            blocks.map(|(at, block)| (configured_provider(config, &local, block), at)).collect();
        Self {
            core: core.clone(),
            config: Arc::new(config.clone()),
            layout,
            provider_blocks,
            standing_in: None,
        }
    }

    async fn load_all(
        core: &Core,
        config: &Config,
        state: &State,
        known: &HashMap<ProviderAddress, Catalog>,
    ) -> Result<Arc<Self>, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let mut session = Self::laid_out(core, config, &mut problems);
        let resources = session.layout.resources().iter();
        let in_config = resources.map(|resource| resource.provider.provider.clone());
        let in_blocks = session.provider_blocks.keys().map(|address| address.provider.clone());
        let in_state = state.resources.values().map(|resource| resource.provider.provider.clone());
        // What is required is asked even where nothing is configured of it.
        let is_there = |address: &&ProviderAddress| core.providers.iter().any(|it| it.address == **address);
        let in_modules = config.declared.iter().flat_map(Declared::required_providers);
        let required = config.required_providers.iter().map(|(_, address)| address).chain(in_modules);
        let required = required.filter(is_there).cloned();
        let calls = config.declared.as_ref().is_some_and(Declared::calls_functions);
        let built_in = calls.then(builtin::address);
        let wanted: BTreeSet<ProviderAddress> =
            in_config.chain(in_blocks).chain(in_state).chain(required).chain(built_in).collect();
        for address in wanted {
            if let Some(catalog) = known.get(&address) {
                session.layout.catalogs.insert(address, catalog.clone());
                continue;
            }
            match session.load(&address).await {
                Ok(catalog) => drop(session.layout.catalogs.insert(address, catalog)),
                Err(problem) => problems.push(problem),
            }
        }
        if calls {
            let functions = Functions::new(core, session.directory(), &session.layout.catalogs);
            session.layout.functions = Arc::new(functions);
        }
        // Without anything deprecated nobody has to look for it.
        session.layout.tells_deprecated &= session.layout.catalogs.values().any(deprecated::is_in);
        for block in &session.config.resources {
            problems.extend(session.unknown_type(block));
        }
        if problems.is_empty() { Ok(Arc::new(session)) } else { Err(problems) }
    }

    /// Starts a provider only to ask for its schemas.
    async fn load(&self, address: &ProviderAddress) -> Result<Catalog, Diagnostic> {
        let mut log = Log::new(address);
        let client = match self.launch(address).await {
            Ok(client) => client,
            Err(error) => {
                let detail = format!("The provider {address} cannot be started: {error}.");
                return Err(Diagnostic::error("Failed to load plugin schemas", detail));
            }
        };
        let connected = self.limited(self.core.connect(client)).await;
        connected.map(|provider| provider.catalog().clone()).map_err(|error| {
            log.failure(&error);
            let detail =
                format!("Failed to obtain provider schema: could not load the schema of {address}: {error}.");
            Diagnostic::error("Failed to load plugin schemas", detail)
        })
    }

    /// The directory that relative paths begin in.
    pub(super) fn directory(&self) -> &Path {
        let declared = self.config.declared.as_ref().and_then(Declared::directory);
        declared.unwrap_or(Path::new("."))
    }

    pub(super) async fn launch(&self, address: &ProviderAddress) -> Result<Client, Error> {
        self.core.launch(address, self.directory()).await
    }

    /// A new instance as a provider.
    pub(super) async fn instance(
        &self,
        address: &ProviderAddress,
        client: Client,
    ) -> Result<Provider, Error> {
        self.core.instance(self.catalog(address), client).await
    }

    /// The result of a call, or an error if it takes too long.
    pub(super) async fn limited<T>(&self, call: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        self.core.limited(call).await
    }

    pub(super) fn catalog(&self, provider: &ProviderAddress) -> Option<&Catalog> {
        self.layout.catalogs.get(provider)
    }

    pub(super) fn checks(&self, check: Check) -> bool {
        self.core.checks.has(check) && self.core.emulated.makes(check)
    }

    pub(super) fn block(&self, number: usize) -> Option<&ResourceBlock> {
        self.config.resources.get(number)
    }

    /// Whether the resource with that number is ephemeral.
    pub(super) fn is_ephemeral(&self, number: usize) -> bool {
        self.block(number).is_some_and(|block| block.address.mode == Mode::Ephemeral)
    }

    /// The module with that number, whose instances are not known yet.
    pub(super) fn pending(&self, number: usize) -> Option<&PendingCall> {
        let at = number.checked_sub(self.config.resources.len())?;
        self.config.pending.as_ref()?.calls.get(at)
    }

    /// The number of the module that this one is in, if it has no instances yet.
    pub(super) fn pending_around(&self, module: &ModuleInstance) -> Option<usize> {
        let call = self.config.pending.as_ref()?.call_around(module)?;
        self.layout.number(&call.address)
    }

    /// The numbers of the modules whose instances are known only after apply.
    pub(super) fn deferred_modules(&self) -> impl Iterator<Item = usize> {
        let numbers = self.config.resources.len()..self.layout.resources().len();
        numbers.filter(|number| self.pending(*number).is_none())
    }

    /// Whether it is known only after apply if there is that module.
    pub(super) fn is_deferred(&self, module: &ModuleInstance) -> bool {
        self.config.pending.as_ref().is_some_and(|pending| pending.is_deferred(module))
    }

    /// The address that has this number.
    pub(super) fn address(&self, number: usize) -> Option<&ResourceAddress> {
        let of_block = self.block(number).map(|block| &block.address);
        of_block.or_else(|| self.pending(number).map(|call| &call.address))
    }

    /// The block that declares a resource and how it is laid out, also one in a module that has no instances yet.
    pub(super) fn declared(&self, address: &ResourceAddress) -> Option<(&ResourceBlock, &Resource)> {
        let (session, number) = match self.layout.number(address) {
            Some(number) => (self, number),
            None => {
                self.pending_around(&address.module)?;
                let (all, any) = (self.standing_in.as_ref()?, address.in_any_instance());
                let mut blocks = all.config.resources.iter();
                (all.as_ref(), blocks.position(|block| block.address.in_any_instance() == any)?)
            }
        };
        Some((session.block(number)?, session.layout.resource(number)?))
    }

    /// The blocks of the resources in modules by their addresses without keys, however many instances these have.
    pub(super) fn in_modules(&self) -> HashMap<ResourceAddress, &ResourceBlock> {
        let all = self.with_standing_in().flat_map(|session| &session.config.resources);
        let in_modules = all.filter(|block| !block.address.module.0.is_empty());
        in_modules.map(|block| (block.address.in_any_instance().into_owned(), block)).collect()
    }

    /// The addresses of all that a resource depends on, directly or not, as they are stored beside an object: without
    /// the keys of modules.
    pub(super) fn dependencies(&self, number: usize) -> Vec<ResourceAddress> {
        let Some(resource) = self.layout.resource(number) else { return Vec::new() };
        let mut direct = resource.depends_on.clone();
        direct.extend(self.provider_references(number));
        direct.extend(self.import_references(number));
        let all = self.layout.closure(direct).into_iter().filter(|other| *other != number);
        let blocks = all.filter_map(|other| self.block(other));
        let mut addresses: Vec<ResourceAddress> =
            blocks.map(|block| block.address.in_any_instance().into_owned()).collect();
        // A module without instances is depended on as well: core takes what is written.
        if let Some(standing_in) = &self.standing_in
            && let Some(block) = self.block(number)
            && let Some(number) = standing_in.layout.number(&block.address)
        {
            addresses.extend(standing_in.dependencies(number));
        }
        sort_dependencies(&mut addresses);
        addresses
    }

    /// The resources that the import blocks of a resource refer to.
    fn import_references(&self, number: usize) -> Vec<usize> {
        let address = self.block(number).map(|block| block.address.in_any_instance());
        let imports = self.config.imports.iter();
        let own = imports.filter(|it| address.as_ref() == Some(&it.to.resource.in_any_instance()));
        own.flat_map(import_expressions).flat_map(|expr| self.layout.referred_to_by(expr)).collect()
    }

    /// The resources that the provider configuration of a resource refers to.
    fn provider_references(&self, number: usize) -> Vec<usize> {
        let Some(resource) = self.layout.resource(number) else { return Vec::new() };
        let block = self.provider_block(&resource.provider);
        block.map(|block| self.layout.referred_to(&block.body)).unwrap_or_default()
    }

    /// The block of a provider configuration; a default one need not have any.
    pub(super) fn provider_block(&self, address: &ProviderConfigAddress) -> Option<&ProviderBlock> {
        self.config.providers.get(*self.provider_blocks.get(address)?)
    }

    /// The provider configurations that have blocks, in the order of these.
    pub(super) fn configured_providers(&self) -> Vec<ProviderConfigAddress> {
        let mut all: Vec<_> = self.provider_blocks.iter().collect();
        all.sort_by_key(|(_, at)| **at);
        all.into_iter().map(|(address, _)| address.clone()).collect()
    }

    fn unknown_type(&self, block: &ResourceBlock) -> Option<Diagnostic> {
        let number = self.layout.number(&block.address)?;
        let provider = &self.layout.resource(number)?.provider.provider;
        let catalog = self.catalog(provider)?;
        let type_name = &block.address.type_name;
        let (known, summary) = match block.address.mode {
            Mode::Managed => (catalog.resource(type_name).is_ok(), "Invalid resource type"),
            Mode::Data => (catalog.data_source(type_name).is_ok(), "Invalid data source"),
            Mode::List => (catalog.list_resource(type_name).is_ok(), "Invalid list resource"),
            Mode::Action => (catalog.action(type_name).is_ok(), "Invalid action"),
            Mode::Ephemeral => (catalog.ephemeral_resource(type_name).is_ok(), "Invalid ephemeral resource"),
        };
        let what = block.address.mode.noun();
        let detail = format!("The provider {provider} does not support {what} {type_name:?}.");
        let error = Diagnostic::error(summary, detail);
        let place = SourceRange::of(block.type_source.as_ref());
        (!known).then(|| Diagnostic { address: Some(block.address.to_string()), place, ..error })
    }
}
