//! Providers, resources and data sources whose schemas are known at run time only.
//!
//! This is the object-safe layer under the typed traits: the derive and [`Resource`](crate::resource::Resource)
//! produce implementations of [`Resource`], and so can a program that builds its schemas from a document. Values
//! are [`Value`]s that fit the schema; everything the server checks for typed resources is checked here as well.

mod action;
mod catalogue;
mod ephemeral_resource;
mod function;
mod list_resource;
mod state_store;
mod stored;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use action::{Action, InvokeContext};
pub use catalogue::{Catalogue, Concept, Offer};
pub(crate) use ephemeral_resource::renewal_not_implemented;
pub use ephemeral_resource::{Close, EphemeralContext, EphemeralResource, LeavesOpen, Open, Renew, Validate};
pub use function::{Function, FunctionContext};
pub use list_resource::{ListContext, ListResource, ListedObject, ResourceSchemas};
pub(crate) use state_store::{Incoming, Outgoing};
pub use state_store::{StateSender, StateSink, StateSource, StateStore, Store, StoreContext};
pub(crate) use stored::import_not_supported;
pub use stored::{Import, Imported, MoveSource, StoredValue, UpgradePaths, UpgradedTypes};

use async_trait::async_trait;

use crate::cancel::Cancellation;
use crate::clock::Clock;
use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::model::{Decode, Draft, Model};
use crate::path::Path;
use crate::plan::Drift;
use crate::private::Private;
use crate::protocol::{ClientCapabilities, Deferred};
use crate::schema::{IdentitySchema, Schema};
use crate::value::Value;

/// A provider.
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
    async fn validate(&self, _cx: &mut Context, _config: &Value) -> Result {
        Ok(())
    }

    /// Takes the configuration. Values may be unknown while planning; a later call brings the known ones.
    async fn configure(&self, cx: &mut Context, config: Value) -> Result;

    /// What the provider offers. It must be the same at each call; the server asks once.
    fn catalogue(&self) -> Catalogue;
}

/// A managed resource type. Its asynchronous methods are those of [`ferroform::async_trait`](crate::async_trait).
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
///
/// use ferroform::async_trait;
/// use ferroform::diag::Result;
/// use ferroform::dynamic::{Change, Context, Resource};
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
///         let key = Attribute { replace: Replace::OnChange, ..Attribute::required("key", Type::String) };
///         let columns = self.columns.iter().map(|name| Attribute::optional(name.clone(), Type::String));
///         Schema::new(Block { attributes: [key].into_iter().chain(columns).collect(), ..Block::default() })
///     }
///
///     async fn create(&self, _cx: &mut Context, change: Change) -> Result<Value> {
///         Ok(self.put(change.planned))
///     }
///
///     async fn read(&self, _cx: &mut Context, prior: Value) -> Result<Option<Value>> {
///         let key = prior.get(&path!(key)).and_then(Value::as_str).unwrap_or_default();
///         Ok(self.rows.lock().unwrap().get(key).cloned())
///     }
///
///     async fn update(&self, _cx: &mut Context, _prior: Value, change: Change) -> Result<Value> {
///         Ok(self.put(change.planned))
///     }
///
///     async fn delete(&self, _cx: &mut Context, prior: Value) -> Result {
///         let key = prior.get(&path!(key)).and_then(Value::as_str).unwrap_or_default();
///         self.rows.lock().unwrap().remove(key);
///         Ok(())
///     }
/// }
///
/// let row = Row { columns: vec!["size".to_owned()], rows: Mutex::default() };
/// assert!(row.schema().check().is_ok());
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let prior = row.put(Value::object([("key", Value::from("a")), ("size", Value::from("10"))]));
/// assert_eq!(row.read(&mut Context::new(), prior.clone()).await?, Some(prior.clone()));
/// row.delete(&mut Context::new(), prior.clone()).await?;
/// assert_eq!(row.read(&mut Context::new(), prior).await?, None);
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
///
/// [`Registry::dynamic_resource`](crate::provider::Registry::dynamic_resource) adds it to a provider.
#[async_trait]
pub trait Resource: Send + Sync {
    /// The schema. It must be the same at each call.
    fn schema(&self) -> Schema;

