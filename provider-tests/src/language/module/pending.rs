//! Modules whose instances are not known before resources are.

use std::collections::HashMap;
use std::sync::Arc;

use super::expand;
use super::instance::{Instances, ModuleInstances};
use super::{ScopedExpr, Tree};
use crate::address::{InstanceKey, Mode, ModuleInstance, ResourceAddress};
use crate::config::{Config, Expr, Repetition};
use crate::language::Diagnostic;

/// What a configuration leaves open.
#[derive(Clone)]
pub(crate) struct Pending {
    tree: Arc<Tree>,
    instances: Arc<Instances>,
    /// The calls whose instances depend on resources.
    pub(crate) calls: Vec<PendingCall>,
    /// The calls whose instances are known only after apply: everything within is deferred.
    pub(crate) deferred: Vec<PendingCall>,
    /// The same configuration, with an instance for each call that has none. It is what can be validated.
    pub(crate) standing_in: Arc<Config>,
}

/// A `module` block in an instance of the module that has it.
#[derive(Debug, Clone)]
pub(crate) struct PendingCall {
    /// Its address, as that of a resource that all depend on who refer to the module.
    pub(crate) address: ResourceAddress,
    /// `count` or `for_each`.
    pub(crate) repetition: Repetition,
    at: (usize, String),
}

/// What stands for all that a pending module has. No resource has that type.
pub(super) fn address(around: &ModuleInstance, name: &str) -> ResourceAddress {
    ResourceAddress {
        module: around.clone(),
        mode: Mode::Managed,
        type_name: "module".to_owned(),
        name: name.to_owned(),
    }
}

/// What is left open, if anything is.
pub(super) fn of(tree: &Tree, instances: &Arc<Instances>, problems: &mut Vec<Diagnostic>) -> Option<Pending> {
    if expand::is_complete(instances) {
        return None;
    }
    let mut found = Vec::new();
    let all = Arc::new(expand::standing_in(tree, instances, &mut found));
    let standing_in = Arc::new(tree.lay_out(&all, &mut found));
    let place = |it: &Diagnostic| it.subject.as_ref().map(|it| it.span);
    for problem in found {
        if !problems.iter().any(|it| (&it.summary, place(it)) == (&problem.summary, place(&problem))) {
            problems.push(problem);
        }
    }
    Some(Pending::new(Arc::new(tree.clone()), instances.clone(), standing_in))
}

impl Pending {
    fn new(tree: Arc<Tree>, instances: Arc<Instances>, standing_in: Arc<Config>) -> Self {
        let call = |(at, name): &(usize, String)| {
            let instance = instances.get(*at)?;
            let call = instance.module.calls.iter().find(|call| call.name == *name)?;
            let written = |expr| Expr::Source(ScopedExpr::new(expr, &instances, *at));
            let repetition = match (&call.count, &call.for_each) {
                (Some(count), _) => Repetition::Count(written(count.clone())),
                (None, Some(for_each)) => Repetition::ForEach(written(for_each.clone())),
                (None, None) => Repetition::Single,
            };
            let address = address(&instance.path, name);
            Some(PendingCall { address, repetition, at: (*at, name.clone()) })
        };
        let calls = instances.pending.iter().filter_map(call).collect();
        let deferred = instances.deferred.iter().filter_map(call).collect();
        Self { calls, deferred, tree, instances, standing_in }
    }

    /// The configuration with the instances that some calls have, by the addresses of these.
    pub(crate) fn decide(
        &self,
        decided: HashMap<ResourceAddress, ModuleInstances>,
    ) -> (Config, Vec<Diagnostic>) {
        let mut problems = Vec::new();
        let of = |(address, asked): (ResourceAddress, ModuleInstances)| {
            let call = self.calls.iter().find(|call| call.address == address)?;
            Some((call.at.clone(), asked))
        };
        let decided = decided.into_iter().filter_map(of).collect();
        let instances = Arc::new(expand::decided(&self.tree, &self.instances, decided, &mut problems));
        let mut config = self.tree.lay_out(&instances, &mut problems);
        config.pending = Some(Self::new(self.tree.clone(), instances, self.standing_in.clone()));
        (config, problems)
    }

    /// The calls that do not have their instances yet.
    pub(crate) fn open(&self) -> impl Iterator<Item = &PendingCall> {
        self.calls.iter().chain(&self.deferred)
    }

    /// The call that a module, or one around it, is an instance of.
    pub(crate) fn call_around(&self, module: &ModuleInstance) -> Option<&PendingCall> {
        self.calls.iter().find(|call| call.is_around(module))
    }

    /// Whether it is known only after apply if there is that module.
    pub(crate) fn is_deferred(&self, module: &ModuleInstance) -> bool {
        self.deferred.iter().any(|call| call.is_around(module))
    }
}

impl PendingCall {
    /// Whether a module, or one around it, is an instance of the call.
    fn is_around(&self, module: &ModuleInstance) -> bool {
        let around = &self.address.module.0;
        let inner = module.0.strip_prefix(around.as_slice()).and_then(<[(String, InstanceKey)]>::first);
        inner.is_some_and(|(name, _)| *name == self.address.name)
    }
}

/// Two configurations leave the same open if they are the same otherwise.
impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        let addresses = |it: &Self| it.open().map(|call| call.address.clone()).collect::<Vec<_>>();
        addresses(self) == addresses(other)
    }
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.open().map(|call| call.address.to_string())).finish()
    }
}
