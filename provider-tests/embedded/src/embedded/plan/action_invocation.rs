//! What the changes of a plan trigger, and actions that are invoked on their own.

use super::{InstanceContext, PlanWalk};
use crate::address::{InstanceAddress, InstanceKey, Mode};
use crate::diagnostic::Diagnostic;
use crate::embedded::Deferral;
use crate::embedded::action_trigger::{self, holds, named, told};
use crate::embedded::expanded_module::ExpandedModule;
use crate::embedded::layout::Resource;
use crate::embedded::log::Log;
use crate::embedded::object::Kind;
use crate::embedded::repetition::{NO_REPETITION, RepetitionData, instances};
use crate::embedded::scope::{Scope, sensitive_paths};
use crate::embedded::walk::NodeOutcome;
use crate::language::Marked;
use crate::language::module::{self, TriggeredAction, resource_in};
use crate::plan::{Action, ActionInvocation, Trigger};

impl PlanWalk {
    /// The configuration of an instance.
    pub(super) fn action_instance(
        &self,
        block: &module::Resource,
        cx: &InstanceContext<'_>,
        log: &mut Log,
    ) -> Option<Marked> {
        action_trigger::configuration(block, cx.managed.kind, &self.scope_of(cx), log)
    }

    /// Plans what the changes of a resource trigger; of an action that the user invokes, what is invoked.
    pub(super) async fn triggers(&self, number: usize) -> NodeOutcome {
        let Some(resource) = self.session.resource(number) else { return Ok(()) };
        let mut log = Log::new(&resource.address);
        let modules = self.state.root.instances(self.session.modules(), resource.module);
        let mut chosen = Vec::new();
        for (_, module) in &modules {
            let Some(all) = self.triggering(number, module) else { return Err(()) };
            for (key, each) in all {
                let address = InstanceAddress { resource: module.address(&resource.address), key };
                if self.start.options.invoke.is_some() {
                    chosen.extend(self.targets.has(&address).then_some(address));
                } else {
                    let scope = self.scope(module, &each);
                    self.triggered(resource, (&address, &scope), &mut log).await;
                }
            }
        }
        if let Some(invoked) = &self.start.options.invoke {
            self.invoked((invoked, chosen), &resource.block, &mut log).await;
        }
        self.diagnostics.absorb(log)
    }

    /// The instances of a resource whose changes may trigger something. What is wrong with these is told where the resource
    /// is planned.
    fn triggering(
        &self,
        number: usize,
        module: &ExpandedModule,
    ) -> Option<Vec<(InstanceKey, RepetitionData)>> {
        let repetition = self.session.resource(number)?.repetition();
        if self.has_uncounted(number) {
            return Some(vec![(InstanceKey::any(), repetition.any())]);
        }
        instances(repetition, &self.scope(module, &NO_REPETITION)).ok().map(|(all, _)| all.each())
    }

