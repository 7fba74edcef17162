//! State stores whose configuration schemas are known at run time only, and what all stores share.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use tokio::sync::mpsc;

use crate::cancel::Cancellation;
use crate::clock::Clock;
use crate::diag::{Error, Result};
use crate::dynamic::{Context, phase};
use crate::protocol::{EventStream, StateChunk};
use crate::schema::Schema;
use crate::value::Value;

/// A state store type: it opens stores by their configuration.
///
/// ```
/// use std::sync::Arc;
///
/// use ferroform::async_trait;
/// use ferroform::diag::Result;
/// use ferroform::dynamic::{Context, StateStore, Store, phase};
/// use ferroform::path;
/// use ferroform::schema::{Attribute, Block, Schema};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// /// Opens buckets by their names.
/// struct Buckets<F>(F);
///
/// #[async_trait]
/// impl<F: Fn(&str) -> Arc<dyn Store> + Send + Sync> StateStore for Buckets<F> {
///     fn schema(&self) -> Schema {
///         Schema::new(Block::new([Attribute::required("bucket", Type::String)]))
///     }
///
///     async fn configure(
///         &self,
///         _cx: &mut Context<'_, phase::ConfigureStateStore>,
///         config: Value,
///     ) -> Result<Arc<dyn Store>> {
///         let bucket = config.get(&path!(bucket)).and_then(Value::as_str).unwrap_or_default();
///         Ok((self.0)(bucket))
///     }
/// }
///
/// let buckets = Buckets(|_: &str| unreachable!());
/// assert!(buckets.schema().check().is_ok());
/// ```
#[async_trait]
pub trait StateStore: Send + Sync {
    /// The schema of the configuration. It must be the same at each call.
    ///
    /// ```
    /// use ferroform::dynamic::StateStore;
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    /// # use std::sync::Arc;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Context, Store, phase};
    /// # use ferroform::value::Value;
    ///
    /// struct Buckets;
    /// # #[async_trait]
    /// # impl StateStore for Buckets {
    /// #     async fn configure(&self, _: &mut Context<'_, phase::ConfigureStateStore>, _: Value) -> Result<Arc<dyn Store>> { unreachable!() }
    ///
    /// fn schema(&self) -> Schema {
    ///     Schema::new(Block::new([Attribute::required("bucket", Type::String)]))
    /// }
    /// # }
    ///
    /// assert!(Buckets.schema().check().is_ok());
    /// ```
    fn schema(&self) -> Schema;

    /// Checks a configuration beyond what the schema says. The provider may be unconfigured.
    ///
    /// ```
    /// use ferroform::diag::{Error, Result};
    /// use ferroform::dynamic::{CallState, Context, StateStore, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use std::sync::Arc;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::Store;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Folder;
    /// # #[async_trait]
    /// # impl StateStore for Folder {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn configure(&self, _: &mut Context<'_, phase::ConfigureStateStore>, _: Value) -> Result<Arc<dyn Store>> { unreachable!() }
    ///
    /// async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
    ///     match config.get(&path!(path)).and_then(Value::as_str) {
    ///         Some(path) if !path.starts_with('/') => Err(Error::new("Relative Path", "Set an absolute path.")),
    ///         _ => Ok(()),
    ///     }
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let config = Value::object([("path", Value::from("states"))]);
    /// assert!(Folder.validate(&mut Context::new(&mut CallState::new()), &config).await.is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, _config: &Value) -> Result {
        Ok(())
    }

    /// Opens the store. Later calls work with it, until it is configured again.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::diag::{Error, Result};
    /// use ferroform::dynamic::{CallState, Context, StateStore, Store, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::schema::Schema;
    /// # use ferroform::state_store::{StateSink, StateSource, StoreContext};
    /// # struct Bucket(String);
    /// # #[async_trait]
    /// # impl Store for Bucket {
    /// #     async fn read(&self, _: &StoreContext, _: &str, _: StateSink<'_>) -> Result { Ok(()) }
    /// #     async fn write(&self, _: &StoreContext, _: &str, _: StateSource<'_>) -> Result { Ok(()) }
    /// #     async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> { Ok(String::new()) }
    /// #     async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result { Ok(()) }
    /// #     async fn list(&self, _: &StoreContext) -> Result<Vec<String>> { Ok(Vec::new()) }
    /// #     async fn delete(&self, _: &StoreContext, _: &str) -> Result { Ok(()) }
    /// # }
    ///
    /// struct Buckets;
    /// # #[async_trait]
    /// # impl StateStore for Buckets {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    ///
    /// async fn configure(
    ///     &self,
    ///     _cx: &mut Context<'_, phase::ConfigureStateStore>,
    ///     config: Value,
    /// ) -> Result<Arc<dyn Store>> {
    ///     let name = config.get(&path!(bucket)).and_then(Value::as_str);
    ///     let name = name.ok_or_else(|| Error::new("No Bucket", "Set `bucket`."))?;
    ///     Ok(Arc::new(Bucket(name.to_owned())))
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let config = Value::object([("bucket", Value::from("states"))]);
    /// assert!(Buckets.configure(&mut Context::new(&mut CallState::new()), config).await.is_ok());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn configure(
        &self,
        cx: &mut Context<'_, phase::ConfigureStateStore>,
        config: Value,
    ) -> Result<Arc<dyn Store>>;
}

