//! What replaces an instance without a reason in its own plan.

use ferroform::path::Path;

use super::{InstanceContext, PlanWalk, Purpose};
use crate::address::{InstanceAddress, InstanceKey, ModuleInstance, ResourceAddress};
use crate::embedded::check::Check;
use crate::embedded::log::Log;
use crate::embedded::scope::evaluate;
use crate::language::module::{ReplaceTrigger, SourceExpr, resource_in, undeclared_resource};
use crate::language::rule::Rule;
use crate::plan::{Action, ResourceChange};

/// Whether an instance is replaced in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ForcedReplacement {
    /// The plan decides.
    No,
    /// The user asked for it.
    ByRequest,
    /// `replace_triggered_by` fired.
    ByTriggers,
}

impl PlanWalk {
    /// `None` if a trigger makes no sense.
    pub(super) fn forced(&self, cx: &InstanceContext<'_>, log: &mut Log) -> Option<ForcedReplacement> {
        // Nothing is replaced by a refresh, so nobody asks.
        let asks = self.start.purpose != Purpose::RefreshOnly;
        let triggers = self.resource(cx).filter(|_| asks).map(|resource| &resource.replace_triggers);
        for trigger in triggers.into_iter().flatten() {
            if self.fires(trigger, cx, log)? && Rule::TriggerResource.holds() {
                return Some(ForcedReplacement::ByTriggers);
            }
        }
        let requested = self.start.options.replace.contains(&cx.address);
        Some(if requested { ForcedReplacement::ByRequest } else { ForcedReplacement::No })
    }

    /// Whether a resource, or one of the same type and name in another module, is to be replaced without a key.
    pub(super) fn replaces_without_key(&self, resource: &ResourceAddress) -> bool {
        let asked = self.start.options.replace.iter().filter(|it| it.key == InstanceKey::None);
        let mut asked = asked.map(|it| &it.resource);
        asked.any(|it| {
            (it.mode, &it.type_name, &it.name) == (resource.mode, &resource.type_name, &resource.name)
        })
    }

    fn fires(&self, trigger: &ReplaceTrigger, cx: &InstanceContext<'_>, log: &mut Log) -> Option<bool> {
        let resource = &resource_in(&cx.module.path, trigger.mode, &trigger.type_name, &trigger.name);
        if self.session.layout.number(resource).is_none() && Rule::UndeclaredResource.holds() {
            let missing = undeclared_resource(trigger.mode, &trigger.type_name, &trigger.name);
            log.push(missing.on(trigger.reference.subject()));
            return None;
        }
        let key = match &trigger.key {
            Some(key) => Some(self.trigger_key(key, cx, log)?),
            None => None,
        };
        let fires = self.changes_of(resource, key.as_ref(), |change| self.changes_at(change, &trigger.path));
        if let Some(fires) = fires {
            return Some(fires);
        }
        if !self.session.checks(Check::TriggerFound) {
            return Some(false);
        }
        let module = match resource.module.0.is_empty() {
            true => "the root module".to_owned(),
            false => resource.module.to_string(),
        };
        let local = ResourceAddress { module: ModuleInstance::default(), ..resource.clone() };
        let subject = InstanceAddress { resource: local, key: key.unwrap_or_default() };
        let summary = format!("no change found for {subject} in {module}");
        let detail = format!(
            "{} is replaced when it changes, but nothing is planned for it. Name a resource that has instances, or remove it \
             from \"replace_triggered_by\".",
            cx.address
        );
        log.error_without_address(&summary, detail);
        None
    }

    fn trigger_key(&self, expr: &SourceExpr, cx: &InstanceContext<'_>, log: &mut Log) -> Option<InstanceKey> {
        let key = evaluate(expr, &self.scope_of(cx)).map_err(|problems| log.extend(problems)).ok()?;
        let found = InstanceKey::of(key.value.peel());
        if found.is_none() {
            let detail = "The key has to be a whole number or a string.";
            log.push(expr.error("Invalid replace_triggered_by expression", detail));
        }
        found
    }

    /// Whether a change of one of the instances is as asked; `None` if there is none.
    fn changes_of(
        &self,
        resource: &ResourceAddress,
        key: Option<&InstanceKey>,
        test: impl Fn(&ResourceChange) -> bool,
    ) -> Option<bool> {
        let first = InstanceAddress { resource: resource.clone(), key: key.cloned().unwrap_or_default() };
        let found = self.lock();
        let mut changes =
            found.changes.range((first, None)..).map(|(_, change)| change).take_while(|change| {
                change.address.resource == *resource
                    && key.is_none_or(|key| change.address.key == *key || !Rule::TriggerInstance.holds())
            });
        let first = changes.next()?;
        Some(test(first) || changes.any(test))
    }

    /// Whether a change counts as a trigger: an update or replacement, of the attribute if one is named.
    fn changes_at(&self, change: &ResourceChange, path: &Path) -> bool {
        let counts = match change.action {
            Action::Update | Action::DeleteThenCreate | Action::CreateThenDelete => true,
            Action::Create => self.session.core.emulated.creation_triggers(),
            _ => false,
        };
        counts
            && (path.is_root()
                || !Rule::TriggerAttribute.holds()
                || change.before.get(path) != change.after.get(path))
    }
}
