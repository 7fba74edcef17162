//! List resources whose schemas are known at run time only.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use tokio::sync::mpsc;

use crate::cancel::Cancellation;
use crate::clock::Clock;
use crate::diag::{Diagnostic, Diagnostics, Result};
use crate::dynamic::{Context, phase};
use crate::schema::{IdentitySchema, Schema};
use crate::value::Value;

/// A list resource: it finds the objects of the managed resource type of the same name.
///
/// ```
/// use ferroform::async_trait;
/// use ferroform::diag::{Diagnostics, Result};
/// use ferroform::dynamic::{ListContext, ListResource, ListedObject};
/// use ferroform::schema::Schema;
/// use ferroform::value::Value;
///
/// /// Lists the rows of a table.
/// struct Rows {
///     keys: Vec<String>,
/// }
///
/// #[async_trait]
/// impl ListResource for Rows {
///     fn schema(&self) -> Schema {
///         Schema::default()
///     }
///
///     async fn list(&self, cx: ListContext<'_>, _config: Value) -> Result {
///         for key in &self.keys {
///             let identity = Value::object([("key", Value::from(key.as_str()))]);
///             cx.emit(ListedObject::new(identity, key)).await;
///         }
///         Ok(())
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// // As in a test of the list resource, without a host.
/// let (mut diagnostics, mut listed) = (Diagnostics::default(), Vec::new());
/// let rows = Rows { keys: vec!["a".to_owned()] };
/// rows.list(ListContext::new(&mut diagnostics).collect_into(&mut listed), Value::Null).await?;
/// assert_eq!(listed[0].display_name, "a");
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[async_trait]
pub trait ListResource: Send + Sync {
    /// The schema of the configuration, which says what to look for. It must be the same at each call.
    ///
    /// ```
    /// use ferroform::dynamic::ListResource;
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::ListContext;
    /// # use ferroform::value::Value;
    ///
    /// struct Buckets;
    /// # #[async_trait]
    /// # impl ListResource for Buckets {
    /// #     async fn list(&self, _: ListContext<'_>, _: Value) -> Result { Ok(()) }
    ///
    /// fn schema(&self) -> Schema {
    ///     Schema::new(Block::new([Attribute::optional("prefix", Type::String)]))
    /// }
    /// # }
    ///
    /// assert_eq!(Buckets.schema().ty(), Type::object([("prefix", Type::String)]));
    /// ```
    fn schema(&self) -> Schema;

    /// The schemas of the managed resource type, where another server of the same provider has it. `None` where it is
    /// in the same [`Catalogue`](crate::dynamic::Catalogue). They must be the same at each call.
    ///
    /// ```
    /// use ferroform::dynamic::{ListResource, ResourceSchemas};
    /// use ferroform::schema::{Attribute, Block, IdentityAttribute, IdentitySchema, Schema};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::ListContext;
    /// # use ferroform::value::Value;
    ///
    /// struct Buckets;
    /// # #[async_trait]
    /// # impl ListResource for Buckets {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn list(&self, _: ListContext<'_>, _: Value) -> Result { Ok(()) }
    ///
    /// fn resource_schemas(&self) -> Option<ResourceSchemas> {
    ///     // A program that was there before has the buckets themselves.
    ///     let bucket = Schema::new(Block::new([Attribute::required("name", Type::String)]));
    ///     let identity = IdentitySchema::new([IdentityAttribute::required("name", Type::String)]);
    ///     Some(ResourceSchemas::new(bucket, identity))
    /// }
    /// # }
    ///
    /// assert!(Buckets.resource_schemas().is_some_and(|schemas| schemas.identity.check().is_ok()));
    /// ```
    fn resource_schemas(&self) -> Option<ResourceSchemas> {
        None
    }

