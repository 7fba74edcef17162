//! The command `import`.

use std::sync::Arc;

use super::check::Check;
use super::command::{StateComparison, located};
use super::import::ImportKey;
use super::log::Log;
use super::managed::Managed;
use super::object::Kind;
use super::providers::Providers;
use super::repetition::{Instances, NO_REPETITION, instances};
use super::scope::Scope;
use super::session::Session;
use super::state_objects::{self, ObjectKey};
use super::walk_state::WalkState;
use super::{Core, Outcome, stored_values};
use crate::address::{InstanceAddress, Mode};
use crate::client::{Provider, StoredObject};
use crate::language::module::Configuration;
use crate::state::{Object, State};

impl Core {
    /// Takes the object of an id under management (`terraform import ADDRESS ID`). Nothing is planned.
    pub async fn import(
        &self,
        configuration: impl Into<Configuration>,
        state: &State,
        to: &InstanceAddress,
        id: &str,
    ) -> Outcome {
        let configuration = configuration.into();
        let import = |core: Self| {
            let (configuration, state) = (configuration.clone(), state.clone());
            let (to, id) = (to.clone(), id.to_owned());
            async move { core.import_object(&configuration, &state, &to, &id).await }
        };
        self.apart(&configuration, import).await
    }

    async fn import_object(
        &self,
        configuration: &Configuration,
        state: &State,
        to: &InstanceAddress,
        id: &str,
    ) -> Outcome {
        let session = match Session::open(self, configuration, state).await {
            Ok(session) => session,
            Err(diagnostics) => return Outcome { state: state.clone(), diagnostics },
        };
        let unknown = session.unknown_types();
        if !unknown.is_empty() {
            return Outcome { state: state.clone(), diagnostics: unknown };
        }
        let mut log = Log::new(to);
        let imported = Target { session: &session, to }.import(state, id, &mut log).await;
        let state = imported.map_or_else(
            || state.clone(),
            |now| {
                let than = StateComparison::of(&now, state);
                self.stamped(now, than)
            },
        );
        Outcome { state, diagnostics: located(configuration, log.into_diagnostics()) }
    }
}

/// What an object is imported to.
struct Target<'a> {
    session: &'a Arc<Session>,
    to: &'a InstanceAddress,
}

impl Target<'_> {
    /// The state with what was imported; `None` if there were errors.
    async fn import(&self, state: &State, id: &str, log: &mut Log) -> Option<State> {
        let Self { session, to } = *self;
        let Some(number) = session.layout.number(&to.resource) else {
            let detail = format!("Before importing {to}, its resource has to be in the configuration.");
            let summary =
                format!("resource address {:?} does not exist in the configuration.", to.to_string());
            return log.refuse(&summary, detail);
        };
        let address = &session.layout.resource(number)?.provider;
        let walk = stored_values::walk(session, state);
        let providers = self.configured(number, &walk, log).await?;
        self.check_instance(number, &walk, log)?;
        let mut state = state.clone();
        self.upgrade_others(&providers, &mut state, log).await;
        let provider = providers.instance(address)?;
        let kind = Kind::of(provider.catalog(), &to.resource);
        let block = log.answered(kind.block())?;
        let managed = Managed { session, provider, kind, block, meta: None };
        let named = ImportKey::Id(id.to_owned());
        let (objects, _) = managed.import(&named, log).await?;
        if state_objects::object(&state, to, ObjectKey::Current).is_some()
            && session.checks(Check::ImportManaged)
        {
            let detail =
                format!("{to} has an object already. To import another, first remove it from the state.");
            return log.refuse(session.core.emulated.already_managed(), detail);
        }
        for (at, (_, object)) in objects.into_iter().enumerate() {
            let stored = self.read(&managed, number, (&named, object), log).await?;
            state_objects::set(&mut state, &self.place(at), ObjectKey::Current, Some((stored, address)));
        }
        log.is_fine().then_some(state)
    }

    /// Reports an instance that the configuration does not declare.
    fn check_instance(&self, number: usize, walk: &WalkState, log: &mut Log) -> Option<()> {
        let Self { session, to } = *self;
        let module = walk.root.find(session.modules(), &to.resource.module);
        let repetition = session.layout.resource(number)?.repetition();
        let declared = module.is_some_and(|module| {
            let scope = Scope::new(&session.layout, walk, &module, &NO_REPETITION);
            let found = instances(repetition, &scope).map(|(instances, _)| instances);
            found.is_ok_and(|it| matches!(it, Instances::Unknown) || it.has(&to.key))
        });
        if !declared {
            let detail = format!("The configuration has no {to}. Only what it has can be imported to.");
            log.error("Configuration for import target does not exist", detail);
        }
        declared.then_some(())
    }

    /// All providers, configured with what the state has; that of the resource with this number comes first.
    async fn configured(&self, number: usize, walk: &WalkState, log: &mut Log) -> Option<Providers> {
        let Self { session, .. } = *self;
        let first = session.layout.resource(number)?.provider.clone();
        let others = session.layout.resources().iter().map(|resource| resource.provider.clone());
        let providers = Providers::new(session, std::iter::once(first).chain(others));
        let providers = providers.map_err(|problems| log.extend(problems)).ok()?;
        for number in 0..providers.len() {
            log.extend(providers.configure_for_import(number, walk).await.into_diagnostics());
        }
        log.is_fine().then_some(providers)
    }

    /// An imported object as it is stored.
    async fn read(
        &self,
        managed: &Managed<'_>,
        number: usize,
        (named, object): (&ImportKey, StoredObject),
        log: &mut Log,
    ) -> Option<Object> {
        managed.check_imported(named, &object, log);
        log.fine()?;
        let mut live = managed.read_imported(object, log).await?;
        live.create_before_destroy = self.session.layout.resources_created_first(|_| true).contains(&number);
        log.answered(managed.kind.encode(&live))
    }

    /// Where the object with this number goes: those after the first are resources of their own.
    fn place(&self, at: usize) -> InstanceAddress {
        let mut place = self.to.clone();
        if at > 0 {
            place.resource.name = format!("{}-{at}", place.resource.name);
        }
        place
    }

    /// Brings the objects of configured resources beside the import to the version of their schemas. They are not
    /// read.
    async fn upgrade_others(&self, providers: &Providers, state: &mut State, log: &mut Log) {
        let Self { session, to } = *self;
        let before = state.clone();
        for (of, resource) in &before.resources {
            let declared = session.layout.declared(of).filter(|_| of.mode == Mode::Managed);
            let Some(declared) = declared else { continue };
            let Some(provider) = providers.instance(&declared.provider) else { continue };
            for (key, instance) in &resource.instances {
                let at = InstanceAddress { resource: of.clone(), key: key.clone() };
                let Some(object) = instance.current.as_ref().filter(|_| at != *to) else { continue };
                let mut said = Log::new(&at);
                if let Some(stored) = self.upgraded(provider, (&at, object), &mut said).await {
                    state_objects::set(state, &at, ObjectKey::Current, Some((stored, &declared.provider)));
                }
                log.extend(said.into_diagnostics());
            }
        }
    }

    async fn upgraded(
        &self,
        provider: &Provider,
        (at, object): (&InstanceAddress, &Object),
        log: &mut Log,
    ) -> Option<Object> {
        let kind = Kind::of(provider.catalog(), &at.resource);
        let block = log.answered(kind.block())?;
        let managed = Managed { session: self.session, provider, kind, block, meta: None };
        let live = managed.read_state(object, log).await?;
        log.answered(kind.encode(&live))
    }
}