    /// Checks a configuration beyond what the schema says. Values may be unknown, and the provider may be
    /// unconfigured.
    async fn validate(&self, _cx: &mut Context, _config: &Value) -> Result {
        Ok(())
    }

    /// Changes the plan of a create or an update after the declared planning steps.
    async fn plan(&self, _cx: &mut Context, _plan: &mut PlannedChange) -> Result {
        Ok(())
    }

    /// Looks at the plan of a delete; it can warn or refuse.
    async fn plan_delete(&self, _cx: &mut Context, _prior: &Value) -> Result {
        Ok(())
    }

    /// Whether [`create`](Self::create) and [`update`](Self::update) look at [`Change::config`]. If not, and if the
    /// schema has no write-only attributes, it is null there: a large configuration need not be decoded once more.
    /// Whoever says so and looks all the same sees null, and is not told.
    fn uses_config(&self) -> bool {
        true
    }

    /// Creates the object and returns its state. As soon as the object exists, call [`Context::checkpoint`]: if
    /// the rest fails, core then keeps the object instead of losing it.
    async fn create(&self, cx: &mut Context, change: Change) -> Result<Value>;

    /// Reads the object and returns its state; `None` when it is gone.
    async fn read(&self, cx: &mut Context, prior: Value) -> Result<Option<Value>>;

    /// Changes the object and returns its state.
    async fn update(&self, cx: &mut Context, prior: Value, change: Change) -> Result<Value>;

    /// Deletes the object. One that is gone already is a success.
    async fn delete(&self, cx: &mut Context, prior: Value) -> Result;

    /// Finds objects by an import id or by an identity; none when there is no such object. Core reads each of them
    /// right afterwards, so that a state in which only what a read needs is known is enough. More than one is for
    /// the import command only.
    async fn import(&self, cx: &mut Context, from: Import) -> Result<Vec<Imported>> {
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
    fn identity(&self, cx: &Context, state: &Value) -> Result<Value> {
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
    async fn upgrade(&self, cx: &mut Context, stored: StoredValue) -> Result<Value> {
        let _ = (cx, stored);
        Err(Error::new("No State Upgrade", "Stored states of this form cannot be upgraded."))
    }

    /// Brings an identity of one of the [`upgrade_paths`](Self::upgrade_paths) to the current identity schema. The
    /// provider is configured.
    async fn upgrade_identity(&self, cx: &mut Context, stored: StoredValue) -> Result<Value> {
        let _ = (cx, stored);
        Err(Error::new("No Identity Upgrade", "Stored identities of this form cannot be upgraded."))
    }

    /// Turns a stored object of another type into one of this type; `None` when it is none that this type takes. The
    /// provider may be unconfigured. `cx` has the private data of the object, which is kept with what is left in it.
    async fn move_state(&self, cx: &mut Context, source: MoveSource) -> Result<Option<Value>> {
        let _ = (cx, source);
        Ok(None)
    }

    /// Mistakes in how the type was put together, such as a version without an upgrade.
    fn mistakes(&self) -> Diagnostics {
        Diagnostics::default()
    }
}

/// A data source type.
#[async_trait]
pub trait DataSource: Send + Sync {
    /// The schema. It must be the same at each call.
    fn schema(&self) -> Schema;

    /// Checks a configuration beyond what the schema says. Values may be unknown, and the provider may be
    /// unconfigured.
    async fn validate(&self, _cx: &mut Context, _config: &Value) -> Result {
        Ok(())
    }

    /// Reads. What is configured is known; attributes that the data source computes are unknown.
    async fn read(&self, cx: &mut Context, config: Value) -> Result<Value>;
}

/// What a create or an update is to do.
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
#[derive(Clone)]
#[non_exhaustive]
pub struct PlannedChange {
    /// The prior state; null for a create.
    pub prior: Value,
    /// The configuration; values may be unknown.
    pub config: Value,
    /// The planned state, to be changed in place.
    pub planned: Value,
}

/// Values may be sensitive, so none is shown.
impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Change").finish_non_exhaustive()
    }
}

