//! Modifiers of planned values, typed.

use std::fmt;

use super::{Attr, AttributeValue, Decode};
use crate::diag::Result;
use crate::path::Path;
use crate::schema::Modification;
use crate::value::Value;

/// The planned value of an attribute, for `modify` and `replace_if`.
///
/// ```
/// use ferroform::diag::Result;
/// use ferroform::model::{Attr, Model, Modify};
///
/// #[derive(Model)]
/// struct Disk {
///     /// It grows in place and never shrinks.
///     #[attr(replace_if = shrinks)]
///     size: u32,
///     #[attr(optional, computed, modify = lower)]
///     zone: String,
/// }
///
/// fn shrinks(size: &Modify<'_, u32>) -> bool {
///     size.planned.as_known().zip(size.prior.as_ref()).is_some_and(|(planned, prior)| planned < prior)
/// }
///
/// /// A zone that is not configured stays when the service is the one that chose it.
/// fn lower(zone: &mut Modify<'_, String>) -> Result {
///     if let (Attr::Null, Some(prior)) = (&zone.config, &zone.prior) {
///         zone.planned = Attr::Known(prior.clone());
///     }
///     Ok(())
/// }
/// assert_eq!(Disk::block().attribute("zone").unwrap().modifiers.len(), 1);
/// ```
#[non_exhaustive]
pub struct Modify<'a, T: AttributeValue> {
    /// The attribute.
    pub path: &'a Path,
    /// The configured value.
    pub config: Attr<T::Draft>,
    /// The prior value; `None` when it was null or the object that holds it did not exist.
    pub prior: Option<T::Prior>,
    /// The planned value, to be changed in place. Core accepts a change only where the configuration has none, or to
    /// the prior value.
    pub planned: Attr<T::Draft>,
    is_replaced: bool,
}

impl<'a, T: AttributeValue> Modify<'a, T> {
    /// The typed view of a modification.
    ///
    /// # Errors
    /// A value that is none of the type.
    pub fn of(untyped: &Modification<'a>) -> Result<Self> {
        let path = untyped.path;
        let draft = |value: &Value| Attr::<T::Draft>::decode(value.clone(), &mut Path::root());
        let prior = untyped.prior.filter(|prior| !prior.is_null());
        Ok(Self {
            path,
            config: draft(untyped.config)?,
            prior: prior.map(|prior| T::Prior::decode(prior.clone(), &mut Path::root())).transpose()?,
            planned: draft(&untyped.planned)?,
            is_replaced: false,
        })
    }

    /// Forces the object to be replaced if the value changes.
    pub fn requires_replace(&mut self) {
        self.is_replaced = true;
    }

    /// Whether [`requires_replace`](Self::requires_replace) was called.
    #[must_use]
    pub fn is_replaced(&self) -> bool {
        self.is_replaced
    }
}

impl<T: AttributeValue> fmt::Debug for Modify<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values may be sensitive.
        f.debug_struct("Modify").field("path", self.path).finish_non_exhaustive()
    }
}
