//! One command: the schemas of its providers, and its configuration laid out.

use std::collections::BTreeSet;
use std::future::Future;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use ferroform::diag::Diagnostics;
use ferroform::value::Value;
use foldhash::{HashMap, HashMapExt as _};

use super::check::Check;
use super::evaluate::deprecated;
use super::functions::Functions;
use super::layout::{Layout, Resource};
use super::log::Log;
use super::object::Kind;
use super::provider_meta::{ProviderMeta, ProviderMetas};
use super::{Core, builtin};
use crate::address::{Mode, ProviderAddress, ResourceAddress};
use crate::client::{Catalog, Client, Error, Provider};
use crate::diagnostic::Diagnostic;
use crate::language::module::{Configuration, Modules};
use crate::state::State;

/// Dependencies in the order in which they are stored.
pub(super) fn sorted_dependencies(mut all: Vec<ResourceAddress>) -> Arc<[ResourceAddress]> {
    all.sort_by_cached_key(ToString::to_string);
    all.dedup();
    all.into()
}

pub(super) struct Session {
    pub(super) core: Core,
    pub(super) layout: Layout,
    provider_metas: ProviderMetas,
    /// What each resource depends on, as far as it was asked for.
    dependencies: Vec<OnceLock<Arc<[ResourceAddress]>>>,
}

impl Session {
    /// Gets the schemas of all providers that the configuration or the state names, and checks that the
    /// configuration hangs together.
    pub(super) async fn open(
        core: &Core,
        configuration: &Configuration,
        state: &State,
    ) -> Result<Arc<Self>, Vec<Diagnostic>> {
        Self::load_all(core, configuration, state, &HashMap::new()).await
    }

    /// The same for a later part of the same command, which asks no provider a second time.
    pub(super) async fn open_after(
        &self,
        configuration: &Configuration,
        state: &State,
    ) -> Result<Arc<Self>, Vec<Diagnostic>> {
        Self::load_all(&self.core, configuration, state, &self.layout.catalogs).await
    }

    fn laid_out(core: &Core, configuration: &Configuration, problems: &mut Vec<Diagnostic>) -> Self {
        let mut local: Vec<_> =
            core.providers.iter().map(|known| (known.local_name.clone(), known.address.clone())).collect();
        local.push(("terraform".to_owned(), builtin::address()));
        let mut layout = Layout::new(configuration, &local, problems);
        layout.checks = core.checks;
        let dependencies = layout.resources().iter().map(|_| OnceLock::new()).collect();
        Self { core: core.clone(), layout, provider_metas: ProviderMetas::new(), dependencies }
    }

    async fn load_all(
        core: &Core,
        configuration: &Configuration,
        state: &State,
        known: &HashMap<ProviderAddress, Catalog>,
    ) -> Result<Arc<Self>, Vec<Diagnostic>> {
        if let Some(errors) = configuration.errors() {
            return Err(errors.to_vec());
        }
        let mut problems = Vec::new();
        let mut session = Self::laid_out(core, configuration, &mut problems);
        let layout = &session.layout;
        let in_config = layout.resources().iter().map(|resource| resource.provider.provider.clone());
        let in_blocks = layout.configured_providers().into_iter().map(|address| address.provider);
        let in_state = state.resources.values().map(|resource| resource.provider.provider.clone());
        // What is required is asked even where nothing is configured of it.
        let is_there = |address: &&ProviderAddress| core.providers.iter().any(|it| it.address == **address);
        let modules = configuration.modules();
        let required = modules.required_providers().filter(is_there).cloned();
        let calls = modules.calls_functions();
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
        let resources = session.layout.resources().iter().enumerate();
        let untyped = resources.filter(|(_, it)| session.unknown_type(it).is_some());
        let untyped = untyped.map(|(number, _)| number).collect();
        session.layout.set_untyped(untyped);
        session.provider_metas = ProviderMeta::all(&session.layout);
        session.layout.warns_of_deprecated = core.emulated.warns_of_deprecated() && session.has_deprecated();
        if !problems.is_empty() {
            return Err(problems);
        }
        // Core looks for the types of actions before anything else, and says nothing else then.
        let mut actions = session.layout.resources().iter().filter(|it| it.address.mode == Mode::Action);
        match actions.find_map(|it| session.unknown_type(it)) {
            Some(unknown) => Err(vec![unknown]),
            None => Ok(Arc::new(session)),
        }
    }

    /// Whether anything is deprecated, by a schema or a module. Otherwise nobody has to look for it.
    fn has_deprecated(&self) -> bool {
        let by_schema = self.layout.catalogs.values().any(deprecated::is_in);
        let mut outputs = self.modules().iter().flat_map(|(_, it)| &it.module.outputs);
        by_schema || outputs.any(|output| output.deprecated.is_some())
    }