/// Values may be sensitive, so none is shown.
impl fmt::Debug for PlannedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlannedChange").finish_non_exhaustive()
    }
}

/// Decodes the configuration of a call.
pub(crate) type ConfigSource = Arc<dyn Fn() -> Result<Value> + Send + Sync>;

/// What belongs to one call: how to report, when to stop, what to keep.
///
/// `Debug` leaves out what may hold values of the user.
///
/// ```
/// use ferroform::dynamic::Context;
/// use ferroform::path;
///
/// let mut cx = Context::new();
/// cx.warn("Slow Region", "Objects in this region take minutes to appear.");
/// cx.error_at(path!(size), "Size Too Large", "Use at most 64.");
/// cx.requires_replace(path!(region));
/// cx.private.set("generation", &1)?;
/// assert!(cx.diagnostics.has_errors() && !cx.cancellation.is_cancelled());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[non_exhaustive]
pub struct Context {
    /// Whether the user has asked to stop, or the time of the call is up. A call that goes on for more than ten
    /// seconds after its time is ended; then what it recorded by [`Context::checkpoint`] is all that is kept.
    pub cancellation: Cancellation,
    /// How long the call may take, by the `timeouts` of the resource; `None` is for ever.
    pub timeout: Option<Duration>,
    /// The time.
    pub clock: Clock,
    /// What core can do.
    pub capabilities: ClientCapabilities,
    /// The version that core gave for itself; empty outside of the configuration of the provider. Some OpenTofu
    /// releases send a constant, so it cannot tell cores apart.
    pub core_version: String,
    /// What the `provider_meta` block of the calling module says, by [`Provider::meta_schema`]; `None` where the module
    /// has no such block. Sent with the plan, apply and read of a resource and the read of a data source; values may
    /// be unknown in a plan. [`Context::meta`] gives it typed.
    pub provider_meta: Option<Value>,
    /// The private data of the object.
    pub private: Private,
    /// The identity stored with the object, or planned for it; for an import the one that the user wrote. `None` when
    /// there is none, and outside of calls about an object. A method that learns more of it may change it here, and a
    /// move sets it, for [`Resource::identity`] to see.
    pub identity: Option<Value>,
    /// What was reported so far. Errors in here make the call fail whatever it returns.
    pub diagnostics: Diagnostics,
    pub(crate) config: Option<ConfigSource>,
    pub(crate) checkpoint: Option<Value>,
    /// What was found where the SDK or the author compared what the service shows with the plan.
    pub(crate) drifts: Vec<Drift>,
    /// Whether the state that is returned has been compared with the plan.
    pub(crate) is_completed: bool,
    pub(crate) requires_replace: Vec<Path>,
    pub(crate) deferred: Option<Deferred>,
}

impl Context {
    /// A context without a host: never cancelled, with the real time.
    #[must_use]
    pub fn new() -> Self {
        Self {
            cancellation: Cancellation::never(),
            timeout: None,
            clock: Clock::default(),
            capabilities: ClientCapabilities::default(),
            core_version: String::new(),
            provider_meta: None,
            private: Private::default(),
            identity: None,
            diagnostics: Diagnostics::default(),
            config: None,
            checkpoint: None,
            drifts: Vec::new(),
            is_completed: false,
            requires_replace: Vec::new(),
            deferred: None,
        }
    }

