//! Data sources whose schemas are known at run time only.

use async_trait::async_trait;

use crate::diag::Result;
use crate::dynamic::{Context, phase};
use crate::schema::Schema;
use crate::value::Value;

/// A data source type.
///
/// ```
/// use ferroform::async_trait;
/// use ferroform::diag::{Error, Result};
/// use ferroform::dynamic::{CallState, Context, DataSource, phase};
/// use ferroform::path;
/// use ferroform::schema::{Attribute, Block, Schema};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// /// Finds the ID of a machine image by its name.
/// struct Images(Vec<(&'static str, &'static str)>);
///
/// #[async_trait]
/// impl DataSource for Images {
///     fn schema(&self) -> Schema {
///         let attributes = [Attribute::required("name", Type::String), Attribute::computed("id", Type::String)];
///         Schema::new(Block::new(attributes))
///     }
///
///     async fn read(&self, _cx: &mut Context<'_, phase::ReadData>, config: Value) -> Result<Value> {
///         let name = config.get(&path!(name)).and_then(Value::as_str).unwrap_or_default();
///         let found = self.0.iter().find(|(image, _)| *image == name);
///         let (name, id) = found.ok_or_else(|| Error::new("No Such Image", "Check the name.").at(path!(name)))?;
///         Ok(Value::object([("name", Value::from(*name)), ("id", Value::from(*id))]))
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let images = Images(vec![("debian-13", "ami-0a1b")]);
/// let config = Value::object([("name", Value::from("debian-13")), ("id", Value::unknown())]);
/// let image = images.read(&mut Context::new(&mut CallState::new()), config).await?;
/// assert_eq!(image.get(&path!(id)), Some(&Value::from("ami-0a1b")));
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[async_trait]
pub trait DataSource: Send + Sync {
    /// The schema. It must be the same at each call.
    ///
    /// ```
    /// use ferroform::dynamic::DataSource;
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Context, phase};
    /// # use ferroform::value::Value;
    ///
    /// /// A query, by the names of what it answers.
    /// struct Query(Vec<String>);
    /// # #[async_trait]
    /// # impl DataSource for Query {
    /// #     async fn read(&self, _: &mut Context<'_, phase::ReadData>, config: Value) -> Result<Value> { Ok(config) }
    ///
    /// fn schema(&self) -> Schema {
    ///     Schema::new(Block::new(self.0.iter().map(|name| Attribute::computed(name.clone(), Type::String))))
    /// }
    /// # }
    ///
    /// assert_eq!(Query(vec!["region".to_owned()]).schema().ty(), Type::object([("region", Type::String)]));
    /// ```
    fn schema(&self) -> Schema;

    /// Checks a configuration beyond what the schema says. Values may be unknown, and the provider may be
    /// unconfigured.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, Context, DataSource, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Image;
    /// # #[async_trait]
    /// # impl DataSource for Image {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn read(&self, _: &mut Context<'_, phase::ReadData>, config: Value) -> Result<Value> { Ok(config) }
    ///
    /// async fn validate(&self, cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
    ///     if config.get(&path!(name)).is_some_and(Value::is_null) {
    ///         cx.error_at(path!(name), "No Name", "Set the name of the image.");
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (mut call, config) = (CallState::new(), Value::object([("name", Value::Null)]));
    /// Image.validate(&mut Context::new(&mut call), &config).await?;
    /// assert!(call.diagnostics.has_errors());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, _config: &Value) -> Result {
        Ok(())
    }

    /// Reads. What is configured is known; attributes that the data source computes are unknown.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, Context, DataSource, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Length;
    /// # #[async_trait]
    /// # impl DataSource for Length {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    ///
    /// async fn read(&self, _cx: &mut Context<'_, phase::ReadData>, config: Value) -> Result<Value> {
    ///     let text = config.get(&path!(text)).and_then(Value::as_str).unwrap_or_default();
    ///     Ok(Value::object([("text", Value::from(text)), ("length", Value::from(u64::try_from(text.len())?))]))
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let config = Value::object([("text", Value::from("logs")), ("length", Value::unknown())]);
    /// let state = Length.read(&mut Context::new(&mut CallState::new()), config).await?;
    /// assert_eq!(state.get(&path!(length)), Some(&Value::from(4)));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn read(&self, cx: &mut Context<'_, phase::ReadData>, config: Value) -> Result<Value>;
}
