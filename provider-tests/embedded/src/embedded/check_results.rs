//! The results of conditions in a graph walk.

use std::collections::{BTreeMap, HashMap};

use super::conditions::ConditionKind;
use super::layout::Layout;
use crate::address::{InstanceKey, ModuleInstance};
use crate::checks::{CheckResult, Checkable, ObjectResult, Status};
use crate::language::module::Declaration;
use crate::plan::{Mode, Plan};

/// The results of conditions so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Results {
    /// The instances of what has conditions, as far as these are known.
    expanded: HashMap<Checkable, Vec<(ModuleInstance, InstanceKey)>>,
    /// The results by the address of what has the condition, and the number of the condition there.
    found: HashMap<String, BTreeMap<(ConditionKind, usize), Reported>>,
}

/// What has come of one condition, and the message to be shown.
type Reported = (Status, Option<String>);

impl Results {
    /// Takes note of the instances of what has conditions.
    pub(super) fn expand(
        &mut self,
        of: Checkable,
        instances: impl IntoIterator<Item = (ModuleInstance, InstanceKey)>,
    ) {
        self.expanded.entry(of).or_default().extend(instances);
    }

    /// Takes note of one condition.
    pub(super) fn report(&mut self, of: &str, condition: (ConditionKind, usize), result: Reported) {
        self.found.entry(of.to_owned()).or_default().insert(condition, result);
    }

    /// The results of a plan. What the walk did not come to has none.
    pub(super) fn of_plan(&self, layout: &Layout) -> Vec<CheckResult> {
        let of = |(of, number): (Checkable, usize)| {
            let objects = self.expanded.get(&of).map(|objects| {
                let objects = objects.iter().cloned();
                objects.map(|(module, key)| self.object((&of, number), (module, key))).collect()
            });
            CheckResult { of, objects }
        };
        checkables(layout).into_iter().map(of).collect()
    }

    /// The results of an apply, of all that the plan has results of. Where nothing but the state is updated, those of the plan
    /// count.
    pub(super) fn of_apply(&self, layout: &Layout, plan: &Plan) -> Vec<CheckResult> {
        if plan.mode == Mode::RefreshOnly {
            return plan.checks.clone();
        }
        let numbers = checkables(layout);
        let of = |planned: &CheckResult| {
            let number = numbers.get(&planned.of).copied().unwrap_or_default();
            let object =
                |it: &ObjectResult| self.object((&planned.of, number), (it.module.clone(), it.key.clone()));
            let objects = planned.objects.as_ref().map(|objects| objects.iter().map(object).collect());
            CheckResult { of: planned.of.clone(), objects }
        };
        plan.checks.iter().map(of).collect()
    }

    fn object(
        &self,
        (of, number): (&Checkable, usize),
        (module, key): (ModuleInstance, InstanceKey),
    ) -> ObjectResult {
        let address = of.within(&module, &key);
        let found = self.found.get(&address);
        let all = || found.into_iter().flat_map(BTreeMap::values);
        let missing = if all().count() < number { Status::Unknown } else { Status::Pass };
        let status = all().map(|(status, _)| *status).max().unwrap_or(missing).max(missing);
        let messages = all().filter_map(|(_, message)| message.clone()).collect();
        ObjectResult { module, key, status, messages }
    }
}

/// Nothing is known of conditions in a destroy. Outputs of the root module have an object where they are planned to be
/// deleted, which they are not beside targets.
pub(super) fn unknown(layout: &Layout, deletes_outputs: bool) -> Vec<CheckResult> {
    let object = |module: &ModuleInstance| ObjectResult {
        module: module.clone(),
        key: InstanceKey::None,
        status: Status::Unknown,
        messages: Vec::new(),
    };
    let of = |of: Checkable| {
        let objects = match &of {
            Checkable::Output(module, _) if deletes_outputs && module.0.is_empty() => {
                Some(vec![object(module)])
            }
            _ => None,
        };
        CheckResult { of, objects }
    };
    checkables(layout).into_keys().map(of).collect()
}

/// All that has conditions, with the number of these.
fn checkables(layout: &Layout) -> BTreeMap<Checkable, usize> {
    let all = layout.declarations().iter().filter_map(|it| conditions(layout, *it));
    all.filter(|(_, number)| *number > 0).collect()
}

/// What a declaration is among the things that can have conditions.
pub(super) fn checkable(layout: &Layout, declaration: Declaration) -> Option<Checkable> {
    conditions(layout, declaration).map(|(of, _)| of)
}

/// The same with the number of the conditions.
fn conditions(layout: &Layout, declaration: Declaration) -> Option<(Checkable, usize)> {
    let config = &layout.configuration().modules()[declaration.module()];
    let (module, path) = (&config.module, config.path.clone());
    Some(match declaration {
        Declaration::Resource(_, at) => {
            let block = config.resource(at)?;
            let number = block.lifecycle.preconditions.len() + block.lifecycle.postconditions.len();
            (Checkable::Resource(config.address(block)), number)
        }
        Declaration::Output(_, at) => {
            let output = module.outputs.get(at)?;
            (Checkable::Output(path, output.name.clone()), output.preconditions.len())
        }
        Declaration::Check(_, at) => {
            let check = module.checks.get(at)?;
            let number = check.asserts.len() + usize::from(check.data.is_some());
            (Checkable::Check(path, check.name.clone()), number)
        }
        Declaration::Validation(_, at) => {
            let variable = module.variables.get(at)?;
            (Checkable::Variable(path, variable.name.clone()), variable.validations.len())
        }
        _ => return None,
    })
}
