//! What belongs to one call on a resource, a data source or the provider.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use crate::cancel::Cancellation;
use crate::clock::Clock;
use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::dynamic::phase::{
    AboutObject, Applies, Configure, Configured, Create, Deferrable, FromModule, Import, Plan, Read, Timed,
    Update, Validate,
};
use crate::model::{Decode, Draft, Model};
use crate::path::Path;
use crate::plan::{self, Drift};
use crate::private::Private;
use crate::protocol::{ClientCapabilities, Deferred};
use crate::schema::Block;
use crate::value::{Refinements, Value};

/// Decodes the configuration of a call.
pub(crate) type ConfigSource = Arc<dyn Fn() -> Result<Value> + Send + Sync>;

/// Merges what a service shows into the planned state of a call, and says what sets the two apart.
pub(crate) type Merge = Arc<dyn Fn(&mut Value) -> Drift + Send + Sync>;

/// What core sent with one call, and what the call has reported so far. Methods of a provider see the part of it that
/// their phase has, as a [`Context`]; a test without a host makes one, and looks at it afterwards.
///
/// `Debug` leaves out what may hold values of the user.
///
/// ```
/// use ferroform::dynamic::phase::Create;
/// use ferroform::dynamic::{CallState, Context};
///
/// let mut call = CallState::new();
/// call.private.set("generation", &1)?;
/// Context::<Create>::new(&mut call).warn("Slow Region", "Objects in this region take minutes to appear.");
/// assert_eq!(call.diagnostics.len(), 1);
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Default)]
#[non_exhaustive]
pub struct CallState {
    /// Whether the user has asked to stop, or the time of the call is up.
    pub cancellation: Cancellation,
    /// How long the call may take, by the `timeouts` of the resource; `None` is for ever.
    pub timeout: Option<Duration>,
    /// The time.
    pub clock: Clock,
    /// What core can do.
    pub capabilities: ClientCapabilities,
    /// The version that core gave for itself; empty outside of the configuration of the provider.
    pub core_version: String,
    /// The `provider_meta` block of the calling module; `None` where it has none.
    pub provider_meta: Option<Value>,
    /// The private data of the object.
    pub private: Private,
    /// The identity stored with the object, or planned for it; for an import the one that the user wrote.
    pub identity: Option<Value>,
    /// What was reported so far. Errors in here make the call fail whatever it returns.
    pub diagnostics: Diagnostics,
    /// The state that [`Context::checkpoint`] recorded last; `None` if it recorded none.
    pub checkpoint: Option<Value>,
    /// The attributes because of which the plan replaces the object, as [`Context::requires_replace`] named them.
    pub requires_replace: Vec<Path>,
    /// What the plan states of unknown values, each by [`Context::refine`].
    pub refinements: Vec<(Path, Refinements)>,
    /// Why [`Context::defer`] deferred the call; `None` if it is not deferred.
    pub deferred: Option<Deferred>,
    pub(crate) config: Option<ConfigSource>,
    pub(crate) merge: Option<Merge>,
    /// What was found where the author compared what the service shows with the plan.
    pub(crate) drifts: Vec<Drift>,
}

