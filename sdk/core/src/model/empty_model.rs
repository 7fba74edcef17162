//! The model without attributes.

use super::error::mismatch;
use super::{AttributeValue, Decode, Encode, Model};
use crate::diag::Result;
use crate::path::Path;
use crate::schema::{AttributeType, Block, NestedObject, Nesting};
use crate::value::{Entries, Value};

impl Encode for () {
    fn encode(self) -> Value {
        Value::Object(Entries::default())
    }
}

impl Decode for () {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        match value {
            Value::Object(_) => Ok(()),
            other => Err(mismatch("an object", other, at)),
        }
    }
}

impl AttributeValue for () {
    type Draft = ();
    type Planned = ();
    type Prior = ();

    fn attribute_type() -> AttributeType {
        NestedObject::new(Nesting::Single, Vec::new()).into()
    }
}

/// Nothing to configure.
impl Model for () {
    const VERSION: i64 = 0;

    fn block() -> Block {
        Block::default()
    }
}
