//! Providers whose configuration schemas are known at run time only.

use async_trait::async_trait;

use crate::diag::Result;
use crate::dynamic::{Catalogue, Context, phase};
use crate::schema::Schema;
use crate::value::Value;

/// A provider.
///
/// ```
/// use std::sync::Mutex;
///
/// use ferroform::async_trait;
/// use ferroform::diag::Result;
/// use ferroform::dynamic::{CallState, Catalogue, Context, Provider, phase};
/// use ferroform::path;
/// use ferroform::schema::{Attribute, Block, Schema};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// /// A provider for the API that a document describes.
/// #[derive(Default)]
/// struct Described {
///     endpoint: Mutex<Option<String>>,
/// }
///
/// #[async_trait]
/// impl Provider for Described {
///     fn name(&self) -> &str {
///         "cloud"
///     }
///
///     fn schema(&self) -> Schema {
///         Schema::new(Block::new([Attribute::required("endpoint", Type::String)]))
///     }
///
///     async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, config: Value) -> Result {
///         // While planning it may be unknown.
///         let endpoint = config.get(&path!(endpoint)).and_then(Value::as_str);
///         *self.endpoint.lock().unwrap() = endpoint.map(str::to_owned);
///         Ok(())
///     }
///
///     fn catalogue(&self) -> Catalogue {
///         // One `with` for each type of the document.
///         Catalogue::new()
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let provider = Described::default();
/// let config = Value::object([("endpoint", Value::from("https://api.example.com"))]);
/// provider.configure(&mut Context::new(&mut CallState::new()), config).await?;
/// assert_eq!(provider.endpoint.lock().unwrap().as_deref(), Some("https://api.example.com"));
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[async_trait]
pub trait Provider: Send + Sync {
    /// The name that all type names start with, e.g. `demo`.
    fn name(&self) -> &str;

    /// The schema of the provider configuration.
    fn schema(&self) -> Schema;

    /// The schema of the `provider_meta` blocks that modules may address to the provider; `None` if they may not.
    fn meta_schema(&self) -> Option<Schema> {
        None
    }

    /// Checks a configuration beyond what the schema says. Values may be unknown.
    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, _config: &Value) -> Result {
        Ok(())
    }

    /// Takes the configuration. Values may be unknown while planning; a later call brings the known ones.
    async fn configure(&self, cx: &mut Context<'_, phase::Configure>, config: Value) -> Result;

    /// What the provider offers. It must be the same at each call; the server asks once.
    fn catalogue(&self) -> Catalogue;
}
