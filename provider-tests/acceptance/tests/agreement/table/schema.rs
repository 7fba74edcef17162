//! Schemas that core refuses.

use ferroform::ty::Type;
use ferroform_acceptance::wrong::{Change, THING};
use ferroform_core::codec::type_json;
use ferroform_proto::tfplugin6 as proto;
use ferroform_proto::tfplugin6::function::{Parameter, Return};
use ferroform_proto::tfplugin6::get_provider_schema::Response;
use ferroform_proto::tfplugin6::get_resource_identity_schemas::Response as Identities;
use ferroform_proto::tfplugin6::resource_identity_schema::IdentityAttribute;
use ferroform_proto::tfplugin6::schema::nested_block::NestingMode;
use ferroform_proto::tfplugin6::schema::{Attribute, Block, NestedBlock, Object, object};
use ferroform_server::protocol::Rpc;
use prost::Message;

use super::{Act, Row, row};

/// Core's summary for all of them.
const REFUSED: &[&str] = &["Failed to load plugin schemas"];

/// A provider whose answer with the schemas is changed so.
fn refused(name: &'static str, change: fn(&[u8]) -> Vec<u8>) -> Row {
    row(name, Act::CreateBare, Rpc::GetProviderSchema, Change::Bytes(change)).says(REFUSED)
}

/// A provider whose answer with the schemas is changed so that it is wrong, and core does not look.
fn taken(name: &'static str, change: fn(&[u8]) -> Vec<u8>) -> Row {
    refused(name, change).says(&[])
}

/// The answer with another attribute in the resource type.
fn with_attribute(bytes: &[u8], attribute: Attribute) -> Vec<u8> {
    with(bytes, |thing| thing.attributes.push(attribute))
}

/// The answer with another nested block in the resource type.
fn with_block(bytes: &[u8], block: NestedBlock) -> Vec<u8> {
    with(bytes, |thing| thing.block_types.push(block))
}

/// The answer with a resource type that is changed.
fn with(bytes: &[u8], change: impl FnOnce(&mut Block)) -> Vec<u8> {
    answer(bytes, |answer| {
        let thing = answer.resource_schemas.get_mut(THING).and_then(|schema| schema.block.as_mut());
        change(thing.expect("the provider has it"));
    })
}

fn answer(bytes: &[u8], change: impl FnOnce(&mut Response)) -> Vec<u8> {
    let mut answer = Response::decode(bytes).expect("the provider's own answer");
    change(&mut answer);
    answer.encode_to_vec()
}

/// An optional text.
fn text() -> Attribute {
    extra(&Type::String)
}

/// An optional attribute.
fn extra(ty: &Type) -> Attribute {
    Attribute {
        name: "extra".to_owned(),
        r#type: type_json::encode(ty).into(),
        optional: true,
        ..Attribute::default()
    }
}

/// Nested blocks with one attribute.
fn blocks(nesting: NestingMode, attribute: Attribute) -> NestedBlock {
    NestedBlock {
        type_name: "more".to_owned(),
        block: Some(Block { attributes: vec![attribute], ..Block::default() }),
        nesting: nesting.into(),
        ..NestedBlock::default()
    }
}

/// Nested blocks of which there are so many.
fn limited(nesting: NestingMode, min_items: i64, max_items: i64) -> NestedBlock {
    NestedBlock { min_items, max_items, ..blocks(nesting, text()) }
}