    /// Checks a configuration beyond what the schema says. Values may be unknown, and the provider may be
    /// unconfigured.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{CallState, Context, ListResource, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::ListContext;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Buckets;
    /// # #[async_trait]
    /// # impl ListResource for Buckets {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn list(&self, _: ListContext<'_>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn validate(&self, cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
    ///     if config.get(&path!(prefix)).and_then(Value::as_str) == Some("") {
    ///         cx.error_at(path!(prefix), "Empty Prefix", "Leave it out to list all buckets.");
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (mut call, config) = (CallState::new(), Value::object([("prefix", Value::from(""))]));
    /// Buckets.validate(&mut Context::new(&mut call), &config).await?;
    /// assert!(call.diagnostics.has_errors());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, _config: &Value) -> Result {
        Ok(())
    }

    /// Finds objects and [emits](ListContext::emit) each. The configuration is wholly known.
    ///
    /// ```
    /// use ferroform::diag::{Diagnostics, Result};
    /// use ferroform::dynamic::{ListContext, ListResource, ListedObject};
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::schema::Schema;
    ///
    /// /// The names of all buckets.
    /// struct Buckets(Vec<&'static str>);
    /// # #[async_trait]
    /// # impl ListResource for Buckets {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    ///
    /// async fn list(&self, cx: ListContext<'_>, _config: Value) -> Result {
    ///     for name in &self.0 {
    ///         let bucket = Value::object([("name", Value::from(*name))]);
    ///         let listed = ListedObject::new(bucket.clone(), *name);
    ///         cx.emit(if cx.include_object { listed.object(bucket) } else { listed }).await;
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (mut diagnostics, mut listed) = (Diagnostics::default(), Vec::new());
    /// let cx = ListContext::new(&mut diagnostics).collect_into(&mut listed);
    /// Buckets(vec!["logs", "site"]).list(cx, Value::Null).await?;
    /// assert!(listed.len() == 2 && listed[0].object.is_none());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn list(&self, cx: ListContext<'_>, config: Value) -> Result;
}

/// The schemas of a managed resource type that another server of the same provider has.
///
/// ```
/// use ferroform::dynamic::ResourceSchemas;
/// use ferroform::schema::{Attribute, Block, IdentityAttribute, IdentitySchema, Schema};
/// use ferroform::ty::Type;
///
/// let resource = Schema::new(Block::new([Attribute::required("name", Type::String)]));
/// let identity = IdentitySchema::new([IdentityAttribute::required("name", Type::String)]);
/// let schemas = ResourceSchemas::new(resource, identity);
/// assert_eq!(schemas.identity.ty(), Type::object([("name", Type::String)]));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ResourceSchemas {
    /// The schema of the objects.
    pub resource: Schema,
    /// The schema of their identities.
    pub identity: IdentitySchema,
}

impl ResourceSchemas {
    /// The schemas of objects and their identities.
    ///
    /// ```
    /// use ferroform::dynamic::ResourceSchemas;
    /// use ferroform::schema::{Attribute, Block, IdentityAttribute, IdentitySchema, Schema};
    /// use ferroform::ty::Type;
    ///
    /// let bucket = Schema::new(Block::new([Attribute::required("name", Type::String)]));
    /// let identity = IdentitySchema::new([IdentityAttribute::required("name", Type::String)]);
    /// assert_eq!(ResourceSchemas::new(bucket, identity).resource.version, 0);
    /// ```
    #[must_use]
    pub const fn new(resource: Schema, identity: IdentitySchema) -> Self {
        Self { resource, identity }
    }
}

/// An object that a list resource found.
///
/// `Debug` leaves out what may hold values of the user.
///
/// ```
/// use ferroform::dynamic::ListedObject;
/// use ferroform::value::Value;
///
/// let identity = Value::object([("id", Value::from("i-0a1b"))]);
/// let server = Value::object([("id", Value::from("i-0a1b")), ("size", Value::from("small"))]);
/// let listed = ListedObject::new(identity, "web-1").object(server);
/// assert_eq!(listed.display_name, "web-1");
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct ListedObject {
    /// The identity, by the identity schema of the managed resource type.
    pub identity: Value,
    /// What a person calls the object.
    pub display_name: String,
    /// The object by the schema of the managed resource type, where [`ListContext::include_object`] asks for it.
    pub object: Option<Value>,
    /// What to tell the user about this object. Core stops listing at an error.
    pub diagnostics: Diagnostics,
}

