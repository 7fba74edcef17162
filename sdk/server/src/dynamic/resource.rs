//! Managed resources whose schemas are known at run time only.

use async_trait::async_trait;

use crate::diag::{Diagnostics, Error, Result};
use crate::dynamic::{
    Context, IdentityContext, Import, Imported, MoveSource, ReadAfterWrite, StoredValue, UpgradePaths,
    UpgradedTypes, import_not_supported, phase,
};
use crate::schema::{IdentitySchema, Schema};
use crate::value::Value;

/// A managed resource type. Its asynchronous methods are those of `ferroform::async_trait`.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
///
/// use ferroform::async_trait;
/// use ferroform::diag::Result;
/// use ferroform::dynamic::{CallState, Change, Context, Resource, phase};
/// use ferroform::path;
/// use ferroform::schema::{Attribute, Block, Replace, Schema};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// /// Rows of a table whose columns are known when the provider starts.
/// struct Row {
///     columns: Vec<String>,
///     rows: Mutex<HashMap<String, Value>>,
/// }
///
/// impl Row {
///     fn put(&self, row: Value) -> Value {
///         let key = row.get(&path!(key)).and_then(Value::as_str).unwrap_or_default().to_owned();
///         self.rows.lock().unwrap().insert(key, row.clone());
///         row
///     }
/// }
///
/// #[async_trait]
/// impl Resource for Row {
///     fn schema(&self) -> Schema {
///         let key = Attribute::required("key", Type::String).replace(Replace::OnChange);
///         let columns = self.columns.iter().map(|name| Attribute::optional(name.clone(), Type::String));
///         Schema::new(Block::new([key].into_iter().chain(columns)))
///     }
///
///     async fn create(&self, _cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
///         Ok(self.put(change.planned))
///     }
///
///     async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
///         let key = prior.get(&path!(key)).and_then(Value::as_str).unwrap_or_default();
///         Ok(self.rows.lock().unwrap().get(key).cloned())
///     }
///
///     async fn update(&self, _cx: &mut Context<'_, phase::Update>, _prior: Value, change: Change) -> Result<Value> {
///         Ok(self.put(change.planned))
///     }
///
///     async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result {
///         let key = prior.get(&path!(key)).and_then(Value::as_str).unwrap_or_default();
///         self.rows.lock().unwrap().remove(key);
///         Ok(())
///     }
/// }
///
/// let row = Row { columns: vec!["size".to_owned()], rows: Mutex::default() };
/// assert!(row.schema().check().is_ok());
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let mut call = CallState::new();
/// let prior = row.put(Value::object([("key", Value::from("a")), ("size", Value::from("10"))]));
/// assert_eq!(row.read(&mut Context::new(&mut call), prior.clone()).await?, Some(prior.clone()));
/// row.delete(&mut Context::new(&mut call), prior.clone()).await?;
/// assert_eq!(row.read(&mut Context::new(&mut call), prior).await?, None);
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
///
/// `Registry::dynamic_resource` adds it to a provider.
#[async_trait]
pub trait Resource: Send + Sync {
    /// The schema. It must be the same at each call.
    ///
    /// ```
    /// use ferroform::dynamic::Resource;
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Change, Context, phase};
    /// # use ferroform::value::Value;
    ///
    /// /// A table, by its columns.
    /// struct Row(Vec<String>);
    /// # #[async_trait]
    /// # impl Resource for Row {
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// fn schema(&self) -> Schema {
    ///     Schema::new(Block::new(self.0.iter().map(|name| Attribute::optional(name.clone(), Type::String))))
    /// }
    /// # }
    ///
    /// let row = Row(vec!["size".to_owned()]);
    /// assert_eq!(row.schema().ty(), Type::object([("size", Type::String)]));
    /// ```
    fn schema(&self) -> Schema;

    /// Checks a configuration beyond what the schema says. Values may be unknown, and the provider may be
    /// unconfigured.
    ///
    /// ```
    /// use ferroform::diag::{Error, Result};
    /// use ferroform::dynamic::{CallState, Context, Resource, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Change;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Bucket;
    /// # #[async_trait]
    /// # impl Resource for Bucket {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
    ///     match config.get(&path!(name)).and_then(Value::as_str) {
    ///         Some(name) if name.contains('_') => Err(Error::new("Invalid Name", "Use hyphens.").at(path!(name))),
    ///         // Another one is valid, or not known yet.
    ///         _ => Ok(()),
    ///     }
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (mut call, config) = (CallState::new(), Value::object([("name", Value::from("my_logs"))]));
    /// assert!(Bucket.validate(&mut Context::new(&mut call), &config).await.is_err());
    /// let config = Value::object([("name", Value::unknown())]);
    /// assert!(Bucket.validate(&mut Context::new(&mut call), &config).await.is_ok());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, _config: &Value) -> Result {
        Ok(())
    }

    /// Changes the plan of a create or an update after the declared planning steps.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, Context, PlannedChange, Resource, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Change;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Disk;
    /// # #[async_trait]
    /// # impl Resource for Disk {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn plan(&self, cx: &mut Context<'_, phase::Plan>, plan: &mut PlannedChange) -> Result {
    ///     let size = |disk: &Value| disk.get(&path!(size)).and_then(Value::as_number).cloned();
    ///     // A disk cannot shrink.
    ///     if size(&plan.planned) < size(&plan.prior) {
    ///         cx.requires_replace(path!(size));
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (mut call, disk) = (CallState::new(), |size: i64| Value::object([("size", Value::from(size))]));
    /// Disk.plan(&mut Context::new(&mut call), &mut PlannedChange::new(disk(20), disk(10), disk(10))).await?;
    /// assert_eq!(call.requires_replace, [path!(size)]);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn plan(&self, _cx: &mut Context<'_, phase::Plan>, _plan: &mut PlannedChange) -> Result {
        Ok(())
    }

    /// Looks at the plan of a delete; it can warn or refuse.
    ///
    /// ```
    /// use ferroform::diag::{Error, Result};
    /// use ferroform::dynamic::{CallState, Context, Resource, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Change;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Database;
    /// # #[async_trait]
    /// # impl Resource for Database {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn plan_delete(&self, _cx: &mut Context<'_, phase::PlanDelete>, prior: &Value) -> Result {
    ///     match prior.get(&path!(protected)).and_then(Value::as_bool) {
    ///         Some(true) => Err(Error::new("Database Protected", "Set `protected` to false and apply first.")),
    ///         _ => Ok(()),
    ///     }
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (mut call, prior) = (CallState::new(), Value::object([("protected", Value::from(true))]));
    /// assert!(Database.plan_delete(&mut Context::new(&mut call), &prior).await.is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn plan_delete(&self, _cx: &mut Context<'_, phase::PlanDelete>, _prior: &Value) -> Result {
        Ok(())
    }

    /// Whether [`create`](Self::create) and [`update`](Self::update) look at [`Change::config`]. If not, and if the
    /// schema has no write-only attributes, it is null there: a large configuration need not be decoded once more.
    /// With `false` a resource that reads it all the same sees null, and no error.
    ///
    /// ```
    /// use ferroform::dynamic::Resource;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Change, Context, phase};
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// /// A row, which is written as it is planned.
    /// struct Row;
    /// # #[async_trait]
    /// # impl Resource for Row {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// fn uses_config(&self) -> bool {
    ///     false
    /// }
    /// # }
    ///
    /// assert!(!Row.uses_config());
    /// ```
    fn uses_config(&self) -> bool {
        true
    }

    /// Creates the object and returns its state. As soon as the object exists, call [`Context::checkpoint`]: if
    /// the rest fails, core then keeps the object instead of losing it.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, Change, Context, Resource, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Bucket;
    /// # #[async_trait]
    /// # impl Resource for Bucket {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn create(&self, cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
    ///     // `POST /buckets` has answered with the ID.
    ///     let name = change.planned.get(&path!(name)).cloned().unwrap_or(Value::Null);
    ///     let bucket = Value::object([("id", Value::from("b-1")), ("name", name)]);
    ///     cx.checkpoint(bucket.clone());
    ///     Ok(bucket)
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let planned = Value::object([("id", Value::unknown()), ("name", Value::from("logs"))]);
    /// let mut call = CallState::new();
    /// let bucket = Bucket.create(&mut Context::new(&mut call), Change::new(planned, Value::Null)).await?;
    /// assert_eq!(bucket.get(&path!(id)), Some(&Value::from("b-1")));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn create(&self, cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value>;

    /// Reads the object and returns its state; `None` when it no longer exists.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, Context, Resource, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Change;
    /// # use ferroform::schema::Schema;
    ///
    /// /// The rows of a table, by their keys.
    /// struct Rows(BTreeMap<String, Value>);
    /// # #[async_trait]
    /// # impl Resource for Rows {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
    ///     let key = prior.get(&path!(key)).and_then(Value::as_str).unwrap_or_default();
    ///     Ok(self.0.get(key).cloned())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let row = |key: &str| Value::object([("key", Value::from(key))]);
    /// let rows = Rows([("a".to_owned(), row("a"))].into());
    /// let mut call = CallState::new();
    /// assert_eq!(rows.read(&mut Context::new(&mut call), row("a")).await?, Some(row("a")));
    /// // Somebody has deleted it; core plans to create it again.
    /// assert_eq!(rows.read(&mut Context::new(&mut call), row("b")).await?, None);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn read(&self, cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>>;

    /// Changes the object and returns its state.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, Change, Context, Resource, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Bucket;
    /// # #[async_trait]
    /// # impl Resource for Bucket {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn update(&self, _cx: &mut Context<'_, phase::Update>, prior: Value, change: Change) -> Result<Value> {
    ///     // `PATCH /buckets/{id}` keeps the ID, which the plan leaves open.
    ///     let id = prior.get(&path!(id)).cloned().unwrap_or(Value::Null);
    ///     let name = change.planned.get(&path!(name)).cloned().unwrap_or(Value::Null);
    ///     Ok(Value::object([("id", id), ("name", name)]))
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let bucket = |id: Value, name: &str| Value::object([("id", id), ("name", Value::from(name))]);
    /// let change = Change::new(bucket(Value::unknown(), "logs"), Value::Null);
    /// let prior = bucket(Value::from("b-1"), "log");
    /// let updated = Bucket.update(&mut Context::new(&mut CallState::new()), prior, change).await?;
    /// assert_eq!(updated, bucket(Value::from("b-1"), "logs"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn update(
        &self,
        cx: &mut Context<'_, phase::Update>,
        prior: Value,
        change: Change,
    ) -> Result<Value>;

    /// Whether the object is read after [`create`](Self::create) and [`update`](Self::update), and compared with the
    /// plan: once, as for typed resources. A type that returns what it read turns it off.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::dynamic::Resource;
    /// use ferroform::resource::ReadAfterWrite;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Change, Context, phase};
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// /// A record of a service that shows a write late.
    /// struct Record;
    /// # #[async_trait]
    /// # impl Resource for Record {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// fn read_after_write(&self) -> ReadAfterWrite {
    ///     ReadAfterWrite::Within(Duration::from_secs(60))
    /// }
    /// # }
    ///
    /// assert_ne!(Record.read_after_write(), ReadAfterWrite::Once);
    /// ```
    fn read_after_write(&self) -> ReadAfterWrite {
        ReadAfterWrite::Once
    }

    /// Deletes the object. One that no longer exists is a success.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use std::sync::Mutex;
    ///
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, Context, Resource, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Change;
    /// # use ferroform::schema::Schema;
    ///
    /// /// The rows of a table, by their keys.
    /// struct Rows(Mutex<BTreeMap<String, Value>>);
    /// # #[async_trait]
    /// # impl Resource for Rows {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    ///
    /// async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result {
    ///     let key = prior.get(&path!(key)).and_then(Value::as_str).unwrap_or_default();
    ///     // There may be none any more.
    ///     self.0.lock().unwrap().remove(key);
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let row = Value::object([("key", Value::from("a"))]);
    /// let rows = Rows(Mutex::new([("a".to_owned(), row.clone())].into()));
    /// rows.delete(&mut Context::new(&mut CallState::new()), row).await?;
    /// assert!(rows.0.lock().unwrap().is_empty());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn delete(&self, cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result;

    /// Finds objects by an import id or by an identity; none when there is no such object. Core reads each of them
    /// right afterwards, so that a state in which only what a read needs is known is enough. More than one is for
    /// the import command only.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, Context, Import, Imported, Resource, phase};
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Change;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Bucket;
    /// # #[async_trait]
    /// # impl Resource for Bucket {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn import(&self, _cx: &mut Context<'_, phase::Import>, from: Import) -> Result<Vec<Imported>> {
    ///     // Core reads the bucket next, by its name.
    ///     let name = Value::from(from.into_id()?);
    ///     Ok(vec![Imported::new(Value::object([("name", name), ("region", Value::Null)]))])
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let from = Import::Id("logs".to_owned());
    /// assert_eq!(Bucket.import(&mut Context::new(&mut CallState::new()), from).await?.len(), 1);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn import(&self, cx: &mut Context<'_, phase::Import>, from: Import) -> Result<Vec<Imported>> {
        let _ = (cx, from);
        Err(import_not_supported())
    }

    /// The schema of the identity; `None` for a type without one. It must be the same at each call.
    ///
    /// ```
    /// use ferroform::dynamic::Resource;
    /// use ferroform::schema::{IdentityAttribute, IdentitySchema};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Change, Context, phase};
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// struct Bucket;
    /// # #[async_trait]
    /// # impl Resource for Bucket {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// fn identity_schema(&self) -> Option<IdentitySchema> {
    ///     let name = IdentityAttribute::required("name", Type::String);
    ///     // Where an import leaves it out, it is that of the provider.
    ///     let region = IdentityAttribute::optional("region", Type::String);
    ///     Some(IdentitySchema::new([name, region]))
    /// }
    /// # }
    ///
    /// assert!(Bucket.identity_schema().unwrap().check().is_ok());
    /// ```
    fn identity_schema(&self) -> Option<IdentitySchema> {
        None
    }

    /// The identity of the object whose state or plan this is; null when there is none. Of a plan, attributes or
    /// the whole may be unknown. The SDK asks after each create, read, update, import and move, and while planning.
    /// What the state does not hold is in `cx`: the stored identity, or private data.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, IdentityContext, Resource};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::{Change, Context, phase};
    /// # use ferroform::schema::Schema;
    ///
    /// struct Bucket;
    /// # #[async_trait]
    /// # impl Resource for Bucket {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// fn identity(&self, _cx: IdentityContext<'_>, state: &Value) -> Result<Value> {
    ///     let name = state.get(&path!(name)).cloned().unwrap_or(Value::Null);
    ///     Ok(Value::object([("name", name)]))
    /// }
    /// # }
    ///
    /// let call = CallState::new();
    /// let state = Value::object([("name", Value::from("logs")), ("region", Value::from("eu-1"))]);
    /// let identity = Bucket.identity(IdentityContext::new(&call), &state)?;
    /// assert_eq!(identity, Value::object([("name", Value::from("logs"))]));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn identity(&self, cx: IdentityContext<'_>, state: &Value) -> Result<Value> {
        let _ = (cx, state);
        Ok(Value::Null)
    }

    /// The stored versions that can be upgraded, and how. They must be the same at each call.
    ///
    /// ```
    /// use ferroform::dynamic::{Resource, UpgradePaths};
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Change, Context, phase};
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// /// A bucket whose schema has version 2.
    /// struct Bucket;
    /// # #[async_trait]
    /// # impl Resource for Bucket {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// fn upgrade_paths(&self) -> UpgradePaths {
    ///     UpgradePaths::new([(0, vec![2]), (1, vec![2])])
    /// }
    /// # }
    ///
    /// assert_eq!(Bucket.upgrade_paths().state.len(), 2);
    /// ```
    fn upgrade_paths(&self) -> UpgradePaths {
        UpgradePaths::default()
    }

    /// The types by which upgraders read what is stored. Only tests of providers look at them.
    ///
    /// ```
    /// use ferroform::dynamic::{Resource, UpgradedTypes};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Change, Context, phase};
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// struct Bucket;
    /// # #[async_trait]
    /// # impl Resource for Bucket {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// fn upgraded_types(&self) -> UpgradedTypes {
    ///     // `upgrade` reads the states of version 0 by this type.
    ///     let mut types = UpgradedTypes::default();
    ///     types.state.push((0, Type::object([("name", Type::String)])));
    ///     types
    /// }
    /// # }
    ///
    /// assert_eq!(Bucket.upgraded_types().state[0].0, 0);
    /// ```
    fn upgraded_types(&self) -> UpgradedTypes {
        UpgradedTypes::default()
    }

    /// Brings a state of one of the [`upgrade_paths`](Self::upgrade_paths), or of the flat form, to the current
    /// schema. The provider is configured.
    ///
    /// ```
    /// use ferroform::diag::{Error, Result};
    /// use ferroform::dynamic::{CallState, Context, RawState, Resource, StoredValue, phase};
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Change;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Disk;
    /// # #[async_trait]
    /// # impl Resource for Disk {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn upgrade(&self, _cx: &mut Context<'_, phase::Upgrade>, stored: StoredValue) -> Result<Value> {
    ///     let RawState::Flatmap(attributes) = stored.raw else {
    ///         return Err(Error::new("Unexpected State", "Version 0 stored states in the flat form only."));
    ///     };
    ///     let size: u32 = attributes.get("size").map_or("10", String::as_str).parse()?;
    ///     Ok(Value::object([("size", Value::from(size))]))
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let stored = StoredValue::new(0, RawState::Flatmap([("size".to_owned(), "20".to_owned())].into()));
    /// let disk = Disk.upgrade(&mut Context::new(&mut CallState::new()), stored).await?;
    /// assert_eq!(disk, Value::object([("size", Value::from(20))]));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn upgrade(&self, cx: &mut Context<'_, phase::Upgrade>, stored: StoredValue) -> Result<Value> {
        let _ = (cx, stored);
        Err(Error::new("No State Upgrade", "Stored states of this form cannot be upgraded."))
    }

    /// Brings an identity of one of the [`upgrade_paths`](Self::upgrade_paths) to the current identity schema. The
    /// provider is configured.
    ///
    /// ```
    /// use ferroform::diag::{Error, Result};
    /// use ferroform::dynamic::{CallState, Context, RawState, Resource, StoredValue, phase};
    /// use ferroform::resource::RawJson;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Change;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Bucket;
    /// # #[async_trait]
    /// # impl Resource for Bucket {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn upgrade_identity(&self, _cx: &mut Context<'_, phase::Upgrade>, stored: StoredValue) -> Result<Value> {
    ///     let RawState::Json(json) = stored.raw else {
    ///         return Err(Error::new("Unexpected Identity", "Identities are stored as JSON."));
    ///     };
    ///     // Version 0 called the name `id`.
    ///     let json = RawJson::new(json).parse::<std::collections::BTreeMap<String, String>>()?;
    ///     Ok(Value::object([("name", Value::from(json.get("id").cloned().unwrap_or_default()))]))
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let stored = StoredValue::new(0, RawState::Json(r#"{"id":"logs"}"#.into()));
    /// let identity = Bucket.upgrade_identity(&mut Context::new(&mut CallState::new()), stored).await?;
    /// assert_eq!(identity, Value::object([("name", Value::from("logs"))]));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn upgrade_identity(
        &self,
        cx: &mut Context<'_, phase::Upgrade>,
        stored: StoredValue,
    ) -> Result<Value> {
        let _ = (cx, stored);
        Err(Error::new("No Identity Upgrade", "Stored identities of this form cannot be upgraded."))
    }

    /// Turns a stored object of another type into one of this type; `None` when it is none that this type takes. The
    /// provider may be unconfigured. `cx` has the private data of the object, which is kept with what is left in it.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, Context, MoveSource, RawState, Resource, phase};
    /// use ferroform::resource::RawJson;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Change;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Server;
    /// # #[async_trait]
    /// # impl Resource for Server {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn move_state(&self, _cx: &mut Context<'_, phase::Move>, source: MoveSource) -> Result<Option<Value>> {
    ///     match source.state {
    ///         RawState::Json(json) if source.type_name == "cloud_vm" => {
    ///             let vm = RawJson::new(json).parse::<std::collections::BTreeMap<String, String>>()?;
    ///             let name = Value::from(vm.get("label").cloned().unwrap_or_default());
    ///             Ok(Some(Value::object([("name", name)])))
    ///         }
    ///         _ => Ok(None),
    ///     }
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let vm = |type_name| MoveSource::new("acme/cloud", type_name, RawState::Json(r#"{"label":"www"}"#.into()));
    /// let mut call = CallState::new();
    /// assert!(Server.move_state(&mut Context::new(&mut call), vm("cloud_vm")).await?.is_some());
    /// assert!(Server.move_state(&mut Context::new(&mut call), vm("cloud_disk")).await?.is_none());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn move_state(
        &self,
        cx: &mut Context<'_, phase::Move>,
        source: MoveSource,
    ) -> Result<Option<Value>> {
        let _ = (cx, source);
        Ok(None)
    }

    /// Mistakes in how the type was put together, such as a version without an upgrade.
    ///
    /// ```
    /// use ferroform::diag::{Diagnostic, Diagnostics};
    /// use ferroform::dynamic::Resource;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Change, Context, phase};
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// /// A type with the operations that its document describes.
    /// struct Described(Vec<&'static str>);
    /// # #[async_trait]
    /// # impl Resource for Described {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> { Ok(Some(prior)) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    ///
    /// fn mistakes(&self) -> Diagnostics {
    ///     let missing = ["post", "get"].into_iter().filter(|operation| !self.0.contains(operation));
    ///     missing.map(|it| Diagnostic::error("Operation Missing", format!("The document has no `{it}`."))).collect()
    /// }
    /// # }
    ///
    /// assert_eq!(Described(vec!["get"]).mistakes().len(), 1);
    /// ```
    fn mistakes(&self) -> Diagnostics {
        Diagnostics::default()
    }
}

/// What a create or an update is to do.
///
/// ```
/// use ferroform::dynamic::Change;
/// use ferroform::path;
/// use ferroform::value::Value;
///
/// // The service chooses the ID of a disk; the user left the size to its default.
/// let planned = Value::object([("id", Value::unknown()), ("size", Value::from(10))]);
/// let config = Value::object([("id", Value::Null), ("size", Value::Null)]);
/// let change = Change::new(planned, config);
/// assert!(change.planned.get(&path!(id)).is_some_and(Value::is_unknown));
/// assert_eq!(change.config.get(&path!(size)), Some(&Value::Null));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Change {
    /// The planned state. Attributes that the provider computes are unknown; write-only ones have their
    /// configured values.
    pub planned: Value,
    /// The configuration, wholly known; see [`Resource::uses_config`].
    pub config: Value,
}

