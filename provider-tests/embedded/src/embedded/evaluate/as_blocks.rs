//! Attributes that may be written as blocks.
//!
//! The SDK before the framework had attributes of lists and sets of objects which configurations wrote as blocks. Core
//! goes on to read them so, in all schemas that this SDK could have made.

use ferroform::schema::{Attribute, AttributeType, Block};
use ferroform::ty::Type;

/// Whether the attributes of a schema may be written as blocks: there is nothing in it that the old SDK did not have.
pub(super) fn are_allowed(block: &Block) -> bool {
    let attributes = block.attributes.iter().all(|attribute| match &attribute.ty {
        AttributeType::Plain(ty) => is_old(ty),
        AttributeType::Nested(_) => false,
    });
    attributes && !block.computed && block.blocks.iter().all(|nested| are_allowed(&nested.block))
}

fn is_old(ty: &Type) -> bool {
    match ty {
        Type::Object(_) | Type::Tuple(_) => false,
        Type::List(element) | Type::Set(element) | Type::Map(element) => match &**element {
            Type::Object(object) => {
                !matches!(ty, Type::Map(_)) && object.attributes().iter().all(|(_, member)| is_old(member))
            }
            Type::Tuple(_) => false,
            Type::List(inner) | Type::Set(inner) | Type::Map(inner) => is_primitive(inner),
            _ => true,
        },
        _ => true,
    }
}

fn is_primitive(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Number | Type::String)
}

/// What a block has that is written for an element of the attribute; `None` if the attribute is none of those.
pub(super) fn block(attribute: &Attribute) -> Option<Block> {
    let AttributeType::Plain(Type::List(element) | Type::Set(element)) = &attribute.ty else { return None };
    let Type::Object(object) = &**element else { return None };
    let member = |(name, ty): (_, &Type)| Attribute::optional(String::from(name), ty.clone());
    Some(Block::new(object.attributes().iter().map(|(name, ty)| member((&**name, ty)))))
}
