//! Deleting an object, or forgetting it.

use std::sync::OnceLock;

use ferroform::value::Value;

use super::ApplyWalk;
use super::change::Place;
use crate::client::StoredObject;
use crate::config::When;
use crate::embedded::log::Log;
use crate::embedded::managed::Applying;
use crate::embedded::object::Live;
use crate::embedded::record::{self, Which};
use crate::embedded::walk::Fate;
use crate::plan::Action;
use crate::state::Status;

impl ApplyWalk {
    pub(super) async fn delete(&self, at: usize) -> Fate {
        let Some(change) = self.change_at(at) else { return Fate::Done };
        let mut log = Log::new(&change.address);
        if let Some(managed) = log.answered(self.managed(&change.provider, &change.address.resource)) {
            let number = self.session.layout.number(&change.address.resource);
            let place = Place { at, number, change, managed };
            self.delete_object(&place, &mut log).await;
        }
        self.said.absorb(log)
    }

    async fn delete_object(&self, place: &Place<'_>, log: &mut Log) -> Option<()> {
        let change = place.change;
        let aside = self.deposed.get(place.at).and_then(OnceLock::get);
        let deposed = change.deposed.as_ref().or(aside);
        let which = deposed.map_or(Which::Current, |key| Which::Deposed(key));
        let object = record::object(&self.state(), &change.address, which).cloned()?;
        let live = place.managed.read_state(&object, log).await?;
        if matches!(change.action, Action::Forget | Action::CreateThenForget) {
            self.record(place, which, None, log);
            return Some(());
        }
        if which == Which::Current && live.status == Status::Ready {
            let own = log.answered(place.managed.kind.evaluated(&live.stored.value, &live.sensitive))?;
            self.provision(place, When::Destroy, own, log).await;
            if !log.is_fine() {
                return None;
            }
        }
        let planned = match which {
            // The record of a replacement has only one plan: that of the new object, whose identity is no other's.
            Which::Current => StoredObject {
                value: Value::Null,
                private: change.private.clone(),
                identity: change.after_identity.clone().filter(|_| change.action == Action::Delete),
            },
            Which::Deposed(_) => match place.managed.plan_destroy(&live.stored, log).await? {
                (planned, None) => planned,
                (_, Some(_)) => {
                    self.deferred_late(log);
                    return None;
                }
            },
        };
        let applying = place.managed.apply(&live.stored.value, &planned, &Value::Null, log).await;
        let Applying::Object(object) = applying else { return None };
        match (log.is_fine(), object.value.is_null()) {
            (true, true) => self.record(place, which, None, log),
            // Why it failed has been said; what is there has to be kept.
            (false, true) => {}
            (_, false) => {
                let sensitive = place.managed.sensitive(&object.value, &live.sensitive, log);
                let left = Live { stored: object, sensitive, ..live };
                self.record(place, which, Some(&left), log);
            }
        }
        Some(())
    }
}