/// The plan of a create or an update, for the plan hook.
///
/// ```
/// use ferroform::dynamic::PlannedChange;
/// use ferroform::path;
/// use ferroform::value::Value;
///
/// /// The address of a server changes with its network.
/// fn plan(plan: &mut PlannedChange) {
///     if plan.prior.get(&path!(network)) != plan.planned.get(&path!(network)) {
///         let network = plan.planned.get(&path!(network)).cloned().unwrap_or(Value::Null);
///         plan.planned = Value::object([("network", network), ("address", Value::unknown())]);
///     }
/// }
///
/// let server = |network| Value::object([("network", Value::from(network)), ("address", Value::from("10.0.0.7"))]);
/// let config = Value::object([("network", Value::from("b")), ("address", Value::Null)]);
/// let mut change = PlannedChange::new(server("a"), server("b"), config);
/// plan(&mut change);
/// assert!(change.planned.get(&path!(address)).is_some_and(Value::is_unknown));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct PlannedChange {
    /// The prior state; null for a create.
    pub prior: Value,
    /// The planned state, to be changed in place.
    pub planned: Value,
    /// The configuration; values may be unknown.
    pub config: Value,
}

impl Change {
    /// A change to this planned state, with the whole configuration, for unit tests.
    ///
    /// ```
    /// use ferroform::dynamic::Change;
    /// use ferroform::path;
    /// use ferroform::value::Value;
    ///
    /// // For the test of a `create`: the service chooses the ID.
    /// let planned = Value::object([("id", Value::unknown()), ("name", Value::from("data"))]);
    /// let config = Value::object([("id", Value::Null), ("name", Value::from("data"))]);
    /// let change = Change::new(planned, config);
    /// assert!(change.planned.get(&path!(id)).is_some_and(Value::is_unknown));
    /// ```
    #[must_use]
    pub const fn new(planned: Value, config: Value) -> Self {
        Self { planned, config }
    }
}

impl PlannedChange {
    /// A plan of a change from the prior state, for unit tests.
    ///
    /// ```
    /// use ferroform::dynamic::PlannedChange;
    /// use ferroform::value::Value;
    ///
    /// // For the test of a `plan` that makes a new disk.
    /// let disk = Value::object([("size", Value::from(10))]);
    /// let plan = PlannedChange::new(Value::Null, disk.clone(), disk);
    /// assert!(plan.prior.is_null());
    /// ```
    #[must_use]
    pub const fn new(prior: Value, planned: Value, config: Value) -> Self {
        Self { prior, planned, config }
    }
}

withheld_debug! { Change PlannedChange }