impl CallState {
    /// A call without a host: never cancelled, with the real time.
    ///
    /// ```
    /// use ferroform::dynamic::CallState;
    ///
    /// let call = CallState::new();
    /// assert!(call.timeout.is_none() && !call.capabilities.deferral_allowed && call.diagnostics.is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the configuration that [`Context::config`] returns.
    ///
    /// ```
    /// use ferroform::dynamic::phase::ReadData;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::model::Model;
    /// use ferroform::value::Value;
    ///
    /// #[derive(Model)]
    /// struct Images {
    ///     #[attr(default = 100)]
    ///     limit: u32,
    /// }
    ///
    /// let mut call = CallState::new();
    /// assert!(Context::<ReadData>::new(&mut call).config::<Images>().is_err());
    /// call.set_config(Value::object([("limit", Value::from(5))]));
    /// assert_eq!(Context::<ReadData>::new(&mut call).config::<Images>()?.limit.known()?, 5);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn set_config(&mut self, config: Value) {
        self.config = Some(Arc::new(move || Ok(config.clone())));
    }

    /// Sets the planned state by its schema, which [`Context::complete`] merges into.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Create;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::path;
    /// use ferroform::schema::{Attribute, Block};
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    ///
    /// let block = Block::new([Attribute::required("name", Type::String), Attribute::computed("id", Type::String)]);
    /// let mut call = CallState::new();
    /// call.set_planned(block, Value::object([("name", Value::from("logs")), ("id", Value::unknown())]));
    /// let shown = Value::object([("name", Value::from("logs")), ("id", Value::from("b-1"))]);
    /// let state = Context::<Create>::new(&mut call).complete(shown)?;
    /// assert_eq!(state.get(&path!(id)), Some(&Value::from("b-1")));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn set_planned(&mut self, block: Block, planned: Value) {
        self.merge = Some(Arc::new(move |shown| plan::complete(&block, &planned, shown)));
    }

    /// What a context has of its own; apart from [`Context::new`], which a program has once for each phase.
    fn shared(&self) -> (Cancellation, Clock) {
        (self.cancellation.clone(), self.clock.clone())
    }
}

impl fmt::Debug for CallState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallState")
            .field("cancellation", &self.cancellation)
            .field("capabilities", &self.capabilities)
            .field("core_version", &self.core_version)
            .field("private", &self.private)
            .field("diagnostics", &self.diagnostics)
            .field("requires_replace", &self.requires_replace)
            .field("deferred", &self.deferred)
            .finish_non_exhaustive()
    }
}

/// What belongs to one call: how to report, when to stop, and what else its [phase](super::phase) may do.
///
/// ```
/// use ferroform::dynamic::phase::Plan;
/// use ferroform::dynamic::{CallState, Context};
/// use ferroform::path;
///
/// let mut call = CallState::new();
/// let mut cx = Context::<Plan>::new(&mut call);
/// cx.warn("Slow Region", "Objects in this region take minutes to appear.");
/// cx.error_at(path!(size), "Size Too Large", "Use at most 64.");
/// cx.requires_replace(path!(region));
/// cx.private_mut().set("generation", &1)?;
/// assert_eq!((cx.diagnostics().len(), cx.cancellation.is_cancelled()), (2, false));
///
/// // What the call left behind, for a test.
/// assert_eq!(call.requires_replace, [path!(region)]);
/// assert_eq!(call.private.get::<i64>("generation")?, Some(1));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
///
/// A validation records no object, a read requires no replacement, and an apply cannot be deferred:
///
/// ```compile_fail,E0599
/// use ferroform::dynamic::{Context, phase::Validate};
/// # use ferroform::value::Value;
/// fn validate(cx: &mut Context<'_, Validate>) { cx.checkpoint(Value::Null) }
/// ```
///
/// ```compile_fail,E0599
/// use ferroform::dynamic::{Context, phase::Read};
/// # use ferroform::path;
/// fn read(cx: &mut Context<'_, Read>) { cx.requires_replace(path!(region)) }
/// ```
///
/// ```compile_fail,E0599
/// use ferroform::dynamic::{Context, Deferred, phase::Create};
/// fn create(cx: &mut Context<'_, Create>) { cx.defer(Deferred::AbsentPrerequisite) }
/// ```
#[non_exhaustive]
pub struct Context<'call, Phase> {
    /// Whether the user has asked to stop, or the time of the call is up. A call that goes on for more than ten
    /// seconds after its time is ended; then what it recorded by [`Context::checkpoint`] is all that is kept.
    pub cancellation: Cancellation,
    /// The time.
    pub clock: Clock,
    call: &'call mut CallState,
    phase: PhantomData<fn() -> Phase>,
}

