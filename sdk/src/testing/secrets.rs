//! Stored states with other values in the place of secrets.

use super::state_file::InstanceState;
use crate::codec::json::raw;
use crate::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, Nesting};

const REDACTED: &str = "\"redacted\"";

/// Replaces what the schema says is sensitive by other values of the same types; `None` where the attributes do not
/// fit the schema.
pub(super) fn without_secrets(instance: &mut InstanceState<'_>, block: &Block) -> Option<()> {
    if let Some(attributes) = instance.members.get("attributes") {
        if has_secrets(block) {
            let hidden = in_object(attributes, &block.attributes, &block.blocks)?;
            instance.members.replace("attributes", hidden);
        }
    } else if let Some(flat) = instance.members.get("attributes_flat") {
        let hidden = in_flat(flat, block)?;
        instance.members.replace("attributes_flat", hidden);
    }
    Some(())
}

fn has_secrets(block: &Block) -> bool {
    fn any(attributes: &[Attribute]) -> bool {
        attributes.iter().any(|attribute| match &attribute.ty {
            _ if attribute.sensitive => true,
            AttributeType::Nested(object) => any(&object.attributes),
            AttributeType::Plain(_) => false,
        })
    }
    any(&block.attributes) || block.blocks.iter().any(|it| has_secrets(&it.block))
}

/// Keys of the flat form begin with the name of an attribute; those that end with a sign are lengths.
fn in_flat(flat: &str, block: &Block) -> Option<String> {
    let members = raw::members(flat).ok()?;
    let hidden = members.iter().map(|(name, text)| {
        let attribute = name.split('.').next().and_then(|name| block.attribute(name));
        let secret = attribute.is_some_and(|it| it.sensitive) && !name.ends_with(['#', '%']);
        (&**name, if secret { REDACTED } else { *text })
    });
    Some(raw::object(hidden))
}

fn in_object(object: &str, attributes: &[Attribute], blocks: &[NestedBlock]) -> Option<String> {
    rewritten(object, &|name, text| {
        if let Some(attribute) = attributes.iter().find(|it| it.name == name) {
            return in_attribute(text, attribute);
        }
        let Some(nested) = blocks.iter().find(|it| it.name == name) else { return Some(text.to_owned()) };
        let holds = match nested.nesting {
            BlockNesting::Single | BlockNesting::Group => Holds::One,
            BlockNesting::List | BlockNesting::Set => Holds::List,
            BlockNesting::Map => Holds::Map,
        };
        within(text, holds, &|text| in_object(text, &nested.block.attributes, &nested.block.blocks))
    })
}

fn in_attribute(text: &str, attribute: &Attribute) -> Option<String> {
    match &attribute.ty {
        _ if attribute.sensitive => redacted(text),
        AttributeType::Nested(nested) => {
            let holds = match nested.nesting {
                Nesting::Single => Holds::One,
                Nesting::List | Nesting::Set => Holds::List,
                Nesting::Map => Holds::Map,
            };
            within(text, holds, &|text| in_object(text, &nested.attributes, &[]))
        }
        AttributeType::Plain(_) => Some(text.to_owned()),
    }
}

/// How values are within a value.
#[derive(Clone, Copy)]
enum Holds {
    One,
    List,
    Map,
}

/// What `redact` makes of the values in a value.
fn within(text: &str, holds: Holds, redact: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    if text == "null" {
        return Some(text.to_owned());
    }
    match holds {
        Holds::One => redact(text),
        Holds::List => {
            let elements: Option<Vec<String>> = raw::elements(text).ok()?.into_iter().map(redact).collect();
            Some(format!("[{}]", elements?.join(",")))
        }
        Holds::Map => rewritten(text, &|_, text| redact(text)),
    }
}

/// Another value of the same type. Keys and lengths stay.
fn redacted(text: &str) -> Option<String> {
    let plain = match text.as_bytes().first()? {
        b'[' => return within(text, Holds::List, &redacted),
        b'{' => return within(text, Holds::Map, &redacted),
        b'n' => text,
        b'"' => REDACTED,
        b't' | b'f' => "false",
        _ => "0",
    };
    Some(plain.to_owned())
}

/// An object with what `by` makes of its members.
fn rewritten(object: &str, by: &dyn Fn(&str, &str) -> Option<String>) -> Option<String> {
    let members = raw::members(object).ok()?;
    let texts: Option<Vec<String>> = members.iter().map(|(name, text)| by(name, text)).collect();
    Some(raw::object(members.iter().map(|(name, _)| &**name).zip(texts?.iter().map(String::as_str))))
}
