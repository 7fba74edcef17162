//! The calls for an object of a managed resource, each with the checks that core makes of the answer.

use std::borrow::Cow;

use bytes::Bytes;
use ferroform::path::Path;
use ferroform::schema::Block;
use ferroform::ty::Type;
use ferroform::value::Value;

use super::Deferral;
use super::check::Check;
use super::layout::Resource;
use super::log::Log;
use super::object::{InstanceObject, Kind};
use super::provider_meta::ProviderMeta;
use super::remote_state;
use super::session::Session;
use crate::client::{
    ApplyRequest, ApplyResponse, PlanRequest, PlanResponse, Provider, ReadDataResponse, StoredObject,
};
use crate::plan_rules::{
    Problem, absent_computed_blocks, assert_object_compatible, assert_plan_valid, assert_wholly_known,
    assert_write_only_null, proposed_new, summary, without_unknowns,
};
use crate::state::{Attributes, Object};

/// A resource type at a provider.
#[derive(Clone, Copy)]
pub(super) struct Managed<'a> {
    pub(super) session: &'a Session,
    pub(super) provider: &'a Provider,
    pub(super) kind: Kind<'a>,
    pub(super) block: &'a Block,
    /// The declaration and the `provider_meta` block that goes with its calls.
    pub(super) meta: Option<(&'a Resource, &'a ProviderMeta)>,
}

/// What came of applying.
pub(super) enum ApplyOutcome {
    /// There is nothing to record: what was there is still there.
    Nothing,
    /// The object is now like this; null if it was deleted.
    Object(StoredObject),
}

