//! Values, conversions and codecs, through their public face.

mod convert;
mod hostile;
mod invariants;
mod json;
mod msgpack;
mod number;
mod recorded;
mod seeds;
mod type_json;
mod value;