/// How many bytes a chunk has at most, unless the store wants more. Several chunks are in memory at a time, on their way
/// through encryption and HTTP/2, and larger ones are no faster.
pub const CHUNK_SIZE: usize = 1 << 20;

/// An open state store. The typed form is `state_store::Store`, which says what each method
/// must do.
///
/// ```
/// use std::sync::{Mutex, PoisonError};
///
/// use ferroform::async_trait;
/// use ferroform::diag::{Error, Result};
/// use ferroform::dynamic::Store;
/// use ferroform::state_store::{StateSink, StateSource, StoreContext};
///
/// /// One state in memory, without locks.
/// #[derive(Default)]
/// struct Memory(Mutex<Option<Vec<u8>>>);
///
/// impl Memory {
///     fn replace(&self, state: Option<Vec<u8>>) {
///         *self.0.lock().unwrap_or_else(PoisonError::into_inner) = state;
///     }
///
///     fn get(&self) -> Option<Vec<u8>> {
///         self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
///     }
/// }
///
/// #[async_trait]
/// impl Store for Memory {
///     async fn read(&self, _cx: &StoreContext, _id: &str, state: StateSink<'_>) -> Result {
///         if let Some(stored) = self.get() {
///             state.start(stored.len() as u64).send(stored).await;
///         }
///         Ok(())
///     }
///
///     async fn write(&self, _cx: &StoreContext, _id: &str, mut state: StateSource<'_>) -> Result {
///         let mut new = Vec::new();
///         while let Some(bytes) = state.next().await? {
///             new.extend_from_slice(&bytes);
///         }
///         self.replace(Some(new));
///         Ok(())
///     }
///
///     async fn lock(&self, _cx: &StoreContext, _id: &str, _operation: &str) -> Result<String> {
///         Ok(String::new())
///     }
///
///     async fn unlock(&self, _cx: &StoreContext, _id: &str, _lock_id: &str) -> Result {
///         Err(Error::new("No Locks", "This store has none."))
///     }
///
///     async fn list(&self, _cx: &StoreContext) -> Result<Vec<String>> {
///         Ok(self.get().map(|_| "default".to_owned()).into_iter().collect())
///     }
///
///     async fn delete(&self, _cx: &StoreContext, _id: &str) -> Result {
///         self.replace(None);
///         Ok(())
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (store, cx) = (Memory::default(), StoreContext::new());
/// store.write(&cx, "default", StateSource::new(["{}"])).await?;
/// assert_eq!(store.list(&cx).await?, ["default"]);
/// store.delete(&cx, "default").await?;
/// assert!(store.list(&cx).await?.is_empty());
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[async_trait]
pub trait Store: Send + Sync {
    /// How many bytes a chunk has, where core proposes that many: by default at most [`CHUNK_SIZE`].
    ///
    /// ```
    /// use ferroform::dynamic::Store;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::state_store::{StateSink, StateSource, StoreContext};
    ///
    /// /// A service that stores every chunk as a part of at least 5 MiB.
    /// struct Parts;
    /// # #[async_trait]
    /// # impl Store for Parts {
    /// #     async fn read(&self, _: &StoreContext, _: &str, _: StateSink<'_>) -> Result { Ok(()) }
    /// #     async fn write(&self, _: &StoreContext, _: &str, _: StateSource<'_>) -> Result { Ok(()) }
    /// #     async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> { Ok(String::new()) }
    /// #     async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result { Ok(()) }
    /// #     async fn list(&self, _: &StoreContext) -> Result<Vec<String>> { Ok(Vec::new()) }
    /// #     async fn delete(&self, _: &StoreContext, _: &str) -> Result { Ok(()) }
    ///
    /// fn chunk_size(&self, proposed: usize) -> usize {
    ///     proposed.max(5 << 20)
    /// }
    /// # }
    ///
    /// assert_eq!(Parts.chunk_size(1 << 20), 5 << 20);
    /// ```
    fn chunk_size(&self, proposed: usize) -> usize {
        proposed.min(CHUNK_SIZE)
    }