/// An attribute with nested ones.
fn nested(nesting: object::NestingMode, attribute: Attribute) -> Attribute {
    let object = Object { nesting: nesting.into(), attributes: vec![attribute], ..Object::default() };
    Attribute { r#type: Vec::new().into(), nested_type: Some(object), ..text() }
}

/// Attributes that make no sense.
pub(super) fn attributes() -> Vec<Row> {
    vec![
        refused("an attribute is neither required, optional nor computed", |it| {
            with_attribute(it, Attribute { optional: false, ..text() })
        }),
        refused("an attribute is required and optional", |it| {
            with_attribute(it, Attribute { required: true, ..text() })
        }),
        refused("an attribute is required and computed", |it| {
            with_attribute(it, Attribute { required: true, optional: false, computed: true, ..text() })
        }),
        refused("an attribute has no type", |it| {
            with_attribute(it, Attribute { r#type: Vec::new().into(), ..text() })
        }),
        refused("an attribute has a type and nested attributes", |it| {
            let both = nested(object::NestingMode::Single, text());
            with_attribute(it, Attribute { r#type: text().r#type, ..both })
        }),
        refused("attributes are nested in no known way", |it| {
            with_attribute(it, nested(object::NestingMode::Invalid, text()))
        }),
        refused("a nested attribute is neither required, optional nor computed", |it| {
            let inner = Attribute { optional: false, ..text() };
            with_attribute(it, nested(object::NestingMode::Map, inner))
        }),
    ]
}

/// Nested blocks that make no sense.
pub(super) fn nested_blocks() -> Vec<Row> {
    use NestingMode::{Group, Invalid, List, Map, Set, Single};
    vec![
        refused("a block has the name of an attribute", |it| {
            with_block(it, NestedBlock { type_name: "note".to_owned(), ..blocks(List, text()) })
        }),
        refused("the name of a block has a capital letter", |it| {
            with_block(it, NestedBlock { type_name: "moreOf".to_owned(), ..blocks(List, text()) })
        }),
        refused("a block has no name", |it| {
            with_block(it, NestedBlock { type_name: String::new(), ..blocks(List, text()) })
        }),
        refused("blocks are nested in no known way", |it| with_block(it, blocks(Invalid, text()))),
        refused("a single block has a limit without a least number", |it| {
            with_block(it, limited(Single, 0, 1))
        }),
        refused("a single block is there twice", |it| with_block(it, limited(Single, 2, 2))),
        refused("a group has a least number", |it| with_block(it, limited(Group, 1, 1))),
        refused("a map of blocks has a greatest number", |it| with_block(it, limited(Map, 0, 3))),
        refused("a list of blocks has a least number above the greatest", |it| {
            with_block(it, limited(List, 3, 2))
        }),
        refused("a set of blocks has a least number above the greatest", |it| {
            with_block(it, limited(Set, 3, 2))
        }),
        refused("the least number of blocks is negative", |it| with_block(it, limited(List, -1, 0))),
        refused("the greatest number of blocks is negative", |it| with_block(it, limited(List, 0, -1))),
        refused("a block in a block has the name of an attribute", |it| {
            let inner = NestedBlock { type_name: "extra".to_owned(), ..blocks(List, text()) };
            let mut outer = blocks(List, text());
            outer.block.as_mut().expect("it has one").block_types.push(inner);
            with_block(it, outer)
        }),
    ]
}

/// Sets with something in them that sets cannot have.
pub(super) fn sets() -> Vec<Row> {
    use NestingMode::{List, Set};
    vec![
        refused("a set of blocks has something of any type in it", |it| {
            with_block(it, blocks(Set, extra(&Type::Dynamic)))
        }),
        refused("a set of blocks has something of any type deep in it", |it| {
            let mut outer = blocks(Set, text());
            let inner = NestedBlock { type_name: "deep".to_owned(), ..blocks(List, extra(&Type::Dynamic)) };
            outer.block.as_mut().expect("it has one").block_types.push(inner);
            with_block(it, outer)
        }),
        refused("a set of blocks has something write-only in it", |it| {
            with_block(it, blocks(Set, Attribute { write_only: true, ..text() }))
        }),
        refused("a nested set has something of any type in it", |it| {
            with_attribute(it, nested(object::NestingMode::Set, extra(&Type::Dynamic)))
        }),
        refused("a nested set has something write-only in it", |it| {
            let inner = Attribute { write_only: true, ..text() };
            with_attribute(it, nested(object::NestingMode::Set, inner))
        }),
    ]
}

/// Versions, identities, functions, and the kinds of types.
pub(super) fn others() -> Vec<Row> {
    vec![
        refused("the version of a schema is negative", |it| {
            answer(it, |it| it.resource_schemas.get_mut(THING).expect("it is there").version = -1)
        }),
        refused("the schema of the provider is missing", |it| answer(it, |it| it.provider = None)),
        refused("the version of the provider's schema is negative", |it| {
            answer(it, |it| it.provider.as_mut().expect("it is there").version = -1)
        }),
        refused("a data source has an invalid schema", |it| {
            answer(it, |it| drop(it.data_source_schemas.insert("wrong_other".to_owned(), invalid())))
        }),
        refused("an ephemeral resource has an invalid schema", |it| {
            answer(it, |it| drop(it.ephemeral_resource_schemas.insert("wrong_other".to_owned(), invalid())))
        }),
        taken("the provider has a schema that is not checked", |it| {
            answer(it, |it| it.provider = Some(invalid()))
        }),
        taken("the metadata of modules have a schema that is not checked", |it| {
            answer(it, |it| it.provider_meta = Some(invalid()))
        }),
        refused("a list resource has an invalid schema", |it| {
            answer(it, |it| drop(it.list_resource_schemas.insert(THING.to_owned(), invalid())))
        }),
        taken("an action has a schema that is not checked", |it| {
            let action = || proto::ActionSchema { schema: Some(invalid()) };
            answer(it, |it| drop(it.action_schemas.insert("wrong_act".to_owned(), action())))
        }),
        taken("a state store has a schema that is not checked", |it| {
            answer(it, |it| drop(it.state_store_schemas.insert("wrong_store".to_owned(), invalid())))
        }),
        refused("the name of a function is no identifier", |it| with_function(it, "not a name", &["a"])),
        refused("the name of a parameter is no identifier", |it| with_function(it, "shout", &["not a name"])),
        refused("two parameters have the same name", |it| with_function(it, "shout", &["a", "a"])),
        identity("an identity has a map", |it| with_named(it, named(&Type::map(Type::String)))),
        identity("an identity has a set", |it| with_named(it, named(&Type::set(Type::String)))),
        identity("an identity has an object", |it| {
            with_named(it, named(&Type::object([("a", Type::String)])))
        }),
        identity("an identity has an attribute that no import needs or takes", |it| {
            with_named(it, IdentityAttribute { optional_for_import: false, ..named(&Type::String) })
        }),
        identity("an identity has an attribute that imports need and may leave out", |it| {
            with_named(it, IdentityAttribute { required_for_import: true, ..named(&Type::String) })
        }),
        identity("the version of an identity is negative", |it| {
            let mut answer = Identities::decode(it).expect("the provider's own answer");
            answer.identity_schemas.get_mut(THING).expect("the provider has it").version = -1;
            answer.encode_to_vec()
        }),
    ]
}

/// A schema with a block that has the name of an attribute.
fn invalid() -> proto::Schema {
    let block = Block {
        attributes: vec![text()],
        block_types: vec![NestedBlock { type_name: "extra".to_owned(), ..blocks(NestingMode::List, text()) }],
        ..Block::default()
    };
    proto::Schema { version: 0, block: Some(block) }
}

fn with_function(bytes: &[u8], name: &str, parameters: &[&str]) -> Vec<u8> {
    let ty = || type_json::encode(&Type::String).into();
    let parameter =
        |name: &&str| Parameter { name: (*name).to_owned(), r#type: ty(), ..Parameter::default() };
    let function = proto::Function {
        parameters: parameters.iter().map(parameter).collect(),
        r#return: Some(Return { r#type: ty() }),
        ..proto::Function::default()
    };
    answer(bytes, |it| drop(it.functions.insert(name.to_owned(), function)))
}

/// A provider whose answer with the identities is changed so.
fn identity(name: &'static str, change: fn(&[u8]) -> Vec<u8>) -> Row {
    row(name, Act::CreateBare, Rpc::GetResourceIdentitySchemas, Change::Bytes(change)).says(REFUSED)
}

/// The answer with another attribute in the identity of the resource type.
fn with_named(bytes: &[u8], attribute: IdentityAttribute) -> Vec<u8> {
    let mut answer = Identities::decode(bytes).expect("the provider's own answer");
    let identity = answer.identity_schemas.get_mut(THING).expect("the provider has it");
    identity.identity_attributes.push(attribute);
    answer.encode_to_vec()
}

/// An attribute of an identity.
fn named(ty: &Type) -> IdentityAttribute {
    IdentityAttribute {
        name: "extra".to_owned(),
        r#type: type_json::encode(ty).into(),
        optional_for_import: true,
        ..IdentityAttribute::default()
    }
}
