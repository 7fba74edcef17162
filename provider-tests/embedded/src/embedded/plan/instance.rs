//! The plan of an instance that the configuration asks for.

use super::{InstanceContext, PlanWalk};
use crate::address::{InstanceAddress, InstanceKey, Mode};
use crate::embedded::expanded_module::ExpandedModule;
use crate::embedded::log::Log;
use crate::embedded::names::unknown_of;
use crate::embedded::object::InstanceObject;
use crate::embedded::progress::{Progress, Task};
use crate::embedded::repetition::RepetitionData;
use crate::embedded::session::sorted_dependencies;
use crate::embedded::state_objects::{self, ObjectKey};
use crate::language::Marked;
use crate::plan::{Importing, Mode as PlanMode};
use crate::state::Object;

/// The object of an instance before anything is planned.
pub(super) struct PriorObject {
    pub(super) live: InstanceObject,
    pub(super) importing: Option<Importing>,
    /// Why reading it was deferred.
    pub(super) deferred: Option<&'static str>,
}

impl PlanWalk {
    /// Plans an instance. Its value, unless there were errors.
    pub(super) async fn instance(
        &self,
        number: usize,
        module: &ExpandedModule,
        (key, each): (&InstanceKey, &RepetitionData),
    ) -> Option<Marked> {
        let resource = self.session.resource(number)?;
        let (block, provider) = (&*resource.block, &resource.provider);
        let address = module.address(&resource.address);
        let mut log =
            Log::within(&InstanceAddress { resource: address.clone(), key: key.clone() }, Some(&block.body));
        let managed = log.answered(self.providers.managed(provider, &address));
        let mut value = None;
        if let Some(managed) = managed {
            let address = InstanceAddress { resource: address.clone(), key: key.clone() };
            let cx = InstanceContext { number: Some(number), module, address, provider, managed, each };
            value = match block.mode {
                Mode::Managed => self.managed_instance(&cx, &mut log).await,
                Mode::Action => self.action_instance(block, &cx, &mut log),
                Mode::Data => self.data_instance(&cx, &mut log).await,
                Mode::List => self.list_instance(block, &cx, &mut log).await,
                Mode::Ephemeral => self.ephemeral_instance((number, block), &cx, &mut log).await,
            };
        }
        self.diagnostics.absorb(log).ok().and(value)
    }

    async fn managed_instance(&self, cx: &InstanceContext<'_>, log: &mut Log) -> Option<Marked> {
        let mut before = self.before(cx, log).await?;
        before.live.create_before_destroy = cx.number.is_some_and(|it| self.created_first.contains(&it));
        let skips_destroy = self.skips_destroy(cx.number, log);
        // An import is stored as it was before.
        before.live.skip_destroy = skips_destroy == Some(true) && before.importing.is_none();
        // The object is read also where its triggers are wrong.
        let forced = self.forced(cx, log);
        let reads = self.refreshes() && before.importing.is_none() && before.live.exists();
        if reads {
            let mut reporter =
                self.session.core.start_task(Progress::of(&cx.address, Task::Refresh), || self.stored(cx));
            let (live, deferred) = reporter.during(cx.managed.read(&before.live, log)).await?;
            reporter.done(|| None);
            before.live = live;
            before.deferred = deferred;
        }
        if reads || before.importing.is_some() {
            self.merge_dependencies(cx, &mut before.live);
        }
        if !self.is_uncounted(cx) {
            self.record_refreshed(cx, ObjectKey::Current, &before.live, log);
        }
        log.fine()?;
        match self.start.options.mode {
            PlanMode::Normal => self.change(cx, before, forced?, log).await,
            PlanMode::RefreshOnly | PlanMode::Destroy => {
                let reason = before.deferred.or_else(|| self.reason_not_counted(cx));
                let live = &before.live;
                let is_there = live.exists() || (self.start.options.invoke.is_none() && reason.is_none());
                let value = match is_there {
                    true => log.answered(cx.managed.kind.evaluated(&live.stored.value, &live.sensitive))?,
                    // It is not there yet, and no plan says what it will be.
                    false => unknown_of(Mode::Managed),
                };
                if let Some(reason) = reason {
                    self.record_deferred(cx.number, reason, self.later(cx, before));
                    return Some(value);
                }
                self.preconditions(cx, log);
                self.postconditions(cx, &value, log);
                Some(value)
            }
        }
    }

    /// Whether the configuration says that objects of a resource are forgotten where others are destroyed.
    pub(super) fn skips_destroy(&self, number: Option<usize>, log: &mut Log) -> Option<bool> {
        let Some(resource) = number.and_then(|it| self.session.resource(it)) else { return Some(false) };
        let skips = resource.block.lifecycle.skips_destroy();
        skips.map_err(|problem| log.push(problem)).ok()
    }

    /// The object from the state, brought to the current schema, or imported.
    async fn before(&self, cx: &InstanceContext<'_>, log: &mut Log) -> Option<PriorObject> {
        let stored = state_objects::object(&self.start.state, &cx.address, ObjectKey::Current);
        // Which of the stored instances stay is not known where one stands for all.
        let Some(object) = stored.filter(|_| !self.is_uncounted(cx)) else {
            return match self.import_for(cx) {
                Some(import) if self.start.is_made() => self.imported(cx, import, log).await,
                _ => Some(PriorObject { live: InstanceObject::none(), importing: None, deferred: None }),
            };
        };
        let live = cx.managed.read_state(object, log).await?;
        if self.crossed_types(cx) {
            let unmarked = InstanceObject { sensitive: Vec::new(), ..live.clone() };
            self.record_previous(cx, ObjectKey::Current, &unmarked, log);
        } else {
            self.record_previous(cx, ObjectKey::Current, &live, log);
        }
        log.is_fine().then_some(PriorObject { live, importing: None, deferred: None })
    }

    fn stored(&self, cx: &InstanceContext<'_>) -> Option<Object> {
        state_objects::object(&self.start.state, &cx.address, ObjectKey::Current).cloned()
    }

    /// Whether the object was moved from another type. Real cores mark what is sensitive in it only after they have
    /// looked at it, and take that for a change outside.
    fn crossed_types(&self, cx: &InstanceContext<'_>) -> bool {
        let from = self.start.moved.get(&cx.address);
        from.is_some_and(|from| from.resource.type_name != cx.address.resource.type_name)
    }

    /// What the object depends on by now is stored beside it, with what it has depended on so far.
    fn merge_dependencies(&self, cx: &InstanceContext<'_>, live: &mut InstanceObject) {
        let Some(number) = cx.number else { return };
        let now = self.session.dependencies(number);
        if now != live.dependencies {
            live.dependencies = sorted_dependencies([&*live.dependencies, &*now].concat());
        }
    }
}