impl<'a> Managed<'a> {
    fn name(&self) -> &'a str {
        self.kind.type_name
    }

    fn checks(&self, check: Check) -> bool {
        self.session.checks(check)
    }

    /// The provider for calls with the `provider_meta` value of the module. `None` after an error in the block.
    pub(super) fn in_module(&self, log: &mut Log) -> Option<Cow<'a, Provider>> {
        let Some((resource, meta)) = self.meta else { return Some(Cow::Borrowed(self.provider)) };
        let value = meta.value(resource, log)?;
        Some(Cow::Owned(self.provider.clone().with_provider_meta(value.clone())))
    }

    /// Validates the configuration of a data source, and reads it. `None` if that failed.
    pub(super) async fn read_data(&self, config: &Value, log: &mut Log) -> Option<ReadDataResponse> {
        let provider = self.in_module(log)?;
        self.validate(config, log).await?;
        let read = provider.read_data(self.name(), config);
        let mut read = log.answered(self.session.limited(read).await)?;
        log.provider(std::mem::take(&mut read.diagnostics));
        if !log.is_fine()
            && self.name() == remote_state::NAME
            && self.session.core.emulated.names_unread_state()
        {
            let summary = format!("{}: Unable to read remote state", log.address());
            log.error_without_address(&summary, "");
        }
        log.fine()?;
        read.deferred = read.deferred.filter(|_| self.session.core.emulated.has_deferral());
        if read.deferred.is_some() {
            if self.session.core.deferral == Deferral::Allowed {
                return Some(read);
            }
            if self.checks(Check::Deferral) {
                log.error(
                    summary::DEFERRED,
                    "The provider put reading off, which was not allowed. This is a bug in the provider.",
                );
            }
        }
        if read.value.is_null() && self.checks(Check::DataNull) {
            let detail =
                "The provider produced a null object for a data source. This is a bug in the provider.";
            log.error("Provider produced null object", detail);
        }
        if self.checks(Check::DataKnown) {
            log.problems(summary::INVALID_OBJECT, assert_wholly_known(&read.value));
        }
        log.is_fine().then_some(read)
    }

    /// A stored object, brought to the version of the schema. `None` if that failed.
    pub(super) async fn read_state(&self, object: &Object, log: &mut Log) -> Option<InstanceObject> {
        let schema = log.answered(self.kind.catalog.resource(self.name()))?;
        if object.schema_version > schema.version && self.checks(Check::UpgradeVersion) {
            let detail = "The current state was created by a newer provider version. Upgrade the provider to \
                          work with it.";
            return log.refuse(summary::NEWER_PROVIDER, detail);
        }
        let version = object.schema_version;
        let upgrade = async {
            match object.stored_attributes(schema) {
                Attributes::Json(json) => self.provider.upgrade(self.name(), version, json).await,
                Attributes::Flat(flat) => self.provider.upgrade_flat(self.name(), version, &flat).await,
            }
        };
        let (value, found) = log.answered(self.session.limited(upgrade).await)?;
        log.provider(found);
        log.fine()?;
        let invalid = self.session.core.emulated.invalid_upgrade();
        if self.checks(Check::UpgradeKnown) {
            log.problems(invalid, assert_wholly_known(&value));
        }
        if self.checks(Check::UpgradeWriteOnly) {
            self.check_write_only(&value, invalid, log);
        }
        let identity = self.stored_identity(object, log).await?;
        log.fine()?;
        // A core that accepts what is unknown stores a null.
        let accepts_unknown = !self.session.core.emulated.makes(Check::UpgradeKnown);
        let value = if accepts_unknown { without_unknowns(value) } else { value };
        let stored = StoredObject { value, private: object.private.clone(), identity };
        log.answered(self.kind.live(object, stored))
    }

    /// The identity is upgraded only if its version differs; none is stored with version 0.
    async fn stored_identity(&self, object: &Object, log: &mut Log) -> Option<Option<Value>> {
        let Some(schema) = self.kind.catalog.identity(self.name()) else { return Some(None) };
        let version = object.identity_schema_version;
        if version > schema.version && self.checks(Check::IdentityVersion) {
            let detail = "The current identity was created by a newer provider version. Upgrade the provider \
                          to work with it.";
            return log.refuse(self.session.core.emulated.newer_identity(), detail);
        }
        if version == schema.version {
            return match self.kind.decode_identity(object) {
                Ok(identity) => Some(identity),
                Err(error) => {
                    let summary = format!(
                        "failed to decode identity: {error}. This is most likely a bug in the Provider, providers \
                         must not change the identity schema without updating the identity schema version"
                    );
                    log.refuse(&summary, "")
                }
            };
        }
        let json = object.identity.clone().unwrap_or_default();
        let upgrade = self.provider.upgrade_identity(self.name(), version, json);
        let (identity, found) = log.answered(self.session.limited(upgrade).await)?;
        log.provider(found);
        if self.checks(Check::IdentityUpgradeKnown) {
            self.known_identity(identity.as_ref(), summary::INVALID_IDENTITY_UPGRADE, log);
        }
        Some(identity)
    }

    fn known_identity(&self, identity: Option<&Value>, summary: &str, log: &mut Log) {
        if self.session.core.emulated.checks_identity() {
            log.problems(summary, identity.map(assert_wholly_known).unwrap_or_default());
        }
    }

    /// Whether a deferral is to be honoured; one that is not allowed is an error.
    pub(super) fn deferred(&self, deferred: Option<&'static str>, log: &mut Log) -> Option<&'static str> {
        let reason = deferred.filter(|_| self.session.core.emulated.has_deferral())?;
        if self.session.core.deferral == Deferral::Allowed {
            return Some(reason);
        }
        if self.checks(Check::Deferral) && log.is_fine() {
            let detail = "The provider signaled a deferred action, but in this context deferrals are \
                          disabled. This is a bug in the provider.";
            log.error(summary::DEFERRED, detail);
        }
        None
    }

    /// The object as the provider finds it, which is null if it was deleted. `None` if reading failed.
    pub(super) async fn read(
        &self,
        current: &InstanceObject,
        log: &mut Log,
    ) -> Option<(InstanceObject, Option<&'static str>)> {
        let provider = self.in_module(log)?;
        let read = provider.read(self.name(), &current.stored);
        let read = log.answered(self.session.limited(read).await)?;
        log.provider(read.diagnostics);
        log.fine()?;
        if let Some(reason) = self.deferred(read.deferred, log) {
            return Some((current.clone(), Some(reason)));
        }
        let mut object = read.object;
        object.value = super::normalise::legacy(self.block, object.value);
        if self.checks(Check::ReadIdentity) {
            self.known_identity(object.identity.as_ref(), summary::INVALID_IDENTITY, log);
        }
        if self.checks(Check::ReadWriteOnly) {
            self.check_write_only(&object.value, summary::INVALID_OBJECT, log);
        }
        if self.checks(Check::ReadKnown) {
            log.problems(summary::INVALID_OBJECT, assert_wholly_known(&object.value));
        }
        log.fine()?;
        let sensitive = log.answered(self.kind.sensitive(&object.value, &current.sensitive))?;
        Some((InstanceObject { stored: object, sensitive, ..current.clone() }, None))
    }

    /// Has the provider validate a configuration. `None` if there are errors so far.
    pub(super) async fn validate(&self, config: &Value, log: &mut Log) -> Option<()> {
        self.session.validate(self.provider, self.kind, config, log).await
    }

    /// The configuration as it is sent with plans and applies.
    pub(super) fn sent(&self, config: &Value) -> Value {
        if self.session.core.emulated.has_computed_blocks() {
            absent_computed_blocks(self.block, config)
        } else {
            config.clone()
        }
    }

    /// A plan, with all checks of it that need nothing but the plan. `config` is as [sent](Self::sent).
    pub(super) async fn plan(
        &self,
        prior: &StoredObject,
        config: &Value,
        planned_private: Bytes,
        log: &mut Log,
    ) -> Option<PlanResponse> {
        let proposed = proposed_new(self.block, &prior.value, config);
        let request = PlanRequest { prior, config, proposed: &proposed, planned_private };
        let provider = self.in_module(log)?;
        let planned = provider.plan(self.name(), request);
        let planned = log.answered(self.session.limited(planned).await)?;
        log.provider(planned.diagnostics.clone());
        log.fine()?;
        if self.deferred(planned.deferred, log).is_some() {
            return Some(planned);
        }
        if self.checks(Check::PlanWriteOnly) {
            self.check_write_only(&planned.object.value, summary::INVALID_PLAN, log);
        }
        if log.is_fine() && !planned.legacy_type_system && self.checks(Check::PlanValid) {
            let problems = assert_plan_valid(self.block, &prior.value, config, &planned.object.value);
            log.problems(summary::INVALID_PLAN, self.but_write_only(problems, &planned.object.value));
        }
        log.is_fine().then_some(planned)
    }

    fn check_write_only(&self, value: &Value, summary: &'static str, log: &mut Log) {
        let summary = self.session.core.emulated.has_write_only_value(summary);
        log.problems(summary, assert_write_only_null(self.block, value));
    }

    /// Write-only attributes are checked on their own.
    fn but_write_only(&self, problems: Vec<Problem>, planned: &Value) -> Vec<Problem> {
        let own = assert_write_only_null(self.block, planned);
        problems.into_iter().filter(|problem| own.iter().all(|it| it.path != problem.path)).collect()
    }

    /// What the new object of a replacement will be. It is not compared with the configuration, and only its errors
    /// are told, for its warnings were told with the first plan.
    pub(super) async fn plan_again(
        &self,
        first: &StoredObject,
        config: &Value,
        log: &mut Log,
    ) -> Option<StoredObject> {
        let keeps = self.session.core.emulated.second_plan_has_identity();
        let identity = first.identity.clone().filter(|_| keeps);
        let prior = StoredObject { value: Value::Null, private: first.private.clone(), identity };
        let proposed = proposed_new(self.block, &Value::Null, config);
        let request =
            PlanRequest { prior: &prior, config, proposed: &proposed, planned_private: Bytes::new() };
        let provider = self.in_module(log)?;
        let planned = provider.plan(self.name(), request);
        let planned = log.answered(self.session.limited(planned).await)?;
        log.provider_errors(planned.diagnostics);
        if self.checks(Check::SecondPlanWriteOnly) && log.is_fine() {
            self.check_write_only(&planned.object.value, summary::INVALID_PLAN, log);
        }
        log.is_fine().then_some(planned.object)
    }

    /// An identity may be unknown only as long as the object does not exist.
    pub(super) fn check_planned_identity(&self, planned: &StoredObject, log: &mut Log) {
        if self.checks(Check::PlanIdentity) {
            self.known_identity(planned.identity.as_ref(), summary::INVALID_IDENTITY, log);
        }
    }

    /// The plan to delete an object, and why that is deferred if it is. A provider without the capability is not asked,
    /// and gets its private data back.
    pub(super) async fn plan_destroy(
        &self,
        before: &StoredObject,
        log: &mut Log,
    ) -> Option<(StoredObject, Option<&'static str>)> {
        let provider = self.in_module(log)?;
        if !self.kind.catalog.schemas().capabilities.plan_destroy {
            return Some((StoredObject { private: before.private.clone(), ..StoredObject::none() }, None));
        }
        let (config, planned_private) = (&Value::Null, Bytes::new());
        let request = PlanRequest { prior: before, config, proposed: config, planned_private };
        let planned = provider.plan(self.name(), request);
        let planned = log.answered(self.session.limited(planned).await)?;
        log.provider(planned.diagnostics);
        if let Some(reason) = self.deferred(planned.deferred, log) {
            return Some((StoredObject::none(), Some(reason)));
        }
        if !planned.object.value.is_null() && log.is_fine() && self.checks(Check::PlanDestroyNull) {
            let detail = "The provider planned a non-null destroy value. This is a bug in the provider, \
                          which should be reported in the provider's own issue tracker.";
            log.error(summary::INVALID_PLAN, detail);
        }
        self.check_planned_identity(&planned.object, log);
        log.is_fine().then_some((StoredObject { value: Value::Null, ..planned.object }, None))
    }

    /// Makes a planned change.
    pub(super) async fn apply(
        &self,
        before: &Value,
        planned: &StoredObject,
        config: &Value,
        log: &mut Log,
    ) -> ApplyOutcome {
        let request = ApplyRequest { prior: before, planned, config };
        let Some(provider) = self.in_module(log) else { return ApplyOutcome::Nothing };
        let applied = provider.apply(self.name(), request);
        match log.answered(self.session.limited(applied).await) {
            Some(applied) => self.checked(planned, applied, log),
            None => ApplyOutcome::Nothing,
        }
    }

    /// Errors do not end it: the provider may still tell of an object that it has made.
    fn checked(&self, planned: &StoredObject, applied: ApplyResponse, log: &mut Log) -> ApplyOutcome {
        let ApplyResponse { mut object, diagnostics, legacy_type_system } = applied;
        if self.checks(Check::ApplyIdentity) {
            self.known_identity(object.identity.as_ref(), summary::INVALID_IDENTITY, log);
        }
        log.provider(diagnostics);
        if self.checks(Check::ApplyWriteOnly) {
            let problems = assert_write_only_null(self.block, &object.value);
            if !problems.is_empty() {
                let summary = self.session.core.emulated.has_write_only_value(summary::INVALID_OBJECT);
                log.problems(summary, problems);
                if !self.session.core.emulated.stores_write_only_value() {
                    return ApplyOutcome::Nothing;
                }
            }
        }
        if self.checks(Check::ApplyKnown) {
            log.problems(summary::INVALID_RESULT, assert_wholly_known(&object.value));
        }
        object.value = without_unknowns(object.value);
        object.identity = object.identity.filter(Value::is_wholly_known);
        let deletes = planned.value.is_null();
        if !deletes && log.is_fine() && !legacy_type_system && self.checks(Check::ApplyCompatible) {
            let broken = assert_object_compatible(self.block, &planned.value, &object.value);
            log.problems(summary::INCONSISTENT_RESULT, broken);
        }
        if log.is_fine() && deletes && !object.value.is_null() && self.checks(Check::ApplyDeleted) {
            let detail = "After applying the delete, the provider still returned an object. This is a bug in \
                          the provider.";
            log.error(summary::INVALID_RESULT, detail);
        }
        if log.is_fine() && !deletes && object.value.is_null() && self.checks(Check::ApplyPresent) {
            let detail =
                "After applying the change, the provider returned no object. This is a bug in the provider.";
            log.error(summary::INVALID_RESULT, detail);
            return ApplyOutcome::Nothing;
        }
        ApplyOutcome::Object(object)
    }

    /// The paths in a planned value that are sensitive: by the schema, and by what was configured.
    pub(super) fn sensitive(&self, value: &Value, configured: &[Path], log: &mut Log) -> Vec<Path> {
        log.answered(self.kind.sensitive(value, configured)).unwrap_or_default()
    }

    pub(super) fn ty(&self) -> Type {
        self.kind.ty().unwrap_or(Type::Dynamic)
    }
}
