//! Actions while a plan is applied: before and after the changes that trigger them, and on their own.

use std::collections::{BTreeMap, BTreeSet};

use ferroform::diag::Diagnostics;
use ferroform_server::protocol::ActionEvent;

use super::graph::Node;
use super::{ApplyWalk, Expansion};
use crate::address::{InstanceAddress, ResourceAddress};
use crate::client::{Error, Invocation};
use crate::diagnostic::Diagnostic;
use crate::embedded::action_trigger::{self, holds, told};
use crate::embedded::check::Check;
use crate::embedded::layout::Resource;
use crate::embedded::log::{Log, failure};
use crate::embedded::object::Kind;
use crate::embedded::progress::{Progress, ProgressReporter, Task};
use crate::embedded::scope::Scope;
use crate::embedded::walk::{Graph, NodeOutcome};
use crate::language::module::{ActionTrigger, TriggeredAction};
use crate::plan::{Action, ActionInvocation, Plan, Trigger};

/// The invocations at one node, by what triggers them: those of one instance one after the other.
pub(super) struct Invocations {
    /// The resource that triggers them, and whether it does so before its change; `None` if the user does.
    trigger: Option<(ResourceAddress, bool)>,
    /// The numbers of the invocations.
    parts: Vec<Vec<usize>>,
}

impl Invocations {
    /// All invocations of a plan.
    pub(super) fn of(plan: &Plan) -> Vec<Self> {
        let mut nodes: BTreeMap<_, BTreeMap<_, Vec<usize>>> = BTreeMap::new();
        for (at, invocation) in plan.invocations.iter().enumerate() {
            let trigger = invocation.trigger.as_ref();
            let node = trigger.map(|trigger| (trigger.resource.resource.clone(), trigger.event.is_before()));
            let part = trigger.map_or_else(|| invocation.address.clone(), |trigger| trigger.resource.clone());
            nodes.entry(node).or_default().entry(part).or_default().push(at);
        }
        let nodes = nodes.into_iter();
        nodes.map(|(trigger, parts)| Self { trigger, parts: parts.into_values().collect() }).collect()
    }

    pub(super) fn parts(&self) -> usize {
        self.parts.len()
    }
}

impl ApplyWalk {
    /// Which other nodes a node of invocations waits for, and which wait for it.
    pub(super) fn order_invocations(
        &self,
        node: usize,
        of: &Invocations,
        providers: usize,
        graph: &mut Graph,
    ) {
        let layout = &self.session.layout;
        let (mut needed, mut blocks) = (Vec::new(), BTreeSet::new());
        for invocation in of.parts.iter().flatten().filter_map(|at| self.plan.invocations.get(*at)) {
            needed.extend(layout.number(&invocation.address.resource));
            blocks.extend(invocation.trigger.as_ref().map(|trigger| trigger.block));
            if let Some(provider) = self.providers.number(&invocation.provider) {
                graph.order(providers + provider, node);
            }
        }
        let Some((resource, is_before)) = &of.trigger else {
            return needed.into_iter().for_each(|number| graph.order(number, node));
        };
        let Some(number) = layout.number(resource) else { return };
        if let Some(declared) = self.session.resource(number) {
            let triggers = &declared.block.lifecycle.action_triggers;
            let triggers = blocks.into_iter().filter_map(|at| triggers.get(at));
            let exprs = triggers.flat_map(ActionTrigger::expressions);
            needed.extend(layout.referred_to_by(declared.module, exprs));
        }
        needed.retain(|it| *it != number);
        needed.sort_unstable();
        needed.dedup();
        needed.into_iter().for_each(|number| graph.order(number, node));
        if *is_before {
            graph.order(node, number)
        } else {
            graph.order(number, node)
        }
        for (other, work) in self.nodes.iter().enumerate() {
            let (Node::Change(at) | Node::Delete(at)) = work else { continue };
            let Some(change) = self.change_at(*at).filter(|it| it.address.resource == *resource) else {
                continue;
            };
            match (is_before, work) {
                // All instances are made and deleted before, also objects that are replaced.
                (false, _) => graph.order(other, node),
                (true, Node::Change(_)) => graph.order(node, other),
                // What is only deleted triggers nothing.
                (true, _) if change.action == Action::DeleteThenCreate => graph.order(node, other),
                (true, _) => {}
            }
        }
    }

    /// The invocations that one instance triggers, until one fails.
    pub(super) async fn invoke_all(&self, of: &Invocations, part: usize) -> NodeOutcome {
        for at in of.parts.get(part).into_iter().flatten() {
            let Some(invocation) = self.plan.invocations.get(*at) else { continue };
            let mut log = Log::new(&invocation.address);
            self.invoke(invocation, &mut log).await;
            self.diagnostics.absorb(log)?;
        }
        Ok(())
    }

