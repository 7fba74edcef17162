//! What belongs to one listing.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::dynamic::ListContext;
use crate::list_resource::{Item, ListResource};
use crate::resource::Resource;

/// The client of the provider, how to emit objects, and through [`ListContext`] what core wants and when to stop.
/// [`ListResource`] shows it in use.
pub struct Context<'call, L: ListResource> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<<L::Resource as Resource>::Client>,
    call: ListContext<'call>,
}

impl<'call, L: ListResource> Context<'call, L> {
    /// The typed view of a listing, for tests of a list resource without a host.
    #[must_use]
    pub const fn new(client: Arc<<L::Resource as Resource>::Client>, call: ListContext<'call>) -> Self {
        Self { client, call }
    }

    /// Emits an object. Waits when the objects that core has not read fill the connection, which holds a few MiB.
    /// Does not return when core takes no more, as after the last object of the limit: the listing is dropped there.
    pub async fn emit(&self, item: Item<L::Resource>) {
        self.call.emit(item.into_listed()).await;
    }
}

impl<'call, L: ListResource> Deref for Context<'call, L> {
    type Target = ListContext<'call>;

    fn deref(&self) -> &ListContext<'call> {
        &self.call
    }
}

impl<L: ListResource> DerefMut for Context<'_, L> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.call
    }
}

impl<L: ListResource> fmt::Debug for Context<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("call", &self.call).finish_non_exhaustive()
    }
}
