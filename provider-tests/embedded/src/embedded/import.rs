//! The calls of an import, with the checks that core makes of the answers.

use ferroform::value::Value;

use super::check::Check;
use super::log::Log;
use super::managed::Managed;
use super::object::InstanceObject;
use crate::client::StoredObject;
use crate::plan_rules::{assert_write_only_null, summary};
use crate::state::Status;

/// The summary for an import by identity that has come to none.
pub(super) fn without_identity(address: &str) -> String {
    format!("import of {address} didn't return an identity")
}

/// What an import names.
pub(super) enum ImportKey {
    Id(String),
    Identity(Value),
}

impl Managed<'_> {
    /// The one object of an import, as it is read right after; `None` if there were errors.
    pub(super) async fn import_one(
        &self,
        named: &ImportKey,
        log: &mut Log,
    ) -> Option<(InstanceObject, Option<&'static str>)> {
        let (objects, deferred) = self.import(named, log).await?;
        if let Some(reason) = deferred {
            return Some((InstanceObject::none(), Some(reason)));
        }
        if objects.len() > 1 && self.session.checks(Check::ImportSeveral) {
            let detail = "The provider returned several objects for one import, which is not supported here.";
            log.error(summary::IMPORT_SEVERAL, detail);
        }
        let (type_name, object) = objects.into_iter().next()?;
        self.check_imported_type(&type_name, log);
        if !self.check_imported(named, &object, log) {
            return None;
        }
        if !log.is_fine() {
            // Core reads it all the same, and then it has nothing to say about what is not there.
            let imported = InstanceObject { stored: object, status: Status::Ready, ..InstanceObject::none() };
            self.read(&imported, log).await?;
            return None;
        }
        let live = self.read_imported(object, log).await?;
        Some((live, None))
    }

    /// All objects of an import, unread. There is at least one.
    pub(super) async fn import(
        &self,
        named: &ImportKey,
        log: &mut Log,
    ) -> Option<(Vec<(String, StoredObject)>, Option<&'static str>)> {
        let type_name = self.kind.type_name;
        let import = async {
            match named {
                ImportKey::Id(id) => self.provider.import(type_name, id).await,
                ImportKey::Identity(identity) => {
                    self.provider.import_identity(type_name, identity.clone()).await
                }
            }
        };
        let imported = log.answered(self.session.limited(import).await)?;
        log.provider(imported.diagnostics);
        log.fine()?;
        if let Some(reason) = self.deferred(imported.deferred, log) {
            return Some((Vec::new(), Some(reason)));
        }
        if imported.objects.is_empty() {
            if log.is_fine() && self.session.checks(Check::ImportNothing) {
                let detail = "The import returned no resources. This is a bug in the provider.";
                log.error(summary::IMPORT_NOTHING, detail);
            }
            return None;
        }
        log.is_fine().then_some((imported.objects, None))
    }

    fn check_imported_type(&self, type_name: &str, log: &mut Log) {
        if type_name != self.kind.type_name && self.session.checks(Check::ImportType) {
            let detail =
                format!("The imported object is of type {type_name:?}. This is a bug in the provider.");
            log.error(summary::INVALID_OBJECT, detail);
        }
    }

    /// Whether the object may be read: some of what is wrong with it does not keep core from that.
    pub(super) fn check_imported(&self, named: &ImportKey, object: &StoredObject, log: &mut Log) -> bool {
        let mut readable = true;
        if let ImportKey::Identity(_) = named {
            if object.identity.is_none() && self.session.checks(Check::ImportIdentity) {
                let detail = "The object was imported by identity, but the answer has none. This is a bug in \
                              the provider.";
                log.error(&without_identity(log.address()), detail);
                readable = false;
            }
        } else if object.value.is_null() && self.session.checks(Check::ImportNull) {
            log.error(
                summary::IMPORT_NULL,
                "The import returned a null object. This is a bug in the provider.",
            );
        }
        if self.session.checks(Check::ImportWriteOnly) {
            let problems = assert_write_only_null(self.block, &object.value);
            readable &= problems.is_empty();
            log.problems(summary::IMPORT_WRITE_ONLY, problems);
        }
        readable
    }

    /// Reads what was imported; it has to be there.
    pub(super) async fn read_imported(&self, object: StoredObject, log: &mut Log) -> Option<InstanceObject> {
        let imported = InstanceObject { stored: object, status: Status::Ready, ..InstanceObject::none() };
        let (read, _) = self.read(&imported, log).await?;
        if !read.exists() && self.session.checks(Check::ImportMissing) {
            let detail = "While attempting to import an existing object, the provider detected that no \
                          object exists with the given id. Only pre-existing objects can be imported; check \
                          that the id is correct and that it is associated with the provider's configured \
                          region or endpoint.";
            return log.refuse(summary::IMPORT_MISSING, detail);
        }
        Some(read)
    }
}
