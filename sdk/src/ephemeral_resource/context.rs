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
    pub fn new(client: Arc<E::Client>, call: &'call mut EphemeralContext<Phase>) -> Self {
        Self { client, call }
    }
}

impl<E: EphemeralResource, Phase: LeavesOpen> Context<'_, E, Phase> {
    /// Records what a renewal and the close need to know of what exists by now; another record takes its place.
    ///
    /// # Errors
    /// The record has no JSON form.
    pub fn record(&mut self, recorded: &E::Private) -> Result {
        self.call.record(record::write::<E>(recorded)?);
        Ok(())
    }

    /// What was recorded in this call, for tests.
    ///
    /// # Errors
    /// The record does not read back as it was written.
    pub fn recorded(&self) -> Result<Option<E::Private>> {
        self.call.recorded().cloned().map(record::read::<E>).transpose()
    }
}

extends_call!(Context<'call, E: EphemeralResource, Phase> => EphemeralContext<Phase>);
