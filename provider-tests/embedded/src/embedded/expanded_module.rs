//! The instances of modules that a walk finds, with the values of what they declare.

use std::sync::{Arc, Mutex, OnceLock};

use super::repetition::{ByKey, Instances, RepetitionData};
use super::walk_diagnostics::lock;
use crate::address::{InstanceKey, ModuleInstance, ResourceAddress};
use crate::language::Marked;
use crate::language::module::{ModuleId, Modules, resource_in};

/// An instance of a module. Each value in it is set once, before anything that refers to it is evaluated.
#[derive(Debug)]
pub(super) struct ExpandedModule {
    pub(super) id: ModuleId,
    pub(super) path: ModuleInstance,
    /// What `count` and `each` mean in the arguments of the `module` block.
    pub(super) each: RepetitionData,
    pub(super) variables: Slots<Marked>,
    pub(super) locals: Slots<Marked>,
    pub(super) outputs: Slots<Marked>,
    /// The values of the resources, by their numbers in the module.
    pub(super) resources: Slots<ByKey<Marked>>,
    /// The resources as long as they have no values as a whole: the instances that an apply has made so far, and what is
    /// stored while a resource is planned that names itself.
    pub(super) early: EarlyValues,
    /// The instances of the modules that it calls, by the numbers of the calls.
    pub(super) calls: Slots<CalledModule>,
}

/// The instances of a module that an instance of another one calls.
#[derive(Debug, Clone)]
pub(super) enum CalledModule {
    Known(ByKey<Arc<ExpandedModule>>),
    /// Which there are is known only after apply, so this one stands for all.
    Deferred(Arc<ExpandedModule>),
}

/// Values that are set one by one.
#[derive(Debug)]
pub(super) struct Slots<T>(Box<[OnceLock<T>]>);

impl<T> Slots<T> {
    pub(super) fn new(number: usize) -> Self {
        Self((0..number).map(|_| OnceLock::new()).collect())
    }

    pub(super) fn get(&self, at: usize) -> Option<&T> {
        self.0.get(at)?.get()
    }

    /// Sets a value, unless it is set already.
    pub(super) fn set(&self, at: usize, value: T) {
        if let Some(slot) = self.0.get(at) {
            slot.get_or_init(|| value);
        }
    }

    /// Copies of all values, if all are set.
    pub(super) fn all(&self) -> Option<Vec<T>>
    where
        T: Clone,
    {
        self.0.iter().map(|slot| slot.get().cloned()).collect()
    }
}

/// The values of resources of which not all instances are there, by number.
#[derive(Debug)]
pub(super) struct EarlyValues(Box<[Mutex<EarlyValue>]>);

/// The value of one resource, if any of its instances is there.
type EarlyValue = Option<Arc<ByKey<Marked>>>;

impl EarlyValues {
    pub(super) fn get(&self, at: usize) -> Option<Arc<ByKey<Marked>>> {
        lock(self.0.get(at)?).clone()
    }

    pub(super) fn set(&self, at: usize, values: ByKey<Marked>) {
        if let Some(slot) = self.0.get(at) {
            *lock(slot) = Some(Arc::new(values));
        }
    }

    /// Adds one instance to what there is, or else to `none`.
    pub(super) fn insert(
        &self,
        at: usize,
        (key, value): (&InstanceKey, &Marked),
        none: impl FnOnce() -> ByKey<Marked>,
    ) {
        if let Some(slot) = self.0.get(at) {
            let mut slot = lock(slot);
            Arc::make_mut(slot.get_or_insert_with(|| Arc::new(none()))).insert(key, value.clone());
        }
    }
}

impl CalledModule {
    /// The instances.
    pub(super) fn all(&self) -> Box<dyn Iterator<Item = &Arc<ExpandedModule>> + '_> {
        match self {
            Self::Known(all) => all.values(),
            Self::Deferred(any) => Box::new(std::iter::once(any)),
        }
    }

    fn get(&self, key: &InstanceKey) -> Option<&Arc<ExpandedModule>> {
        match self {
            Self::Known(all) => all.get(key),
            Self::Deferred(any) => (*key == InstanceKey::any()).then_some(any),
        }
    }
}

