//! Write-only values of a typed configuration, which its encoding leaves out.

use crate::model::{Draft, Encode as _, Model};
use crate::path::Path;
use crate::schema::{Block, walk};
use crate::value::Value;

/// Sets the values of write-only attributes that are not nested.
pub(super) fn restore(object: &mut Value, values: Vec<(&'static str, Value)>) {
    for (name, value) in values {
        if let Some(place) = object.get_mut(&Path::root().attribute(name)) {
            *place = value;
        }
    }
}

/// The configuration, which has the schema `block`, with its write-only values. Nested ones are unknown.
pub(crate) fn encode<M: Model>(block: &Block, config: Draft<M>) -> Value {
    let values = M::write_only(&config);
    let mut config = config.encode();
    walk::fill_write_only(block.into(), &mut config, &Value::Null, &Value::unknown());
    restore(&mut config, values);
    config
}