    /// Starts a provider only to ask for its schemas.
    pub(super) async fn load(&self, address: &ProviderAddress) -> Result<Catalog, Diagnostic> {
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

    pub(super) fn configuration(&self) -> &Configuration {
        self.layout.configuration()
    }

    pub(super) fn modules(&self) -> &Modules {
        self.configuration().modules()
    }

    /// The directory that relative paths begin in.
    pub(super) fn directory(&self) -> &Path {
        self.configuration().directory()
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

    /// Makes a call that only tells what is wrong. `None` if there are errors so far.
    pub(super) async fn accepted(
        &self,
        call: impl Future<Output = Result<Diagnostics, Error>>,
        log: &mut Log,
    ) -> Option<()> {
        let found = log.answered(self.limited(call).await)?;
        log.provider(found);
        log.is_fine().then_some(())
    }

    /// Has the provider validate the configuration of something of that kind. `None` if there are errors so far.
    pub(super) async fn validate(
        &self,
        provider: &Provider,
        Kind { mode, type_name, .. }: Kind<'_>,
        config: &Value,
        log: &mut Log,
    ) -> Option<()> {
        match mode {
            Mode::Action => self.accepted(provider.validate_action(type_name, config), log).await,
            Mode::Managed => self.accepted(provider.validate_resource(type_name, config), log).await,
            Mode::Data => self.accepted(provider.validate_data_source(type_name, config), log).await,
            Mode::Ephemeral => self.accepted(provider.validate_ephemeral(type_name, config), log).await,
            Mode::List => self.accepted(provider.validate_list_resource(type_name, config), log).await,
        }
    }

    pub(super) fn catalog(&self, provider: &ProviderAddress) -> Option<&Catalog> {
        self.layout.catalogs.get(provider)
    }

    pub(super) fn checks(&self, check: Check) -> bool {
        self.core.checks.has(check) && self.core.emulated.makes(check)
    }

    /// The `provider_meta` block for a resource, with its declaration, if its module has one for its provider.
    pub(super) fn provider_meta(&self, resource: &ResourceAddress) -> Option<(&Resource, &ProviderMeta)> {
        if self.provider_metas.is_empty() {
            return None;
        }
        let declared = self.layout.declared(resource)?;
        let meta = self.provider_metas.get(&(declared.module, declared.provider.provider.clone()))?;
        Some((declared, meta))
    }

    /// The resource with that number.
    pub(super) fn resource(&self, number: usize) -> Option<&Resource> {
        self.layout.resource(number)
    }

    /// Whether the resource with that number is of that mode.
    pub(super) fn is_of_mode(&self, number: usize, mode: Mode) -> bool {
        self.resource(number).is_some_and(|resource| resource.address.mode == mode)
    }

    /// The addresses of all that a resource depends on, directly or not, as they are stored beside an object: without
    /// the keys of modules. All its instances have the same.
    pub(super) fn dependencies(&self, number: usize) -> Arc<[ResourceAddress]> {
        let find = || {
            let needed =
                self.layout.needed_by(number).filter_map(|other| Some(&self.resource(other)?.address));
            let stored = needed.filter(|it| it.mode != Mode::Action);
            sorted_dependencies(stored.cloned().collect())
        };
        self.dependencies.get(number).map(|known| known.get_or_init(find).clone()).unwrap_or_default()
    }

    /// The resources of types that their providers do not have.
    pub(super) fn unknown_types(&self) -> Vec<Diagnostic> {
        self.layout.resources().iter().filter_map(|resource| self.unknown_type(resource)).collect()
    }

    /// What is wrong with the type of a resource, if its provider does not have it.
    pub(super) fn unknown_type(&self, resource: &Resource) -> Option<Diagnostic> {
        let provider = &resource.provider.provider;
        let catalog = self.catalog(provider)?;
        let address = &resource.address;
        let type_name = &address.type_name;
        let (known, summary) = match address.mode {
            Mode::Managed => (catalog.resource(type_name).is_ok(), "Invalid resource type"),
            Mode::Data => (catalog.data_source(type_name).is_ok(), "Invalid data source"),
            Mode::List => (catalog.list_resource(type_name).is_ok(), "Invalid list resource"),
            Mode::Action => {
                let error = || {
                    let summary = format!(
                        "failed to read schema for {address} in {provider}: provider {provider} does not have an action \
                         schema for {type_name}"
                    );
                    Diagnostic::error(summary, "Correct the type, or require the provider that has it.")
                };
                return catalog.action(type_name).is_err().then(error);
            }
            Mode::Ephemeral => (catalog.ephemeral_resource(type_name).is_ok(), "Invalid ephemeral resource"),
        };
        if known {
            return None;
        }
        let what = address.mode.noun();
        let detail = format!("The provider {provider} does not support {what} {type_name:?}.");
        let error = Diagnostic::error(summary, detail).on(&resource.block.type_subject);
        Some(Diagnostic { address: Some(address.to_string()), ..error })
    }
}