    /// Reads a state.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::Store;
    /// use ferroform::state_store::{StateSink, StoreContext};
    /// # use ferroform::async_trait;
    /// # use ferroform::state_store::StateSource;
    ///
    /// /// One state, called `default`.
    /// struct Single(&'static str);
    /// # #[async_trait]
    /// # impl Store for Single {
    /// #     async fn write(&self, _: &StoreContext, _: &str, _: StateSource<'_>) -> Result { Ok(()) }
    /// #     async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> { Ok(String::new()) }
    /// #     async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result { Ok(()) }
    /// #     async fn list(&self, _: &StoreContext) -> Result<Vec<String>> { Ok(Vec::new()) }
    /// #     async fn delete(&self, _: &StoreContext, _: &str) -> Result { Ok(()) }
    ///
    /// async fn read(&self, _cx: &StoreContext, id: &str, state: StateSink<'_>) -> Result {
    ///     if id == "default" {
    ///         state.start(self.0.len() as u64).send(self.0).await;
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut sent = Vec::new();
    /// Single("{}").read(&StoreContext::new(), "default", StateSink::new(&mut sent)).await?;
    /// assert_eq!(sent, b"{}");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn read(&self, cx: &StoreContext, id: &str, state: StateSink<'_>) -> Result;

    /// Replaces a state.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::Store;
    /// use ferroform::state_store::{StateSource, StoreContext};
    /// # use ferroform::async_trait;
    /// # use ferroform::state_store::StateSink;
    ///
    /// /// The state, in memory.
    /// #[derive(Default)]
    /// struct Memory(Mutex<Vec<u8>>);
    /// # #[async_trait]
    /// # impl Store for Memory {
    /// #     async fn read(&self, _: &StoreContext, _: &str, _: StateSink<'_>) -> Result { Ok(()) }
    /// #     async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> { Ok(String::new()) }
    /// #     async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result { Ok(()) }
    /// #     async fn list(&self, _: &StoreContext) -> Result<Vec<String>> { Ok(Vec::new()) }
    /// #     async fn delete(&self, _: &StoreContext, _: &str) -> Result { Ok(()) }
    ///
    /// async fn write(&self, _cx: &StoreContext, _id: &str, mut state: StateSource<'_>) -> Result {
    ///     let mut new = Vec::new();
    ///     while let Some(bytes) = state.next().await? {
    ///         new.extend_from_slice(&bytes);
    ///     }
    ///     // Only now is all of it there.
    ///     *self.0.lock().unwrap() = new;
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (store, cx) = (Memory::default(), StoreContext::new());
    /// store.write(&cx, "default", StateSource::new(["{", "}"])).await?;
    /// assert!(store.write(&cx, "default", StateSource::incomplete(["{"])).await.is_err());
    /// assert_eq!(*store.0.lock().unwrap(), b"{}");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn write(&self, cx: &StoreContext, id: &str, state: StateSource<'_>) -> Result;

    /// Locks a state, and returns the lock ID; an empty one if the store has no locks.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::Store;
    /// use ferroform::state_store::{StoreContext, locked};
    /// # use ferroform::async_trait;
    /// # use ferroform::state_store::{StateSink, StateSource};
    ///
    /// /// Who has locked the only state.
    /// #[derive(Default)]
    /// struct Lock(Mutex<Option<String>>);
    /// # #[async_trait]
    /// # impl Store for Lock {
    /// #     async fn read(&self, _: &StoreContext, _: &str, _: StateSink<'_>) -> Result { Ok(()) }
    /// #     async fn write(&self, _: &StoreContext, _: &str, _: StateSource<'_>) -> Result { Ok(()) }
    /// #     async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result { Ok(()) }
    /// #     async fn list(&self, _: &StoreContext) -> Result<Vec<String>> { Ok(Vec::new()) }
    /// #     async fn delete(&self, _: &StoreContext, _: &str) -> Result { Ok(()) }
    ///
    /// async fn lock(&self, _cx: &StoreContext, id: &str, operation: &str) -> Result<String> {
    ///     let mut held = self.0.lock().unwrap();
    ///     match held.as_deref() {
    ///         Some(holder) => Err(locked(id, holder)),
    ///         None => Ok(held.insert(format!("ada, for {operation}")).clone()),
    ///     }
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (store, cx) = (Lock::default(), StoreContext::new());
    /// assert_eq!(store.lock(&cx, "default", "apply").await?, "ada, for apply");
    /// assert!(store.lock(&cx, "default", "plan").await.is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn lock(&self, cx: &StoreContext, id: &str, operation: &str) -> Result<String>;

