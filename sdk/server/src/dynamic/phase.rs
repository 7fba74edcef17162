//! The phases of calls on resources, data sources and the provider. The phase of a [`Context`](super::Context) decides
//! what it offers:
//!
//! | | phases |
//! |---|---|
//! | diagnostics, cancellation, clock | all |
//! | [`Deferrable`]: client capabilities, deferral | [`Configure`], [`Plan`], [`PlanDelete`], [`Read`], [`Import`], [`ReadData`], [`PlanAction`] |
//! | [`AboutObject`]: private data, identity | [`Plan`], [`PlanDelete`], [`Create`], [`Read`], [`Update`], [`Delete`], [`Import`], [`Move`] |
//! | [`FromModule`]: `provider_meta` | [`Plan`], [`PlanDelete`], [`Create`], [`Read`], [`Update`], [`Delete`], [`ReadData`] |
//! | [`Timed`]: timeout | [`Create`], [`Read`], [`Update`], [`Delete`], [`ReadData`] |
//! | [`Applies`]: checkpoint | [`Create`], [`Update`], [`Delete`] |
//! | [`Configured`]: configuration as the user wrote it | [`Create`], [`Update`], [`ReadData`] |
//! | required replacement | [`Plan`] |
//! | core version | [`Configure`] |

/// The validation of a configuration.
///
/// ```
/// use ferroform::dynamic::phase::Validate;
/// use ferroform::dynamic::{CallState, Context};
/// use ferroform::path;
///
/// let mut call = CallState::new();
/// Context::<Validate>::new(&mut call).error_at(path!(cidr), "Invalid Network", "Use a private network.");
/// assert!(call.diagnostics.has_errors());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validate {}

/// The configuration of the provider.
///
/// ```
/// use ferroform::dynamic::phase::Configure;
/// use ferroform::dynamic::{CallState, Context};
///
/// let mut call = CallState::new();
/// call.core_version = "1.15.0".to_owned();
/// assert_eq!(Context::<Configure>::new(&mut call).core_version(), "1.15.0");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Configure {}

/// The configuration of a state store.
///
/// ```
/// use ferroform::dynamic::phase::ConfigureStateStore;
/// use ferroform::dynamic::{CallState, Context};
///
/// let mut call = CallState::new();
/// Context::<ConfigureStateStore>::new(&mut call).warn("No Versions", "The bucket keeps no older versions.");
/// assert_eq!(call.diagnostics.len(), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigureStateStore {}

/// The plan of a create or an update.
///
/// ```
/// use ferroform::dynamic::phase::Plan;
/// use ferroform::dynamic::{CallState, Context};
/// use ferroform::path;
///
/// let mut call = CallState::new();
/// let mut cx = Context::<Plan>::new(&mut call);
/// // A disk can grow in place, and not shrink.
/// cx.requires_replace(path!(size));
/// cx.warn("Disk Replaced", "A disk cannot shrink. Its data will be lost.");
/// assert_eq!((call.requires_replace, call.diagnostics.len()), (vec![path!(size)], 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {}

/// The plan of a delete.
///
/// ```
/// use ferroform::dynamic::phase::PlanDelete;
/// use ferroform::dynamic::{CallState, Context};
/// use ferroform::path;
///
/// let mut call = CallState::new();
/// let mut cx = Context::<PlanDelete>::new(&mut call);
/// cx.error_at(path!(protected), "Database Protected", "Set `protected = false` and apply before you delete it.");
/// assert!(call.diagnostics.has_errors());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanDelete {}

/// The creation of an object.
///
/// ```
/// use std::time::Duration;
///
/// use ferroform::dynamic::phase::Create;
/// use ferroform::dynamic::{CallState, Context};
/// use ferroform::value::Value;
///
/// let mut call = CallState::new();
/// call.timeout = Some(Duration::from_secs(600));
/// let mut cx = Context::<Create>::new(&mut call);
/// // The cluster exists now, and stays in the state if what follows fails.
/// cx.checkpoint(Value::object([("id", Value::from("cluster-1"))]));
/// assert_eq!(cx.timeout(), Some(Duration::from_secs(600)));
/// assert_eq!(call.checkpoint, Some(Value::object([("id", Value::from("cluster-1"))])));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Create {}

/// The refresh of an object.
///
/// ```
/// use ferroform::dynamic::phase::Read;
/// use ferroform::dynamic::{CallState, Context};
///
/// let mut call = CallState::new();
/// call.private.set("etag", &"W/1")?;
/// // The request can ask for changes since then.
/// assert_eq!(Context::<Read>::new(&mut call).private().get::<String>("etag")?.as_deref(), Some("W/1"));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {}

