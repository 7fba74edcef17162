//! State stores: where core keeps its states (protocol 6 only). No released core uses them; alpha builds of Terraform do.

mod context;
mod dynamic_adapter;

use std::sync::Arc;

pub use context::{ConfigureContext, StateSender, StateSink, StateSource, StoreContext};

use crate::diag::{Error, Result};
use crate::dynamic::{CHUNK_SIZE, ValidateContext};
use crate::model::{Draft, Model, Planned};

/// A state store type, implemented on the model of its configuration.
///
/// [`Store`] shows reads, writes and locks.
///
/// ```
/// use std::path::PathBuf;
/// use std::sync::Arc;
///
/// use ferroform::diag::{Error, Result};
/// use ferroform::model::{Model, Planned};
/// use ferroform::path;
/// use ferroform::state_store::{ConfigureContext, StateStore, Store};
/// # use ferroform::dynamic::CallState;
/// # use ferroform::state_store::{StateSink, StateSource, StoreContext};
///
/// /// States in a folder.
/// #[derive(Model)]
/// struct Folder {
///     /// An absolute path.
///     path: String,
/// }
///
/// /// The open folder.
/// struct Files(PathBuf);
/// # impl Store for Files {
/// #     async fn read(&self, _: &StoreContext, _: &str, _: StateSink<'_>) -> Result { Ok(()) }
/// #     async fn write(&self, _: &StoreContext, _: &str, _: StateSource<'_>) -> Result { Ok(()) }
/// #     async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> { Ok(String::new()) }
/// #     async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result { Ok(()) }
/// #     async fn list(&self, _: &StoreContext) -> Result<Vec<String>> { Ok(Vec::new()) }
/// #     async fn delete(&self, _: &StoreContext, _: &str) -> Result { Ok(()) }
/// # }
///
/// impl StateStore for Folder {
///     type Client = ();
///     /// `impl Store for Files` reads, writes and locks.
///     type Store = Files;
///     const NAME: &str = "folder";
///
///     async fn configure(_: Arc<()>, _: &mut ConfigureContext<'_>, config: Planned<Self>) -> Result<Files> {
///         let path = PathBuf::from(config.path);
///         if path.is_relative() {
///             return Err(Error::new("Relative Path", "Set an absolute path.").at(path!(path)));
///         }
///         Ok(Files(path))
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let mut call = CallState::new();
/// let config = Planned::<Folder> { path: "states".to_owned() };
/// let opened = Folder::configure(Arc::new(()), &mut ConfigureContext::new(&mut call), config).await;
/// assert!(opened.is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a state store",
    label = "needs an `impl StateStore for {Self}`",
    note = "derive `Model` on the struct and implement `ferroform::state_store::StateStore` for it"
)]
pub trait StateStore: Model {
    /// The client that the provider's `configure` makes.
    type Client: Send + Sync + 'static;

    /// The open store.
    type Store: Store;

    /// The type name without the name of the provider: `bucket` for `cloud_bucket`.
    const NAME: &'static str;