    /// Unlocks a state.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use ferroform::diag::{Error, Result};
    /// use ferroform::dynamic::Store;
    /// use ferroform::state_store::StoreContext;
    /// # use ferroform::async_trait;
    /// # use ferroform::state_store::{StateSink, StateSource};
    ///
    /// /// The ID of the lock that is held.
    /// struct Lock(Mutex<Option<String>>);
    /// # #[async_trait]
    /// # impl Store for Lock {
    /// #     async fn read(&self, _: &StoreContext, _: &str, _: StateSink<'_>) -> Result { Ok(()) }
    /// #     async fn write(&self, _: &StoreContext, _: &str, _: StateSource<'_>) -> Result { Ok(()) }
    /// #     async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> { Ok(String::new()) }
    /// #     async fn list(&self, _: &StoreContext) -> Result<Vec<String>> { Ok(Vec::new()) }
    /// #     async fn delete(&self, _: &StoreContext, _: &str) -> Result { Ok(()) }
    ///
    /// async fn unlock(&self, _cx: &StoreContext, _id: &str, lock_id: &str) -> Result {
    ///     match self.0.lock().unwrap().take_if(|held| held == lock_id) {
    ///         Some(_) => Ok(()),
    ///         None => Err(Error::new("Another Lock", "Somebody else has locked the state meanwhile.")),
    ///     }
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (store, cx) = (Lock(Mutex::new(Some("l-2".to_owned()))), StoreContext::new());
    /// assert!(store.unlock(&cx, "default", "l-1").await.is_err());
    /// assert!(store.unlock(&cx, "default", "l-2").await.is_ok());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn unlock(&self, cx: &StoreContext, id: &str, lock_id: &str) -> Result;

    /// The IDs of the stored states.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::Store;
    /// use ferroform::state_store::StoreContext;
    /// # use ferroform::async_trait;
    /// # use ferroform::state_store::{StateSink, StateSource};
    ///
    /// /// The names of the objects in a bucket.
    /// struct Bucket(Vec<&'static str>);
    /// # #[async_trait]
    /// # impl Store for Bucket {
    /// #     async fn read(&self, _: &StoreContext, _: &str, _: StateSink<'_>) -> Result { Ok(()) }
    /// #     async fn write(&self, _: &StoreContext, _: &str, _: StateSource<'_>) -> Result { Ok(()) }
    /// #     async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> { Ok(String::new()) }
    /// #     async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result { Ok(()) }
    /// #     async fn delete(&self, _: &StoreContext, _: &str) -> Result { Ok(()) }
    ///
    /// async fn list(&self, _cx: &StoreContext) -> Result<Vec<String>> {
    ///     Ok(self.0.iter().filter_map(|name| name.strip_suffix(".tfstate")).map(str::to_owned).collect())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let bucket = Bucket(vec!["default.tfstate", "default.lock"]);
    /// assert_eq!(bucket.list(&StoreContext::new()).await?, ["default"]);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn list(&self, cx: &StoreContext) -> Result<Vec<String>>;

    /// Deletes a state.
    ///
    /// ```
    /// use std::collections::BTreeSet;
    /// use std::sync::Mutex;
    ///
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::Store;
    /// use ferroform::state_store::StoreContext;
    /// # use ferroform::async_trait;
    /// # use ferroform::state_store::{StateSink, StateSource};
    ///
    /// /// The IDs of the states in memory.
    /// struct Memory(Mutex<BTreeSet<String>>);
    /// # #[async_trait]
    /// # impl Store for Memory {
    /// #     async fn read(&self, _: &StoreContext, _: &str, _: StateSink<'_>) -> Result { Ok(()) }
    /// #     async fn write(&self, _: &StoreContext, _: &str, _: StateSource<'_>) -> Result { Ok(()) }
    /// #     async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> { Ok(String::new()) }
    /// #     async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result { Ok(()) }
    /// #     async fn list(&self, _: &StoreContext) -> Result<Vec<String>> { Ok(Vec::new()) }
    ///
    /// async fn delete(&self, _cx: &StoreContext, id: &str) -> Result {
    ///     self.0.lock().unwrap().remove(id);
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let store = Memory(Mutex::new(["staging".to_owned()].into()));
    /// store.delete(&StoreContext::new(), "staging").await?;
    /// assert!(store.0.lock().unwrap().is_empty());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn delete(&self, cx: &StoreContext, id: &str) -> Result;
}

