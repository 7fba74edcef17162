//! What a list resource emits.

use std::fmt;

use crate::diag::Diagnostic;
use crate::dynamic::ListedObject;
use crate::model::Encode as _;
use crate::resource::Resource;

/// An object that a list resource found: its identity, what a person calls it, and the whole object.
///
/// The object is needed where [`Context::include_object`](crate::dynamic::ListContext::include_object) asks for it, which
/// it does when the user wants generated configuration. Elsewhere it is dropped, so an author who has it at hand need not
/// look.
pub struct Item<R: Resource> {
    listed: ListedObject,
    object: Option<R>,
}

impl<R: Resource> Item<R> {
    /// An object with this identity, which people call so.
    #[must_use]
    pub fn new(identity: R::Identity, display_name: impl Into<String>) -> Self {
        Self { listed: ListedObject::new(identity.encode(), display_name), object: None }
    }

    /// With the whole object.
    #[must_use]
    pub fn object(self, object: R) -> Self {
        Self { object: Some(object), ..self }
    }

    /// With a warning about this object.
    #[must_use]
    pub fn warn(mut self, summary: impl Into<String>, detail: impl Into<String>) -> Self {
        self.listed.diagnostics.push(Diagnostic::warning(summary, detail));
        self
    }

    pub(super) fn into_listed(self) -> ListedObject {
        let mut listed = self.listed;
        listed.object = self.object.map(|object| object.encode());
        listed
    }
}

impl<R: Resource> fmt::Debug for Item<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Item").field("listed", &self.listed).finish_non_exhaustive()
    }
}
