//! The plan of an instance that the configuration asks for.

use super::{Place, PlanWalk, Purpose};
use crate::address::{InstanceAddress, InstanceKey, Mode};
use crate::embedded::evaluate::Evaluated;
use crate::embedded::log::Log;
use crate::embedded::object::Live;
use crate::embedded::progress::{Progress, Task};
use crate::embedded::record::{self, Which};
use crate::embedded::scope::Each;
use crate::embedded::session::sort_dependencies;
use crate::plan::Importing;
use crate::state::Object;

/// The object of an instance before anything is planned.
pub(super) struct Before {
    pub(super) live: Live,
    pub(super) importing: Option<Importing>,
    /// Why reading it was put off.
    pub(super) deferred: Option<&'static str>,
}

impl PlanWalk {
    /// Plans an instance. Its value, unless there were errors.
    pub(super) async fn instance(&self, number: usize, key: &InstanceKey, each: &Each) -> Option<Evaluated> {
        let block = self.session.block(number)?;
        let provider = &self.session.layout.resource(number)?.provider;
        let address = InstanceAddress { resource: block.address.clone(), key: key.clone() };
        let mut log = Log::within(&address, Some(&block.body));
        let managed = log.answered(self.managed(provider, &block.address));
        let mut value = None;
        if let Some(managed) = managed {
            let place = Place { number: Some(number), address, provider, managed, each };
            value = match block.address.mode {
                Mode::Managed => self.managed_instance(&place, &mut log).await,
                Mode::Action => self.action_instance(block, place.managed.kind, each, &mut log),
                Mode::Data => self.data_instance(&place, &mut log).await,
                Mode::List => self.list_instance(block, &place, &mut log).await,
                Mode::Ephemeral => self.ephemeral_instance((number, block), &place, &mut log).await,
            };
        }
        let fine = log.is_fine();
        self.said.absorb(log);
        value.filter(|_| fine)
    }

    async fn managed_instance(&self, place: &Place<'_>, log: &mut Log) -> Option<Evaluated> {
        let mut before = self.before(place, log).await?;
        before.live.create_before_destroy = self.laid_out(place).is_some_and(|it| it.create_before_destroy);
        // The object is read also where its triggers are wrong.
        let forced = self.forced(place, log);
        let reads = self.refreshes() && before.importing.is_none() && before.live.exists();
        if reads {
            let mut telling =
                self.session.core.telling(Progress::of(&place.address, Task::Refresh), || self.stored(place));
            let (live, deferred) = telling.during(place.managed.read(&before.live, log)).await?;
            telling.done(|| None);
            before.live = live;
            before.deferred = deferred;
        }
        if reads || before.importing.is_some() {
            self.merge_dependencies(place, &mut before.live);
        }
        if !self.is_uncounted(place) {
            self.record_refreshed(place, Which::Current, &before.live, log);
        }
        if !log.is_fine() {
            return None;
        }
        match self.start.purpose {
            Purpose::Plan => self.change(place, before, forced?, log).await,
            Purpose::RefreshOnly | Purpose::Destroy => {
                let reason = before.deferred.or_else(|| self.reason_not_counted(place));
                let live = &before.live;
                let is_there = live.exists() || (self.start.options.invoke.is_none() && reason.is_none());
                let value = match is_there {
                    true => {
                        log.answered(place.managed.kind.evaluated(&live.stored.value, &live.sensitive))?
                    }
                    // It is not there yet, and no plan says what it will be.
                    false => Evaluated::unknown_of(Mode::Managed),
                };
                if let Some(reason) = reason {
                    self.record_deferred(place.number, reason, self.later(place, before));
                    return Some(value);
                }
                self.preconditions(place, log);
                self.postconditions(place, &value, log);
                Some(value)
            }
        }
    }

    /// The object from the state, brought to the current schema, or imported.
    async fn before(&self, place: &Place<'_>, log: &mut Log) -> Option<Before> {
        let stored = record::object(&self.start.state, &place.address, Which::Current);
        // Which of the stored instances stay is not known where one stands for all.
        let Some(object) = stored.filter(|_| !self.is_uncounted(place)) else {
            return match self.import_for(place) {
                Some(import) if self.start.purpose == Purpose::Plan => {
                    self.imported(place, import, log).await
                }
                _ => Some(Before { live: Live::none(), importing: None, deferred: None }),
            };
        };
        let live = place.managed.read_state(object, log).await?;
        if self.crossed_types(place) {
            let unmarked = Live { sensitive: Vec::new(), ..live.clone() };
            self.record_previous(place, Which::Current, &unmarked, log);
        } else {
            self.record_previous(place, Which::Current, &live, log);
        }
        log.is_fine().then_some(Before { live, importing: None, deferred: None })
    }

    fn stored(&self, place: &Place<'_>) -> Option<Object> {
        record::object(&self.start.state, &place.address, Which::Current).cloned()
    }

    /// Whether the object was moved from another type. Real cores mark what is sensitive in it only after they have
    /// looked at it, and take that for a change outside.
    fn crossed_types(&self, place: &Place<'_>) -> bool {
        let from = self.start.moved.get(&place.address);
        from.is_some_and(|from| from.resource.type_name != place.address.resource.type_name)
    }

    /// What the object depends on by now is stored beside it, with what it has depended on so far.
    fn merge_dependencies(&self, place: &Place<'_>, live: &mut Live) {
        let Some(number) = place.number else { return };
        let now = self.session.dependencies(number);
        if now != live.dependencies {
            live.dependencies.extend(now);
            sort_dependencies(&mut live.dependencies);
        }
    }
}