/// The update of an object.
///
/// ```
/// use ferroform::dynamic::phase::{Create, Update};
/// use ferroform::dynamic::{CallState, Context};
///
/// /// The service creates and replaces a DNS record by the same request.
/// fn put(cx: &mut Context<'_, Create>) {
///     cx.warn("Slow Change", "Resolvers keep the old record for an hour.");
/// }
///
/// let mut call = CallState::new();
/// put(&mut Context::<Update>::new(&mut call).for_create());
/// assert_eq!(call.diagnostics.len(), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {}

/// The deletion of an object.
///
/// ```
/// use ferroform::dynamic::phase::Delete;
/// use ferroform::dynamic::{CallState, Context};
///
/// let mut call = CallState::new();
/// call.private.set("snapshot", &"snap-1")?;
/// let cx = Context::<Delete>::new(&mut call);
/// assert_eq!(cx.private().get::<String>("snapshot")?.as_deref(), Some("snap-1"));
/// assert!(!cx.cancellation.is_cancelled());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delete {}

/// The import of objects.
///
/// ```
/// use ferroform::dynamic::phase::Import;
/// use ferroform::dynamic::{CallState, Context};
/// use ferroform::path;
/// use ferroform::value::Value;
///
/// let mut call = CallState::new();
/// call.identity = Some(Value::object([("region", Value::from("eu-west-1"))]));
/// let cx = Context::<Import>::new(&mut call);
/// assert_eq!(cx.identity().and_then(|it| it.get(&path!(region))), Some(&Value::from("eu-west-1")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Import {}

/// The upgrade of a stored state or identity.
///
/// ```
/// use ferroform::dynamic::phase::Upgrade;
/// use ferroform::dynamic::{CallState, Context};
///
/// let mut call = CallState::new();
/// Context::<Upgrade>::new(&mut call).warn("Zone Unknown", "Older releases stored no zone; the next refresh reads it.");
/// assert_eq!(call.diagnostics.len(), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upgrade {}

/// The move of a stored object from another type.
///
/// ```
/// use ferroform::dynamic::phase::Move;
/// use ferroform::dynamic::{CallState, Context};
/// use ferroform::value::Value;
///
/// let mut call = CallState::new();
/// let identity = Value::object([("id", Value::from("vpc-1"))]);
/// Context::<Move>::new(&mut call).set_identity(Some(identity.clone()));
/// assert_eq!(call.identity, Some(identity));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {}

/// The read of a data source.
///
/// ```
/// use ferroform::dynamic::phase::ReadData;
/// use ferroform::dynamic::{CallState, Context, Deferred};
///
/// let mut call = CallState::new();
/// call.capabilities.deferral_allowed = true;
/// let mut cx = Context::<ReadData>::new(&mut call);
/// if cx.capabilities().deferral_allowed {
///     // The cluster whose nodes it lists does not exist yet.
///     cx.defer(Deferred::AbsentPrerequisite);
/// }
/// assert_eq!(call.deferred, Some(Deferred::AbsentPrerequisite));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadData {}

/// The plan of an action.
///
/// ```
/// use ferroform::dynamic::phase::PlanAction;
/// use ferroform::dynamic::{CallState, Context};
/// use ferroform::path;
///
/// let mut call = CallState::new();
/// let mut cx = Context::<PlanAction>::new(&mut call);
/// cx.error_at(path!(instance), "Instance Locked", "An instance with termination protection cannot be rebooted.");
/// assert!(call.diagnostics.has_errors());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanAction {}

macro_rules! abilities {
    ($($phase:ident: $($ability:ident)+;)*) => {
        $($(impl $ability for $phase {})+)*
    };
}

abilities! {
    Configure: Deferrable;
    Plan: Deferrable AboutObject FromModule;
    PlanDelete: Deferrable AboutObject FromModule;
    Create: AboutObject FromModule Timed Applies Configured;
    Read: Deferrable AboutObject FromModule Timed;
    Update: AboutObject FromModule Timed Applies Configured;
    Delete: AboutObject FromModule Timed Applies;
    Import: Deferrable AboutObject;
    Move: AboutObject;
    ReadData: Deferrable FromModule Timed Configured;
    PlanAction: Deferrable;
}

/// A phase whose call can be deferred, and that knows the capabilities of the client.
///
/// ```
/// use ferroform::dynamic::phase::{Deferrable, Read};
/// use ferroform::dynamic::{CallState, Context, Deferred};
///
/// /// Defers any call that needs the cluster, if core allows it.
/// fn defer<P: Deferrable>(cx: &mut Context<'_, P>) -> bool {
///     let is_allowed = cx.capabilities().deferral_allowed;
///     if is_allowed {
///         cx.defer(Deferred::AbsentPrerequisite);
///     }
///     is_allowed
/// }
///
/// assert!(!defer(&mut Context::<Read>::new(&mut CallState::new())), "older cores do not allow it");
/// ```
#[diagnostic::on_unimplemented(
    message = "a call cannot be deferred in the phase `{Self}`",
    note = "configure, plan, read and import can; a planned change must be applied"
)]
pub trait Deferrable {}

