//! What replaces an instance without a reason in its own plan.

use ferroform::path::Path;
use ferroform::value::Value;

use super::{InstanceContext, PlanWalk};
use crate::address::{InstanceAddress, InstanceKey, ModuleInstance, ResourceAddress};
use crate::embedded::check::Check;
use crate::embedded::log::Log;
use crate::embedded::relevant_attributes::path_step;
use crate::embedded::scope::{evaluate, wrong_references};
use crate::language::module::{SourceExpr, resource_in, trigger_reference, undeclared_resource};
use crate::language::rule::Rule;
use crate::language::{MarkSet, Marked, TraversalStep};
use crate::plan::{Action, Mode as PlanMode, ResourceChange};

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
        let asks = self.start.options.mode != PlanMode::RefreshOnly;
        let block = self.block(cx).filter(|_| asks);
        let mut is_sound = true;
        for trigger in block.into_iter().flat_map(|block| &block.lifecycle.replace_triggered_by) {
            match self.fires(trigger, cx, log) {
                // Also the others are looked at for mistakes.
                None => is_sound = false,
                Some(true) if is_sound && Rule::TriggerResource.holds() => {
                    return Some(ForcedReplacement::ByTriggers);
                }
                Some(_) => {}
            }
        }
        let requested = self.start.options.replace.contains(&cx.address);
        let forced = if requested { ForcedReplacement::ByRequest } else { ForcedReplacement::No };
        is_sound.then_some(forced)
    }

    /// Whether a resource, or one of the same type and name in another module, is to be replaced without a key.
    pub(super) fn replaces_without_key(&self, resource: &ResourceAddress) -> bool {
        let asked = self.start.options.replace.iter().filter(|it| it.key == InstanceKey::None);
        let mut asked = asked.map(|it| &it.resource);
        asked.any(|it| {
            (it.mode, &it.type_name, &it.name) == (resource.mode, &resource.type_name, &resource.name)
        })
    }

    fn fires(&self, trigger: &SourceExpr, cx: &InstanceContext<'_>, log: &mut Log) -> Option<bool> {
        let key = |key: &SourceExpr| evaluate(key, &self.scope_of(cx)).map(|key| key.value);
        let reference = trigger_reference(trigger, key).map_err(|problems| log.extend(problems)).ok()?;
        let (mode, type_name, name) = reference.resource()?;
        let resource = &resource_in(&cx.module.path, mode, type_name, name);
        if self.session.layout.number(resource).is_none() && Rule::UndeclaredResource.holds() {
            return log.refuse_with(undeclared_resource(mode, type_name, name).on(trigger.subject()));
        }
        let (named, within) = reference.steps.split_at(reference.naming_steps());
        let key = match named.last() {
            Some(TraversalStep::Index(key)) => {
                let key = InstanceKey::of(key);
                if key.is_none() {
                    let detail = "The key must be a whole number or a string.";
                    log.push(trigger.error("Invalid index key", detail));
                }
                Some(key?)
            }
            // An attribute is one of an instance, be it that without a key.
            _ => (!within.is_empty()).then_some(InstanceKey::None),
        };
        let path: Path = within.iter().map_while(path_step).collect();
        let wrong = wrong_references(trigger, &self.scope_of(cx));
        let changes = |change: &ResourceChange| {
            let is_any = path.is_root() || !wrong.is_empty() || !Rule::TriggerAttribute.holds();
            self.counts(change) && (is_any || changes_at(change, &path))
        };
        match self.changes_of(resource, key.as_ref(), changes) {
            // What the object does not have is looked for only where the object changes.
            Some(true) if !wrong.is_empty() => {
                log.extend(wrong);
                return None;
            }
            Some(fires) => return Some(fires),
            None => {}
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
            found.changes.range((first, None)..).map(|(_, change)| &**change).take_while(|change| {
                change.address.resource == *resource
                    && key.is_none_or(|key| change.address.key == *key || !Rule::TriggerInstance.holds())
            });
        let first = changes.next()?;
        Some(test(first) || changes.any(test))
    }

    /// Whether a change counts as a trigger: an update or replacement.
    fn counts(&self, change: &ResourceChange) -> bool {
        match change.action {
            Action::Update
            | Action::DeleteThenCreate
            | Action::CreateThenDelete
            | Action::ForgetThenCreate => true,
            Action::Create => self.session.core.emulated.creation_triggers(),
            _ => false,
        }
    }
}

/// Whether what is at a path is another one after a change, or is sensitive only before or after it.
fn changes_at(change: &ResourceChange, path: &Path) -> bool {
    let part = |value: &Value, sensitive: &[Path]| {
        let mut whole = Marked::new(value.clone(), &change.ty);
        sensitive.iter().for_each(|path| whole.marks.add(path.clone(), MarkSet::SENSITIVE));
        at(whole, path)
    };
    part(&change.before, &change.before_sensitive) != part(&change.after, &change.after_sensitive)
}

/// What is at a path, with the marks of what is around it. To core a key does not lead into an object.
fn at(whole: Marked, path: &Path) -> Option<Marked> {
    path.steps().iter().try_fold(whole, |value, step| {
        let (_, part) = value.parts().into_iter().find(|(other, _)| other == step)?;
        Some(part.mark(value.marks.whole()))
    })
}
