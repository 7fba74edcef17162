//! The encoding of values in state (protocol `RawState.json`, `DynamicValue.json`).
//!
//! The shapes are those of [`msgpack`](super::msgpack): numbers have full digits, a value where the type is dynamic
//! is `{"value":…,"type":…}`, and there are no unknowns.

mod decode;
mod encode;
pub mod raw;
mod untyped;

pub use self::decode::decode;
pub use self::encode::encode;
pub(crate) use untyped::check_untyped;
pub use untyped::decode_untyped;

/// What to do with members of a JSON object that the object type has no attribute for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownAttributes {
    /// Fail: the value was made for this type.
    Refuse,
    /// Leave them out: the value was stored by another version of the provider. Within dynamic values, which bring
    /// their own type along, they are refused all the same.
    Ignore,
}

/// How many missing attributes are filled in with null in one value, over all of its objects.
pub(super) const MAX_MISSING: usize = 1 << 20;
