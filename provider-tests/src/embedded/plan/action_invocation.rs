//! What the changes of a plan trigger, and actions that are invoked on their own.

use ferroform::ty::Type;
use ferroform::value::Value;

use super::PlanWalk;
use crate::address::{InstanceAddress, InstanceKey};
use crate::config::{ResourceBlock, TriggeredAction};
use crate::diagnostic::{Diagnostic, SourceRange};
use crate::embedded::Deferral;
use crate::embedded::action_trigger::{self, holds, named, told};
use crate::embedded::evaluate::Evaluated;
use crate::embedded::log::Log;
use crate::embedded::object::Kind;
use crate::embedded::scope::{RepetitionData, any_instance, instances};
use crate::embedded::walk::NodeOutcome;
use crate::plan::{Action, ActionInvocation, Trigger};

impl PlanWalk {
    /// The configuration of an instance.
    pub(super) fn action_instance(
        &self,
        block: &ResourceBlock,
        kind: Kind<'_>,
        each: &RepetitionData,
        log: &mut Log,
    ) -> Option<Evaluated> {
        action_trigger::configuration(block, kind, &self.scope(each), log)
    }

    /// Plans what the changes of a resource trigger; of an action that the user invokes, what is invoked.
    pub(super) async fn triggers(&self, number: usize) -> NodeOutcome {
        let Some(block) = self.session.block(number) else { return NodeOutcome::Done };
        // What is wrong with these is told where the resource is planned.
        let none = RepetitionData::default();
        let scope = self.scope(&none);
        let Some(all) = instances(&block.repetition, &scope, &mut Log::new(&block.address)) else {
            return NodeOutcome::Failed;
        };
        let mut log = Log::new(&block.address);
        let all = match self.has_uncounted(number) {
            true => vec![(InstanceKey::any(), any_instance(&block.repetition))],
            false => all.each(),
        };
        let all = all.into_iter();
        let all = all.map(|(key, each)| (InstanceAddress { resource: block.address.clone(), key }, each));
        if let Some(invoked) = &self.start.options.invoke {
            let chosen = all.map(|(address, _)| address).filter(|address| self.targets.has(address));
            self.invoked(invoked, block, chosen.collect(), &mut log).await;
            return self.diagnostics.absorb(log);
        }
        for (address, each) in all {
            let each = &each;
            let Some((change, is_deferred)) = self.action_of(&address) else { continue };
            for (at, trigger) in block.lifecycle.action_triggers.iter().enumerate() {
                let mut events = trigger.events.clone();
                events.retain(|event| action_trigger::events(change).contains(event));
                if events.is_empty() {
                    continue;
                }
                let holds = |log: &mut Log| holds(trigger, &self.scope(each), log);
                let fires = match is_deferred {
                    // Whether its condition holds may be unknown as well.
                    true => holds(&mut Log::new(&address)).unwrap_or(true),
                    false => holds(&mut log).unwrap_or(false),
                };
                if !fires {
                    continue;
                }
                for (index, action) in trigger.actions.iter().enumerate() {
                    let Some(instance) = self.named(action, each, &mut log) else { continue };
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
        self.diagnostics.absorb(log)
    }

    /// The instances of an action that are to be invoked on their own.
    async fn invoked(
        &self,
        invoked: &InstanceAddress,
        block: &ResourceBlock,
        chosen: Vec<InstanceAddress>,
        log: &mut Log,
    ) {
        let place = || SourceRange::of(block.source.as_ref());
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

    /// What happens to an object, and whether that is deferred.
    fn action_of(&self, address: &InstanceAddress) -> Option<(Action, bool)> {
        let found = self.lock();
        let change = found.changes.get(&(address.clone(), None)).map(|change| (change.action, false));
        let mut deferred = found.deferred.iter().map(|it| &it.change);
        change.or_else(|| deferred.find(|it| it.address == *address).map(|change| (change.action, true)))
    }

    /// The instance that a trigger names; one that stands for all where nobody can count them.
    fn named(
        &self,
        action: &TriggeredAction,
        each: &RepetitionData,
        log: &mut Log,
    ) -> Option<InstanceAddress> {
        let resource = &action.action;
        match self.session.layout.number(resource) {
            Some(number) if self.has_uncounted(number) => {
                Some(InstanceAddress { resource: resource.clone(), key: InstanceKey::any() })
            }
            _ => named(action, &self.scope(each), log),
        }
    }

    /// The configuration of an instance, if there is one.
    fn configured(&self, action: &InstanceAddress) -> Option<Evaluated> {
        let none = RepetitionData::default();
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
                place: SourceRange::of(action.source.as_ref()),
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
        let invocation = |config: Evaluated, trigger, log: &mut Log| {
            Some(ActionInvocation {
                address: address.clone(),
                provider: laid_out.provider.clone(),
                config: action_trigger::planned(kind, &config.value, log)?,
                sensitive: config.sensitive,
                trigger,
            })
        };
        let by = trigger.as_ref().map(|(trigger, _)| &trigger.resource);
        if let Some(reason) = self.reason_not_to_invoke(number, by) {
            let config = self.configured(address);
            let config = config.unwrap_or_else(|| Evaluated::plain(Value::Null, Type::Dynamic));
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
                let place = SourceRange::of(action.source.as_ref());
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
