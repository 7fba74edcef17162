//! Which Rust types parameters and results of functions may have, and what they say about null and unknown values.

use super::{Attr, AttributeValue, Computed, Decode, Encode};
use crate::schema::{AttributeType, Validator};
use crate::ty::Type;

/// A Rust type that a parameter of a function may have: every [`AttributeValue`] (an `Option` accepts null),
/// [`Computed<T>`] (accepts unknown values) and [`Attr<T>`] (accepts both).
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
    fn parameter_type() -> AttributeType;

    /// The checks that every argument must pass to be decoded.
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a function",
    label = "not a result type",
    note = "return the type of an attribute, or a `Result` of it; `Computed<T>` or `Attr<T>` may be unknown"
)]
pub trait ReturnType: Encode + Send + 'static {
    /// The type of the result.
    #[must_use]
    fn return_type() -> Type;
}

impl<T: AttributeValue> ReturnType for T {
    fn return_type() -> Type {
        T::attribute_type().ty()
    }
}