/// What belongs to the validation of a configuration.
///
/// ```
/// use ferroform::dynamic::{CallState, ValidateContext};
/// use ferroform::path;
///
/// fn validate(cx: &mut ValidateContext<'_>, name: &str) {
///     if name.contains('_') {
///         cx.error_at(path!(name), "Invalid Bucket Name", "Use letters, digits and hyphens.");
///     }
/// }
///
/// let mut call = CallState::new();
/// validate(&mut ValidateContext::new(&mut call), "logs");
/// assert!(call.diagnostics.is_empty());
/// validate(&mut ValidateContext::new(&mut call), "my_logs");
/// assert_eq!(call.diagnostics.iter().next().unwrap().path, Some(path!(name)));
/// ```
pub type ValidateContext<'call> = Context<'call, Validate>;

impl<'call, Phase> Context<'call, Phase> {
    /// The context of a call.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Configure;
    /// use ferroform::dynamic::{CallState, Context};
    ///
    /// let mut call = CallState::new();
    /// call.core_version = "1.14.0".to_owned();
    /// let cx = Context::<Configure>::new(&mut call);
    /// assert!(cx.core_version() == "1.14.0" && !cx.cancellation.is_cancelled());
    /// ```
    pub fn new(call: &'call mut CallState) -> Self {
        let (cancellation, clock) = call.shared();
        Self { cancellation, clock, call, phase: PhantomData }
    }

    /// The same context for a shorter time, to hand on by value.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Read;
    /// use ferroform::dynamic::{CallState, Context};
    ///
    /// /// Takes the context by value, as a struct that keeps it does.
    /// fn refresh(mut cx: Context<'_, Read>, region: &str) {
    ///     cx.warn("Slow Region", format!("Objects in {region} take minutes to appear."));
    /// }
    ///
    /// let mut call = CallState::new();
    /// let mut cx = Context::new(&mut call);
    /// refresh(cx.reborrow(), "eu-1");
    /// refresh(cx.reborrow(), "us-2");
    /// assert_eq!(cx.diagnostics().len(), 2);
    /// ```
    pub fn reborrow(&mut self) -> Context<'_, Phase> {
        Context::new(self.call)
    }

    /// What was reported so far. Errors in here make the call fail whatever it returns.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Plan;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::path;
    ///
    /// let mut call = CallState::new();
    /// let mut cx = Context::<Plan>::new(&mut call);
    /// cx.error_at(path!(size), "Size Too Large", "Use at most 64.");
    /// // What follows would only repeat the error.
    /// assert!(cx.diagnostics().has_errors());
    /// ```
    #[must_use]
    pub const fn diagnostics(&self) -> &Diagnostics {
        &self.call.diagnostics
    }

    /// As [`diagnostics`](Self::diagnostics), to add some.
    ///
    /// ```
    /// use ferroform::diag::Diagnostic;
    /// use ferroform::dynamic::phase::Read;
    /// use ferroform::dynamic::{CallState, Context};
    ///
    /// /// What the client of the service reports with an answer.
    /// fn notices() -> Vec<Diagnostic> {
    ///     vec![Diagnostic::warning("Deprecated Region", "The region closes in May.")]
    /// }
    ///
    /// let mut call = CallState::new();
    /// let mut cx = Context::<Read>::new(&mut call);
    /// cx.diagnostics_mut().extend(notices());
    /// assert_eq!(call.diagnostics.len(), 1);
    /// ```
    pub const fn diagnostics_mut(&mut self) -> &mut Diagnostics {
        &mut self.call.diagnostics
    }

    /// Tells the user something that does not stop the call.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Create;
    /// use ferroform::dynamic::{CallState, Context};
    ///
    /// let mut call = CallState::new();
    /// Context::<Create>::new(&mut call).warn("No Backups", "The database has no backups before midnight.");
    /// assert!(call.diagnostics.len() == 1 && !call.diagnostics.has_errors());
    /// ```
    pub fn warn(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.call.diagnostics.push(Diagnostic::warning(summary, detail));
    }

    /// Records an error at an attribute and goes on; the call fails in the end.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Validate;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::path;
    ///
    /// let mut call = CallState::new();
    /// let mut cx = Context::<Validate>::new(&mut call);
    /// // Both mistakes are told at once.
    /// cx.error_at(path!(rules[0].port), "Invalid Port", "Use a port from 1 to 65535.");
    /// cx.error_at(path!(rules[2].port), "Invalid Port", "Use a port from 1 to 65535.");
    /// assert_eq!(call.diagnostics.len(), 2);
    /// ```
    pub fn error_at(&mut self, path: Path, summary: impl Into<String>, detail: impl Into<String>) {
        self.call.diagnostics.push(Diagnostic::error(summary, detail).at(path));
    }
}