impl ListedObject {
    /// An object with this identity, which people call so.
    ///
    /// ```
    /// use ferroform::dynamic::ListedObject;
    /// use ferroform::value::Value;
    ///
    /// let server = ListedObject::new(Value::object([("id", Value::from("s-1"))]), "www");
    /// assert!(server.display_name == "www" && server.object.is_none());
    /// ```
    #[must_use]
    pub fn new(identity: Value, display_name: impl Into<String>) -> Self {
        let (object, diagnostics) = (None, Diagnostics::default());
        Self { identity, display_name: display_name.into(), object, diagnostics }
    }

    /// With the whole object.
    ///
    /// ```
    /// use ferroform::dynamic::ListedObject;
    /// use ferroform::value::Value;
    ///
    /// let identity = Value::object([("id", Value::from("s-1"))]);
    /// let server = Value::object([("id", Value::from("s-1")), ("size", Value::from("small"))]);
    /// let listed = ListedObject::new(identity, "www").object(server.clone());
    /// assert_eq!(listed.object, Some(server));
    /// ```
    #[must_use]
    pub fn object(self, object: Value) -> Self {
        Self { object: Some(object), ..self }
    }
}

impl fmt::Debug for ListedObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListedObject").field("diagnostics", &self.diagnostics).finish_non_exhaustive()
    }
}

/// What belongs to one listing: how to emit objects, what core wants of them, and when to stop.
///
/// ```
/// use ferroform::diag::Diagnostics;
/// use ferroform::dynamic::{ListContext, ListedObject};
/// use ferroform::value::Value;
///
/// /// Lists the servers of an account, in pages that are no larger than what core takes.
/// async fn list(cx: &mut ListContext<'_>, servers: &[&str]) {
///     let page = usize::try_from(cx.limit.min(100)).unwrap_or(100);
///     for names in servers.chunks(page) {
///         for name in names {
///             let identity = Value::object([("name", Value::from(*name))]);
///             cx.emit(ListedObject::new(identity, *name)).await;
///         }
///     }
///     if servers.is_empty() {
///         cx.warn("No Servers", "The account has no servers in this region.");
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (mut diagnostics, mut listed) = (Diagnostics::default(), Vec::new());
/// list(&mut ListContext::new(&mut diagnostics).collect_into(&mut listed), &["web-1", "web-2"]).await;
/// assert_eq!((diagnostics.len(), listed.len()), (0, 2));
/// list(&mut ListContext::new(&mut diagnostics), &[]).await;
/// assert_eq!(diagnostics.len(), 1);
/// # });
/// ```
#[non_exhaustive]
pub struct ListContext<'call> {
    /// Whether the user has asked to stop. A listing that goes on for more than five seconds after that is ended.
    pub cancellation: Cancellation,
    /// The time.
    pub clock: Clock,
    /// Whether core wants the objects themselves, besides their identities.
    pub include_object: bool,
    /// How many objects core takes. The listing ends with the [`emit`](Self::emit) of the last one; an author can use it
    /// as the size of a page.
    pub limit: u64,
    /// What was reported so far, about the listing as a whole. Errors in here make it fail whatever it returns.
    pub diagnostics: &'call mut Diagnostics,
    pub(crate) receiver: ObjectReceiver<'call>,
}

