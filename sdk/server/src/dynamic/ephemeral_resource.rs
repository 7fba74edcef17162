//! Ephemeral resources whose schemas are known at run time only.

use std::fmt;
use std::marker::PhantomData;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::cancel::Cancellation;
use crate::clock::Clock;
use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::dynamic::ValidateContext;
use crate::path::Path;
use crate::private::Private;
use crate::protocol::{ClientCapabilities, Deferred};
use crate::schema::Schema;
use crate::value::Value;

/// An ephemeral resource type: an object that exists only while core plans or applies, such as a short-lived credential.
///
/// Core opens it in every plan and in every apply, renews it while something uses it, and closes it then. Nothing of it
/// is stored.
///
/// ```
/// use ferroform::async_trait;
/// use ferroform::diag::Result;
/// use ferroform::dynamic::{EphemeralContext, EphemeralResource, Close, Open};
/// use ferroform::path;
/// use ferroform::private::Private;
/// use ferroform::schema::{Attribute, Block, Schema};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// /// A lease whose attributes a document of the service describes.
/// struct Lease {
///     attributes: Vec<String>,
/// }
///
/// #[async_trait]
/// impl EphemeralResource for Lease {
///     fn schema(&self) -> Schema {
///         let attributes = self.attributes.iter().map(|name| Attribute::computed(name.clone(), Type::String));
///         Schema::new(Block::new(attributes))
///     }
///
///     async fn open(&self, cx: &mut EphemeralContext<Open>, _config: Value) -> Result<Value> {
///         let mut lease = Private::default();
///         lease.set("id", &"lease-1")?;
///         // From here on the lease is closed, also if what follows fails.
///         cx.record(lease);
///         Ok(Value::object(self.attributes.iter().map(|name| (name.clone(), Value::from("x")))))
///     }
///
///     async fn close(&self, _cx: &mut EphemeralContext<Close>, recorded: Private) -> Result {
///         assert_eq!(recorded.get::<String>("id")?.as_deref(), Some("lease-1"));
///         Ok(())
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let lease = Lease { attributes: vec!["token".to_owned()] };
/// let mut cx = EphemeralContext::new();
/// let result = lease.open(&mut cx, Value::object([("token", Value::unknown())])).await?;
/// assert_eq!(result.get(&path!(token)), Some(&Value::from("x")));
/// lease.close(&mut EphemeralContext::new(), cx.recorded().expect("the lease is recorded").clone()).await?;
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
///
/// `Registry::dynamic_ephemeral_resource` adds it to a provider.
#[async_trait]
pub trait EphemeralResource: Send + Sync {
    /// The schema. It must be the same at each call.
    ///
    /// ```
    /// use ferroform::dynamic::EphemeralResource;
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{EphemeralContext, Open};
    /// # use ferroform::value::Value;
    ///
    /// struct Token;
    /// # #[async_trait]
    /// # impl EphemeralResource for Token {
    /// #     async fn open(&self, _: &mut EphemeralContext<Open>, config: Value) -> Result<Value> { Ok(config) }
    ///
    /// fn schema(&self) -> Schema {
    ///     let value = Attribute::computed("value", Type::String).sensitive();
    ///     Schema::new(Block::new([Attribute::required("role", Type::String), value]))
    /// }
    /// # }
    ///
    /// assert!(Token.schema().check().is_ok());
    /// ```
    fn schema(&self) -> Schema;

