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
    fn schema(&self) -> Schema;

    /// Checks a configuration beyond what the schema says. Values may be unknown, and the provider may be
    /// unconfigured.
    async fn validate(&self, _cx: &mut ValidateContext<'_>, _config: &Value) -> Result {
        Ok(())
    }

    /// Opens the object and returns its attributes: known, and those that are configured as they are configured. In the
    /// configuration, attributes that the provider computes are unknown.
    ///
    /// As soon as something exists that must be closed, call [`EphemeralContext::record`].
    async fn open(&self, cx: &mut EphemeralContext<Open>, config: Value) -> Result<Value>;

    /// Renews what an open recorded. Core calls it at the time that
    /// [`EphemeralContext::renew_after`] or [`EphemeralContext::renew_at`] set.
    async fn renew(&self, cx: &mut EphemeralContext<Renew>, recorded: Private) -> Result {
        let _ = (cx, recorded);
        Err(renewal_not_implemented())
    }

    /// Closes what an open recorded. One that does not exist any more is a success. An open that recorded nothing is not
    /// closed.
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
    pub fn warn(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(summary, detail));
    }

    /// Records an error at an attribute and goes on; the call fails in the end.
    pub fn error_at(&mut self, path: Path, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(summary, detail).at(path));
    }
}

impl<Phase: LeavesOpen> EphemeralContext<Phase> {
    /// Records what a renewal and the close need to know of what exists by now; another record takes its place. If an
    /// open fails after this, by an error, a panic or its timeout, the SDK closes what it recorded.
    ///
    /// Core keeps the record in its memory and stores it nowhere.
    pub fn record(&mut self, recorded: Private) {
        self.record = Some(recorded);
    }

    /// What was recorded in this call.
    #[must_use]
    pub const fn recorded(&self) -> Option<&Private> {
        self.record.as_ref()
    }

    /// Asks for a renewal after that time, counted from now by the [clock](Self::clock). A renewal that does not ask for
    /// another one is the last. A time that the clock cannot hold is never.
    pub fn renew_after(&mut self, time: Duration) {
        self.renew_at = self.clock.now().checked_add(time);
    }

    /// Asks for a renewal at that time, such as one that the service gave. One in the past is at once.
    pub fn renew_at(&mut self, time: SystemTime) {
        self.renew_at = Some(time);
    }

    /// The time of the next renewal, as this call set it.
    #[must_use]
    pub const fn renewal(&self) -> Option<SystemTime> {
        self.renew_at
    }
}

impl EphemeralContext<Open> {
    /// How long the open may take, by the `timeouts` of the ephemeral resource; `None` is for ever.
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// What core can do. Terraform sends no capabilities with an open, whatever it can do.
    #[must_use]
    pub const fn capabilities(&self) -> ClientCapabilities {
        self.capabilities
    }

    /// Defers the open: it opens nothing, and its result is unknown. An error where core does not allow that.
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
