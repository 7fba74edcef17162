//! Import blocks.

use ferroform::ty::ObjectType;
use ferroform::value::{Value, convert};

use super::instance::Before;
use super::{Place, PlanWalk};
use crate::config::{ImportBlock, ImportSubject};
use crate::embedded::check::Check;
use crate::embedded::evaluate::evaluate;
use crate::embedded::import::{Imports, Named, without_identity};
use crate::embedded::log::Log;
use crate::embedded::record::Which;
use crate::plan::Importing;

impl PlanWalk {
    pub(super) fn import_for(&self, place: &Place<'_>) -> Option<&ImportBlock> {
        self.session.config.imports.iter().find(|import| import.to == place.address)
    }

    /// The imported object, as it is read. It counts as what was there before, so that it does not drift.
    pub(super) async fn imported(
        &self,
        place: &Place<'_>,
        import: &ImportBlock,
        log: &mut Log,
    ) -> Option<Before> {
        let named = self.named(place, import, log)?;
        let imports = Imports { managed: place.managed };
        let (live, deferred) = imports.one(&named, log).await?;
        let importing = match named {
            Named::Id(id) => Importing::Id(id),
            Named::Identity(given) => Importing::Identity(live.stored.identity.clone().unwrap_or(given)),
        };
        if deferred.is_none() {
            self.record_previous(place, Which::Current, &live, log);
        }
        log.is_fine().then_some(Before { live, importing: Some(importing), deferred })
    }

    fn named(&self, place: &Place<'_>, import: &ImportBlock, log: &mut Log) -> Option<Named> {
        let (ImportSubject::Id(expr) | ImportSubject::Identity(expr)) = &import.subject;
        let given = match evaluate(expr, &self.scope(place.each)) {
            Ok(given) => given,
            Err(fault) => {
                log.fault(fault);
                return None;
            }
        };
        match &import.subject {
            ImportSubject::Id(_) => {
                let id = convert(&given.value, &ferroform::ty::Type::String).ok();
                let id = id.as_ref().and_then(Value::as_str).unwrap_or_default();
                if id.is_empty() && self.session.checks(Check::ImportId) {
                    let detail = "The import ID value evaluates to a value that is null, empty or unknown. \
                                  Please provide an ID that is known while planning.";
                    log.error("Invalid import id argument", detail);
                    return None;
                }
                Some(Named::Id(id.to_owned()))
            }
            ImportSubject::Identity(_) if given.is_sensitive() => {
                log.error("Invalid import identity", "The identity of an import must not be sensitive.");
                None
            }
            ImportSubject::Identity(_) => {
                let Some(schema) = place.managed.kind.catalog.identity(place.managed.kind.type_name) else {
                    let detail =
                        "Resources of this type have no identity, so they have to be imported by id.";
                    log.error(&without_identity(log.address()), detail);
                    return None;
                };
                let all = schema.attributes.iter().map(|it| (&*it.name, it.ty.clone()));
                let optional = schema.attributes.iter();
                let optional = optional
                    .filter(|it| it.for_import == ferroform::schema::ForImport::Optional)
                    .map(|it| &*it.name);
                match convert(&given.typed(), &ObjectType::with_optional(all, optional).into()) {
                    Ok(identity) if identity.is_wholly_known() => Some(Named::Identity(identity)),
                    Ok(_) => {
                        log.error("Invalid import identity", "The identity of an import has to be known.");
                        None
                    }
                    Err(error) => {
                        log.error("Invalid import identity", format!("The identity does not fit: {error}."));
                        None
                    }
                }
            }
        }
    }
}