/// What belongs to one call on a store.
///
/// ```
/// use std::time::SystemTime;
///
/// use ferroform::clock::Clock;
/// use ferroform::state_store::StoreContext;
///
/// /// What a lock says of its holder.
/// fn holder(cx: &StoreContext, user: &str) -> String {
///     let since = cx.clock.now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
///     format!("{user}, since {} s", since.as_secs())
/// }
///
/// let mut cx = StoreContext::new();
/// cx.clock = Clock::new(|| SystemTime::UNIX_EPOCH);
/// assert_eq!(holder(&cx, "ada"), "ada, since 0 s");
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct StoreContext {
    /// Whether the user has asked to stop.
    pub cancellation: Cancellation,
    /// The time.
    pub clock: Clock,
}

impl StoreContext {
    /// A context without a host, for unit tests: never cancelled, with the real time.
    ///
    /// ```
    /// use ferroform::state_store::StoreContext;
    ///
    /// let cx = StoreContext::new();
    /// assert!(!cx.cancellation.is_cancelled());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// Where a store sends a state that it reads. A store without the state sends nothing.
///
/// ```
/// use std::fs;
/// use std::path::Path;
///
/// use ferroform::diag::Result;
/// use ferroform::state_store::StateSink;
///
/// /// Sends a file, or nothing where there is none.
/// async fn read(file: &Path, state: StateSink<'_>) -> Result {
///     if fs::exists(file)? {
///         let bytes = fs::read(file)?;
///         state.start(bytes.len() as u64).send(bytes).await;
///     }
///     Ok(())
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let mut sent = Vec::new();
/// read(Path::new("no-such.tfstate"), StateSink::new(&mut sent)).await?;
/// assert!(sent.is_empty());
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Debug)]
pub struct StateSink<'call> {
    receiver: Receiver<'call>,
}

impl<'call> StateSink<'call> {
    /// A sink without a host, for unit tests: what the store sends is appended to the buffer. The announced
    /// length is not compared with it, so compare the buffer with the whole state.
    ///
    /// ```
    /// use ferroform::state_store::StateSink;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut sent = Vec::new();
    /// let state = StateSink::new(&mut sent);
    /// // As `Store::read` does.
    /// state.start(13).send("{\"version\":4}").await;
    /// assert_eq!(sent, b"{\"version\":4}");
    /// # });
    /// ```
    #[must_use]
    pub const fn new(buffer: &'call mut Vec<u8>) -> Self {
        Self { receiver: Receiver::Buffer(buffer) }
    }

    pub(crate) const fn to_core(outgoing: &'call mut Outgoing) -> Self {
        Self { receiver: Receiver::Core(outgoing) }
    }

    /// Starts a state of that many bytes.
    ///
    /// ```
    /// use ferroform::state_store::StateSink;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut sent = Vec::new();
    /// let state = br#"{"version":4}"#;
    /// let mut sender = StateSink::new(&mut sent).start(state.len() as u64);
    /// sender.send(&state[..]).await;
    /// assert_eq!(sent, state);
    /// # });
    /// ```
    #[must_use]
    pub fn start(mut self, length: u64) -> StateSender<'call> {
        if let Receiver::Core(outgoing) = &mut self.receiver {
            outgoing.length = Some(length);
        }
        StateSender { receiver: self.receiver }
    }
}

/// Sends the bytes of a state to core, in chunks of the size that core and the store agreed on.
///
/// ```
/// use ferroform::state_store::StateSink;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// // The parts of a state that the service stores in pieces of its own size.
/// let parts: [&[u8]; 2] = [b"{\"version\":4,", b"\"serial\":1}"];
/// let mut sent = Vec::new();
/// let mut sender = StateSink::new(&mut sent).start(parts.concat().len() as u64);
/// for part in parts {
///     sender.send(part.to_vec()).await;
/// }
/// assert_eq!(sent, b"{\"version\":4,\"serial\":1}");
/// # });
/// ```
#[derive(Debug)]
pub struct StateSender<'call> {
    receiver: Receiver<'call>,
}

