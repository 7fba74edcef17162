//! Import blocks.

use std::collections::HashMap;

use super::expand::Expansion;
use super::instance::PriorObject;
use super::{InstanceContext, PlanWalk};
use crate::address::{InstanceAddress, InstanceKey};
use crate::diagnostic::Diagnostic;
use crate::embedded::import::ImportKey;
use crate::embedded::import_target::{ImportIdentifier, misfit, missing, targets};
use crate::embedded::layout::Resource;
use crate::embedded::log::Log;
use crate::embedded::managed::Managed;
use crate::embedded::repetition::{Instances, NO_REPETITION};
use crate::embedded::state_objects::ObjectKey;
use crate::plan::Importing;

/// Reports the missing instances of one resource. Core reports several together, at no place.
fn report_missing(mut each: Vec<Diagnostic>, log: &mut Log) {
    let Some(last) = each.pop() else { return };
    if each.is_empty() {
        return log.push(last);
    }
    let details: Vec<&str> = each.iter().chain([&last]).map(|it| it.detail.as_str()).collect();
    log.error_without_address(&last.summary, details.join(" "));
}

impl PlanWalk {
    /// The imports into a resource, as they are known before its instances are looked at.
    pub(super) fn imports_into(
        &self,
        resource: &Resource,
        expansion: &Expansion,
        log: &mut Log,
    ) -> HashMap<InstanceAddress, ImportKey> {
        let (mut imports, mut lost) = (HashMap::new(), Vec::new());
        let blocks = self.session.layout.imports_of(&resource.address);
        if blocks.is_empty() {
            return imports;
        }
        let kind = self.providers.managed(&resource.provider, &resource.address).map(|it| it.kind);
        let Some(kind) = log.answered(kind) else { return imports };
        for block in blocks {
            let found =
                targets(block, &self.scope(&self.state.root, &NO_REPETITION)).unwrap_or_else(|problems| {
                    log.extend(problems.into_iter().map(|it| it.or_on(block.to.subject())));
                    Vec::new()
                });
            for (address, each) in found {
                // It is asked for also where there is an object already.
                let mut said = Log::new(&address);
                let subject = ImportIdentifier { session: &self.session, block, kind };
                let named = subject.named(&self.scope(&self.state.root, &each), &mut said);
                log.append(said);
                // Core asks for no more then, and does not tell of missing instances.
                let Some(named) = named else { return imports };
                let mut modules = expansion.modules.iter();
                let Some(within) = modules.find(|it| it.module.path == address.resource.module) else {
                    let path = &address.resource.module;
                    if !self.state.root.is_deferred(self.session.modules(), path) {
                        lost.push(missing(block, &address));
                    }
                    continue;
                };
                match (&within.instances, &address.key) {
                    (Instances::Unknown, _) => {}
                    (instances, key) if instances.has(key) => {}
                    (Instances::Count(_), InstanceKey::Index(_))
                    | (Instances::ForEach(_), InstanceKey::Key(_)) => lost.push(missing(block, &address)),
                    _ => {
                        log.push(misfit(block, &address));
                        break;
                    }
                }
                imports.insert(address, named);
            }
        }
        report_missing(lost, log);
        imports
    }

    pub(super) fn import_for(&self, cx: &InstanceContext<'_>) -> Option<&ImportKey> {
        self.imports.get(cx.number?)?.get()?.get(&cx.address)
    }

    /// The imported object, as it is read. It counts as what was there before, so that it does not drift.
    pub(super) async fn imported(
        &self,
        cx: &InstanceContext<'_>,
        named: &ImportKey,
        log: &mut Log,
    ) -> Option<PriorObject> {
        // Core reads what it imports as if the module said nothing.
        let managed = Managed { meta: None, ..cx.managed };
        let (live, deferred) = managed.import_one(named, log).await?;
        let importing = match named {
            ImportKey::Id(id) => Importing::Id(id.clone()),
            ImportKey::Identity(given) => {
                Importing::Identity(live.stored.identity.as_ref().unwrap_or(given).clone())
            }
        };
        if deferred.is_none() {
            self.record_previous(cx, ObjectKey::Current, &live, log);
        }
        log.is_fine().then_some(PriorObject { live, importing: Some(importing), deferred })
    }
}
