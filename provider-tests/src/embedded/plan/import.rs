//! Import blocks.

use std::collections::HashMap;

use ferroform::ty::Type;

use super::instance::PriorObject;
use super::{InstanceContext, PlanWalk};
use crate::address::{InstanceAddress, InstanceKey, ResourceAddress};
use crate::config::{Config, Expr, ImportBlock, ImportTarget};
use crate::diagnostic::{self, Diagnostic};
use crate::embedded::conditions;
use crate::embedded::evaluate::{Evaluated, Fault, entries, evaluate};
use crate::embedded::import::{ImportKey, Imports};
use crate::embedded::import_target::ImportIdentifier;
use crate::embedded::log::Log;
use crate::embedded::scope::{Instances, RepetitionData};
use crate::embedded::state_objects::ObjectKey;
use crate::language::rule::Rule;
use crate::plan::Importing;

const INVALID_TO: &str = "Invalid import 'to' expression";
const NO_CONFIGURATION: &str = "Configuration for import target does not exist";

/// An import into an instance: the number of its block, and what its expressions can refer to.
pub(super) struct Import {
    block: usize,
    each: RepetitionData,
}

/// The numbers of the import blocks by the resources that they are for, without the keys of modules. The second number
/// is that of the first of these resources, which speaks for those that are not there.
pub(super) type ImportBlocks = HashMap<ResourceAddress, (Vec<usize>, usize)>;

/// The import blocks of a configuration.
pub(super) fn blocks(config: &Config) -> ImportBlocks {
    let mut blocks = ImportBlocks::new();
    for (at, import) in config.imports.iter().enumerate() {
        let address = import.to.resource.in_any_instance().into_owned();
        blocks.entry(address).or_insert_with(|| (Vec::new(), usize::MAX)).0.push(at);
    }
    if !blocks.is_empty() {
        for (number, block) in config.resources.iter().enumerate() {
            if let Some((_, first)) = blocks.get_mut(&*block.address.in_any_instance()) {
                *first = number.min(*first);
            }
        }
    }
    blocks
}

/// The expressions of an import block.
pub(in crate::embedded) fn expressions(import: &ImportBlock) -> impl Iterator<Item = &Expr> {
    let (ImportTarget::Id(subject) | ImportTarget::Identity(subject)) = &import.subject;
    import.for_each.iter().chain(import.keys.iter().map(|(_, key)| key)).chain([subject])
}

/// An error about the address of an import.
fn about(import: &ImportBlock, error: Diagnostic) -> Diagnostic {
    Diagnostic { place: diagnostic::SourceRange::of(import.source.as_ref()), ..error }
}

fn missing(address: &InstanceAddress) -> String {
    format!(
        "The configuration for the given import {address} does not exist. All target instances must have an associated \
         configuration to be imported."
    )
}

/// Checks that the resource has an instance with the key of the address; whether it can have one at all.
fn check_key(
    (import, address): (&ImportBlock, &InstanceAddress),
    instances: &Instances,
    log: &mut Log,
) -> bool {
    let (fits, exists) = match (instances, &address.key) {
        (Instances::Unknown, _) | (Instances::Single, InstanceKey::None) => (true, true),
        (Instances::Count(count), InstanceKey::Index(index)) => (true, index < count),
        (Instances::ForEach(entries), InstanceKey::Key(key)) => {
            (true, entries.binary_search_by(|(other, _)| other.cmp(key)).is_ok())
        }
        _ => (false, false),
    };
    if !fits {
        let detail = format!("{address} has a key that no instance of the resource can have, or lacks one.");
        log.push(about(import, Diagnostic::error(INVALID_TO, detail)));
    } else if !exists {
        log.push(about(import, Diagnostic::error(NO_CONFIGURATION, missing(address))));
    }
    fits
}