impl StateSender<'_> {
    /// Sends the next bytes, of any number. Waits until core has read most of those before.
    ///
    /// ```
    /// use ferroform::state_store::StateSink;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut sent = Vec::new();
    /// let mut sender = StateSink::new(&mut sent).start(13);
    /// // The service hands out the state in blocks of its own size.
    /// for block in ["{\"version\"", ":4}"] {
    ///     sender.send(block).await;
    /// }
    /// assert_eq!(sent, b"{\"version\":4}");
    /// # });
    /// ```
    pub async fn send(&mut self, bytes: impl Into<Bytes>) {
        match &mut self.receiver {
            Receiver::Core(outgoing) => outgoing.send(bytes.into()).await,
            Receiver::Buffer(buffer) => buffer.extend_from_slice(&bytes.into()),
        }
    }
}

/// Who takes a state that a store sends.
enum Receiver<'call> {
    Core(&'call mut Outgoing),
    /// A unit test.
    Buffer(&'call mut Vec<u8>),
}

/// States may hold secrets, so their bytes are not shown.
impl fmt::Debug for Receiver<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Core(outgoing) => outgoing.fmt(f),
            Self::Buffer(buffer) => f.debug_tuple("Buffer").field(&buffer.len()).finish(),
        }
    }
}

/// A state on its way to core.
pub(crate) struct Outgoing {
    pub(crate) chunk_size: usize,
    pub(crate) chunks: mpsc::Sender<StateChunk>,
    length: Option<u64>,
    /// How many bytes the store has given.
    given: u64,
    /// How many bytes are in chunks.
    sent: u64,
    buffer: BytesMut,
}

impl Outgoing {
    pub(crate) fn new(chunk_size: usize, chunks: mpsc::Sender<StateChunk>) -> Self {
        Self { chunk_size, chunks, length: None, given: 0, sent: 0, buffer: BytesMut::new() }
    }

    async fn send(&mut self, mut bytes: Bytes) {
        self.given = self.given.saturating_add(bytes.len() as u64);
        let Some(length) = self.length.filter(|length| self.given <= *length) else { return };
        while !bytes.is_empty() {
            let room = self.chunk_size - self.buffer.len();
            let piece = bytes.split_to(room.min(bytes.len()));
            let chunk = if self.buffer.is_empty() && piece.len() == self.chunk_size {
                piece
            } else {
                self.buffer.extend_from_slice(&piece);
                let is_full = self.buffer.len() == self.chunk_size;
                if !is_full && self.sent + (self.buffer.len() as u64) < length {
                    continue;
                }
                self.buffer.split().freeze()
            };
            let start = self.sent;
            self.sent += chunk.len() as u64;
            let position = |at: u64| i64::try_from(at).unwrap_or(i64::MAX);
            let chunk = StateChunk {
                bytes: chunk,
                total_length: position(length),
                // The last position is inclusive; a chunk is never empty.
                range: Some((position(start), position(self.sent - 1))),
                ..StateChunk::default()
            };
            // Without a receiver nobody reads, and the call is about to be dropped.
            let _ = self.chunks.send(chunk).await;
        }
    }

    /// Whether the store has sent what it said.
    ///
    /// # Errors
    /// More or fewer bytes.
    pub(crate) fn finish(&self, name: &str) -> Result {
        let length = self.length.unwrap_or_default();
        if self.given == length {
            return Ok(());
        }
        let given = self.given;
        Err(Error::new(
            "Incomplete State",
            format!(
                "The state store `{name}` announced a state of {length} bytes and sent {given}. This is a bug in the \
                 provider: `read` must send as many bytes as it says to `StateSink::start`."
            ),
        ))
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("length", &self.length)
            .field("given", &self.given)
            .finish_non_exhaustive()
    }
}

/// A state that core sends to be stored.
///
/// ```
/// use std::fs::{self, File};
/// use std::io::Write as _;
/// use std::path::Path;
///
/// use ferroform::diag::Result;
/// use ferroform::state_store::StateSource;
///
/// /// Writes a new file beside the old one, which it replaces when all of the state is there.
/// async fn write(file: &Path, mut state: StateSource<'_>) -> Result {
///     let beside = file.with_extension("new");
///     let mut new = File::create(&beside)?;
///     while let Some(bytes) = state.next().await? {
///         new.write_all(&bytes)?;
///     }
///     new.sync_all()?;
///     Ok(fs::rename(beside, file)?)
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let file = std::env::temp_dir().join(format!("state-{}", std::process::id()));
/// write(&file, StateSource::new(["{\"version\"", ":4}"])).await?;
/// assert_eq!(fs::read_to_string(&file)?, "{\"version\":4}");
/// # fs::remove_file(file)?;
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Debug)]
pub struct StateSource<'call> {
    sender: Sender<'call>,
}

