//! What a list resource emits.

use std::fmt;

use crate::diag::{Diagnostic, Diagnostics};
use crate::dynamic::ListedObject;
use crate::model::Encode as _;
use crate::resource::Resource;

/// An object that a list resource found: its identity, what a person calls it, and the whole object.
///
/// The object is needed where [`Context::include_object`](crate::dynamic::ListContext::include_object) asks for it, which
/// it does when the user wants generated configuration. Elsewhere it is dropped, so an author who has it at hand need not
/// look.
///
/// ```
/// use ferroform::list_resource::Item;
/// # use ferroform::prelude::*;
///
/// #[derive(Model)]
/// struct Server {
///     #[attr(replace, identity)]
///     id: String,
///     name: String,
///     retired: bool,
/// }
/// # impl Resource for Server {
/// #     type Client = ();
/// #     const NAME: &str = "server";
/// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
/// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
/// # }
///
/// fn item(server: Server) -> Item<Server> {
///     let item = Item::new(ServerIdentity { id: server.id.clone() }, server.name.clone());
///     let item = if server.retired { item.warn("Retired Server", "The service deletes it soon.") } else { item };
///     item.object(server)
/// }
///
/// // As in a test of the list resource, without a host.
/// let item = item(Server { id: "s-1".to_owned(), name: "www".to_owned(), retired: true });
/// assert_eq!((item.identity.id.as_str(), item.display_name.as_str()), ("s-1", "www"));
/// assert_eq!(item.diagnostics.iter().next().unwrap().summary, "Retired Server");
/// assert!(item.object.is_some_and(|server| server.retired));
/// ```
#[non_exhaustive]
pub struct Item<R: Resource> {
    /// What tells the object from all others of its type.
    pub identity: R::Identity,
    /// What a person calls the object.
    pub display_name: String,
    /// The whole object.
    pub object: Option<R>,
    /// The warnings about this object.
    pub diagnostics: Diagnostics,
}

impl<R: Resource> Item<R> {
    /// An object with this identity, which people call so.
    ///
    /// ```
    /// use ferroform::list_resource::Item;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Server { #[attr(replace, identity)] id: String }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// let item = Item::<Server>::new(ServerIdentity { id: "s-1".to_owned() }, "www");
    /// assert_eq!((item.identity.id.as_str(), item.display_name.as_str()), ("s-1", "www"));
    /// ```
    #[must_use]
    pub fn new(identity: R::Identity, display_name: impl Into<String>) -> Self {
        let (object, diagnostics) = (None, Diagnostics::default());
        Self { identity, display_name: display_name.into(), object, diagnostics }
    }

    /// With the whole object.
    ///
    /// ```
    /// use ferroform::list_resource::Item;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Server { #[attr(replace, identity)] id: String, size: String }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// let server = Server { id: "s-1".to_owned(), size: "small".to_owned() };
    /// let item = Item::new(ServerIdentity { id: server.id.clone() }, "www").object(server);
    /// assert_eq!(item.object.map(|server| server.size).as_deref(), Some("small"));
    /// ```
    #[must_use]
    pub fn object(self, object: R) -> Self {
        Self { object: Some(object), ..self }
    }

    /// With a warning about this object.
    ///
    /// ```
    /// use ferroform::list_resource::Item;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Server { #[attr(replace, identity)] id: String }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// let item = Item::<Server>::new(ServerIdentity { id: "s-1".to_owned() }, "www");
    /// let item = item.warn("Server In Another Project", "Import it with the provider of that project.");
    /// assert_eq!(item.diagnostics.len(), 1);
    /// ```
    #[must_use]
    pub fn warn(mut self, summary: impl Into<String>, detail: impl Into<String>) -> Self {
        self.diagnostics.push(Diagnostic::warning(summary, detail));
        self
    }

    pub(super) fn into_listed(self) -> ListedObject {
        let mut listed = ListedObject::new(self.identity.encode(), self.display_name);
        listed.object = self.object.map(R::encode);
        listed.diagnostics = self.diagnostics;
        listed
    }
}

/// Values may be sensitive, so none is shown.
impl<R: Resource> fmt::Debug for Item<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Item").field("diagnostics", &self.diagnostics).finish_non_exhaustive()
    }
}