impl<Phase: Deferrable> Context<'_, Phase> {
    /// What core can do.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Plan;
    /// use ferroform::dynamic::{CallState, Context, Deferred};
    ///
    /// let mut call = CallState::new();
    /// call.capabilities.deferral_allowed = true;
    /// let mut cx = Context::<Plan>::new(&mut call);
    /// if cx.capabilities().deferral_allowed {
    ///     cx.defer(Deferred::AbsentPrerequisite);
    /// }
    /// assert_eq!(call.deferred, Some(Deferred::AbsentPrerequisite));
    /// ```
    #[must_use]
    pub const fn capabilities(&self) -> ClientCapabilities {
        self.call.capabilities
    }

    /// Defers the call. Refused with an error if core does not allow it.
    ///
    /// A configuration of the provider that is deferred defers every later plan, read and import as well, until the
    /// provider is configured again.
    ///
    /// ```
    /// use ferroform::dynamic::Deferred;
    /// use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Config {
    ///     endpoint: String,
    /// }
    ///
    /// /// The client; none while the endpoint is unknown.
    /// struct Api(Option<String>);
    ///
    /// async fn configure(cx: &mut provider::Context<'_>, config: Draft<Config>) -> Result<Api> {
    ///     if config.endpoint.is_unknown() && cx.capabilities().deferral_allowed {
    ///         cx.defer(Deferred::ProviderConfigUnknown);
    ///         return Ok(Api(None));
    ///     }
    ///     Ok(Api(Some(config.endpoint.known().at(path!(endpoint))?)))
    /// }
    /// # use ferroform::dynamic::CallState;
    ///
    /// let mut call = CallState::new();
    /// call.capabilities.deferral_allowed = true;
    /// let config = ConfigDraft { endpoint: Attr::Unknown };
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// assert!(configure(&mut provider::Context::new(&mut call), config).await?.0.is_none());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// assert_eq!(call.deferred, Some(Deferred::ProviderConfigUnknown));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn defer(&mut self, reason: Deferred) {
        self.call.deferred = Some(reason);
    }
}