impl StateSource<'static> {
    /// A source without a host, for unit tests: the state arrives in these chunks, which may have any size.
    ///
    /// ```
    /// use ferroform::state_store::StateSource;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut state = StateSource::new(["{\"version\":", "4}"]);
    /// assert_eq!(state.length(), 13);
    /// // As `Store::write` does.
    /// let mut new = Vec::new();
    /// while let Some(bytes) = state.next().await? {
    ///     new.extend_from_slice(&bytes);
    /// }
    /// assert_eq!(new, b"{\"version\":4}");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn new<B: Into<Bytes>>(chunks: impl IntoIterator<Item = B>) -> Self {
        Self { sender: Sender::Chunks(PreparedChunks::new(chunks.into_iter().map(Into::into), 0)) }
    }

    /// As [`new`](Self::new), but the transfer ends early, after these chunks: [`next`](Self::next) fails where the rest is
    /// missing. With this, a test shows that a store keeps the state that it has.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use ferroform::diag::Result;
    /// use ferroform::state_store::StateSource;
    ///
    /// /// The part of `Store::write` that matters.
    /// async fn write(stored: &Mutex<Vec<u8>>, mut state: StateSource<'_>) -> Result {
    ///     let mut new = Vec::new();
    ///     while let Some(bytes) = state.next().await? {
    ///         new.extend_from_slice(&bytes);
    ///     }
    ///     *stored.lock().unwrap() = new;
    ///     Ok(())
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let stored = Mutex::new(b"old".to_vec());
    /// assert!(write(&stored, StateSource::incomplete(["half of", " the new"])).await.is_err());
    /// assert_eq!(*stored.lock().unwrap(), b"old");
    /// # });
    /// ```
    #[must_use]
    pub fn incomplete<B: Into<Bytes>>(chunks: impl IntoIterator<Item = B>) -> Self {
        Self { sender: Sender::Chunks(PreparedChunks::new(chunks.into_iter().map(Into::into), 1)) }
    }
}

impl<'call> StateSource<'call> {
    pub(crate) const fn from_core(incoming: &'call mut Incoming) -> Self {
        Self { sender: Sender::Core(incoming) }
    }

    /// How many bytes the state has.
    ///
    /// ```
    /// use ferroform::state_store::StateSource;
    ///
    /// let state = StateSource::new(["{\"version\"", ":4}"]);
    /// // A service that has to know the size before the first byte.
    /// assert_eq!(format!("Content-Length: {}", state.length()), "Content-Length: 13");
    /// ```
    #[must_use]
    pub fn length(&self) -> u64 {
        match &self.sender {
            Sender::Core(incoming) => incoming.length,
            Sender::Chunks(prepared) => prepared.length,
        }
    }

    /// The next bytes; `None` after the last, when all of the state is there.
    ///
    /// ```
    /// use ferroform::state_store::StateSource;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut state = StateSource::new(["{\"version\"", ":4}"]);
    /// assert_eq!(state.next().await?.as_deref(), Some(&b"{\"version\""[..]));
    /// assert_eq!(state.next().await?.as_deref(), Some(&b":4}"[..]));
    /// // Now all of it is there.
    /// assert!(state.next().await?.is_none());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// Core sent something else than the whole state. The store must keep the state that it has.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        match &mut self.sender {
            Sender::Core(incoming) => incoming.next().await,
            Sender::Chunks(prepared) => prepared.next(),
        }
    }
}

/// Who sends a state that is to be stored.
#[derive(Debug)]
enum Sender<'call> {
    Core(&'call mut Incoming),
    /// A unit test.
    Chunks(PreparedChunks),
}

/// The chunks of a test.
struct PreparedChunks {
    chunks: std::vec::IntoIter<Bytes>,
    length: u64,
    received: u64,
}

impl PreparedChunks {
    /// A state of the chunks, and of as many more bytes that never arrive.
    fn new(chunks: impl Iterator<Item = Bytes>, missing: u64) -> Self {
        // As on the wire, no chunk is empty.
        let chunks: Vec<Bytes> = chunks.filter(|chunk| !chunk.is_empty()).collect();
        let length = chunks.iter().map(|chunk| chunk.len() as u64).sum::<u64>() + missing;
        Self { chunks: chunks.into_iter(), length, received: 0 }
    }