impl ExpandedModule {
    /// The root module.
    pub(super) fn root(modules: &Modules) -> Arc<Self> {
        let path = ModuleInstance::default();
        Arc::new(Self::new(modules, ModuleId::ROOT, (path, RepetitionData::default())))
    }

    /// An instance that is no longer declared, for the objects that it left in the state. Where its module is no longer
    /// declared either, it has the names of the root module.
    pub(super) fn undeclared(modules: &Modules, path: &ModuleInstance) -> Arc<Self> {
        let id = modules.find(path).unwrap_or(ModuleId::ROOT);
        Arc::new(Self::new(modules, id, (path.clone(), RepetitionData::default())))
    }

    fn new(modules: &Modules, id: ModuleId, (path, each): (ModuleInstance, RepetitionData)) -> Self {
        let config = &modules[id];
        let module = &config.module;
        let resources = module.resources.len() + module.checks.len();
        Self {
            id,
            path,
            each,
            variables: Slots::new(module.variables.len()),
            locals: Slots::new(module.locals.len()),
            outputs: Slots::new(module.outputs.len()),
            resources: Slots::new(resources),
            early: EarlyValues((0..resources).map(|_| Mutex::default()).collect()),
            calls: Slots::new(module.calls.len()),
        }
    }

    /// An instance of a module that this one calls.
    pub(super) fn child(
        &self,
        modules: &Modules,
        called: ModuleId,
        (key, each): (InstanceKey, RepetitionData),
    ) -> Arc<Self> {
        let mut path = self.path.clone();
        let name = modules[called].path.0.last().map(|(name, _)| name.clone()).unwrap_or_default();
        path.0.push((name, key));
        Arc::new(Self::new(modules, called, (path, each)))
    }

    /// The instances of a module that this one calls, by what the call asks for.
    pub(super) fn children(
        &self,
        modules: &Modules,
        called: ModuleId,
        instances: &Instances,
    ) -> CalledModule {
        let all = instances.each().into_iter();
        let all = all.map(|instance| self.child(modules, called, instance)).collect();
        CalledModule::Known(instances.gather(all))
    }

    /// The address of a resource in it.
    pub(super) fn address(&self, of: &ResourceAddress) -> ResourceAddress {
        resource_in(&self.path, of.mode, &of.type_name, &of.name)
    }

    /// The instances of a module, each with the one that calls it. The root module has no caller.
    pub(super) fn instances(
        self: &Arc<Self>,
        modules: &Modules,
        id: ModuleId,
    ) -> Vec<(Option<Arc<Self>>, Arc<Self>)> {
        let Some((caller, call)) = modules[id].caller else { return vec![(None, self.clone())] };
        let callers = self.instances(modules, caller).into_iter().map(|(_, caller)| caller);
        let all = callers.flat_map(|caller| {
            let called: Vec<Arc<Self>> =
                caller.calls.get(call).into_iter().flat_map(CalledModule::all).cloned().collect();
            called.into_iter().map(move |it| (Some(caller.clone()), it))
        });
        all.collect()
    }

    /// The instance with that address, if there is one.
    pub(super) fn find(self: &Arc<Self>, modules: &Modules, path: &ModuleInstance) -> Option<Arc<Self>> {
        let mut found = self.clone();
        for (name, key) in &path.0 {
            let (_, call) = modules[modules.called(found.id, name)?].caller?;
            let next = found.calls.get(call)?.get(key)?.clone();
            found = next;
        }
        Some(found)
    }

    /// Whether it is known only after apply if there is a module with that address.
    pub(super) fn is_deferred(self: &Arc<Self>, modules: &Modules, path: &ModuleInstance) -> bool {
        let mut found = self.clone();
        for (name, key) in &path.0 {
            let call = modules.called(found.id, name).and_then(|called| modules[called].caller);
            let Some(called) = call.and_then(|(_, call)| found.calls.get(call)) else { return false };
            if let CalledModule::Deferred(_) = called {
                return true;
            }
            let Some(next) = called.get(key).cloned() else { return false };
            found = next;
        }
        false
    }
}
