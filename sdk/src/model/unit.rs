//! The model without attributes.

use super::error::mismatch;
use super::{Decode, Encode, Model};
use crate::diag::Result;
use crate::path::Path;
use crate::schema::Block;
use crate::value::{Entries, Value};

impl Encode for () {
    fn encode(self) -> Value {
        Value::Object(Entries::default())
    }
}

impl Decode for () {
    fn decode(value: Value, at: &mut Path) -> Result<Self> {
        match value {
            Value::Object(_) => Ok(()),
            other => Err(mismatch("an object", &other, at)),
        }
    }
}

/// Nothing to configure.
impl Model for () {
    type Draft = ();
    type Planned = ();
    type Prior = ();
    const VERSION: i64 = 0;
    const HAS_BLOCKS: bool = false;

    fn block() -> Block {
        Block::default()
    }
}
