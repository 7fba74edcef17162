//! Write-only values: null in every state that leaves the provider, the configured values for provider code.

use crate::schema::Block;
use crate::schema::walk::{self, Body, Member};
use crate::value::Value;

/// The planned state with the configured values of write-only attributes, for provider code.
pub(super) fn with_values(block: &Block, mut planned: Value, config: &Value) -> Value {
    if block.holds_write_only() {
        fill(block.into(), &mut planned, config);
    }
    planned
}

/// The state with null for every write-only attribute.
pub(super) fn without_values(block: &Block, mut state: Value) -> Value {
    if block.holds_write_only() {
        fill(block.into(), &mut state, &Value::Null);
    }
    state
}

fn fill(body: Body<'_>, into: &mut Value, from: &Value) {
    let Value::Object(into) = into else { return };
    for member in body.members().filter(|member| member.holds_write_only()) {
        let Some(place) = into.get_mut(member.name()) else { continue };
        let from = from.as_entries().and_then(|from| from.get(member.name())).unwrap_or(&Value::Null);
        match member.nested() {
            Some((_, body)) if !is_write_only(member) => {
                walk::objects_mut(place, [from], &mut |place, [from]| fill(body, place, from));
            }
            _ => *place = from.clone(),
        }
    }
}

fn is_write_only(member: Member<'_>) -> bool {
    matches!(member, Member::Attribute(attribute) if attribute.write_only)
}