    fn next(&mut self) -> Result<Option<Bytes>> {
        match self.chunks.next() {
            Some(chunk) => {
                self.received += chunk.len() as u64;
                Ok(Some(chunk))
            }
            None if self.received == self.length => Ok(None),
            None => Err(incomplete(self.received, self.length)),
        }
    }
}

/// States may hold secrets, so their bytes are not shown.
impl fmt::Debug for PreparedChunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedChunks")
            .field("length", &self.length)
            .field("received", &self.received)
            .finish_non_exhaustive()
    }
}

/// A state on its way from core.
pub(crate) struct Incoming {
    chunks: EventStream<StateChunk>,
    first: Option<Bytes>,
    length: u64,
    received: u64,
    chunk_size: usize,
    /// Whether a chunk was wrong: nothing that follows counts.
    failure: Option<Error>,
    /// Whether the store has seen the end.
    is_taken: bool,
}

impl Incoming {
    /// A state whose first chunk is there.
    ///
    /// # Errors
    /// The first chunk is wrong.
    pub(crate) fn new(chunks: EventStream<StateChunk>, first: StateChunk, chunk_size: usize) -> Result<Self> {
        let Some(length) = u64::try_from(first.total_length).ok().filter(|length| *length > 0) else {
            return Err(invalid_chunk("The state has no length."));
        };
        let mut incoming =
            Self { chunks, first: None, length, received: 0, chunk_size, failure: None, is_taken: false };
        incoming.first = Some(incoming.checked(first)?);
        Ok(incoming)
    }

    async fn next(&mut self) -> Result<Option<Bytes>> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let next = self.take_next().await;
        match &next {
            Ok(Some(_)) => {}
            Ok(None) => self.is_taken = true,
            Err(failure) => self.failure = Some(failure.clone()),
        }
        next
    }

    async fn take_next(&mut self) -> Result<Option<Bytes>> {
        let chunk = std::future::poll_fn(|cx| {
            futures_core::Stream::poll_next(std::pin::Pin::new(&mut self.chunks), cx)
        });
        match chunk.await {
            Some(chunk) => self.checked(chunk).map(Some),
            None if self.received == self.length => Ok(None),
            None => Err(incomplete(self.received, self.length)),
        }
    }

    /// The bytes of a chunk that is the next one.
    fn checked(&mut self, chunk: StateChunk) -> Result<Bytes> {
        let position = |at: u64| i64::try_from(at).unwrap_or(i64::MAX);
        let size = chunk.bytes.len();
        let end = self.received.saturating_add(size as u64);
        let is_last = end == self.length;
        let wrong = if chunk.total_length != position(self.length) {
            "The chunks disagree on the length of the state."
        } else if size == 0 {
            "A chunk is empty."
        } else if end > self.length {
            "There are more bytes than the length of the state."
        } else if chunk.range != Some((position(self.received), position(end - 1))) {
            "A chunk is out of order, or its range is not that of its bytes."
        } else if size > self.chunk_size {
            "A chunk is larger than agreed."
        } else if size < self.chunk_size && !is_last {
            "A chunk that is not the last one is smaller than agreed."
        } else {
            self.received = end;
            return Ok(chunk.bytes);
        };
        Err(invalid_chunk(wrong))
    }

    /// Whether the store has taken the whole state.
    ///
    /// # Errors
    /// What was wrong with a chunk, also where the store did not report it, or the store stopped before the end.
    pub(crate) fn finish(self, name: &str) -> Result {
        match self.failure {
            Some(failure) => Err(failure),
            None if self.is_taken => Ok(()),
            None => Err(Error::new(
                "State Not Stored",
                format!(
                    "The state store `{name}` reported success before it had read the whole state. This is a bug in \
                     the provider: `write` must read until `StateSource::next` returns `None`."
                ),
            )),
        }
    }
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming")
            .field("length", &self.length)
            .field("received", &self.received)
            .finish_non_exhaustive()
    }
}

fn incomplete(received: u64, length: u64) -> Error {
    invalid_chunk(&format!("Only {received} of {length} bytes arrived."))
}

fn invalid_chunk(what: &str) -> Error {
    Error::new(
        "Invalid State Transfer",
        format!(
            "{what} The stored state is as it was before. Run the command again; if that does not help, report it to the \
             authors of the program that you ran."
        ),
    )
}
