//! Write-only values: null in every state that leaves the provider, the configured values for provider code.

use crate::schema::{Block, walk};
use crate::value::Value;

/// The planned state with the configured values of write-only attributes, for provider code.
pub(super) fn with_values(block: &Block, mut planned: Value, config: &Value) -> Value {
    if block.holds_write_only() {
        walk::fill_write_only(block.into(), &mut planned, config, &Value::Null);
    }
    planned
}

/// The state with null for every write-only attribute.
pub(super) fn without_values(block: &Block, mut state: Value) -> Value {
    if block.holds_write_only() {
        walk::fill_write_only(block.into(), &mut state, &Value::Null, &Value::Null);
    }
    state
}