    /// Opens the store. `cx` takes warnings.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::CallState;
    /// use ferroform::model::{Model, Planned};
    /// use ferroform::state_store::{ConfigureContext, StateStore};
    /// # use ferroform::diag::Result;
    /// # use ferroform::state_store::{StateSink, StateSource, Store, StoreContext};
    ///
    /// /// States in a bucket, below a prefix.
    /// #[derive(Model)]
    /// struct Bucket {
    ///     name: String,
    ///     prefix: Option<String>,
    /// }
    ///
    /// /// The open bucket.
    /// struct Open {
    ///     root: String,
    /// }
    /// # impl Store for Open {
    /// #     async fn read(&self, _: &StoreContext, _: &str, _: StateSink<'_>) -> Result { Ok(()) }
    /// #     async fn write(&self, _: &StoreContext, _: &str, _: StateSource<'_>) -> Result { Ok(()) }
    /// #     async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> { Ok(String::new()) }
    /// #     async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result { Ok(()) }
    /// #     async fn list(&self, _: &StoreContext) -> Result<Vec<String>> { Ok(Vec::new()) }
    /// #     async fn delete(&self, _: &StoreContext, _: &str) -> Result { Ok(()) }
    /// # }
    /// # impl StateStore for Bucket {
    /// #     type Client = ();
    /// #     type Store = Open;
    /// #     const NAME: &str = "bucket";
    ///
    /// async fn configure(_: Arc<()>, _cx: &mut ConfigureContext<'_>, config: Planned<Self>) -> Result<Open> {
    ///     Ok(Open { root: format!("{}/{}", config.name, config.prefix.as_deref().unwrap_or("terraform")) })
    /// }
    /// # }
    ///
    /// let mut call = CallState::new();
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let config = Planned::<Bucket> { name: "states".to_owned(), prefix: None };
    /// let open = Bucket::configure(Arc::new(()), &mut ConfigureContext::new(&mut call), config).await?;
    /// assert_eq!(open.root, "states/terraform");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// Why it cannot be opened, each at its path.
    fn configure(
        client: Arc<Self::Client>,
        cx: &mut ConfigureContext<'_>,
        config: Planned<Self>,
    ) -> impl Future<Output = Result<Self::Store>> + Send;

