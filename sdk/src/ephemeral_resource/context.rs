//! What belongs to one call on an ephemeral resource.

use std::sync::Arc;

use crate::client::extends_call;
use crate::diag::Result;
use crate::dynamic::{Close, EphemeralContext, LeavesOpen, Open, Renew};
use crate::ephemeral_resource::{EphemeralResource, record};

/// What belongs to an open. [`EphemeralResource`] shows it in use.
pub type OpenContext<'call, E> = Context<'call, E, Open>;

/// What belongs to a renewal. [`EphemeralResource`] shows it in use.
pub type RenewContext<'call, E> = Context<'call, E, Renew>;

/// What belongs to a close. [`EphemeralResource`] shows it in use.
pub type CloseContext<'call, E> = Context<'call, E, Close>;

/// The client of the provider, and through [`EphemeralContext`] what the phase of the call may do.
///
/// A close can record nothing:
///
/// ```compile_fail,E0277
/// # use ferroform::diag::Result;
/// # use ferroform::ephemeral_resource::{CloseContext, EphemeralResource};
/// fn close<E: EphemeralResource>(cx: &mut CloseContext<'_, E>, recorded: E::Private) -> Result {
///     cx.record(&recorded)
/// }
/// ```
///
/// ```
/// use std::sync::Arc;
///
/// use ferroform::diag::Result;
/// use ferroform::dynamic::EphemeralContext;
/// use ferroform::ephemeral_resource::{CloseContext, EphemeralResource, OpenContext};
/// use ferroform::model::{Attr, Model, Planned};
///
/// #[derive(Model)]
/// struct Tunnel {
///     server: String,
///     #[attr(computed)]
///     port: u16,
/// }
///
/// impl EphemeralResource for Tunnel {
///     /// The next free port.
///     type Client = u16;
///     type Private = u16;
///     const NAME: &str = "tunnel";
///
///     async fn open(cx: &mut OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> {
///         let port = *cx.client;
///         // Recorded first, so that the port is closed also if the open fails after this.
///         cx.record(&port)?;
///         Ok(Self { server: config.server, port })
///     }
///
///     async fn close(_cx: &mut CloseContext<'_, Self>, _port: u16) -> Result {
///         Ok(())
///     }
/// }
///
/// // As in a test of the ephemeral resource, without a host.
/// let config = TunnelDraft { server: Attr::Known("s-1".to_owned()), ..TunnelDraft::default() };
/// let mut call = EphemeralContext::new();
/// let mut cx = OpenContext::<Tunnel>::new(Arc::new(8022), &mut call);
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// assert_eq!(Tunnel::open(&mut cx, Tunnel::planned(config)?).await?.port, 8022);
/// assert_eq!(cx.recorded()?, Some(8022));
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub struct Context<'call, E: EphemeralResource, Phase> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<E::Client>,
    call: &'call mut EphemeralContext<Phase>,
}

impl<'call, E: EphemeralResource, Phase> Context<'call, E, Phase> {
    /// The typed view of a call, for tests of an ephemeral resource without a host.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::EphemeralContext;
    /// # use ferroform::prelude::*;
    ///
    /// /// A token of the account that the client is for.
    /// #[derive(Model)]
    /// struct Token {
    ///     #[attr(computed, sensitive)]
    ///     value: String,
    /// }
    ///
    /// impl EphemeralResource for Token {
    ///     type Client = String;
    ///     type Private = ();
    ///     const NAME: &str = "token";
    ///
    ///     async fn open(cx: &mut ephemeral_resource::OpenContext<'_, Self>, _: Planned<Self>) -> Result<Self> {
    ///         Ok(Self { value: format!("token of {}", cx.client) })
    ///     }
    /// }
    ///
    /// let mut call = EphemeralContext::new();
    /// let mut cx = ephemeral_resource::OpenContext::<Token>::new(Arc::new("acme".to_owned()), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let token = Token::open(&mut cx, Token::planned(TokenDraft::default())?).await?;
    /// assert_eq!(token.value, "token of acme");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn new(client: Arc<E::Client>, call: &'call mut EphemeralContext<Phase>) -> Self {
        Self { client, call }
    }
}

impl<E: EphemeralResource, Phase: LeavesOpen> Context<'_, E, Phase> {
    /// Records what a renewal and the close need to know of what exists by now; another record takes its place.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::EphemeralContext;
    /// # use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Token {
    ///     role: String,
    /// }
    ///
    /// impl EphemeralResource for Token {
    ///     type Client = ();
    ///     /// The ID of the lease.
    ///     type Private = String;
    ///     const NAME: &str = "token";
    ///
    ///     async fn open(cx: &mut ephemeral_resource::OpenContext<'_, Self>, _: Planned<Self>) -> Result<Self> {
    ///         // The lease exists from here on, so it is closed even though the open fails.
    ///         cx.record(&"lease-1".to_owned())?;
    ///         Err(Error::new("Role Not Granted", "Ask the owner of the account."))
    ///     }
    /// }
    ///
    /// let mut call = EphemeralContext::new();
    /// let mut cx = ephemeral_resource::OpenContext::<Token>::new(Arc::new(()), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let config = Token::planned(TokenDraft { role: Attr::Known("ci".to_owned()) })?;
    /// assert!(Token::open(&mut cx, config).await.is_err());
    /// assert_eq!(cx.recorded()?.as_deref(), Some("lease-1"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The record has no JSON form.
    pub fn record(&mut self, recorded: &E::Private) -> Result {
        self.call.record(record::write::<E>(recorded)?);
        Ok(())
    }

    /// What was recorded in this call, for tests.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::EphemeralContext;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Token { role: String }
    /// # impl EphemeralResource for Token {
    /// #     type Client = ();
    /// #     type Private = String;
    /// #     const NAME: &str = "token";
    /// #     async fn open(_: &mut ephemeral_resource::OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> { Ok(Self { role: config.role }) }
    /// # }
    ///
    /// let mut call = EphemeralContext::new();
    /// let mut cx = ephemeral_resource::OpenContext::<Token>::new(Arc::new(()), &mut call);
    /// assert_eq!(cx.recorded()?, None);
    /// cx.record(&"lease-1".to_owned())?;
    /// assert_eq!(cx.recorded()?.as_deref(), Some("lease-1"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The record does not read back as it was written.
    pub fn recorded(&self) -> Result<Option<E::Private>> {
        self.call.recorded().cloned().map(record::read::<E>).transpose()
    }
}

extends_call!(Context<'call, E: EphemeralResource, Phase> => EphemeralContext<Phase>);