    async fn invoke(&self, invocation: &ActionInvocation, log: &mut Log) -> Option<()> {
        let resource = &invocation.address.resource;
        let managed = self.providers.managed(&invocation.provider, resource);
        let managed = log.answered(managed)?;
        let named = match &invocation.trigger {
            Some(_) => Some(self.still_triggered(invocation, log)?),
            None => None,
        };
        let place = named.map(|action| &action.subject);
        let config = self.walk.resource(&self.session.layout, resource);
        let Some(config) = config.and_then(|it| it.get(&invocation.address.key).cloned()) else {
            let detail =
                format!("The plan invokes {}, which is not there. Make a new plan.", invocation.address);
            return log.refuse_with(Diagnostic::error("Action instance not found", detail).about(place));
        };
        if !config.value.is_wholly_known() {
            let detail = format!("The configuration of {} is still not known.", invocation.address);
            log.push(Diagnostic::error("Action configuration unknown during apply", detail).about(place));
            return None;
        }
        let progress = Progress {
            trigger: invocation.trigger.clone(),
            ..Progress::of(&invocation.address, Task::Invoke)
        };
        let mut reporter = self.core().start_task(progress, || None);
        let call = async {
            let invocation = managed.provider.invoke_action(&resource.type_name, &config.value).await?;
            let is_checked = self.session.checks(Check::ActionCompleted);
            completed(if is_checked { invocation } else { invocation.unchecked() }, &reporter).await
        };
        let answer = reporter.during(self.session.limited(call)).await;
        let diagnostics = answer.unwrap_or_else(|error| Diagnostics::from_iter([failure(&error)]));
        log.extend(told("Error when invoking action", diagnostics, place));
        match log.is_fine() {
            true => reporter.done(|| None),
            false => reporter.failed(),
        }
        Some(())
    }

    /// The action as its trigger names it, if its condition still holds.
    fn still_triggered(&self, invocation: &ActionInvocation, log: &mut Log) -> Option<&TriggeredAction> {
        let trigger = invocation.trigger.as_ref()?;
        let Some((block, expansion, action)) = self.trigger(trigger) else {
            let detail = format!(
                "What triggers {} in {} is not there any more. Make a new plan.",
                invocation.address, trigger.resource
            );
            return log.refuse("Action trigger not found", detail);
        };
        let each = expansion.each.get(&trigger.resource.key)?;
        let scope: Scope<'_> = self.scope(&expansion.module, each);
        if !holds(block, &scope, log)? {
            let detail = "The condition held while the plan was made, and holds no longer. Make a new plan.";
            return log.refuse("Condition changed evaluation during apply", detail);
        }
        Some(action)
    }

    /// The block of a trigger, the instances of its resource, and the action as it names it.
    fn trigger(&self, trigger: &Trigger) -> Option<(&ActionTrigger, &Expansion, &TriggeredAction)> {
        let InstanceAddress { resource, key } = &trigger.resource;
        let number = self.session.layout.number(resource)?;
        let block = self.session.resource(number)?.block.lifecycle.action_triggers.get(trigger.block)?;
        let expansion = self.expansion(number, &resource.module)?;
        expansion.each.get(key)?;
        Some((block, expansion, block.actions.get(trigger.index)?))
    }

    /// The configurations of an action by instance, whether it is invoked or not.
    pub(super) fn gather_action(&self, action: &Resource, expansion: &Expansion) -> NodeOutcome {
        let (block, module) = (&action.block, &expansion.module);
        let address = module.address(&action.address);
        let kind = Kind::of(self.session.catalog(&action.provider.provider).ok_or(())?, &address);
        let mut log = Log::within(&address, Some(&block.body));
        let all = expansion.instances.each().into_iter();
        let configs = all.map(|(_, each)| {
            action_trigger::configuration(block, kind, &self.scope(module, &each), &mut log)
        });
        let configs: Option<Vec<_>> = configs.collect();
        self.diagnostics.absorb(log)?;
        module.resources.set(action.at, expansion.instances.gather(configs.ok_or(())?));
        Ok(())
    }
}

/// Waits for the end of an action, and tells what it tells.
async fn completed(mut invocation: Invocation, reporter: &ProgressReporter) -> Result<Diagnostics, Error> {
    let mut diagnostics = Diagnostics::default();
    while let Some(event) = invocation.next().await? {
        match event {
            ActionEvent::Progress(line) => reporter.wrote(&line),
            ActionEvent::Completed(found) => diagnostics.extend(found),
            _ => {}
        }
    }
    Ok(diagnostics)
}
