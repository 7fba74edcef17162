//! Write-only values of a typed configuration, which its encoding leaves out.

use crate::model::{Draft, Encode as _, Model};
use crate::path::Path;
use crate::schema::Block;
use crate::schema::walk::{self, Body, Member};
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
    set_unknown(block.into(), &mut config);
    restore(&mut config, values);
    config
}

fn set_unknown(body: Body<'_>, config: &mut Value) {
    let Value::Object(entries) = config else { return };
    for member in body.members().filter(|member| member.holds_write_only()) {
        let Some(place) = entries.get_mut(member.name()) else { continue };
        match (member, member.nested()) {
            (Member::Attribute(attribute), _) if attribute.write_only => *place = Value::unknown(),
            (_, Some((_, body))) => walk::objects_mut(place, [], &mut |object, []| set_unknown(body, object)),
            (_, None) => {}
        }
    }
}