    /// What the `provider_meta` block of the calling module says, as the model that the provider declares for it.
    ///
    /// ```
    /// use ferroform::dynamic::Context;
    /// use ferroform::model::Model;
    /// use ferroform::value::Value;
    ///
    /// /// Modules say who they are.
    /// #[derive(Model)]
    /// struct Meta {
    ///     module_name: String,
    /// }
    ///
    /// let mut cx = Context::new();
    /// assert!(cx.meta::<Meta>()?.is_none());
    /// cx.provider_meta = Some(Value::object([("module_name", Value::string("network"))]));
    /// let meta = cx.meta::<Meta>()?.expect("the module has the block");
    /// assert_eq!(meta.module_name.known()?, "network");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The provider declares another schema than that of `M`, which is a bug in it.
    pub fn meta<M: Model>(&self) -> Result<Option<Draft<M>>> {
        let Some(meta) = self.provider_meta.clone() else { return Ok(None) };
        // A path would point into the configuration of the resource, where the block is not.
        Decode::decode(meta, &mut Path::root()).map(Some).map_err(|error: Error| {
            Error::new(
                "Unreadable Provider Metadata",
                format!(
                    "The `provider_meta` block does not have the form in which this call reads it: {error}. This is a \
                     bug in the provider: it must read the model whose schema it declares for the block."
                ),
            )
        })
    }

    /// The configuration of a create, an update or the read of a data source, as its model `M`. It is decoded now: a
    /// call that does not ask does not pay for it.
    ///
    /// A plan holds defaults and prior values beside what is configured; the configuration tells the two apart. All of
    /// it is known, and write-only attributes have their values.
    ///
    /// ```
    /// use ferroform::dynamic::Context;
    /// use ferroform::model::Model;
    /// use ferroform::value::Value;
    ///
    /// #[derive(Model)]
    /// struct Disk {
    ///     name: String,
    ///     #[attr(default = 10)]
    ///     size: u32,
    /// }
    ///
    /// // As in a test, without a host.
    /// let mut cx = Context::new();
    /// cx.set_config(Value::object([("name", Value::from("logs")), ("size", Value::Null)]));
    /// assert!(cx.config::<Disk>()?.size.is_null());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The call has no configuration, or it does not fit the model.
    pub fn config<M: Model>(&self) -> Result<Draft<M>> {
        let config = self.config.as_ref().ok_or_else(no_config)?;
        Decode::decode(config()?, &mut Path::root())
    }

    /// Sets the configuration that [`config`](Self::config) returns, for tests without a host.
    pub fn set_config(&mut self, config: Value) {
        self.config = Some(Arc::new(move || Ok(config.clone())));
    }

    /// Tells the user something that does not stop the call.
    pub fn warn(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(summary, detail));
    }

    /// Records an error at an attribute and goes on; the call fails in the end.
    pub fn error_at(&mut self, path: Path, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(summary, detail).at(path));
    }

    /// Records the state of an object that exists by now. If the call fails later, by an error or a panic, core
    /// stores this state beside the error. Unknown values in it are stored as null.
    pub fn checkpoint(&mut self, state: Value) {
        self.checkpoint = Some(state);
    }

    /// Forces the object to be replaced because of this attribute. For plan hooks; core ignores paths whose
    /// values do not change.
    pub fn requires_replace(&mut self, path: Path) {
        self.requires_replace.push(path);
    }

    /// Puts the call off. Refused with an error if core does not allow it.
    ///
    /// A configuration that is put off puts off every later plan, read and import as well, until the provider is
    /// configured again. An apply cannot be put off, and putting off a validation has no effect.
    pub fn defer(&mut self, reason: Deferred) {
        self.deferred = Some(reason);
    }
}

fn no_config() -> Error {
    Error::new(
        "No Configuration",
        "The call was asked for a configuration, and it has none. This is a bug in the provider: only `create` and \
         `update` of a resource and `read` of a data source have one.",
    )
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("cancellation", &self.cancellation)
            .field("capabilities", &self.capabilities)
            .field("core_version", &self.core_version)
            .field("private", &self.private)
            .field("diagnostics", &self.diagnostics)
            .field("requires_replace", &self.requires_replace)
            .field("deferred", &self.deferred)
            .finish_non_exhaustive()
    }
}
