//! Methods that set one field of a schema type, and give the whole back.

/// Declares them, each by the field, what it takes, and the new value of the field.
macro_rules! setters {
    ($($(#[$doc:meta])* $field:ident($($argument:ident: $ty:ty)?) = $value:expr;)+) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self $(, $argument: $ty)?) -> Self {
            self.$field = $value;
            self
        }
    )+};
}

pub(super) use setters;