impl<Phase: AboutObject> Context<'_, Phase> {
    /// The private data of the object.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Read;
    /// use ferroform::dynamic::{CallState, Context};
    ///
    /// let mut call = CallState::new();
    /// call.private.set("etag", &"W/1")?;
    /// let cx = Context::<Read>::new(&mut call);
    /// assert_eq!(cx.private().get::<String>("etag")?.as_deref(), Some("W/1"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub const fn private(&self) -> &Private {
        &self.call.private
    }

    /// The private data of the object, to change it.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Create;
    /// use ferroform::dynamic::{CallState, Context};
    ///
    /// let mut call = CallState::new();
    /// // The service has started an operation, which a later read looks up.
    /// Context::<Create>::new(&mut call).private_mut().set("operation", &"op-1")?;
    /// assert_eq!(call.private.get::<String>("operation")?.as_deref(), Some("op-1"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub const fn private_mut(&mut self) -> &mut Private {
        &mut self.call.private
    }

    /// The identity stored with the object, or planned for it; for an import the one that the user wrote. `None` when
    /// there is none.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Read;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    ///
    /// let mut call = CallState::new();
    /// assert!(Context::<Read>::new(&mut call).identity().is_none());
    /// call.identity = Some(Value::object([("region", Value::from("eu-1"))]));
    /// let cx = Context::<Read>::new(&mut call);
    /// assert_eq!(cx.identity().and_then(|identity| identity.get(&path!(region))), Some(&Value::from("eu-1")));
    /// ```
    #[must_use]
    pub const fn identity(&self) -> Option<&Value> {
        self.call.identity.as_ref()
    }

    /// Sets the identity that [`Resource::identity`](super::Resource::identity) sees, for a call that learns more of it
    /// and for a move.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Move;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::value::Value;
    ///
    /// let mut call = CallState::new();
    /// // The state of the old type says the account, which that of the new one does not.
    /// let identity = Value::object([("account", Value::from("123")), ("name", Value::from("logs"))]);
    /// Context::<Move>::new(&mut call).set_identity(Some(identity.clone()));
    /// assert_eq!(call.identity, Some(identity));
    /// ```
    pub fn set_identity(&mut self, identity: Option<Value>) {
        self.call.identity = identity;
    }
}

impl<Phase: FromModule> Context<'_, Phase> {
    /// The `provider_meta` block of the calling module, by
    /// [`Provider::meta_schema`](super::Provider::meta_schema); `None` where the module has no such block. Values may be
    /// unknown in a plan. [`meta`](Self::meta) gives it typed.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Create;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    ///
    /// let mut call = CallState::new();
    /// call.provider_meta = Some(Value::object([("module_name", Value::from("network"))]));
    /// let cx = Context::<Create>::new(&mut call);
    /// let module = cx.provider_meta().and_then(|meta| meta.get(&path!(module_name))).and_then(Value::as_str);
    /// assert_eq!(module, Some("network"));
    /// ```
    #[must_use]
    pub const fn provider_meta(&self) -> Option<&Value> {
        self.call.provider_meta.as_ref()
    }

    /// The `provider_meta` block of the calling module, as the model that the provider declares for it.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Read;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::model::Model;
    /// use ferroform::value::Value;
    ///
    /// /// Modules say who they are.
    /// #[derive(Model)]
    /// struct Meta {
    ///     module_name: String,
    /// }
    ///
    /// let mut call = CallState::new();
    /// assert!(Context::<Read>::new(&mut call).meta::<Meta>()?.is_none());
    /// call.provider_meta = Some(Value::object([("module_name", Value::string("network"))]));
    /// let meta = Context::<Read>::new(&mut call).meta::<Meta>()?.expect("the module has the block");
    /// assert_eq!(meta.module_name.known()?, "network");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The provider declares another schema than that of `M`, which is a bug in it.
    pub fn meta<M: Model>(&self) -> Result<Option<Draft<M>>> {
        let Some(meta) = self.call.provider_meta.clone() else { return Ok(None) };
        // A path would point into the configuration of the resource, where the block is not.
        Decode::from_value(&meta).map(Some).map_err(|error: Error| {
            Error::new(
                "Unreadable Provider Metadata",
                format!(
                    "The `provider_meta` block does not have the form in which this call reads it: {error}. This is a \
                     bug in the provider: it must read the model whose schema it declares for the block."
                ),
            )
        })
    }
}

impl<Phase: Timed> Context<'_, Phase> {
    /// How long the call may take, by the `timeouts` of the resource; `None` is for ever.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::dynamic::phase::Create;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::wait::Wait;
    ///
    /// let mut call = CallState::new();
    /// // As by `timeouts { create = "30m" }`.
    /// call.timeout = Some(Duration::from_secs(1800));
    /// let cx = Context::<Create>::new(&mut call);
    /// let wait = Wait::within(cx.timeout().unwrap_or(Duration::from_secs(600)));
    /// assert_eq!(wait, Wait::within(Duration::from_secs(1800)));
    /// ```
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {
        self.call.timeout
    }
}