/// A phase of one managed object, with its private data and its identity.
///
/// ```
/// use ferroform::diag::Result;
/// use ferroform::dynamic::phase::{AboutObject, Create};
/// use ferroform::dynamic::{CallState, Context};
///
/// /// Keeps the version of an object that the service answered with.
/// fn remember<P: AboutObject>(cx: &mut Context<'_, P>, etag: &str) -> Result {
///     cx.private_mut().set("etag", &etag)
/// }
///
/// let mut call = CallState::new();
/// remember(&mut Context::<Create>::new(&mut call), "W/1")?;
/// assert_eq!(call.private.get::<String>("etag")?.as_deref(), Some("W/1"));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "the phase `{Self}` has no object, so it has neither private data nor an identity"
)]
pub trait AboutObject {}

/// A phase that a module asks for, whose `provider_meta` block it can see.
///
/// ```
/// use ferroform::dynamic::phase::{FromModule, Read};
/// use ferroform::dynamic::{CallState, Context};
/// use ferroform::path;
/// use ferroform::value::Value;
///
/// /// The module that asks, for the log of the service.
/// fn caller<'a, P: FromModule>(cx: &'a Context<'_, P>) -> Option<&'a str> {
///     cx.provider_meta()?.get(&path!(module_name))?.as_str()
/// }
///
/// let mut call = CallState::new();
/// call.provider_meta = Some(Value::object([("module_name", Value::from("network"))]));
/// assert_eq!(caller(&Context::<Read>::new(&mut call)), Some("network"));
/// ```
#[diagnostic::on_unimplemented(message = "the phase `{Self}` has no `provider_meta`")]
pub trait FromModule {}

/// A phase whose time the `timeouts` of a resource limit.
///
/// ```
/// use std::time::Duration;
///
/// use ferroform::dynamic::phase::{Delete, Timed};
/// use ferroform::dynamic::{CallState, Context};
///
/// /// How long to wait for the service: what the user set, or half an hour.
/// fn limit<P: Timed>(cx: &Context<'_, P>) -> Duration {
///     cx.timeout().unwrap_or(Duration::from_secs(30 * 60))
/// }
///
/// assert_eq!(limit(&Context::<Delete>::new(&mut CallState::new())), Duration::from_secs(1800));
/// ```
#[diagnostic::on_unimplemented(message = "the phase `{Self}` has no timeout")]
pub trait Timed {}

/// A phase that changes an object.
///
/// ```
/// use ferroform::dynamic::phase::{Applies, Create, Update};
/// use ferroform::dynamic::{CallState, Context};
/// use ferroform::value::Value;
///
/// /// Records the bucket after each request that has changed it.
/// fn record<P: Applies>(cx: &mut Context<'_, P>, name: &str, is_versioned: bool) {
///     cx.checkpoint(Value::object([("name", Value::from(name)), ("versioned", Value::from(is_versioned))]));
/// }
///
/// record(&mut Context::<Create>::new(&mut CallState::new()), "logs", false);
/// record(&mut Context::<Update>::new(&mut CallState::new()), "logs", true);
/// ```
#[diagnostic::on_unimplemented(
    message = "the phase `{Self}` changes no object",
    note = "only create, update and delete record checkpoints"
)]
pub trait Applies {}

/// A phase that can see the configuration beside the values planned from it.
///
/// ```
/// use ferroform::diag::Result;
/// use ferroform::dynamic::phase::{Configured, Create};
/// use ferroform::dynamic::{CallState, Context};
/// use ferroform::model::Model;
/// use ferroform::value::Value;
///
/// #[derive(Model)]
/// struct Disk {
///     #[attr(default = 10)]
///     size: u32,
/// }
///
/// /// Whether the user chose the size, and not the default.
/// fn chose_size<P: Configured>(cx: &Context<'_, P>) -> Result<bool> {
///     Ok(!cx.config::<Disk>()?.size.is_null())
/// }
///
/// let mut call = CallState::new();
/// call.set_config(Value::object([("size", Value::Null)]));
/// assert!(!chose_size(&Context::<Create>::new(&mut call))?);
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[diagnostic::on_unimplemented(message = "the phase `{Self}` has no configuration of its own")]
pub trait Configured {}
