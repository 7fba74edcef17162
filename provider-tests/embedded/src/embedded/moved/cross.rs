//! Moves to another resource type, or to another provider.

use crate::address::{InstanceAddress, ProviderAddress};
use crate::client::{MoveRequest, Provider};
use crate::embedded::check::Check;
use crate::embedded::evaluate::marks;
use crate::embedded::log::Log;
use crate::embedded::object::{InstanceObject, Kind};
use crate::embedded::session::Session;
use crate::plan_rules::{assert_wholly_known, assert_write_only_null, summary};
use crate::state::{Attributes, InstanceState, Object};

/// A move to another type, or to another provider.
pub(super) struct Crossing<'a> {
    pub(super) from: &'a InstanceAddress,
    pub(super) to: &'a InstanceAddress,
    pub(super) provider: &'a ProviderAddress,
    pub(super) old: &'a ProviderAddress,
}

/// The provider of the target takes the object over. It is not configured for that.
pub(super) async fn across(
    session: &Session,
    crossing: &Crossing<'_>,
    mut instance: InstanceState,
    log: &mut Log,
) -> Option<InstanceState> {
    let client = log.answered(session.launch(crossing.provider).await)?;
    let provider = log.answered(session.instance(crossing.provider, client).await)?;
    if !provider.schemas().capabilities.move_resource_state && session.checks(Check::MoveSupported) {
        let detail = format!(
            "The provider {} does not support moved operations across resource types and providers.",
            crossing.provider,
        );
        return log.refuse("Unsupported `moved` across resource types", detail);
    }
    let object = instance.current.take()?;
    instance.current = Some(taken_over(session, crossing, &provider, object, log).await?);
    Some(instance)
}

async fn taken_over(
    session: &Session,
    crossing: &Crossing<'_>,
    provider: &Provider,
    object: Object,
    log: &mut Log,
) -> Option<Object> {
    let Attributes::Json(state) = object.attributes else {
        return log.refuse(
            "Unsupported `moved` across resource types",
            "The state is too old to be moved to another type.",
        );
    };
    let hands_over = session.core.emulated.moves_identities();
    let request = MoveRequest {
        source_provider: &crossing.old.to_string(),
        source_type: &crossing.from.resource.type_name,
        source_version: object.schema_version,
        state,
        private: object.private,
        identity: object.identity.clone().filter(|_| hands_over),
        target_type: &crossing.to.resource.type_name,
    };
    let moved = log.answered(session.limited(provider.move_state(request)).await)?;
    log.provider(moved.diagnostics);
    log.fine()?;
    let kind = Kind::of(provider.catalog(), &crossing.to.resource);
    let block = log.answered(kind.block())?;
    let invalid = "Provider returned invalid value";
    if session.checks(Check::MoveWriteOnly) {
        let summary = session.core.emulated.has_write_only_value(invalid);
        log.problems(summary, assert_write_only_null(block, &moved.object.value));
    }
    if session.checks(Check::MoveKnown) {
        log.problems(invalid, assert_wholly_known(&moved.object.value));
    }
    if session.checks(Check::MoveIdentity) {
        let identity = moved.object.identity.as_ref().map(assert_wholly_known).unwrap_or_default();
        log.problems(summary::INVALID_IDENTITY, identity);
    }
    log.fine()?;
    let sensitive = marks::of_schema(block, &moved.object.value);
    let live = InstanceObject {
        stored: moved.object,
        sensitive,
        status: object.status,
        dependencies: object.dependencies,
        create_before_destroy: object.create_before_destroy,
        skip_destroy: object.skip_destroy,
    };
    let taken = log.answered(kind.encode(&live))?;
    if hands_over {
        return Some(taken);
    }
    let (identity, identity_schema_version) = (object.identity, object.identity_schema_version);
    Some(Object { identity, identity_schema_version, ..taken })
}