impl<Phase: Applies> Context<'_, Phase> {
    /// Records the state of an object that exists by now. If the call fails later, by an error or a panic, core
    /// stores this state beside the error. Unknown values in it are stored as null.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Create;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::value::Value;
    ///
    /// let mut call = CallState::new();
    /// let mut cx = Context::<Create>::new(&mut call);
    /// // The service has made the bucket. If its policy is refused, core keeps it and marks it as tainted.
    /// let bucket = Value::object([("name", Value::from("logs")), ("policy", Value::Null)]);
    /// cx.checkpoint(bucket.clone());
    /// assert_eq!(call.checkpoint, Some(bucket));
    /// ```
    pub fn checkpoint(&mut self, state: Value) {
        self.call.checkpoint = Some(state);
    }
}

impl<Phase: Applies + Configured> Context<'_, Phase> {
    /// Merges the object that the service shows into the planned state: what was left open takes the shown value, and
    /// what is equivalent keeps the planned representation. What really differs is recorded as an error at its path; the
    /// call goes on, and fails in the end with the state that it returns. Attributes declared `unverified` are as planned.
    ///
    /// The server does the same with everything that `create` and `update` return; this is for a call that goes on with the
    /// result.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Update;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::path;
    /// use ferroform::schema::{Attribute, Block};
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    ///
    /// let block = Block::new([Attribute::required("ttl", Type::Number), Attribute::computed("etag", Type::String)]);
    /// let mut call = CallState::new();
    /// call.set_planned(block, Value::object([("ttl", Value::from(300)), ("etag", Value::unknown())]));
    /// let mut cx = Context::<Update>::new(&mut call);
    /// // The service chooses the tag, and its own lifetime, which is an error at the attribute.
    /// let shown = Value::object([("ttl", Value::from(60)), ("etag", Value::from("W/2"))]);
    /// assert_eq!(cx.complete(shown)?.get(&path!(etag)), Some(&Value::from("W/2")));
    /// assert_eq!(call.diagnostics.iter().next().unwrap().path, Some(path!(ttl)));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The call was made without a host and without a planned state.
    pub fn complete(&mut self, mut shown: Value) -> Result<Value> {
        let merge = self.call.merge.as_ref().ok_or_else(no_plan)?;
        let drift = merge(&mut shown);
        self.call.diagnostics.extend(drift.errors());
        self.call.drifts.push(drift);
        Ok(shown)
    }
}

impl<Phase: Configured> Context<'_, Phase> {
    /// The configuration of a create, an update or the read of a data source, as its model `M`. It is decoded now: a
    /// call that does not ask does not pay for it.
    ///
    /// A plan holds defaults and prior values beside what is configured; the configuration tells the two apart. All of
    /// it is known, and write-only attributes have their values.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Create;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::model::Model;
    /// use ferroform::value::Value;
    ///
    /// #[derive(Model)]
    /// struct Disk {
    ///     name: String,
    ///     #[attr(default = 10)]
    ///     size: u32,
    /// }
    ///
    /// // As in a test, without a host.
    /// let mut call = CallState::new();
    /// call.set_config(Value::object([("name", Value::from("logs")), ("size", Value::Null)]));
    /// assert!(Context::<Create>::new(&mut call).config::<Disk>()?.size.is_null());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The configuration does not fit the model, or the call was made without a host and without one.
    pub fn config<M: Model>(&self) -> Result<Draft<M>> {
        let config = self.call.config.as_ref().ok_or_else(no_config)?;
        Decode::from_value(&config()?)
    }
}