    /// Checks a configuration beyond what the schema says. Values may be unknown, and the provider may be
    /// unconfigured.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, EphemeralResource, ValidateContext};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::{EphemeralContext, Open};
    /// # use ferroform::schema::Schema;
    ///
    /// struct Token;
    /// # #[async_trait]
    /// # impl EphemeralResource for Token {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn open(&self, _: &mut EphemeralContext<Open>, config: Value) -> Result<Value> { Ok(config) }
    ///
    /// async fn validate(&self, cx: &mut ValidateContext<'_>, config: &Value) -> Result {
    ///     if config.get(&path!(role)).and_then(Value::as_str) == Some("owner") {
    ///         cx.warn("Powerful Role", "A token of an owner may delete the account.");
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (mut call, config) = (CallState::new(), Value::object([("role", Value::from("owner"))]));
    /// Token.validate(&mut ValidateContext::new(&mut call), &config).await?;
    /// assert_eq!(call.diagnostics.len(), 1);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn validate(&self, _cx: &mut ValidateContext<'_>, _config: &Value) -> Result {
        Ok(())
    }

    /// Opens the object and returns its attributes: known, and those that are configured as they are configured. In the
    /// configuration, attributes that the provider computes are unknown.
    ///
    /// As soon as something exists that must be closed, call [`EphemeralContext::record`].
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{EphemeralContext, EphemeralResource, Open};
    /// use ferroform::path;
    /// use ferroform::private::Private;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Token;
    /// # #[async_trait]
    /// # impl EphemeralResource for Token {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    ///
    /// async fn open(&self, cx: &mut EphemeralContext<Open>, config: Value) -> Result<Value> {
    ///     let mut lease = Private::new();
    ///     lease.set("id", &"lease-1")?;
    ///     cx.record(lease);
    ///     let role = config.get(&path!(role)).cloned().unwrap_or(Value::Null);
    ///     Ok(Value::object([("role", role), ("value", Value::from("s3cr3t"))]))
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut cx = EphemeralContext::new();
    /// let config = Value::object([("role", Value::from("ci")), ("value", Value::unknown())]);
    /// assert!(Token.open(&mut cx, config).await?.is_wholly_known());
    /// assert!(cx.recorded().is_some());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn open(&self, cx: &mut EphemeralContext<Open>, config: Value) -> Result<Value>;

    /// Renews what an open recorded. Core calls it at the time that
    /// [`EphemeralContext::renew_after`] or [`EphemeralContext::renew_at`] set.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{EphemeralContext, EphemeralResource, Renew};
    /// use ferroform::private::Private;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Open;
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// struct Token;
    /// # #[async_trait]
    /// # impl EphemeralResource for Token {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn open(&self, _: &mut EphemeralContext<Open>, config: Value) -> Result<Value> { Ok(config) }
    ///
    /// async fn renew(&self, cx: &mut EphemeralContext<Renew>, recorded: Private) -> Result {
    ///     let lease = recorded.get::<String>("id")?.unwrap_or_default();
    ///     // `POST /leases/{lease}/extend` grants another minute.
    ///     tracing::debug!(lease, "the lease goes on");
    ///     cx.renew_after(Duration::from_secs(30));
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut cx = EphemeralContext::new();
    /// Token.renew(&mut cx, Private::new()).await?;
    /// assert!(cx.renewal().is_some());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn renew(&self, cx: &mut EphemeralContext<Renew>, recorded: Private) -> Result {
        let _ = (cx, recorded);
        Err(renewal_not_implemented())
    }

    /// Closes what an open recorded. One that does not exist any more is a success. An open that recorded nothing is not
    /// closed.
    ///
    /// ```
    /// use std::collections::BTreeSet;
    /// use std::sync::Mutex;
    ///
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{Close, EphemeralContext, EphemeralResource};
    /// use ferroform::private::Private;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Open;
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// /// The leases that are open.
    /// struct Token(Mutex<BTreeSet<String>>);
    /// # #[async_trait]
    /// # impl EphemeralResource for Token {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn open(&self, _: &mut EphemeralContext<Open>, config: Value) -> Result<Value> { Ok(config) }
    ///
    /// async fn close(&self, _cx: &mut EphemeralContext<Close>, recorded: Private) -> Result {
    ///     let lease = recorded.get::<String>("id")?.unwrap_or_default();
    ///     self.0.lock().unwrap().remove(&lease);
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let token = Token(Mutex::new(["lease-1".to_owned()].into()));
    /// let mut recorded = Private::new();
    /// recorded.set("id", &"lease-1")?;
    /// token.close(&mut EphemeralContext::new(), recorded).await?;
    /// assert!(token.0.lock().unwrap().is_empty());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn close(&self, cx: &mut EphemeralContext<Close>, recorded: Private) -> Result {
        let _ = (cx, recorded);
        Ok(())
    }
}