impl PlanWalk {
    /// The imports into a resource, as they are known before its instances are looked at.
    pub(super) fn imports_into(
        &self,
        number: usize,
        instances: &Instances,
        log: &mut Log,
    ) -> HashMap<InstanceKey, Import> {
        let mut imports = HashMap::new();
        let Some(block) = self.session.block(number) else { return imports };
        let Some((blocks, first)) = self.import_blocks.get(&*block.address.in_any_instance()) else {
            return imports;
        };
        for (at, import) in blocks.iter().filter_map(|at| Some((*at, self.session.config.imports.get(*at)?)))
        {
            let found = self.targets_of(import).unwrap_or_else(|fault| {
                log.placed(fault, diagnostic::SourceRange::of(import.source.as_ref()));
                Vec::new()
            });
            for (address, each) in found {
                if address.resource == block.address {
                    if !check_key((import, &address), instances, log) {
                        break;
                    }
                    imports.insert(address.key, Import { block: at, each });
                } else if number == *first && self.session.layout.number(&address.resource).is_none() {
                    log.push(about(import, Diagnostic::error(NO_CONFIGURATION, missing(&address))));
                }
            }
        }
        imports
    }

    /// Where a block imports to, with what its expressions can refer to.
    fn targets_of(&self, import: &ImportBlock) -> Result<Vec<(InstanceAddress, RepetitionData)>, Fault> {
        let Some(for_each) = &import.for_each else {
            return Ok(vec![(
                self.target_of(import, &RepetitionData::default())?,
                RepetitionData::default(),
            )]);
        };
        let invalid = |detail: &str| {
            let fault = Fault::new("Invalid for_each argument", detail);
            Fault { place: conditions::place(for_each), ..fault }
        };
        let unknown = "The for_each argument of an import has to be known when planning.";
        let given = evaluate(for_each, &self.scope(&RepetitionData::default()))?;
        if given.are_on_keys(&given.ephemeral) && Rule::EphemeralForEach.holds() {
            return Err(invalid("The for_each argument of an import must not be ephemeral."));
        }
        if given.value.peel().is_null() {
            return Ok(Vec::new());
        }
        let is_some = !matches!(given.ty, Type::String | Type::Number | Type::Bool);
        let entries = if is_some {
            entries(&given)?.ok_or_else(|| invalid(unknown))?
        } else {
            return Err(invalid("The for_each argument has to be a map, a list, or a set."));
        };
        let mut targets = Vec::new();
        for (key, value) in entries {
            if !key.value.is_wholly_known() {
                return Err(invalid(unknown));
            }
            // Keys are shown as addresses, whatever they are made of.
            let key = Evaluated::plain(key.value, key.ty);
            let each = RepetitionData { key: Some(key), value: Some(value), ..RepetitionData::default() };
            targets.push((self.target_of(import, &each)?, each));
        }
        Ok(targets)
    }

    fn target_of(&self, import: &ImportBlock, each: &RepetitionData) -> Result<InstanceAddress, Fault> {
        let mut to = import.to.clone();
        for (at, written) in &import.keys {
            let key = evaluate(written, &self.scope(each))?;
            if key.is_sensitive() {
                let detail = "Keys are shown as addresses, so they must not be sensitive.";
                let fault = Fault::new("Invalid index expression", detail);
                return Err(Fault { place: conditions::place(written), ..fault });
            }
            let invalid = || Fault::new(INVALID_TO, "A key has to be known, and a whole number or a string.");
            let key = InstanceKey::of(key.value.peel()).ok_or_else(invalid)?;
            match to.resource.module.0.get_mut(*at) {
                Some((_, step)) => *step = key,
                None => to.key = key,
            }
        }
        Ok(to)
    }

    pub(super) fn import_for(&self, cx: &InstanceContext<'_>) -> Option<&Import> {
        self.imports.get(cx.number?)?.get()?.get(&cx.address.key)
    }

    /// The imported object, as it is read. It counts as what was there before, so that it does not drift.
    pub(super) async fn imported(
        &self,
        cx: &InstanceContext<'_>,
        import: &Import,
        log: &mut Log,
    ) -> Option<PriorObject> {
        let block = self.session.config.imports.get(import.block)?;
        let subject = ImportIdentifier { session: &self.session, block, kind: cx.managed.kind };
        let named = subject.named(&self.scope(&import.each), log)?;
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