    /// Checks a configuration beyond what the schema says. The provider may be unconfigured, so there is no client;
    /// `cx` takes warnings, and errors after which the checks go on.
    ///
    /// ```
    /// use ferroform::dynamic::{CallState, ValidateContext};
    /// use ferroform::model::{Attr, Draft, Model};
    /// use ferroform::path;
    /// use ferroform::state_store::StateStore;
    /// # use std::sync::Arc;
    /// # use ferroform::diag::Result;
    /// # use ferroform::model::Planned;
    /// # use ferroform::state_store::{ConfigureContext, StateSink, StateSource, Store, StoreContext};
    ///
    /// #[derive(Model)]
    /// struct Folder {
    ///     path: String,
    /// }
    /// # struct Files;
    /// # impl Store for Files {
    /// #     async fn read(&self, _: &StoreContext, _: &str, _: StateSink<'_>) -> Result { Ok(()) }
    /// #     async fn write(&self, _: &StoreContext, _: &str, _: StateSource<'_>) -> Result { Ok(()) }
    /// #     async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> { Ok(String::new()) }
    /// #     async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result { Ok(()) }
    /// #     async fn list(&self, _: &StoreContext) -> Result<Vec<String>> { Ok(Vec::new()) }
    /// #     async fn delete(&self, _: &StoreContext, _: &str) -> Result { Ok(()) }
    /// # }
    /// # impl StateStore for Folder {
    /// #     type Client = ();
    /// #     type Store = Files;
    /// #     const NAME: &str = "folder";
    /// #     async fn configure(_: Arc<()>, _: &mut ConfigureContext<'_>, _: Planned<Self>) -> Result<Files> { Ok(Files) }
    ///
    /// fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
    ///     if config.path.as_known().is_some_and(|path| !path.starts_with('/')) {
    ///         cx.error_at(path!(path), "Relative Path", "Set an absolute path.");
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// let mut call = CallState::new();
    /// let config = FolderDraft { path: Attr::Known("states".to_owned()) };
    /// Folder::validate(&mut ValidateContext::new(&mut call), config)?;
    /// assert!(call.diagnostics.has_errors());
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

/// An open state store. Calls run at the same time.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::{Arc, Mutex};
///
/// use ferroform::diag::Result;
/// use ferroform::model::{Model, Planned};
/// use ferroform::state_store::{ConfigureContext, StateSink, StateSource, StateStore, Store, StoreContext, locked};
///
/// /// Keeps states as long as the provider runs.
/// #[derive(Model)]
/// struct InMemory {
///     /// Who uses the store.
///     user: String,
/// }
///
/// #[derive(Default)]
/// struct Memory {
///     user: String,
///     states: Mutex<BTreeMap<String, Vec<u8>>>,
///     /// The holder by state.
///     locks: Mutex<BTreeMap<String, String>>,
/// }
///
/// impl StateStore for InMemory {
///     type Client = ();
///     type Store = Memory;
///     const NAME: &str = "memory";
///
///     async fn configure(_: Arc<()>, _: &mut ConfigureContext<'_>, config: Planned<Self>) -> Result<Memory> {
///         Ok(Memory { user: config.user, ..Memory::default() })
///     }
/// }
///
/// impl Store for Memory {
///     async fn read(&self, _cx: &StoreContext, id: &str, state: StateSink<'_>) -> Result {
///         let stored = self.states.lock().unwrap().get(id).cloned();
///         if let Some(stored) = stored {
///             state.start(stored.len() as u64).send(stored).await;
///         }
///         Ok(())
///     }
///
///     async fn write(&self, _cx: &StoreContext, id: &str, mut state: StateSource<'_>) -> Result {
///         let mut new = Vec::new();
///         while let Some(bytes) = state.next().await? {
///             new.extend_from_slice(&bytes);
///         }
///         // Only now is all of it there.
///         self.states.lock().unwrap().insert(id.to_owned(), new);
///         Ok(())
///     }
///
///     async fn lock(&self, _cx: &StoreContext, id: &str, operation: &str) -> Result<String> {
///         let mut locks = self.locks.lock().unwrap();
///         if let Some(holder) = locks.get(id) {
///             return Err(locked(id, holder));
///         }
///         let holder = format!("{} ({operation})", self.user);
///         locks.insert(id.to_owned(), holder.clone());
///         Ok(holder)
///     }
///
///     async fn unlock(&self, _cx: &StoreContext, id: &str, _lock_id: &str) -> Result {
///         self.locks.lock().unwrap().remove(id);
///         Ok(())
///     }
///
///     async fn list(&self, _cx: &StoreContext) -> Result<Vec<String>> {
///         Ok(self.states.lock().unwrap().keys().cloned().collect())
///     }
///
///     async fn delete(&self, _cx: &StoreContext, id: &str) -> Result {
///         self.states.lock().unwrap().remove(id);
///         Ok(())
///     }
/// }
///
/// // As in a test of the store, without a host.
/// let (store, cx) = (Memory::default(), StoreContext::new());
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// store.write(&cx, "default", StateSource::new(["{", "}"])).await?;
/// let mut sent = Vec::new();
/// store.read(&cx, "default", StateSink::new(&mut sent)).await?;
/// assert_eq!(sent, b"{}");
/// let lock = store.lock(&cx, "default", "apply").await?;
/// assert!(store.lock(&cx, "default", "plan").await.is_err());
/// store.unlock(&cx, "default", &lock).await?;
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub trait Store: Send + Sync + 'static {
    /// How many bytes a chunk has, where core proposes that many: 1 to 128 MiB, by default at most 1 MiB. Several chunks
    /// are in memory at a time, and larger ones are no faster.
    ///
    /// ```
    /// use ferroform::state_store::Store;
    /// # use ferroform::diag::Result;
    /// # use ferroform::state_store::{StateSink, StateSource, StoreContext};
    ///
    /// /// A service that stores every chunk as a part of at least 5 MiB.
    /// struct Parts;
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
    /// assert_eq!(Parts.chunk_size(8 << 20), 8 << 20);
    /// assert_eq!(Parts.chunk_size(1 << 20), 5 << 20);
    /// ```
    #[must_use]
    fn chunk_size(&self, proposed: usize) -> usize {
        proposed.min(CHUNK_SIZE)
    }