/// The error of a type that asks for renewals and has none.
#[doc(hidden)]
pub fn renewal_not_implemented() -> Error {
    Error::new(
        "Renewal Not Implemented",
        "`open` of this ephemeral resource set a time for a renewal, but the type does not implement `renew`. This is a \
         bug in the provider.",
    )
}

/// The opening of an ephemeral resource.
///
/// ```
/// use ferroform::dynamic::{Deferred, EphemeralContext, Open};
///
/// let mut cx = EphemeralContext::<Open>::new();
/// if cx.capabilities().deferral_allowed {
///     cx.defer(Deferred::ProviderConfigUnknown);
/// }
/// assert!(cx.timeout().is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {}

/// A renewal of an open ephemeral resource.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use ferroform::dynamic::{EphemeralContext, Renew};
///
/// let mut cx = EphemeralContext::<Renew>::new();
/// // The service says how long the token is valid from now on.
/// let expiry = SystemTime::now() + Duration::from_secs(3600);
/// cx.renew_at(expiry - Duration::from_secs(60));
/// assert!(cx.renewal().is_some_and(|renewal| renewal < expiry));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renew {}

/// The closing of an ephemeral resource.
///
/// ```
/// use ferroform::dynamic::{Close, EphemeralContext};
///
/// let mut cx = EphemeralContext::<Close>::new();
/// cx.warn("Token Still Valid", "The service revokes tokens within five minutes.");
/// assert_eq!(cx.diagnostics.len(), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Close {}

/// A phase after which the ephemeral resource is open: [`Open`] and [`Renew`].
///
/// ```
/// use std::time::Duration;
///
/// use ferroform::dynamic::{EphemeralContext, LeavesOpen, Open};
///
/// /// Renews a lease when half of it is over.
/// fn keep<P: LeavesOpen>(cx: &mut EphemeralContext<P>, lease: Duration) {
///     cx.renew_after(lease / 2);
/// }
///
/// let mut cx = EphemeralContext::<Open>::new();
/// keep(&mut cx, Duration::from_secs(60));
/// assert!(cx.renewal().is_some());
/// ```
pub trait LeavesOpen {}

impl LeavesOpen for Open {}
impl LeavesOpen for Renew {}

/// What belongs to one call on an ephemeral resource, and no more than the phase of the call may do.
///
/// | | [`Open`] | [`Renew`] | [`Close`] |
/// |---|---|---|---|
/// | [`warn`](Self::warn), [`error_at`](Self::error_at), cancellation, clock | yes | yes | yes |
/// | [`record`](Self::record), [`renew_after`](Self::renew_after), [`renew_at`](Self::renew_at) | yes | yes | |
/// | [`timeout`](Self::timeout), [`capabilities`](Self::capabilities), [`defer`](Self::defer) | yes | | |
///
/// ```
/// use std::time::Duration;
///
/// use ferroform::dynamic::{EphemeralContext, Open};
/// use ferroform::private::Private;
///
/// let mut cx = EphemeralContext::<Open>::new();
/// cx.warn("Short Lease", "The service grants a minute only.");
/// cx.record(Private::default());
/// cx.renew_after(Duration::from_secs(30));
/// assert!(cx.recorded().is_some() && cx.renewal().is_some());
/// ```
///
/// A close cannot ask for a renewal:
///
/// ```compile_fail,E0277
/// use std::time::Duration;
///
/// use ferroform::dynamic::{Close, EphemeralContext};
///
/// EphemeralContext::<Close>::new().renew_after(Duration::from_secs(30));
/// ```
#[non_exhaustive]
pub struct EphemeralContext<Phase> {
    /// Whether the user has asked to stop, or the time of the call is up.
    pub cancellation: Cancellation,
    /// The time.
    pub clock: Clock,
    /// What was reported so far. Errors in here make the call fail whatever it returns.
    pub diagnostics: Diagnostics,
    pub(crate) timeout: Option<Duration>,
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) deferred: Option<Deferred>,
    pub(crate) record: Option<Private>,
    pub(crate) renew_at: Option<SystemTime>,
    phase: PhantomData<fn() -> Phase>,
}