impl Context<'_, Plan> {
    /// Forces the object to be replaced because of this attribute. Core ignores paths whose values do not change.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Plan;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::path;
    ///
    /// let mut call = CallState::new();
    /// let (prior, planned) = (20, 10);
    /// // A disk grows in place, and cannot shrink.
    /// if planned < prior {
    ///     Context::<Plan>::new(&mut call).requires_replace(path!(size));
    /// }
    /// assert_eq!(call.requires_replace, [path!(size)]);
    /// ```
    pub fn requires_replace(&mut self, path: Path) {
        self.call.requires_replace.push(path);
    }

    /// States what is known of a value that the plan leaves unknown, for the provider to compute. Apply must return a
    /// value for which it holds. For a configured value, and one that is known, it means nothing.
    ///
    /// What always holds, the attribute itself declares: `#[attr(refine = ...)]`.
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// use ferroform::path;
    /// use ferroform::value::Refinements;
    ///
    /// #[derive(Model)]
    /// struct Site {
    ///     #[attr(replace, identity)]
    ///     name: String,
    ///     region: Option<String>,
    ///     #[attr(computed)]
    ///     url: String,
    /// }
    ///
    /// impl Resource for Site {
    ///     type Client = ();
    ///     const NAME: &str = "site";
    ///
    ///     async fn plan(
    ///         cx: &mut resource::PlanContext<'_, Self>,
    ///         _prior: Option<Prior<Self>>,
    ///         plan: &mut Draft<Self>,
    ///         _config: Draft<Self>,
    ///     ) -> Result {
    ///         if let Some(region) = plan.region.as_known() {
    ///             let host = format!("https://{region}.");
    ///             cx.refine(path!(url), Refinements::new().not_null().prefix(&host));
    ///         }
    ///         Ok(())
    ///     }
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// }
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::CallState;
    ///
    /// let mut plan = SiteDraft { region: Attr::Known("eu".to_owned()), url: Attr::Unknown, ..SiteDraft::default() };
    /// let mut call = CallState::new();
    /// let mut cx = resource::PlanContext::<Site>::new(Arc::new(()), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let config = plan.clone();
    /// Site::plan(&mut cx, None, &mut plan, config).await?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// let known = Refinements::new().not_null().prefix("https://eu.");
    /// assert_eq!(call.refinements, [(path!(url), known)]);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn refine(&mut self, path: Path, refinements: Refinements) {
        self.call.refinements.push((path, refinements));
    }
}

impl Context<'_, Import> {
    /// The context of a read, for an import that reads the object itself.
    ///
    /// ```
    /// use ferroform::dynamic::phase::{Import, Read};
    /// use ferroform::dynamic::{CallState, Context};
    ///
    /// /// Reads a bucket.
    /// fn read(cx: &mut Context<'_, Read>) {
    ///     cx.warn("Slow Region", "Objects in this region take minutes to appear.");
    /// }
    ///
    /// let mut call = CallState::new();
    /// read(&mut Context::<Import>::new(&mut call).for_read());
    /// assert_eq!(call.diagnostics.len(), 1);
    /// ```
    pub fn for_read(&mut self) -> Context<'_, Read> {
        Context::new(self.call)
    }
}

impl Context<'_, Update> {
    /// The context of a create, for a service that creates and updates by the same request.
    ///
    /// ```
    /// use ferroform::dynamic::phase::{Create, Update};
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::value::Value;
    ///
    /// /// The service creates and replaces a DNS record by the same request.
    /// fn put(cx: &mut Context<'_, Create>, record: Value) {
    ///     cx.checkpoint(record);
    /// }
    ///
    /// let mut call = CallState::new();
    /// put(&mut Context::<Update>::new(&mut call).for_create(), Value::object([("name", Value::from("www"))]));
    /// assert!(call.checkpoint.is_some());
    /// ```
    pub fn for_create(&mut self) -> Context<'_, Create> {
        Context::new(self.call)
    }
}

