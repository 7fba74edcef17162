//! The identity of an object, made of its state and of what the state does not hold.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::client::not_configured;
use crate::diag::{Error, Result};
use crate::dynamic;
use crate::model::{Decode, Encode, IdentitySource};
use crate::resource::Resource;
use crate::value::Value;

/// What [`Resource::identity`] sees besides the object: the client, the stored identity, and through
/// [`dynamic::IdentityContext`] the private data.
///
/// ```
/// use std::sync::Arc;
///
/// use ferroform::diag::Result;
/// use ferroform::model::{Encode, Identity, Model};
/// # use ferroform::model::{Planned, Prior};
/// # use ferroform::resource::{CreateContext, DeleteContext, ReadContext, UpdateContext};
/// use ferroform::resource::{IdentityContext, Resource};
/// use ferroform::dynamic;
///
/// /// The client of one account in one region.
/// struct Api {
///     account: String,
///     region: String,
/// }
///
/// #[derive(Identity)]
/// struct BucketIdentity {
///     account: Option<String>,
///     region: Option<String>,
///     name: String,
/// }
///
/// #[derive(Model)]
/// #[model(identity_type = BucketIdentity)]
/// struct Bucket {
///     #[attr(replace)]
///     name: String,
/// }
///
/// impl Resource for Bucket {
///     type Client = Api;
///     const NAME: &str = "bucket";
///
///     fn identity(cx: &IdentityContext<'_, Self>, bucket: Self) -> Result<BucketIdentity> {
///         let api = cx.client()?;
///         Ok(BucketIdentity {
///             account: Some(api.account.clone()),
///             region: Some(api.region.clone()),
///             name: bucket.name,
///         })
///     }
/// #   async fn create(_: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #   async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
/// #   async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #   async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
/// }
///
/// // As in a test of the resource, without a host.
/// let api = Arc::new(Api { account: "123".to_owned(), region: "eu-1".to_owned() });
/// let call = dynamic::CallState::new();
/// let cx = IdentityContext::<Bucket>::new(Some(api), dynamic::IdentityContext::new(&call));
/// let identity = Bucket::identity(&cx, Bucket { name: "logs".to_owned() })?;
/// assert_eq!(identity.region.as_deref(), Some("eu-1"));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub struct IdentityContext<'call, R: Resource> {
    client: Option<Arc<R::Client>>,
    call: dynamic::IdentityContext<'call>,
}

impl<'call, R: Resource> IdentityContext<'call, R> {
    /// The typed view of a call; there is no client as long as the provider is not configured.
    ///
    /// ```
    /// use ferroform::dynamic::{self, CallState};
    /// use ferroform::resource::IdentityContext;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Bucket { #[attr(replace, identity)] name: String }
    /// # impl Resource for Bucket {
    /// #     type Client = ();
    /// #     const NAME: &str = "bucket";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// // As in a move, which core makes before it configures the provider.
    /// let call = CallState::new();
    /// let cx = IdentityContext::<Bucket>::new(None, dynamic::IdentityContext::new(&call));
    /// assert!(cx.client().is_err() && cx.stored_identity()?.is_none());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub const fn new(client: Option<Arc<R::Client>>, call: dynamic::IdentityContext<'call>) -> Self {
        Self { client, call }
    }

    /// The client that the provider's `configure` made.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::{self, CallState};
    /// use ferroform::resource::IdentityContext;
    /// # use ferroform::prelude::*;
    ///
    /// /// The client of one region.
    /// struct Api {
    ///     region: String,
    /// }
    /// # #[derive(Model)]
    /// # struct Bucket { #[attr(replace, identity)] name: String }
    /// # impl Resource for Bucket {
    /// #     type Client = Api;
    /// #     const NAME: &str = "bucket";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// let call = CallState::new();
    /// let api = Arc::new(Api { region: "eu-1".to_owned() });
    /// let cx = IdentityContext::<Bucket>::new(Some(api), dynamic::IdentityContext::new(&call));
    /// assert_eq!(cx.client()?.region, "eu-1");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The provider is not configured, as in a move. The moved object then gets its identity by the next read.
    pub fn client(&self) -> Result<&R::Client> {
        self.client.as_deref().ok_or_else(not_configured)
    }

    /// The identity that is stored with the object, or planned for it. For an import it is the one that the user wrote,
    /// for a move the one that the mover made. `None` for an object that is new.
    ///
    /// ```
    /// use ferroform::dynamic::{self, CallState};
    /// use ferroform::resource::IdentityContext;
    /// use ferroform::value::Value;
    /// # use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Bucket {
    ///     #[attr(replace, identity)]
    ///     name: String,
    /// }
    /// # impl Resource for Bucket {
    /// #     type Client = ();
    /// #     const NAME: &str = "bucket";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// let mut call = CallState::new();
    /// call.identity = Some(Value::object([("name", Value::from("logs"))]));
    /// let cx = IdentityContext::<Bucket>::new(None, dynamic::IdentityContext::new(&call));
    /// assert_eq!(cx.stored_identity()?.map(|identity| identity.name).as_deref(), Some("logs"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// It lacks an attribute that is required for import.
    pub fn stored_identity(&self) -> Result<Option<R::Identity>> {
        stored::<R>(self.call.identity())
    }
}

/// The private data, and the stored identity as a value.
impl<'call, R: Resource> Deref for IdentityContext<'call, R> {
    type Target = dynamic::IdentityContext<'call>;

    fn deref(&self) -> &dynamic::IdentityContext<'call> {
        &self.call
    }
}

impl<R: Resource> fmt::Debug for IdentityContext<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdentityContext").field("call", &self.call).finish_non_exhaustive()
    }
}

/// Why there is no program with such a model.
pub(super) const NOT_IMPLEMENTED: &str =
    "nothing makes the identity: implement `From<&Self>` for the `identity_type`, or `Resource::identity`";

/// The identity of a call, typed.
pub(super) fn stored<R: Resource>(identity: Option<&Value>) -> Result<Option<R::Identity>> {
    identity.map(Decode::from_value).transpose()
}

/// The identity as the model declares it.
pub(super) fn declared<R: Resource>(object: R) -> Result<R::Identity> {
    match R::IDENTITY_SOURCE {
        IdentitySource::Attributes(names) => Decode::from_value(&select(&object.encode(), names)),
        IdentitySource::State(from) => Ok(from(&object)),
        IdentitySource::Resource => Err(Error::new("Identity Not Implemented", NOT_IMPLEMENTED)),
    }
}

/// The identity of a state or a plan, of which attributes may be unknown.
pub(super) fn of<R: Resource>(cx: &IdentityContext<'_, R>, state: &Value) -> Result<Value> {
    // Also known in part, and without decoding the whole state.
    if let IdentitySource::Attributes(names) = R::IDENTITY_SOURCE {
        return Ok(select(state, names));
    }
    if !state.is_wholly_known() {
        return Ok(Value::unknown());
    }
    if state.is_null() {
        return Ok(Value::Null);
    }
    R::identity(cx, Decode::from_value(state)?).map(Encode::encode)
}

fn select(state: &Value, names: &[&str]) -> Value {
    let Some(entries) = state.as_entries() else {
        return if state.is_unknown() { Value::unknown() } else { Value::Null };
    };
    let attribute = |name| entries.get(name).cloned().unwrap_or(Value::Null);
    Value::object(names.iter().map(|name| (*name, attribute(name))))
}
