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
    fn read(cx: &mut Context<'_, Self>, config: Planned<Self>) -> impl Future<Output = Result<Self>> + Send;

    /// Checks a configuration beyond what the schema says. The provider may be unconfigured, so there is no client;
    /// `cx` takes warnings, and errors after which the checks go on.
    ///
    /// # Errors
    /// What is wrong with the configuration, each at its path.
    fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
        let _ = (cx, config);
        Ok(())
    }
}