/// Who gets the emitted objects.
pub(crate) enum ObjectReceiver<'call> {
    /// Core, which takes `left` more of them.
    Core { objects: &'call mpsc::Sender<ListedObject>, left: AtomicU64 },
    /// A test that looks at them.
    Test(Mutex<&'call mut Vec<ListedObject>>),
    /// Nobody.
    Nobody,
}

impl<'call> ListContext<'call> {
    /// A context without a host, for unit tests: never cancelled, with the real time, without a limit. What is emitted
    /// is dropped, unless [`collect_into`](Self::collect_into) says where to put it.
    ///
    /// ```
    /// use ferroform::diag::Diagnostics;
    /// use ferroform::dynamic::ListContext;
    ///
    /// let mut diagnostics = Diagnostics::default();
    /// let mut cx = ListContext::new(&mut diagnostics);
    /// // As core asks when the user wants generated configuration.
    /// cx.include_object = true;
    /// assert_eq!(cx.limit, u64::MAX);
    /// ```
    #[must_use]
    pub fn new(diagnostics: &'call mut Diagnostics) -> Self {
        Self {
            cancellation: Cancellation::never(),
            clock: Clock::default(),
            include_object: false,
            limit: u64::MAX,
            diagnostics,
            receiver: ObjectReceiver::Nobody,
        }
    }

    /// Collects what is emitted, for unit tests. Every [`emit`](Self::emit) returns, also after the
    /// [`limit`](Self::limit). [`ListContext`] shows it in use.
    ///
    /// ```
    /// use ferroform::diag::Diagnostics;
    /// use ferroform::dynamic::{ListContext, ListedObject};
    /// use ferroform::value::Value;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let (mut diagnostics, mut listed) = (Diagnostics::default(), Vec::new());
    /// let cx = ListContext::new(&mut diagnostics).collect_into(&mut listed);
    /// // What the list resource does.
    /// cx.emit(ListedObject::new(Value::object([("name", Value::from("logs"))]), "logs")).await;
    /// assert_eq!(listed[0].display_name, "logs");
    /// # });
    /// ```
    #[must_use]
    pub fn collect_into(self, listed: &'call mut Vec<ListedObject>) -> Self {
        Self { receiver: ObjectReceiver::Test(Mutex::new(listed)), ..self }
    }

    /// Emits an object. Waits when the objects that core has not read fill the connection, which holds a few MiB.
    /// Does not return when core takes no more, as after the last object of the [`limit`](Self::limit): the listing is
    /// dropped there.
    ///
    /// ```
    /// use ferroform::dynamic::{ListContext, ListedObject};
    /// use ferroform::value::Value;
    /// # use ferroform::diag::Diagnostics;
    ///
    /// /// Lists the servers on a page.
    /// async fn list(cx: &ListContext<'_>, page: &[&str]) {
    ///     for name in page {
    ///         cx.emit(ListedObject::new(Value::object([("name", Value::from(*name))]), *name)).await;
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let (mut diagnostics, mut listed) = (Diagnostics::default(), Vec::new());
    /// list(&ListContext::new(&mut diagnostics).collect_into(&mut listed), &["www-1", "www-2"]).await;
    /// assert_eq!(listed.len(), 2);
    /// # });
    /// ```
    pub async fn emit(&self, object: ListedObject) {
        match &self.receiver {
            ObjectReceiver::Core { objects, left } => {
                let is_unread = objects.send(object).await.is_err();
                if is_unread || left.fetch_sub(1, Ordering::Relaxed) == 1 {
                    std::future::pending::<()>().await;
                }
            }
            ObjectReceiver::Test(listed) => {
                listed.lock().unwrap_or_else(PoisonError::into_inner).push(object);
            }
            ObjectReceiver::Nobody => {}
        }
    }

    /// Warns the user when the listing ends.
    ///
    /// ```
    /// use ferroform::diag::Diagnostics;
    /// use ferroform::dynamic::ListContext;
    ///
    /// let mut diagnostics = Diagnostics::default();
    /// ListContext::new(&mut diagnostics).warn("Region Left Out", "The token may not list servers in us-2.");
    /// assert!(diagnostics.len() == 1 && !diagnostics.has_errors());
    /// ```
    pub fn warn(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(summary, detail));
    }
}

impl fmt::Debug for ListContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListContext")
            .field("cancellation", &self.cancellation)
            .field("include_object", &self.include_object)
            .field("limit", &self.limit)
            .field("diagnostics", &self.diagnostics)
            .finish_non_exhaustive()
    }
}
