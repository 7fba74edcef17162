//! Validators of `true` and `false`.

use super::message::must_be;
use super::{Check, kind};

/// Only `true` is allowed.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::boolean::is_true;
///
/// #[derive(Model)]
/// struct Database {
///     /// The service keeps no database without backups.
///     #[attr(validate = is_true())]
///     backups: bool,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |backups: bool| {
/// #     let (config, mut found) = (Value::object([("backups", backups.into())]), Diagnostics::default());
/// #     validate(&Database::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(true) && !accepts(false));
/// ```
#[must_use]
pub fn is_true() -> Check<kind::Bool> {
    only("true", |value| value)
}

/// Only `false` is allowed.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::boolean::is_false;
///
/// #[derive(Model)]
/// struct Cluster {
///     /// The service has no public endpoints any more.
///     #[attr(validate = is_false())]
///     public_endpoint: bool,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |public_endpoint: bool| {
/// #     let (config, mut found) = (Value::object([("public_endpoint", public_endpoint.into())]), Diagnostics::default());
/// #     validate(&Cluster::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(false) && !accepts(true));
/// ```
#[must_use]
pub fn is_false() -> Check<kind::Bool> {
    only("false", |value| !value)
}

fn only(name: &'static str, is_allowed: fn(bool) -> bool) -> Check<kind::Bool> {
    Check::of_value(name, move |it, found| {
        if it.value.as_bool().is_some_and(|value| !is_allowed(value)) {
            found.push(must_be(it.path, name));
        }
    })
}