    /// Plans what the change of an instance triggers.
    async fn triggered(
        &self,
        resource: &Resource,
        (address, scope): (&InstanceAddress, &Scope<'_>),
        log: &mut Log,
    ) {
        let Some((change, is_deferred)) = self.action_of(address) else { return };
        for (at, trigger) in resource.block.lifecycle.action_triggers.iter().enumerate() {
            // The actions of a trigger are looked up whatever its events and its condition, and the first error ends the
            // plan of the triggers (observed on Terraform 1.15.5).
            let named = trigger.actions.iter().map(|action| self.named(action, scope, log));
            let Some(instances) = named.collect::<Option<Vec<_>>>() else { return };
            let mut events = trigger.events.clone();
            events.retain(|event| action_trigger::events(change).contains(event));
            if events.is_empty() || !self.start.is_made() {
                continue;
            }
            let fires = match is_deferred {
                // Whether its condition holds may be unknown as well.
                true => holds(trigger, scope, &mut Log::new(address)).unwrap_or(true),
                false => match holds(trigger, scope, log) {
                    Some(fires) => fires,
                    None => return,
                },
            };
            if !fires {
                continue;
            }
            for (index, (action, instance)) in trigger.actions.iter().zip(instances).enumerate() {
                for event in &events {
                    let trigger = Trigger { resource: address.clone(), event: *event, block: at, index };
                    if self.plan_action(&instance, Some((trigger, action)), log).await.is_none() {
                        break;
                    }
                }
            }
        }
    }

    /// Plans the instances of an action that are to be invoked on their own.
    async fn invoked(
        &self,
        (invoked, chosen): (&InstanceAddress, Vec<InstanceAddress>),
        block: &module::Resource,
        log: &mut Log,
    ) {
        if chosen.is_empty() {
            let detail = format!("The configuration has no instance {invoked}. Name one that it has.");
            log.push(Diagnostic::error("Invalid action", detail).on(&block.subject));
        }
        for instance in chosen {
            if self.configured(&instance).is_some_and(|config| !config.value.is_wholly_known()) {
                let detail = format!(
                    "The configuration of {instance} refers to something that is not known yet. Apply the whole \
                     configuration first."
                );
                log.push(Diagnostic::error("Partially applied configuration", detail).on(&block.subject));
                continue;
            }
            self.plan_action(&instance, None, log).await;
        }
    }

    /// What happens to an object, and whether that is deferred.
    fn action_of(&self, address: &InstanceAddress) -> Option<(Action, bool)> {
        let found = self.lock();
        let change = found.changes.get(&(address.clone(), None)).map(|change| (change.action, false));
        let mut deferred = found.deferred.iter().map(|it| &it.change);
        change.or_else(|| deferred.find(|it| it.address == *address).map(|change| (change.action, true)))
    }

    /// The instance that a trigger names; one that stands for all where nobody can count them.
    fn named(&self, action: &TriggeredAction, scope: &Scope<'_>, log: &mut Log) -> Option<InstanceAddress> {
        let resource = resource_in(&scope.module.path, Mode::Action, &action.type_name, &action.name);
        match self.session.layout.number(&resource) {
            Some(number) if self.has_uncounted(number) => {
                Some(InstanceAddress { resource, key: InstanceKey::any() })
            }
            _ => named(action, scope, log),
        }
    }

    /// The configuration of an instance, if there is one.
    fn configured(&self, action: &InstanceAddress) -> Option<Marked> {
        self.state.resource(&self.session.layout, &action.resource)?.get(&action.key).cloned()
    }

    /// Plans one invocation.
    async fn plan_action(
        &self,
        address: &InstanceAddress,
        trigger: Option<(Trigger, &TriggeredAction)>,
        log: &mut Log,
    ) -> Option<()> {
        let resource = &address.resource;
        let number = self.session.layout.number(resource)?;
        let declared = self.session.resource(number)?;
        let provider = self.providers.instance(&declared.provider)?;
        let kind = Kind::of(provider.catalog(), resource);
        let invocation = |config: Marked, trigger, log: &mut Log| {
            Some(ActionInvocation {
                address: address.clone(),
                provider: declared.provider.clone(),
                sensitive: sensitive_paths(&config),
                config: action_trigger::planned(kind, &config.value, log)?,
                trigger,
            })
        };
        let by = trigger.as_ref().map(|(trigger, _)| &trigger.resource);
        if let Some(reason) = self.reason_not_to_invoke(number, by) {
            let config = self.configured(address);
            let config = config.unwrap_or_else(Marked::null);
            let invocation = invocation(config, trigger.map(|(trigger, _)| trigger), log)?;
            self.record_deferred_invocation(reason, invocation);
            return Some(());
        }
        let config = self.configured(address)?;
        let call = provider.plan_action(&resource.type_name, &config.value);
        let planned = log.answered(self.session.limited(call).await)?;
        let failed = planned.diagnostics.has_errors();
        match &trigger {
            Some((_, action)) => {
                log.extend(told("Failed to plan action", planned.diagnostics, Some(&action.subject)));
            }
            None => {
                let mut own = Log::within(address, Some(&declared.block.body));
                own.provider(planned.diagnostics);
                log.extend(own.into_diagnostics());
            }
        }
        if failed {
            return None;
        }
        // Core does not look at a deferral that it has not allowed.
        let core = &self.session.core;
        let is_allowed = core.deferral == Deferral::Allowed && core.emulated.has_deferral();
        let deferred = planned.deferred.filter(|_| is_allowed);
        let invocation = invocation(config, trigger.map(|(trigger, _)| trigger), log)?;
        match deferred {
            Some(reason) => self.record_deferred_invocation(reason, invocation),
            None => self.lock().invocations.push(invocation),
        }
        Some(())
    }
}
