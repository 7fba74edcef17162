//! Which Rust types parameters and results of functions may have, and what they say about null and unknown values.

use super::{Attr, AttributeValue, Computed, Decode, Encode};
use crate::schema::{AttributeType, Validator};
use crate::ty::Type;

/// A Rust type that a parameter of a function may have: every [`AttributeValue`] (an `Option` accepts null),
/// [`Computed<T>`] (accepts unknown values) and [`Attr<T>`] (accepts both).
///
/// ```
/// use ferroform::function::{Function, Parameters};
/// use ferroform::model::Computed;
///
/// /// The name of a host in a zone.
/// #[ferroform::function]
/// fn host_name(name: String, zone: Option<String>) -> String {
///     zone.map_or_else(|| name.clone(), |zone| format!("{name}.{zone}"))
/// }
///
/// /// Whether a text starts with the prefix of the service; it may still be unknown.
/// #[ferroform::function]
/// fn is_own(arn: Computed<String>) -> Computed<bool> {
///     arn.known().map_or(Computed::Unknown, |arn| Computed::Known(arn.starts_with("arn:cloud:")))
/// }
///
/// let [name, zone] = &host_name::parameters()[..] else { panic!("two parameters") };
/// assert!(!name.allow_null && zone.allow_null && !zone.allow_unknown);
/// assert!(is_own::signature().parameters[0].allow_unknown);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a parameter",
    label = "not a parameter type",
    note = "use the type of an attribute; `Option<T>` to accept null, `Computed<T>` to accept unknown values, `Attr<T>` \
            to accept both"
)]
pub trait ParameterType: Decode + Send + 'static {
    /// The type of a known argument.
    type Known: AttributeValue;

    /// Whether null is a valid argument.
    const ALLOWS_NULL: bool;
    /// Whether the function is called with an unknown argument.
    const ALLOWS_UNKNOWN: bool;

    /// The type that core converts arguments to.
    ///
    /// ```
    /// use ferroform::function::ParameterType;
    /// use ferroform::model::Computed;
    /// use ferroform::ty::Type;
    ///
    /// assert_eq!(Computed::<Vec<String>>::parameter_type().ty(), Type::list(Type::String));
    /// ```
    fn parameter_type() -> AttributeType;

    /// The checks that every argument must pass to be decoded.
    ///
    /// ```
    /// use ferroform::function::ParameterType;
    /// use ferroform::model::Attr;
    ///
    /// assert_eq!(Attr::<u16>::validators()[0].description, "a whole number from 0 to 65535");
    /// ```
    #[must_use]
    fn validators() -> Vec<Validator>;
}

impl<T: AttributeValue> ParameterType for T {
    type Known = T;

    const ALLOWS_NULL: bool = T::NULLABLE;
    const ALLOWS_UNKNOWN: bool = false;

    fn parameter_type() -> AttributeType {
        const {
            assert!(
                !T::HAS_BLOCKS,
                "a model with nested blocks cannot be a parameter: use nested attributes"
            );
        }
        T::attribute_type()
    }

    fn validators() -> Vec<Validator> {
        T::validators()
    }
}

macro_rules! unknown_allowed {
    ($($wrapper:ident allows null: $null:literal;)*) => {$(
        impl<T: AttributeValue> ParameterType for $wrapper<T> {
            type Known = T;

            const ALLOWS_NULL: bool = $null;
            const ALLOWS_UNKNOWN: bool = true;

            fn parameter_type() -> AttributeType {
                <T as ParameterType>::parameter_type()
            }

            fn validators() -> Vec<Validator> {
                T::validators()
            }
        }

        impl<T: AttributeValue> ReturnType for $wrapper<T> {
            fn return_type() -> Type {
                T::return_type()
            }
        }
    )*};
}

unknown_allowed! {
    Attr allows null: true;
    Computed allows null: false;
}

/// A Rust type that the result of a function may have: every [`AttributeValue`] (an `Option` may be null), and
/// [`Computed<T>`] or [`Attr<T>`] for a function that accepts unknown values.
///
/// ```
/// use ferroform::diag::{Error, Result};
/// use ferroform::function::Function;
/// use ferroform::ty::Type;
///
/// /// The ports of a range such as `8000-8010`.
/// #[ferroform::function]
/// fn ports(range: String) -> Result<Vec<u16>> {
///     let (first, last) = range.split_once('-').ok_or_else(|| Error::new("Invalid Range", "Write `FIRST-LAST`."))?;
///     Ok((first.parse()?..=last.parse()?).collect())
/// }
///
/// assert_eq!(ports::signature().result, Type::list(Type::Number));
/// assert_eq!(ports("80-82".to_owned())?, [80, 81, 82]);
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a function",
    label = "not a result type",
    note = "return the type of an attribute, or a `Result` of it; `Computed<T>` or `Attr<T>` may be unknown"
)]
pub trait ReturnType: Encode + Send + 'static {
    /// The type of the result.
    ///
    /// ```
    /// use ferroform::function::ReturnType;
    /// use ferroform::model::Computed;
    /// use ferroform::ty::Type;
    ///
    /// assert_eq!(Computed::<bool>::return_type(), Type::Bool);
    /// assert_eq!(Vec::<u16>::return_type(), Type::list(Type::Number));
    /// ```
    #[must_use]
    fn return_type() -> Type;
}

impl<T: AttributeValue> ReturnType for T {
    fn return_type() -> Type {
        T::attribute_type().ty()
    }
}
