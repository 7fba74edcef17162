//! What is sent with the calls of a provider, and what comes back, as values.

use std::fmt;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use ferroform::diag::Diagnostics;
use ferroform::path::Path;
use ferroform::value::Value;
use ferroform_proto::google::protobuf::Timestamp;
use ferroform_proto::tfplugin6 as proto;

/// An object of a managed resource, with what core keeps beside it.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// The attributes; null if there is no object.
    pub value: Value,
    /// The provider's private data.
    pub private: Bytes,
    /// The identity, for types that have one.
    pub identity: Option<Value>,
}

/// The answer of `ReadResource`.
#[derive(Debug, Clone)]
pub struct ReadResponse {
    /// The object as it is now; its value is null if it is gone.
    pub object: StoredObject,
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
    /// Why the provider deferred the change, if it did.
    pub deferred: Option<&'static str>,
}

/// The answer of `PlanResourceChange`.
#[derive(Debug, Clone)]
pub struct PlanResponse {
    /// The planned object.
    pub object: StoredObject,
    /// The attributes that cannot be changed in place.
    pub requires_replace: Vec<Path>,
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
    /// Whether core shall log some breaches of the protocol instead of failing; no new provider says so.
    pub legacy_type_system: bool,
    /// Why the provider deferred the change, if it did.
    pub deferred: Option<&'static str>,
}

/// The answer of `ApplyResourceChange`.
#[derive(Debug, Clone)]
pub struct ApplyResponse {
    /// The object after the change.
    pub object: StoredObject,
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
    /// Whether core shall log some breaches of the protocol instead of failing; no new provider says so.
    pub legacy_type_system: bool,
}

/// The answer of `ImportResourceState`.
#[derive(Debug, Clone)]
pub struct ImportResponse {
    /// The objects with their type names.
    pub objects: Vec<(String, StoredObject)>,
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
    /// Why the provider deferred the import, if it did.
    pub deferred: Option<&'static str>,
}

/// What is sent with `PlanResourceChange`.
#[derive(Debug, Clone)]
pub struct PlanRequest<'a> {
    /// The object before the change.
    pub prior: &'a StoredObject,
    /// The configuration; null to destroy.
    pub config: &'a Value,
    /// The proposed new state; null to destroy.
    pub proposed: &'a Value,
    /// What the first plan gave, when the plan is made again during apply.
    pub planned_private: Bytes,
}

/// What is sent with `ApplyResourceChange`.
#[derive(Debug, Clone)]
pub struct ApplyRequest<'a> {
    /// The value before the change.
    pub prior: &'a Value,
    /// The planned object.
    pub planned: &'a StoredObject,
    /// The configuration; null to destroy.
    pub config: &'a Value,
}

impl StoredObject {
    /// No object.
    #[must_use]
    pub fn none() -> Self {
        Self { value: Value::Null, private: Bytes::new(), identity: None }
    }
}

/// Shows no values, for some of them may be sensitive.
impl fmt::Debug for StoredObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredObject").field("value", &self.value.kind()).finish_non_exhaustive()
    }
}

/// The answer of `ReadDataSource`.
#[derive(Debug, Clone)]
pub struct ReadDataResponse {
    /// What was found.
    pub value: Value,
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
    /// Why the provider deferred reading, if it did.
    pub deferred: Option<&'static str>,
}

/// The answer of `PlanAction`.
#[derive(Debug, Clone)]
pub struct PlanActionResponse {
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
    /// Why the provider deferred the action, if it did.
    pub deferred: Option<&'static str>,
}

/// The events of `InvokeAction`.
#[derive(Debug, Clone)]
pub struct InvokeResponse {
    /// The progress, in order.
    pub progress: Vec<String>,
    /// What the provider has to say about the end.
    pub diagnostics: Diagnostics,
}

/// One event of `ListResource`. `Debug` shows no values, for some of them may be sensitive.
#[derive(Clone)]
pub struct ListedObject {
    /// The identity; `None` for an event that carries only diagnostics.
    pub identity: Option<Value>,
    /// What a person calls the object.
    pub display_name: String,
    /// The object itself, where it was asked for.
    pub object: Option<Value>,
    /// What the provider has to say about it.
    pub diagnostics: Diagnostics,
}

impl fmt::Debug for ListedObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListedObject")
            .field("display_name", &self.display_name)
            .field("diagnostics", &self.diagnostics)
            .finish_non_exhaustive()
    }
}

/// The answer of `OpenEphemeralResource`.
#[derive(Clone)]
pub struct OpenResponse {
    /// The attributes.
    pub value: Value,
    /// The provider's private data.
    pub private: Option<Bytes>,
    /// When to ask for a renewal.
    pub renew_at: Option<SystemTime>,
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
    /// Why the provider deferred the open, if it did.
    pub deferred: Option<&'static str>,
}

/// The answer of `RenewEphemeralResource`.
#[derive(Clone)]
pub struct RenewResponse {
    /// The provider's private data, for the next renewal.
    pub private: Option<Bytes>,
    /// When to ask for the next renewal; `None` for never.
    pub renew_at: Option<SystemTime>,
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
}

/// Shows neither the attributes nor private data, which are mostly secret.
impl fmt::Debug for OpenResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenResponse")
            .field("renew_at", &self.renew_at)
            .field("diagnostics", &self.diagnostics)
            .field("deferred", &self.deferred)
            .finish_non_exhaustive()
    }
}

/// Shows no private data, which is mostly secret.
impl fmt::Debug for RenewResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenewResponse")
            .field("renew_at", &self.renew_at)
            .field("diagnostics", &self.diagnostics)
            .finish_non_exhaustive()
    }
}

/// What is sent with `MoveResourceState`.
#[derive(Debug, Clone)]
pub struct MoveRequest<'a> {
    /// The address of the provider that the object was made by: `registry.terraform.io/hashicorp/random`.
    pub source_provider: &'a str,
    /// The type that it was of.
    pub source_type: &'a str,
    /// The version of the schema that it was stored with.
    pub source_version: i64,
    /// The stored attributes, as JSON.
    pub state: Bytes,
    /// The private data.
    pub private: Bytes,
    /// The stored identity, as JSON.
    pub identity: Option<Bytes>,
    /// The type that it shall be of.
    pub target_type: &'a str,
}

/// The answer of `MoveResourceState`.
#[derive(Debug, Clone)]
pub struct MoveResponse {
    /// The object.
    pub object: StoredObject,
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
}

/// The reason of a deferral, in the words of core's JSON output.
pub(super) fn deferred(wire: Option<proto::Deferred>) -> Option<&'static str> {
    use proto::deferred::Reason;
    wire.map(|deferred| match deferred.reason() {
        Reason::ResourceConfigUnknown => "resource_config_unknown",
        Reason::ProviderConfigUnknown => "provider_config_unknown",
        Reason::AbsentPrereq => "absent_prereq",
        Reason::Unknown => "unknown",
    })
}

/// A time of the system; `None` for one that is too far away for it.
pub(super) fn time(wire: Timestamp) -> Option<SystemTime> {
    let seconds = Duration::from_secs(wire.seconds.unsigned_abs());
    let whole = match wire.seconds {
        ..0 => SystemTime::UNIX_EPOCH.checked_sub(seconds),
        _ => SystemTime::UNIX_EPOCH.checked_add(seconds),
    };
    whole?.checked_add(Duration::from_nanos(u64::try_from(wire.nanos).ok()?))
}
