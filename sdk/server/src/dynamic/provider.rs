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
    ///
    /// ```
    /// use ferroform::dynamic::Provider;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Catalogue, Context, phase};
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// /// A provider for the API that a document describes.
    /// struct Described {
    ///     title: String,
    /// }
    /// # #[async_trait]
    /// # impl Provider for Described {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn configure(&self, _: &mut Context<'_, phase::Configure>, _: Value) -> Result { Ok(()) }
    /// #     fn catalogue(&self) -> Catalogue { Catalogue::new() }
    ///
    /// fn name(&self) -> &str {
    ///     &self.title
    /// }
    /// # }
    ///
    /// assert_eq!(Described { title: "cloud".to_owned() }.name(), "cloud");
    /// ```
    fn name(&self) -> &str;

    /// The schema of the provider configuration.
    ///
    /// ```
    /// use ferroform::dynamic::Provider;
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Catalogue, Context, phase};
    /// # use ferroform::value::Value;
    ///
    /// struct Cloud;
    /// # #[async_trait]
    /// # impl Provider for Cloud {
    /// #     fn name(&self) -> &str { "cloud" }
    /// #     async fn configure(&self, _: &mut Context<'_, phase::Configure>, _: Value) -> Result { Ok(()) }
    /// #     fn catalogue(&self) -> Catalogue { Catalogue::new() }
    ///
    /// fn schema(&self) -> Schema {
    ///     Schema::new(Block::new([Attribute::required("endpoint", Type::String)]))
    /// }
    /// # }
    ///
    /// assert_eq!(Cloud.schema().ty(), Type::object([("endpoint", Type::String)]));
    /// ```
    fn schema(&self) -> Schema;

    /// The schema of the `provider_meta` blocks that modules may address to the provider; `None` if they may not.
    ///
    /// ```
    /// use ferroform::dynamic::Provider;
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Catalogue, Context, phase};
    /// # use ferroform::value::Value;
    ///
    /// struct Cloud;
    /// # #[async_trait]
    /// # impl Provider for Cloud {
    /// #     fn name(&self) -> &str { "cloud" }
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn configure(&self, _: &mut Context<'_, phase::Configure>, _: Value) -> Result { Ok(()) }
    /// #     fn catalogue(&self) -> Catalogue { Catalogue::new() }
    ///
    /// fn meta_schema(&self) -> Option<Schema> {
    ///     // Modules say who they are: `provider_meta "cloud" { module_name = "network" }`.
    ///     Some(Schema::new(Block::new([Attribute::optional("module_name", Type::String)])))
    /// }
    /// # }
    ///
    /// assert!(Cloud.meta_schema().is_some());
    /// ```
    fn meta_schema(&self) -> Option<Schema> {
        None
    }

    /// Checks a configuration beyond what the schema says. Values may be unknown.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, Context, Provider, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Catalogue;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Cloud;
    /// # #[async_trait]
    /// # impl Provider for Cloud {
    /// #     fn name(&self) -> &str { "cloud" }
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn configure(&self, _: &mut Context<'_, phase::Configure>, _: Value) -> Result { Ok(()) }
    /// #     fn catalogue(&self) -> Catalogue { Catalogue::new() }
    ///
    /// async fn validate(&self, cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
    ///     let endpoint = config.get(&path!(endpoint)).and_then(Value::as_str);
    ///     if endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")) {
    ///         cx.warn("No Encryption", "The token of the provider can be read on its way to the service.");
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (mut call, config) = (CallState::new(), Value::object([("endpoint", Value::from("http://api.example"))]));
    /// Cloud.validate(&mut Context::new(&mut call), &config).await?;
    /// assert_eq!(call.diagnostics.len(), 1);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, _config: &Value) -> Result {
        Ok(())
    }

    /// Takes the configuration. Values may be unknown while planning; a later call brings the known ones.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, Context, Provider, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Catalogue;
    /// # use ferroform::schema::Schema;
    ///
    /// /// Its types share the endpoint, which is none as long as it is not known.
    /// #[derive(Default)]
    /// struct Cloud(Mutex<Option<String>>);
    /// # #[async_trait]
    /// # impl Provider for Cloud {
    /// #     fn name(&self) -> &str { "cloud" }
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     fn catalogue(&self) -> Catalogue { Catalogue::new() }
    ///
    /// async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, config: Value) -> Result {
    ///     *self.0.lock().unwrap() = config.get(&path!(endpoint)).and_then(Value::as_str).map(str::to_owned);
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (cloud, mut call) = (Cloud::default(), CallState::new());
    /// cloud.configure(&mut Context::new(&mut call), Value::object([("endpoint", Value::unknown())])).await?;
    /// assert!(cloud.0.lock().unwrap().is_none());
    /// let config = Value::object([("endpoint", Value::from("https://api.example"))]);
    /// cloud.configure(&mut Context::new(&mut call), config).await?;
    /// assert_eq!(cloud.0.lock().unwrap().as_deref(), Some("https://api.example"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn configure(&self, cx: &mut Context<'_, phase::Configure>, config: Value) -> Result;

    /// What the provider offers. It must be the same at each call; the server asks once.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::{Catalogue, Function, Provider};
    /// use ferroform::schema::Kind;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Context, phase};
    /// # use ferroform::function::FunctionContext;
    /// # use ferroform::schema::{FunctionSignature, Schema};
    /// # use ferroform::ty::Type;
    /// # use ferroform::value::Value;
    /// # struct Constant(&'static str);
    /// # #[async_trait]
    /// # impl Function for Constant {
    /// #     fn signature(&self) -> FunctionSignature { FunctionSignature::new(Type::String) }
    /// #     async fn call(&self, _: &FunctionContext, _: Vec<Value>) -> Result<Value> { Ok(Value::from(self.0)) }
    /// # }
    ///
    /// struct Cloud;
    /// # #[async_trait]
    /// # impl Provider for Cloud {
    /// #     fn name(&self) -> &str { "cloud" }
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn configure(&self, _: &mut Context<'_, phase::Configure>, _: Value) -> Result { Ok(()) }
    ///
    /// fn catalogue(&self) -> Catalogue {
    ///     let home: Arc<dyn Function> = Arc::new(Constant("eu-1"));
    ///     Catalogue::new().with("home_region", home)
    /// }
    /// # }
    ///
    /// assert_eq!(Cloud.catalogue().names(Kind::Function), ["home_region"]);
    /// ```
    fn catalogue(&self) -> Catalogue;
}
