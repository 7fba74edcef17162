//! What the changes of a plan trigger, and actions that are invoked on their own.

use super::PlanWalk;
use crate::address::InstanceAddress;
use crate::config::{ResourceBlock, TriggeredAction};
use crate::core::summary;
use crate::diagnostic::{Diagnostic, Place};
use crate::embedded::Deferral;
use crate::embedded::action::{self, holds, named, told};
use crate::embedded::check::Check;
use crate::embedded::evaluate::Evaluated;
use crate::embedded::log::Log;
use crate::embedded::object::Kind;
use crate::embedded::scope::{Each, instances};
use crate::embedded::walk::Fate;
use crate::plan::{ActionInvocation, Trigger};

impl PlanWalk {
    /// The configuration of an instance.
    pub(super) fn action_instance(
        &self,
        block: &ResourceBlock,
        kind: Kind<'_>,
        each: &Each,
        log: &mut Log,
    ) -> Option<Evaluated> {
        action::configuration(block, kind, &self.scope(each), log)
    }

    /// Plans what the changes of a resource trigger; of an action that the user invokes, what is invoked.
    pub(super) async fn triggers(&self, number: usize) -> Fate {
        let Some(block) = self.session.block(number) else { return Fate::Done };
        // What is wrong with these is told where the resource is planned.
        let none = Each::default();
        let scope = self.scope(&none);
        let Some(all) = instances(&block.repetition, &scope, &mut Log::new(&block.address)) else {
            return Fate::Failed;
        };
        let mut log = Log::new(&block.address);
        let all = all.each().into_iter();
        let all = all.map(|(key, each)| (InstanceAddress { resource: block.address.clone(), key }, each));
        if let Some(invoked) = &self.start.options.invoke {
            let chosen = all.map(|(address, _)| address).filter(|address| self.targets.has(address));
            self.invoked(invoked, block, chosen.collect(), &mut log).await;
            return self.said.absorb(log);
        }
        for (address, each) in all {
            let each = &each;
            let change = self.lock().changes.get(&(address.clone(), None)).map(|change| change.action);
            let Some(change) = change else { continue };
            for (at, trigger) in block.lifecycle.action_triggers.iter().enumerate() {
                let mut events = trigger.events.clone();
                events.retain(|event| action::events(change).contains(event));
                if events.is_empty() || holds(trigger, &self.scope(each), &mut log) != Some(true) {
                    continue;
                }
                for (index, action) in trigger.actions.iter().enumerate() {
                    let Some(instance) = named(action, &self.scope(each), &mut log) else { continue };
                    for event in &events {
                        let resource = address.clone();
                        let trigger = Trigger { resource, event: *event, block: at, index };
                        self.check_order(number, (&trigger, action), &mut log);
                        if self.plan_action(&instance, Some((trigger, action)), &mut log).await.is_none() {
                            break;
                        }
                    }
                }
            }
        }
        self.said.absorb(log)
    }

    /// The instances of an action that are to be invoked on their own.
    async fn invoked(
        &self,
        invoked: &InstanceAddress,
        block: &ResourceBlock,
        chosen: Vec<InstanceAddress>,
        log: &mut Log,
    ) {
        let place = || Place::of(block.source.as_ref());
        if chosen.is_empty() {
            let detail = format!("The configuration has no instance {invoked}. Name one that it has.");
            log.push(Diagnostic { place: place(), ..Diagnostic::error("Invalid action", detail) });
        }
        for instance in chosen {
            if self.configured(&instance).is_some_and(|config| !config.value.is_wholly_known()) {
                let detail = format!(
                    "The configuration of {instance} refers to something that is not known yet. Apply the whole \
                     configuration first."
                );
                let error = Diagnostic::error("Partially applied configuration", detail);
                log.push(Diagnostic { place: place(), ..error });
                continue;
            }
            self.plan_action(&instance, None, log).await;
        }
    }

    /// The configuration of an instance, if there is one.
    fn configured(&self, action: &InstanceAddress) -> Option<Evaluated> {
        let none = Each::default();
        self.scope(&none).resource(&action.resource)?.instance(&action.key).cloned()
    }

    /// An action that is invoked before the change must not need the changed object.
    fn check_order(&self, number: usize, (trigger, action): (&Trigger, &TriggeredAction), log: &mut Log) {
        let layout = &self.session.layout;
        let condition = self
            .session
            .block(number)
            .and_then(|block| block.lifecycle.action_triggers.get(trigger.block)?.condition.as_ref());
        let needed = condition.map(|condition| layout.referred_to_by(condition)).unwrap_or_default();
        let needed = needed.into_iter().chain(layout.number(&action.action));
        if trigger.event.is_before() && layout.closure(needed).contains(&number) {
            let summary = format!("Cycle: {}, {}", trigger.resource.resource, action.action);
            let detail = "The action is invoked before the change of the object, and refers to the changed object. \
                          Invoke it after the change.";
            log.push(Diagnostic {
                place: Place::of(action.source.as_ref()),
                ..Diagnostic::error(summary, detail)
            });
        }
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
        let laid_out = self.session.layout.resource(number)?;
        let provider = self.providers.instance(&laid_out.provider)?;
        let kind = Kind::of(provider.catalog(), resource);
        if self.rests_on_deferred(number) {
            self.lock().invocations_put_off += 1;
            return None;
        }
        let config = self.configured(address)?;
        let call = provider.plan_action(&resource.type_name, &config.value);
        let planned = log.answered(self.session.limited(call).await)?;
        let failed = planned.diagnostics.has_errors();
        match &trigger {
            Some((_, action)) => {
                let place = Place::of(action.source.as_ref());
                log.extend(told("Failed to plan action", planned.diagnostics, place));
            }
            None => {
                let block = self.session.declared(resource).map(|(block, _)| &block.body);
                let mut own = Log::within(address, block);
                own.provider(planned.diagnostics);
                log.extend(own.into_diagnostics());
            }
        }
        if failed {
            return None;
        }
        if planned.deferred.is_some() && self.session.core.dialect.has_deferral() {
            if self.session.core.deferral == Deferral::Refused && self.session.checks(Check::Deferral) {
                let detail =
                    "The provider deferred the action, which was not allowed. This is a bug in the provider.";
                log.error(summary::DEFERRED, detail);
            }
            self.lock().invocations_put_off += 1;
            return None;
        }
        let invocation = ActionInvocation {
            address: address.clone(),
            provider: laid_out.provider.clone(),
            config: action::planned(kind, &config.value, log)?,
            sensitive: config.sensitive,
            trigger: trigger.map(|(trigger, _)| trigger),
        };
        self.lock().invocations.push(invocation);
        Some(())
    }
}
