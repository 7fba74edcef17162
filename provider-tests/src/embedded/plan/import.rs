//! Import blocks.

use std::collections::HashMap;

use ferroform::ty::Type;

use super::expand::Expansion;
use super::instance::PriorObject;
use super::{InstanceContext, PlanWalk};
use crate::address::{InstanceAddress, InstanceKey};
use crate::diagnostic::Diagnostic;
use crate::embedded::evaluate::entries;
use crate::embedded::import::{ImportKey, Imports};
use crate::embedded::import_target::ImportIdentifier;
use crate::embedded::layout::Resource;
use crate::embedded::log::Log;
use crate::embedded::repetition::{Instances, RepetitionData};
use crate::embedded::scope::evaluate;
use crate::embedded::state_objects::ObjectKey;
use crate::language::Marked;
use crate::language::module::{self, SourceExpr, import_target};
use crate::language::rule::Rule;
use crate::plan::Importing;

const INVALID_TO: &str = "Invalid import 'to' expression";
const NO_CONFIGURATION: &str = "Configuration for import target does not exist";

/// An import into an instance: the number of its block, and what its expressions can refer to.
pub(super) struct Import {
    block: usize,
    each: RepetitionData,
}

fn missing(import: &module::Import, address: &InstanceAddress) -> Diagnostic {
    let detail = format!(
        "The configuration for the given import {address} does not exist. All target instances must have an associated \
         configuration to be imported."
    );
    Diagnostic::error(NO_CONFIGURATION, detail).on(&import.subject)
}

/// What is wrong with the key of an address.
enum WrongKey {
    /// No instance of the resource can have one like it.
    Misfit(Diagnostic),
    /// There is no instance that has it.
    Missing(Diagnostic),
}

fn check_key(
    (import, address): (&module::Import, &InstanceAddress),
    instances: &Instances,
) -> Result<(), WrongKey> {
    match (instances, &address.key) {
        (Instances::Unknown, _) => Ok(()),
        (instances, key) if instances.has(key) => Ok(()),
        (Instances::Count(_), InstanceKey::Index(_)) | (Instances::ForEach(_), InstanceKey::Key(_)) => {
            Err(WrongKey::Missing(missing(import, address)))
        }
        _ => {
            let detail = format!("{address} has a key that no instance of the resource can have, or lacks one.");
            Err(WrongKey::Misfit(Diagnostic::error(INVALID_TO, detail).on(&import.subject)))
        }
    }
}

impl PlanWalk {
    /// The imports into a resource, as they are known before its instances are looked at.
    pub(super) fn imports_into(
        &self,
        resource: &Resource,
        expansion: &Expansion,
        log: &mut Log,
    ) -> HashMap<InstanceAddress, Import> {
        let mut imports = HashMap::new();
        for (block, import) in self.session.layout.imports_of(&resource.address) {
            let found = self.targets_of(import).unwrap_or_else(|problems| {
                log.extend(problems.into_iter().map(|it| it.or_on(&import.subject)));
                Vec::new()
            });
            for (address, each) in found {
                let mut modules = expansion.modules.iter();
                let Some(within) = modules.find(|it| it.module.path == address.resource.module) else {
                    let path = &address.resource.module;
                    if !self.state.root.is_deferred(self.session.modules(), path) {
                        log.push(missing(import, &address));
                    }
                    continue;
                };
                match check_key((import, &address), &within.instances) {
                    Ok(()) => {}
                    Err(WrongKey::Missing(error)) => log.push(error),
                    Err(WrongKey::Misfit(error)) => {
                        log.push(error);
                        break;
                    }
                }
                imports.insert(address, Import { block, each });
            }
        }
        imports
    }

    /// Where a block imports to, with what its expressions can refer to.
    fn targets_of(
        &self,
        import: &module::Import,
    ) -> Result<Vec<(InstanceAddress, RepetitionData)>, Vec<Diagnostic>> {
        let none = RepetitionData::default();
        let Some(for_each) = &import.for_each else {
            return Ok(vec![(self.target_of(import, &none)?, none)]);
        };
        let invalid = |detail: &str| vec![for_each.error("Invalid for_each argument", detail)];
        let unknown = "The for_each argument of an import has to be known when planning.";
        let given = evaluate(for_each, &self.scope(&self.state.root, &none))?;
        if given.marks.whole().ephemeral && Rule::EphemeralForEach.holds() {
            return Err(invalid("The for_each argument of an import must not be ephemeral."));
        }
        if given.is_null() {
            return Ok(Vec::new());
        }
        if matches!(given.ty, Type::String | Type::Number | Type::Bool) {
            return Err(invalid("The for_each argument has to be a map, a list, or a set."));
        }
        let entries = entries(&given)?.ok_or_else(|| invalid(unknown))?;
        let mut targets = Vec::new();
        for (key, value) in entries {
            if !key.value.is_wholly_known() {
                return Err(invalid(unknown));
            }
            // Keys are shown as addresses, whatever they are made of.
            let (key, _) = key.unmark_deep();
            let each = RepetitionData { key: Some(key), value: Some(value), ..RepetitionData::default() };
            targets.push((self.target_of(import, &each)?, each));
        }
        Ok(targets)
    }

    fn target_of(
        &self,
        import: &module::Import,
        each: &RepetitionData,
    ) -> Result<InstanceAddress, Vec<Diagnostic>> {
        let (mut to, keys) = import_target(import)?;
        for (at, expr) in &keys {
            let key = self.import_key(expr, each)?;
            match to.resource.module.0.get_mut(*at) {
                Some((_, step)) => *step = key,
                None => to.key = key,
            }
        }
        Ok(to)
    }

    fn import_key(&self, expr: &SourceExpr, each: &RepetitionData) -> Result<InstanceKey, Vec<Diagnostic>> {
        let key: Marked = evaluate(expr, &self.scope(&self.state.root, each))?;
        if key.marks.all().sensitive {
            let detail = "Keys are shown as addresses, so they must not be sensitive.";
            return Err(vec![expr.error("Invalid index expression", detail)]);
        }
        let invalid = "A key has to be known, and a whole number or a string.";
        InstanceKey::of(key.value.peel()).ok_or_else(|| vec![Diagnostic::error(INVALID_TO, invalid)])
    }

    pub(super) fn import_for(&self, cx: &InstanceContext<'_>) -> Option<&Import> {
        self.imports.get(cx.number?)?.get()?.get(&cx.address)
    }

    /// The imported object, as it is read. It counts as what was there before, so that it does not drift.
    pub(super) async fn imported(
        &self,
        cx: &InstanceContext<'_>,
        import: &Import,
        log: &mut Log,
    ) -> Option<PriorObject> {
        let block = self.session.configuration().root().imports.get(import.block)?;
        let subject = ImportIdentifier { session: &self.session, block, kind: cx.managed.kind };
        let named = subject.named(&self.scope(&self.state.root, &import.each), log)?;
        let imports = Imports { managed: cx.managed };
        let (live, deferred) = imports.one(&named, log).await?;
        let importing = match named {
            ImportKey::Id(id) => Importing::Id(id),
            ImportKey::Identity(given) => Importing::Identity(live.stored.identity.clone().unwrap_or(given)),
        };
        if deferred.is_none() {
            self.record_previous(cx, ObjectKey::Current, &live, log);
        }
        log.is_fine().then_some(PriorObject { live, importing: Some(importing), deferred })
    }
}