    /// Sends a state, or nothing where there is none. It is read while it is written: what it sends must be one version
    /// of the state.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::state_store::{StateSink, Store, StoreContext};
    /// # use ferroform::state_store::StateSource;
    ///
    /// /// One state, called `default`.
    /// struct Single(&'static str);
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
    /// Single("{}").read(&StoreContext::new(), "staging", StateSink::new(&mut sent)).await?;
    /// assert!(sent.is_empty());
    /// Single("{}").read(&StoreContext::new(), "default", StateSink::new(&mut sent)).await?;
    /// assert_eq!(sent, b"{}");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// Why the state cannot be read.
    fn read(&self, cx: &StoreContext, id: &str, state: StateSink<'_>) -> impl Future<Output = Result> + Send;

    /// Replaces a state. The old one must stay until [`StateSource::next`] has returned `None`: everything before can be
    /// half a state.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use ferroform::diag::Result;
    /// use ferroform::state_store::{StateSource, Store, StoreContext};
    /// # use ferroform::state_store::StateSink;
    ///
    /// /// The state, in memory.
    /// #[derive(Default)]
    /// struct Memory(Mutex<Vec<u8>>);
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
    ///
    /// # Errors
    /// Why the state was not stored. The old one is still there.
    fn write(
        &self,
        cx: &StoreContext,
        id: &str,
        state: StateSource<'_>,
    ) -> impl Future<Output = Result> + Send;

    /// Locks a state for an operation, and returns the ID of the lock; an empty one if the store has no locks.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use ferroform::diag::Result;
    /// use ferroform::state_store::{Store, StoreContext, locked};
    /// # use ferroform::state_store::{StateSink, StateSource};
    ///
    /// /// Who has locked the only state.
    /// #[derive(Default)]
    /// struct Lock(Mutex<Option<String>>);
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
    /// let error = store.lock(&cx, "default", "plan").await.unwrap_err();
    /// assert!(error.to_string().contains("ada, for apply"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`locked`] where somebody else has the lock.
    fn lock(
        &self,
        cx: &StoreContext,
        id: &str,
        operation: &str,
    ) -> impl Future<Output = Result<String>> + Send;

    /// Releases a lock.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use ferroform::diag::{Error, Result};
    /// use ferroform::state_store::{Store, StoreContext};
    /// # use ferroform::state_store::{StateSink, StateSource};
    ///
    /// /// The ID of the lock that is held.
    /// struct Lock(Mutex<Option<String>>);
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
    ///
    /// # Errors
    /// It is not the lock that is held.
    fn unlock(&self, cx: &StoreContext, id: &str, lock_id: &str) -> impl Future<Output = Result> + Send;

    /// The IDs of the stored states. A state that is stored or deleted meanwhile may be there or not.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::state_store::{Store, StoreContext};
    /// # use ferroform::state_store::{StateSink, StateSource};
    ///
    /// /// The names of the objects in a bucket.
    /// struct Bucket(Vec<&'static str>);
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
    /// let bucket = Bucket(vec!["default.tfstate", "default.lock", "staging.tfstate"]);
    /// assert_eq!(bucket.list(&StoreContext::new()).await?, ["default", "staging"]);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// Why there is no list.
    fn list(&self, cx: &StoreContext) -> impl Future<Output = Result<Vec<String>>> + Send;

    /// Deletes a state. One that is not there is a success.
    ///
    /// ```
    /// use std::collections::BTreeSet;
    /// use std::sync::Mutex;
    ///
    /// use ferroform::diag::Result;
    /// use ferroform::state_store::{Store, StoreContext};
    /// # use ferroform::state_store::{StateSink, StateSource};
    ///
    /// /// The IDs of the states in memory.
    /// struct Memory(Mutex<BTreeSet<String>>);
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
    /// let (store, cx) = (Memory(Mutex::new(["staging".to_owned()].into())), StoreContext::new());
    /// store.delete(&cx, "staging").await?;
    /// assert!(store.0.lock().unwrap().is_empty());
    /// // Once more is a success.
    /// store.delete(&cx, "staging").await?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// Why the state is still there.
    fn delete(&self, cx: &StoreContext, id: &str) -> impl Future<Output = Result> + Send;
}

/// The error of a lock that somebody else has.
///
/// ```
/// use ferroform::state_store::locked;
///
/// assert!(locked("default", "ada@build-7, since 09:12, for apply").to_string().contains("ada@build-7"));
/// ```
#[must_use]
pub fn locked(id: &str, holder: &str) -> Error {
    Error::new(
        "State Locked",
        format!(
            "The state `{id}` is locked by {holder}. Wait until that operation has ended. If its process is gone, release \
             the lock with `force-unlock`."
        ),
    )
}