impl Context<'_, Configure> {
    /// The version that core gave for itself. Some OpenTofu releases send a constant, so it cannot tell cores apart.
    ///
    /// ```
    /// use ferroform::dynamic::phase::Configure;
    /// use ferroform::dynamic::{CallState, Context};
    ///
    /// let mut call = CallState::new();
    /// call.core_version = "1.14.0".to_owned();
    /// // For the header `User-Agent` of the client.
    /// let agent = format!("terraform-provider-cloud (core {})", Context::<Configure>::new(&mut call).core_version());
    /// assert_eq!(agent, "terraform-provider-cloud (core 1.14.0)");
    /// ```
    #[must_use]
    pub fn core_version(&self) -> &str {
        &self.call.core_version
    }
}

fn no_plan() -> Error {
    Error::new(
        "No Planned State",
        "This call was made without a planned state. In a test, set one with `CallState::set_planned`.",
    )
}

fn no_config() -> Error {
    Error::new(
        "No Configuration",
        "This call was made without a configuration. In a test, set one with `CallState::set_config`.",
    )
}

impl<Phase> fmt::Debug for Context<'_, Phase> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("call", &self.call).finish_non_exhaustive()
    }
}

/// What [`Resource::identity`](super::Resource::identity) sees of a call: the private data and the stored identity.
///
/// ```
/// use ferroform::diag::{Error, Result};
/// use ferroform::dynamic::{CallState, IdentityContext};
/// use ferroform::value::Value;
///
/// /// The identity of a bucket, whose account is in the private data where no identity is stored.
/// fn identity(cx: IdentityContext<'_>) -> Result<Value> {
///     if let Some(stored) = cx.identity() {
///         return Ok(stored.clone());
///     }
///     let account = cx.private().get::<String>("account")?;
///     let unknown = || Error::new("Unknown Account", "Import the bucket again, by an id that names the account.");
///     Ok(Value::object([("account", Value::from(account.ok_or_else(unknown)?))]))
/// }
///
/// assert!(identity(IdentityContext::new(&CallState::new())).is_err());
///
/// let mut call = CallState::new();
/// call.private.set("account", &"123")?;
/// assert_eq!(identity(IdentityContext::new(&call))?, Value::object([("account", Value::from("123"))]));
/// let stored = Value::object([("account", Value::from("456"))]);
/// call.identity = Some(stored.clone());
/// assert_eq!(identity(IdentityContext::new(&call))?, stored);
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct IdentityContext<'call> {
    call: &'call CallState,
}

impl<'call> IdentityContext<'call> {
    /// The view of a call.
    ///
    /// ```
    /// use ferroform::dynamic::{CallState, IdentityContext};
    ///
    /// let call = CallState::new();
    /// let cx = IdentityContext::new(&call);
    /// assert!(cx.identity().is_none() && cx.private().is_empty());
    /// ```
    #[must_use]
    pub const fn new(call: &'call CallState) -> Self {
        Self { call }
    }

    /// The private data of the object.
    ///
    /// ```
    /// use ferroform::dynamic::{CallState, IdentityContext};
    ///
    /// let mut call = CallState::new();
    /// // What a create has recorded.
    /// call.private.set("account", &"123")?;
    /// assert_eq!(IdentityContext::new(&call).private().get::<String>("account")?.as_deref(), Some("123"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub const fn private(&self) -> &'call Private {
        &self.call.private
    }

    /// The identity stored with the object, or planned for it; for an import the one that the user wrote, for a move
    /// the one that the mover made. `None` for a new object.
    ///
    /// ```
    /// use ferroform::dynamic::{CallState, IdentityContext};
    /// use ferroform::value::Value;
    ///
    /// let mut call = CallState::new();
    /// assert!(IdentityContext::new(&call).identity().is_none());
    /// let stored = Value::object([("account", Value::from("123"))]);
    /// call.identity = Some(stored.clone());
    /// assert_eq!(IdentityContext::new(&call).identity(), Some(&stored));
    /// ```
    #[must_use]
    pub const fn identity(&self) -> Option<&'call Value> {
        self.call.identity.as_ref()
    }
}
