//! `GenerateResourceConfig`: the configuration of an imported object, as somebody would have written it.
//!
//! What nobody can or should write is left out: attributes that only the provider sets, write-only and deprecated ones,
//! those that have their default, empty texts, and the `id` that other SDKs let be configured.

use crate::diag::Result;
use crate::dynamic::Resource;
use crate::protocol::{GenerateResourceConfigRequest, GenerateResourceConfigResponse};
use crate::schema::walk::{self, Body, Member};
use crate::schema::{Attribute, Default as AttributeDefault, Presence};
use crate::server::{Server, value_codec};
use crate::value::Value;

pub(super) fn handle(
    server: &Server,
    request: &GenerateResourceConfigRequest,
) -> Result<GenerateResourceConfigResponse> {
    let of = server.inner.types.of::<dyn Resource>(&request.type_name)?;
    let mut config = value_codec::decode(&request.state, &of.typed.ty, "imported state")?;
    let block = &of.typed.schema.block;
    blank(block.into(), &mut config);
    if let Some(id) = block.attributes.iter().find(|attribute| attribute.name == "id")
        && id.presence == Presence::OptionalComputed
        && let Value::Object(entries) = &mut config
        && let Some(place) = entries.get_mut("id")
    {
        *place = Value::Null;
    }
    let config = value_codec::encode(&config, &of.typed.ty, "generated configuration")?;
    Ok(GenerateResourceConfigResponse { config, ..Default::default() })
}

/// Nulls what is left out.
pub(in crate::server) fn blank(body: Body<'_>, object: &mut Value) {
    let Value::Object(entries) = object else { return };
    for member in body.members() {
        let Some(place) = entries.get_mut(member.name()) else { continue };
        match (member, member.nested()) {
            (Member::Attribute(attribute), _) if is_left_out(attribute, place) => *place = Value::Null,
            (Member::Block(nested), _) if nested.block.computed => *place = Value::Null,
            (Member::Block(nested), _) if nested.block.deprecation.is_some() => *place = nested.absent(),
            (_, Some((_, body))) => walk::objects_mut(place, [], &mut |object, []| blank(body, object)),
            (_, None) => {}
        }
    }
}

fn is_left_out(attribute: &Attribute, value: &Value) -> bool {
    let optional = attribute.presence != Presence::Required;
    attribute.presence == Presence::Computed
        || attribute.write_only
        || (optional && attribute.deprecation.is_some())
        || (optional && value.as_str() == Some(""))
        || matches!(&attribute.default, Some(AttributeDefault::Value(default)) if default == value)
}