impl<Phase> EphemeralContext<Phase> {
    /// A context without a host: never cancelled, with the real time.
    ///
    /// ```
    /// use ferroform::dynamic::{EphemeralContext, Open};
    ///
    /// let cx = EphemeralContext::<Open>::new();
    /// assert!(cx.recorded().is_none() && cx.renewal().is_none() && cx.timeout().is_none());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::of(Cancellation::never(), Clock::default())
    }

    pub(crate) fn of(cancellation: Cancellation, clock: Clock) -> Self {
        Self {
            cancellation,
            clock,
            diagnostics: Diagnostics::default(),
            timeout: None,
            capabilities: ClientCapabilities::default(),
            deferred: None,
            record: None,
            renew_at: None,
            phase: PhantomData,
        }
    }

    /// Reports something that does not stop the call.
    ///
    /// ```
    /// use ferroform::dynamic::{EphemeralContext, Open};
    ///
    /// let mut cx = EphemeralContext::<Open>::new();
    /// cx.warn("Short Lease", "The service grants a minute only.");
    /// assert!(cx.diagnostics.len() == 1 && !cx.diagnostics.has_errors());
    /// ```
    pub fn warn(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(summary, detail));
    }

    /// Records an error at an attribute and goes on; the call fails in the end.
    ///
    /// ```
    /// use ferroform::dynamic::{EphemeralContext, Open};
    /// use ferroform::path;
    ///
    /// let mut cx = EphemeralContext::<Open>::new();
    /// cx.error_at(path!(role), "No Such Role", "Check the name of the role.");
    /// assert!(cx.diagnostics.has_errors());
    /// ```
    pub fn error_at(&mut self, path: Path, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(summary, detail).at(path));
    }
}

impl<Phase: LeavesOpen> EphemeralContext<Phase> {
    /// Records what a renewal and the close need to know of what exists by now; another record takes its place. If an
    /// open fails after this, by an error, a panic or its timeout, the SDK closes what it recorded.
    ///
    /// Core keeps the record in its memory and stores it nowhere.
    ///
    /// ```
    /// use ferroform::dynamic::{EphemeralContext, Open};
    /// use ferroform::private::Private;
    ///
    /// let mut cx = EphemeralContext::<Open>::new();
    /// let mut lease = Private::new();
    /// lease.set("id", &"lease-1")?;
    /// // From here on the lease is closed, also if what follows fails.
    /// cx.record(lease);
    /// assert!(cx.recorded().is_some());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn record(&mut self, recorded: Private) {
        self.record = Some(recorded);
    }

    /// What was recorded in this call.
    ///
    /// ```
    /// use ferroform::dynamic::{EphemeralContext, Renew};
    /// use ferroform::private::Private;
    ///
    /// let mut cx = EphemeralContext::<Renew>::new();
    /// assert!(cx.recorded().is_none());
    /// let mut lease = Private::new();
    /// lease.set("id", &"lease-2")?;
    /// cx.record(lease.clone());
    /// assert_eq!(cx.recorded().and_then(|lease| lease.get::<String>("id").ok()?).as_deref(), Some("lease-2"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub const fn recorded(&self) -> Option<&Private> {
        self.record.as_ref()
    }

    /// Asks for a renewal after that time, counted from now by the [clock](Self::clock). A renewal that does not ask for
    /// another one is the last. A time that the clock cannot hold is never.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use ferroform::clock::Clock;
    /// use ferroform::dynamic::{EphemeralContext, Open};
    ///
    /// let mut cx = EphemeralContext::<Open>::new();
    /// cx.clock = Clock::new(|| SystemTime::UNIX_EPOCH);
    /// // The lease is valid for a minute.
    /// cx.renew_after(Duration::from_secs(60) / 2);
    /// assert_eq!(cx.renewal(), Some(SystemTime::UNIX_EPOCH + Duration::from_secs(30)));
    /// ```
    pub fn renew_after(&mut self, time: Duration) {
        self.renew_at = self.clock.now().checked_add(time);
    }

    /// Asks for a renewal at that time, such as one that the service gave. One in the past is at once.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use ferroform::dynamic::{EphemeralContext, Renew};
    ///
    /// let mut cx = EphemeralContext::<Renew>::new();
    /// // The service has answered with the time at which the token expires.
    /// let expiry = SystemTime::now() + Duration::from_secs(3600);
    /// cx.renew_at(expiry - Duration::from_secs(60));
    /// assert!(cx.renewal().is_some_and(|renewal| renewal < expiry));
    /// ```
    pub fn renew_at(&mut self, time: SystemTime) {
        self.renew_at = Some(time);
    }

    /// The time of the next renewal, as this call set it.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::dynamic::{EphemeralContext, Open};
    ///
    /// let mut cx = EphemeralContext::<Open>::new();
    /// assert!(cx.renewal().is_none());
    /// cx.renew_after(Duration::from_secs(30));
    /// assert!(cx.renewal().is_some());
    /// ```
    #[must_use]
    pub const fn renewal(&self) -> Option<SystemTime> {
        self.renew_at
    }
}

