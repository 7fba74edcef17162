//! What the provider made by hand says of its types.

use ferroform::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, Presence, Schema};
use ferroform::ty::Type;
use ferroform_core::codec::type_json;
use ferroform_proto::tfplugin6 as proto;

/// The schemas, as the SDK has them.
pub(crate) fn schema(name: &str) -> Schema {
    let attributes = match name {
        "fake_thing" | "fake_box" => vec![
            Attribute::computed("id", Type::String),
            Attribute::required("name", Type::String),
            Attribute::optional("size", Type::Number),
            Attribute::optional_computed("note", Type::String),
            Attribute::optional("token", Type::String).sensitive(),
            Attribute::optional("secret", Type::String).write_only(),
            Attribute::optional("tags", Type::map(Type::String)),
        ],
        "fake_lookup" => {
            vec![Attribute::required("name", Type::String), Attribute::computed("found", Type::String)]
        }
        "fake_token" => vec![
            Attribute::required("name", Type::String),
            Attribute::optional("lasts", Type::Number),
            Attribute::computed("result", Type::String),
            Attribute::computed("pin", Type::String).sensitive(),
        ],
        "fake_act" => vec![Attribute::required("name", Type::String)],
        _ => vec![Attribute::optional("endpoint", Type::String)],
    };
    let rule =
        Block::new([Attribute::required("port", Type::Number), Attribute::optional("label", Type::String)]);
    let blocks = if name == "fake_box" {
        vec![
            NestedBlock::new("rule", BlockNesting::List, rule.clone()).min_items(1).max_items(2),
            NestedBlock::new("limit", BlockNesting::Single, rule),
        ]
    } else {
        Vec::new()
    };
    Schema::new(Block::new(attributes).blocks(blocks))
}

/// The type of the objects of a resource, data source or ephemeral resource type.
pub(crate) fn ty(type_name: &str) -> Type {
    schema(type_name).ty()
}

/// The type of the identity of `fake_thing`.
pub(crate) fn identity_ty() -> Type {
    Type::object([("id", Type::String)])
}

/// A block as it is sent.
pub(crate) fn wire_block(block: &Block) -> proto::schema::Block {
    let attributes = block.attributes.iter().map(|attribute| {
        let AttributeType::Plain(ty) = &attribute.ty else { panic!("there are no nested attributes here") };
        proto::schema::Attribute {
            name: attribute.name.to_string(),
            r#type: type_json::encode(ty).into(),
            required: attribute.presence == Presence::Required,
            optional: attribute.presence.is_optional(),
            computed: attribute.presence.is_computed(),
            sensitive: attribute.sensitive,
            write_only: attribute.write_only,
            ..Default::default()
        }
    });
    let blocks = block.blocks.iter().map(|nested| {
        use proto::schema::nested_block::NestingMode;
        let nesting =
            if nested.nesting == BlockNesting::List { NestingMode::List } else { NestingMode::Single };
        proto::schema::NestedBlock {
            type_name: nested.name.to_string(),
            block: Some(wire_block(&nested.block)),
            nesting: nesting.into(),
            min_items: nested.min_items.into(),
            max_items: nested.max_items.into(),
        }
    });
    proto::schema::Block {
        attributes: attributes.collect(),
        block_types: blocks.collect(),
        ..Default::default()
    }
}

/// The schema of the identity of `fake_thing`, as it is sent.
pub(crate) fn wire_identity() -> proto::ResourceIdentitySchema {
    let attribute = proto::resource_identity_schema::IdentityAttribute {
        name: "id".to_owned(),
        r#type: type_json::encode(&Type::String).into(),
        required_for_import: true,
        ..Default::default()
    };
    proto::ResourceIdentitySchema { version: 0, identity_attributes: vec![attribute] }
}
