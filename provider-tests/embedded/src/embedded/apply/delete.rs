//! Deleting an object, or forgetting it.

use std::sync::OnceLock;

use ferroform::value::Value;

use super::ApplyWalk;
use super::change::ChangeContext;
use crate::client::StoredObject;
use crate::embedded::log::Log;
use crate::embedded::managed::ApplyOutcome;
use crate::embedded::object::InstanceObject;
use crate::embedded::progress::ReplaceStep;
use crate::embedded::state_objects::{self, ObjectKey};
use crate::embedded::walk::NodeOutcome;
use crate::language::module::When;
use crate::plan::Action;
use crate::state::Status;

impl ApplyWalk {
    pub(super) async fn delete(&self, at: usize) -> NodeOutcome {
        let Some(change) = self.change_at(at) else { return Ok(()) };
        let mut log = Log::new(&change.address);
        if let Some(managed) =
            log.answered(self.providers.managed(&change.provider, &change.address.resource))
        {
            let number = self.session.layout.number(&change.address.resource);
            let module = self.module(&change.address.resource.module);
            let cx = ChangeContext { at, number, change, module, managed };
            self.delete_object(&cx, &mut log).await;
        }
        self.diagnostics.absorb(log)
    }

    async fn delete_object(&self, cx: &ChangeContext<'_>, log: &mut Log) -> Option<()> {
        let change = cx.change;
        let aside = self.deposed.get(cx.at).and_then(OnceLock::get);
        let deposed = change.deposed.as_ref().or(aside);
        let which = deposed.map_or(ObjectKey::Current, |key| ObjectKey::Deposed(key));
        let object = state_objects::object(&self.state(), &change.address, which).cloned()?;
        let live = cx.managed.read_state(&object, log).await?;
        let reporter = self.start((change, ReplaceStep::Delete), which);
        reporter.during(self.delete_live(cx, (which, live), log)).await;
        self.end(reporter, change, log.is_fine());
        Some(())
    }

    async fn delete_live(
        &self,
        cx: &ChangeContext<'_>,
        (which, live): (ObjectKey<'_>, InstanceObject),
        log: &mut Log,
    ) -> Option<()> {
        let change = cx.change;
        if matches!(change.action, Action::Forget | Action::CreateThenForget | Action::ForgetThenCreate) {
            self.record(cx, which, None, log);
            return Some(());
        }
        if which == ObjectKey::Current && live.status == Status::Ready {
            let own = log.answered(cx.managed.kind.evaluated(&live.stored.value, &live.sensitive))?;
            self.provision(cx, When::Destroy, own, log).await;
            log.fine()?;
        }
        let planned = match which {
            // The record of a replacement has only one plan: that of the new object, whose identity is no other's.
            ObjectKey::Current => StoredObject {
                value: Value::Null,
                private: change.private.clone(),
                identity: change.after_identity.clone().filter(|_| change.action == Action::Delete),
            },
            ObjectKey::Deposed(_) => match cx.managed.plan_destroy(&live.stored, log).await? {
                (planned, None) => planned,
                (_, Some(_)) => {
                    self.deferred_late(log);
                    return None;
                }
            },
        };
        let applying = cx.managed.apply(&live.stored.value, &planned, &Value::Null, log).await;
        let ApplyOutcome::Object(object) = applying else { return None };
        match (log.is_fine(), object.value.is_null()) {
            (true, true) => self.record(cx, which, None, log),
            // Why it failed has been said; what is there has to be kept.
            (false, true) => {}
            (_, false) => {
                let sensitive = cx.managed.sensitive(&object.value, &live.sensitive, log);
                let left = InstanceObject { stored: object, sensitive, ..live };
                self.record(cx, which, Some(&left), log);
            }
        }
        Some(())
    }
}