impl EphemeralContext<Open> {
    /// How long the open may take, by the `timeouts` of the ephemeral resource; `None` is for ever.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::dynamic::{EphemeralContext, Open};
    ///
    /// let cx = EphemeralContext::<Open>::new();
    /// // A configuration without `timeouts` leaves the time to the provider.
    /// assert_eq!(cx.timeout().unwrap_or(Duration::from_secs(120)), Duration::from_secs(120));
    /// ```
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// What core can do. Terraform sends no capabilities with an open, whatever it can do.
    ///
    /// ```
    /// use ferroform::dynamic::{Deferred, EphemeralContext, Open};
    ///
    /// let mut cx = EphemeralContext::<Open>::new();
    /// if cx.capabilities().deferral_allowed {
    ///     cx.defer(Deferred::ProviderConfigUnknown);
    /// }
    /// assert!(!cx.capabilities().deferral_allowed);
    /// ```
    #[must_use]
    pub const fn capabilities(&self) -> ClientCapabilities {
        self.capabilities
    }

    /// Defers the open: it opens nothing, and its result is unknown. An error where core does not allow that.
    ///
    /// ```
    /// use ferroform::diag::{Error, Result};
    /// use ferroform::dynamic::{Deferred, EphemeralContext, Open};
    ///
    /// /// The endpoint, which is none as long as the configuration of the provider is not known.
    /// fn endpoint<'a>(cx: &mut EphemeralContext<Open>, endpoint: Option<&'a str>) -> Result<Option<&'a str>> {
    ///     match endpoint {
    ///         None if cx.capabilities().deferral_allowed => cx.defer(Deferred::ProviderConfigUnknown),
    ///         None => return Err(Error::new("Endpoint Unknown", "Apply what the endpoint comes from first.")),
    ///         Some(_) => {}
    ///     }
    ///     Ok(endpoint)
    /// }
    ///
    /// let mut cx = EphemeralContext::<Open>::new();
    /// assert_eq!(endpoint(&mut cx, Some("https://api.example.com"))?, Some("https://api.example.com"));
    /// assert!(endpoint(&mut cx, None).is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn defer(&mut self, reason: Deferred) {
        self.deferred = Some(reason);
    }
}

impl<Phase> Default for EphemeralContext<Phase> {
    fn default() -> Self {
        Self::new()
    }
}

/// What was recorded may be a secret, so it is not shown.
impl<Phase> fmt::Debug for EphemeralContext<Phase> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EphemeralContext")
            .field("cancellation", &self.cancellation)
            .field("diagnostics", &self.diagnostics)
            .field("renew_at", &self.renew_at)
            .field("deferred", &self.deferred)
            .finish_non_exhaustive()
    }
}
