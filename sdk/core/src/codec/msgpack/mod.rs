//! The encoding of values between host and provider (protocol `DynamicValue.msgpack`).
//!
//! | value | bytes |
//! |---|---|
//! | null | nil |
//! | bool, string, list, set, tuple, map | as in msgpack |
//! | number | integer, float of 64 bits, or decimal text, whatever it arrived as |
//! | object | map with every attribute, sorted by name |
//! | value where the type is dynamic | array of the type as JSON (bin) and the value |
//! | unknown | extension 0, or extension 12 with what is known about the value |

mod decode;
mod encode;
mod refinements;
mod wire;

pub use self::decode::decode;
pub use self::encode::encode;
