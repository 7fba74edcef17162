//! Data sources: what a configuration can read without managing it.

mod context;
mod dynamic_adapter;

pub use context::Context;

use crate::diag::Result;
use crate::dynamic::ValidateContext;
use crate::model::{Draft, Model, Planned};

/// A data source type, implemented on its model.
///
/// ```
/// use ferroform::data_source::{Context, DataSource};
/// use ferroform::diag::Result;
/// use ferroform::model::{Model, Planned};
///
/// /// How long a text is.
/// #[derive(Model)]
/// struct Length {
///     text: String,
///     #[attr(computed)]
///     length: u64,
/// }
///
/// impl DataSource for Length {
///     type Client = ();
///     const NAME: &str = "length";
///
///     async fn read(_cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
///         let length = u64::try_from(config.text.len())?;
///         Ok(Self { text: config.text, length })
///     }
/// }
/// ```
///
/// An argument with a `default` has it in [`read`](Self::read), which returns it with the rest, so that the
/// configuration can refer to it. Nothing is stored between two reads: words about changes, such as `keep` or `replace`,
/// say nothing here and are allowed, for the model may be that of a resource as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a data source",
    label = "needs an `impl DataSource for {Self}`",
    note = "derive `Model` on the struct and implement `ferroform::data_source::DataSource` for it"
)]
pub trait DataSource: Model {
    /// The client that the provider's `configure` makes.
    type Client: Send + Sync + 'static;

    /// The type name without the name of the provider: `region` for `cloud_region`.
    const NAME: &'static str;

    /// Reads. Core asks only when the configuration is wholly known.
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::CallState;
    /// # struct Api;
    /// # impl Api { async fn zones(&self, _: &str) -> Result<Vec<String>> { Ok(vec!["eu-1a".to_owned(), "eu-1b".to_owned()]) } }
    ///
    /// #[derive(Model)]
    /// struct Zones {
    ///     region: String,
    ///     #[attr(computed)]
    ///     names: Vec<String>,
    /// }
    /// # impl DataSource for Zones {
    /// #     type Client = Api;
    /// #     const NAME: &str = "zones";
    ///
    /// async fn read(cx: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
    ///     let names = cx.client.zones(&config.region).await?;
    ///     Ok(Self { region: config.region, names })
    /// }
    /// # }
    ///
    /// # let mut call = CallState::new();
    /// # let mut cx = data_source::Context::<Zones>::new(Arc::new(Api), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let config = ZonesDraft { region: Attr::Known("eu-1".to_owned()), ..ZonesDraft::default() };
    /// assert_eq!(Zones::read(&mut cx, Zones::planned(config)?).await?.names, ["eu-1a", "eu-1b"]);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn read(cx: &mut Context<'_, Self>, config: Planned<Self>) -> impl Future<Output = Result<Self>> + Send;

    /// Checks a configuration beyond what the schema says. The provider may be unconfigured, so there is no client;
    /// `cx` takes warnings, and errors after which the checks go on.
    ///
    /// ```
    /// use ferroform::dynamic::CallState;
    /// use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Image {
    ///     id: Option<String>,
    ///     name: Option<String>,
    /// }
    /// # impl DataSource for Image {
    /// #     type Client = ();
    /// #     const NAME: &str = "image";
    /// #     async fn read(_: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> { Ok(Self { id: config.id, name: config.name }) }
    ///
    /// fn validate(_cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
    ///     match (&config.id, &config.name) {
    ///         (Attr::Null, Attr::Null) => Err(Error::new("No Image", "Set `id` or `name`.")),
    ///         _ => Ok(()),
    ///     }
    /// }
    /// # }
    ///
    /// let mut call = CallState::new();
    /// let config = ImageDraft { name: Attr::Unknown, ..ImageDraft::default() };
    /// Image::validate(&mut ValidateContext::new(&mut call), config)?;
    /// assert!(Image::validate(&mut ValidateContext::new(&mut call), ImageDraft::default()).is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong with the configuration, each at its path.
    fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
        let _ = (cx, config);
        Ok(())
    }
}
