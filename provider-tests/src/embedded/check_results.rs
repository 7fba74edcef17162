//! The results of conditions in a graph walk.

use std::collections::{BTreeMap, HashMap};

use super::conditions::ConditionKind;
use crate::address::{InstanceKey, ModuleInstance, ResourceAddress};
use crate::checks::{CheckResult, Checkable, ObjectResult, Status};
use crate::config::Config;
use crate::language::module::Pending;
use crate::plan::{Mode, Plan};

/// The results of conditions so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Results {
    /// The instances of resources that have conditions.
    expanded: HashMap<ResourceAddress, Vec<InstanceKey>>,
    /// The results by the address of what has the condition, and the number of the condition there.
    found: HashMap<String, BTreeMap<(ConditionKind, usize), Reported>>,
}

/// What has come of one condition, and the message to be shown.
type Reported = (Status, Option<String>);

impl Results {
    /// Takes note of the instances of a resource.
    pub(super) fn expand(&mut self, resource: &ResourceAddress, keys: Vec<InstanceKey>) {
        self.expanded.insert(resource.clone(), keys);
    }

    /// Takes note of one condition.
    pub(super) fn report(&mut self, of: &str, condition: (ConditionKind, usize), result: Reported) {
        self.found.entry(of.to_owned()).or_default().insert(condition, result);
    }

    /// The results of a plan. What is not looked at because of targets has none.
    pub(super) fn of_plan(
        &self,
        config: &Config,
        is_skipped: impl Fn(&Checkable) -> bool,
    ) -> Vec<CheckResult> {
        let mut objects: HashMap<Checkable, Vec<(ModuleInstance, InstanceKey)>> = HashMap::new();
        let mut unknown: Vec<Checkable> = Vec::new();
        for block in config.resources.iter().filter(|block| block.lifecycle.has_conditions()) {
            let of = Checkable::Resource(block.address.in_any_instance().into_owned());
            match self.expanded.get(&block.address) {
                Some(keys) => {
                    let keys = keys.iter().map(|key| (block.address.module.clone(), key.clone()));
                    objects.entry(of).or_default().extend(keys);
                }
                None => unknown.push(of),
            }
        }
        let of = |(of, number): (Checkable, usize)| {
            let places = match &of {
                _ if is_skipped(&of) || unknown.contains(&of) || is_pending(config, of.module()) => None,
                Checkable::Resource(_) => Some(objects.remove(&of).unwrap_or_default()),
                of => Some(instances(config, of.module())),
            };
            let object = |(module, key)| self.object(config, (&of, number), (module, key));
            let objects = places.map(|places| places.into_iter().map(object).collect());
            CheckResult { of, objects }
        };
        checkables(config).into_iter().map(of).collect()
    }

    /// The results of an apply, of all that the plan has results of. Where nothing but the state is updated, conditions of
    /// resources are not evaluated again.
    pub(super) fn of_apply(&self, config: &Config, plan: &Plan) -> Vec<CheckResult> {
        let numbers = checkables(config);
        let of = |planned: &CheckResult| {
            if plan.mode == Mode::RefreshOnly && matches!(planned.of, Checkable::Resource(_)) {
                return planned.clone();
            }
            let number = numbers.get(&planned.of).copied().unwrap_or_default();
            let object = |it: &ObjectResult| {
                self.object(config, (&planned.of, number), (it.module.clone(), it.key.clone()))
            };
            let objects = planned.objects.as_ref().map(|objects| objects.iter().map(object).collect());
            CheckResult { of: planned.of.clone(), objects }
        };
        plan.checks.iter().map(of).collect()
    }

    fn object(
        &self,
        config: &Config,
        (of, number): (&Checkable, usize),
        (module, key): (ModuleInstance, InstanceKey),
    ) -> ObjectResult {
        let address = of.within(&module, &key);
        let found = self.found.get(&address);
        let all = || found.into_iter().flat_map(BTreeMap::values);
        let is_rule = || config.rules.iter().any(|rule| rule.address == address);
        // Where a validation does not depend on resources, there would be no plan if it did not hold.
        let settled = matches!(of, Checkable::Variable(..)) && !is_rule();
        let missing = if all().count() < number && !settled { Status::Unknown } else { Status::Pass };
        let status = all().map(|(status, _)| *status).max().unwrap_or(missing).max(missing);
        let messages = all().filter_map(|(_, message)| message.clone()).collect();
        ObjectResult { module, key, status, messages }
    }
}

/// Nothing is known of conditions where everything is to be destroyed.
pub(super) fn unknown(config: &Config) -> Vec<CheckResult> {
    let object = |module: &ModuleInstance| ObjectResult {
        module: module.clone(),
        key: InstanceKey::None,
        status: Status::Unknown,
        messages: Vec::new(),
    };
    let of = |of: Checkable| {
        let objects = match &of {
            // Outputs of the root module are planned to be gone.
            Checkable::Output(module, _) if module.0.is_empty() => Some(vec![object(module)]),
            _ => None,
        };
        CheckResult { of, objects }
    };
    checkables(config).into_keys().map(of).collect()
}

/// All that has conditions, with the number of these.
fn checkables(config: &Config) -> BTreeMap<Checkable, usize> {
    let mut all: BTreeMap<Checkable, usize> = config.checkables.iter().cloned().collect();
    for block in config.resources.iter().filter(|block| block.lifecycle.has_conditions()) {
        let of = Checkable::Resource(block.address.in_any_instance().into_owned());
        let number = block.lifecycle.preconditions.len() + block.lifecycle.postconditions.len();
        all.entry(of).or_insert(number);
    }
    for block in config.outputs.iter().filter(|block| !block.preconditions.is_empty()) {
        let of = Checkable::Output(ModuleInstance::default(), block.name.clone());
        all.entry(of).or_insert(block.preconditions.len());
    }
    all
}

/// Whether some instances of a module are not known yet.
fn is_pending(config: &Config, module: &ModuleInstance) -> bool {
    let mut calls = config.pending.iter().flat_map(Pending::open);
    calls.any(|call| {
        let around = call.address.module.names();
        let names = [around.as_slice(), &[call.address.name.as_str()]].concat();
        module.names().starts_with(&names)
    })
}

/// The instances of a module.
fn instances(config: &Config, module: &ModuleInstance) -> Vec<(ModuleInstance, InstanceKey)> {
    let names = module.names();
    let root = names.is_empty().then(ModuleInstance::default);
    let all = config.modules.iter().filter(|it| it.names() == names).cloned();
    root.into_iter().chain(all).map(|module| (module, InstanceKey::None)).collect()
}
