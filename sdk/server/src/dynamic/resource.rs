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
    fn schema(&self) -> Schema;

    /// Checks a configuration beyond what the schema says. Values may be unknown, and the provider may be
    /// unconfigured.
    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, _config: &Value) -> Result {
        Ok(())
    }

    /// Changes the plan of a create or an update after the declared planning steps.
    async fn plan(&self, _cx: &mut Context<'_, phase::Plan>, _plan: &mut PlannedChange) -> Result {
        Ok(())
    }

    /// Looks at the plan of a delete; it can warn or refuse.
    async fn plan_delete(&self, _cx: &mut Context<'_, phase::PlanDelete>, _prior: &Value) -> Result {
        Ok(())
    }

    /// Whether [`create`](Self::create) and [`update`](Self::update) look at [`Change::config`]. If not, and if the
    /// schema has no write-only attributes, it is null there: a large configuration need not be decoded once more.
    /// With `false` a resource that reads it all the same sees null, and no error.
    fn uses_config(&self) -> bool {
        true
    }

    /// Creates the object and returns its state. As soon as the object exists, call [`Context::checkpoint`]: if
    /// the rest fails, core then keeps the object instead of losing it.
    async fn create(&self, cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value>;

    /// Reads the object and returns its state; `None` when it no longer exists.
    async fn read(&self, cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>>;

    /// Changes the object and returns its state.
    async fn update(
        &self,
        cx: &mut Context<'_, phase::Update>,
        prior: Value,
        change: Change,
    ) -> Result<Value>;

    /// Whether the object is read after [`create`](Self::create) and [`update`](Self::update), and compared with the
    /// plan: once, as for typed resources. A type that returns what it read turns it off.
    fn read_after_write(&self) -> ReadAfterWrite {
        ReadAfterWrite::Once
    }

    /// Deletes the object. One that no longer exists is a success.
    async fn delete(&self, cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result;

    /// Finds objects by an import id or by an identity; none when there is no such object. Core reads each of them
    /// right afterwards, so that a state in which only what a read needs is known is enough. More than one is for
    /// the import command only.
    async fn import(&self, cx: &mut Context<'_, phase::Import>, from: Import) -> Result<Vec<Imported>> {
        let _ = (cx, from);
        Err(import_not_supported())
    }

    /// The schema of the identity; `None` for a type without one. It must be the same at each call.
    fn identity_schema(&self) -> Option<IdentitySchema> {
        None
    }

    /// The identity of the object whose state or plan this is; null when there is none. Of a plan, attributes or
    /// the whole may be unknown. The SDK asks after each create, read, update, import and move, and while planning.
    /// What the state does not hold is in `cx`: the stored identity, or private data.
    fn identity(&self, cx: IdentityContext<'_>, state: &Value) -> Result<Value> {
        let _ = (cx, state);
        Ok(Value::Null)
    }

    /// The stored versions that can be upgraded, and how. They must be the same at each call.
    fn upgrade_paths(&self) -> UpgradePaths {
        UpgradePaths::default()
    }

    /// The types by which upgraders read what is stored. Only tests of providers look at them.
    fn upgraded_types(&self) -> UpgradedTypes {
        UpgradedTypes::default()
    }

    /// Brings a state of one of the [`upgrade_paths`](Self::upgrade_paths), or of the flat form, to the current
    /// schema. The provider is configured.
    async fn upgrade(&self, cx: &mut Context<'_, phase::Upgrade>, stored: StoredValue) -> Result<Value> {
        let _ = (cx, stored);
        Err(Error::new("No State Upgrade", "Stored states of this form cannot be upgraded."))
    }

    /// Brings an identity of one of the [`upgrade_paths`](Self::upgrade_paths) to the current identity schema. The
    /// provider is configured.
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
    async fn move_state(
        &self,
        cx: &mut Context<'_, phase::Move>,
        source: MoveSource,
    ) -> Result<Option<Value>> {
        let _ = (cx, source);
        Ok(None)
    }

    /// Mistakes in how the type was put together, such as a version without an upgrade.
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
    #[must_use]
    pub const fn new(planned: Value, config: Value) -> Self {
        Self { planned, config }
    }
}

impl PlannedChange {
    /// A plan of a change from the prior state, for unit tests.
    #[must_use]
    pub const fn new(prior: Value, planned: Value, config: Value) -> Self {
        Self { prior, planned, config }
    }
}

withheld_debug! { Change PlannedChange }
