//! What belongs to one read of a data source.

use std::sync::Arc;

use crate::client::extends_call;
use crate::data_source::DataSource;
use crate::diag::Result;
use crate::dynamic::{self, CallState, phase};
use crate::model::Draft;

/// The client of the provider, and through [`dynamic::Context`] what a read may do.
///
/// ```
/// use std::sync::Arc;
///
/// use ferroform::data_source::{Context, DataSource};
/// use ferroform::diag::Result;
/// use ferroform::dynamic::CallState;
/// use ferroform::model::{Attr, Model, Planned};
///
/// /// The client of the service.
/// struct Api;
/// # impl Api {
/// #     async fn zones(&self, _region: &str) -> Result<Vec<String>> { Ok(vec!["eu-1".to_owned()]) }
/// # }
///
/// #[derive(Model)]
/// struct Zones {
///     region: String,
///     #[attr(computed)]
///     names: Vec<String>,
/// }
///
/// impl DataSource for Zones {
///     type Client = Api;
///     const NAME: &str = "zones";
///
///     async fn read(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
///         let names = cx.client.zones(&config.region).await?;
///         if names.len() < 2 {
///             cx.warn("Single Zone", "Servers of this region cannot be spread over zones.");
///         }
///         Ok(Self { region: config.region, names })
///     }
/// }
///
/// // As in a test of the data source, without a host.
/// let config = ZonesDraft { region: Attr::Known("eu".to_owned()), ..ZonesDraft::default() };
/// let mut call = CallState::new();
/// let mut cx = Context::<Zones>::new(Arc::new(Api), &mut call);
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let zones = Zones::read(&mut cx, Zones::planned(config)?).await?;
/// assert_eq!(zones.names, ["eu-1"]);
/// assert_eq!(cx.diagnostics().len(), 1);
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub struct Context<'call, D: DataSource> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<D::Client>,
    pub(super) call: dynamic::Context<'call, phase::ReadData>,
}

impl<'call, D: DataSource> Context<'call, D> {
    /// The typed view of a call, for tests of a data source without a host.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::CallState;
    /// # use ferroform::prelude::*;
    ///
    /// /// The zones that the client knows.
    /// #[derive(Model)]
    /// struct Zones {
    ///     #[attr(computed)]
    ///     names: Vec<String>,
    /// }
    ///
    /// impl DataSource for Zones {
    ///     type Client = Vec<String>;
    ///     const NAME: &str = "zones";
    ///
    ///     async fn read(cx: &mut data_source::Context<'_, Self>, _: Planned<Self>) -> Result<Self> {
    ///         Ok(Self { names: cx.client.to_vec() })
    ///     }
    /// }
    ///
    /// let mut call = CallState::new();
    /// let mut cx = data_source::Context::<Zones>::new(Arc::new(vec!["eu-1".to_owned()]), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let zones = Zones::read(&mut cx, Zones::planned(ZonesDraft::default())?).await?;
    /// assert_eq!(zones.names, ["eu-1"]);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn new(client: Arc<D::Client>, call: &'call mut CallState) -> Self {
        Self { client, call: dynamic::Context::new(call) }
    }

    /// The configuration as the user wrote it, in which defaults are null; see [`dynamic::Context::config`].
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::CallState;
    /// use ferroform::value::Value;
    /// # use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Images {
    ///     #[attr(default = 100)]
    ///     limit: u32,
    /// }
    /// # impl DataSource for Images {
    /// #     type Client = ();
    /// #     const NAME: &str = "images";
    /// #     async fn read(_: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> { Ok(Self { limit: config.limit }) }
    /// # }
    ///
    /// // In a test. The planned value would be the default, 100; the configuration has null.
    /// let mut call = CallState::new();
    /// call.set_config(Value::object([("limit", Value::Null)]));
    /// let cx = data_source::Context::<Images>::new(Arc::new(()), &mut call);
    /// assert!(cx.config()?.limit.is_null());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The context was made without one.
    pub fn config(&self) -> Result<Draft<D>> {
        self.call.config::<D>()
    }
}

extends_call!(Context<'call, D: DataSource> => dynamic::Context<'call, phase::ReadData>);
