//! Stored states with other values in the place of secrets.

use super::state_file::InstanceState;
use crate::codec::MAX_DEPTH;
use crate::codec::json::raw;
use crate::schema::walk::{Body, Member};
use crate::schema::{Attribute, Block, Nesting};
use crate::ty::Type;

/// A value that the author wants in the place of the stored one.
#[derive(Debug, Clone)]
pub(super) struct Replacement {
    pub(super) type_name: String,
    /// The names of attributes and blocks, joined by dots; elements have no name.
    pub(super) path: String,
    /// A text, or JSON where the stored value is no text.
    pub(super) value: String,
}

/// Replaces what the schema says is sensitive by other values of the same types and forms, and what the author names by
/// what the author wants; `None` where the attributes do not fit the schema.
pub(super) fn without_secrets(
    instance: &mut InstanceState<'_>,
    block: &Block,
    replacements: &[Replacement],
) -> Option<()> {
    if let Some(attributes) = instance.members.get("attributes") {
        let is_secret = |it: Member<'_>| matches!(it, Member::Attribute(attribute) if attribute.sensitive);
        if Body::from(block).any(&is_secret) || !replacements.is_empty() {
            let within = Within { path: "", replacements, is_sensitive: false, is_typed: false };
            let hidden = in_object(attributes, block.into(), within)?;
            instance.members.replace("attributes", hidden);
        }
    } else if let Some(flat) = instance.members.get("attributes_flat") {
        let hidden = in_flat(flat, block, replacements)?;
        instance.members.replace("attributes_flat", hidden);
    }
    Some(())
}

/// The attributes on the way to what a path names; `None` where the schema has nothing there.
pub(super) fn attributes_at<'b>(block: &'b Block, path: &str) -> Option<Vec<&'b Attribute>> {
    let mut body = Body::from(block);
    let mut found = Vec::new();
    for name in path.split('.') {
        let member = body.member(name)?;
        if let Member::Attribute(attribute) = member {
            found.push(attribute);
        }
        body = member.nested().map(|(_, body)| body).unwrap_or_default();
    }
    Some(found)
}

/// Keys of the flat form are paths with indices; those that end with a sign are lengths. What is within a plain
/// attribute has the attribute's secrecy.
fn in_flat(flat: &str, block: &Block, replacements: &[Replacement]) -> Option<String> {
    let members = raw::members(flat).ok()?;
    let hidden = members.iter().map(|(name, text)| {
        if name.ends_with(['#', '%']) {
            return Some((*text).to_owned());
        }
        let names = name.split('.').filter(|part| !part.bytes().all(|byte| byte.is_ascii_digit()));
        let names: Vec<&str> = names.collect();
        let paths = || (1..=names.len()).rev().filter_map(|count| Some(names.get(..count)?.join(".")));
        let wanted = |path: String| replacements.iter().find(|it| it.path == path);
        let known = paths().find_map(|path| attributes_at(block, &path));
        match paths().find_map(wanted) {
            Some(wanted) => replaced(text, &wanted.value),
            None if known.is_some_and(|all| all.iter().any(|it| it.sensitive)) => redacted(text, 0),
            None => Some((*text).to_owned()),
        }
    });
    let hidden: Vec<String> = hidden.collect::<Option<_>>()?;
    Some(raw::object(members.iter().map(|(name, _)| &**name).zip(hidden.iter().map(String::as_str))))
}

/// Where in a state.
#[derive(Clone, Copy)]
struct Within<'a> {
    path: &'a str,
    replacements: &'a [Replacement],
    /// Whether an enclosing attribute is sensitive.
    is_sensitive: bool,
    /// Whether an enclosing value is stored beside its type. What is in it is not.
    is_typed: bool,
}

impl Within<'_> {
    fn is_replaced_in_part(&self) -> bool {
        self.replacements
            .iter()
            .any(|it| it.path.strip_prefix(self.path).is_some_and(|rest| rest.starts_with('.')))
    }
}

fn in_object(object: &str, body: Body<'_>, at: Within<'_>) -> Option<String> {
    rewritten(object, &|name, text| {
        let path = if at.path.is_empty() { name.to_owned() } else { format!("{}.{name}", at.path) };
        match body.member(name) {
            Some(member) => in_member(text, member, Within { path: &path, ..at }),
            None => Some(text.to_owned()),
        }
    })
}

fn in_member(text: &str, member: Member<'_>, mut at: Within<'_>) -> Option<String> {
    let ty = match member {
        Member::Attribute(attribute) => attribute.ty.ty(),
        Member::Block(nested) => nested.ty(),
    };
    if ty == Type::Dynamic && !at.is_typed && text != "null" {
        at.is_typed = true;
        return in_value(text, &|text| in_member(text, member, at));
    }
    if let Member::Attribute(attribute) = member {
        if let Some(wanted) = at.replacements.iter().find(|it| it.path == at.path) {
            return replaced(text, &wanted.value);
        }
        at.is_sensitive |= attribute.sensitive;
    }
    match member.nested() {
        Some((nesting, body)) if !at.is_sensitive || at.is_replaced_in_part() => {
            within(text, nesting, &|text| in_object(text, body, at))
        }
        _ if !at.is_sensitive => Some(text.to_owned()),
        _ if at.is_typed => redacted(text, 0),
        _ => redacted_as(text, &ty),
    }
}

/// A value that is stored beside its type, which stays, as an upgrade needs it.
fn in_value(text: &str, redact: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    rewritten(text, &|name, text| if name == "value" { redact(text) } else { Some(text.to_owned()) })
}

/// What `redact` makes of the values in a value.
fn within(text: &str, nesting: Nesting, redact: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    if text == "null" {
        return Some(text.to_owned());
    }
    match nesting {
        Nesting::Single => redact(text),
        Nesting::List | Nesting::Set => {
            let elements: Option<Vec<String>> = raw::elements(text).ok()?.into_iter().map(redact).collect();
            Some(format!("[{}]", elements?.join(",")))
        }
        Nesting::Map => rewritten(text, &|_, text| redact(text)),
    }
}

/// What the author wants in the place of a value. Where nothing is stored, nothing is replaced.
fn replaced(text: &str, wanted: &str) -> Option<String> {
    match text.as_bytes().first()? {
        b'n' => Some(text.to_owned()),
        b'"' => Some(raw::quoted(wanted)),
        _ => raw::is_value(wanted).then(|| wanted.to_owned()),
    }
}

/// Another value of the same type and form, for an upgrade may take it apart. Keys and lengths stay.
fn redacted(text: &str, depth: usize) -> Option<String> {
    let inner = |text: &str| redacted(text, depth + 1);
    match text.as_bytes().first()? {
        b'[' | b'{' if depth == MAX_DEPTH => None,
        b'[' => within(text, Nesting::List, &inner),
        b'{' => within(text, Nesting::Map, &inner),
        b'n' => Some(text.to_owned()),
        b'"' => Some(raw::quoted(&redacted_text(&raw::string(text).ok()?, depth))),
        b't' | b'f' => Some("false".to_owned()),
        // A number has an exponent with a letter.
        _ => Some(text.chars().map(|char| if char.is_ascii_digit() { '1' } else { char }).collect()),
    }
}

/// The same where values may be stored beside their types.
fn redacted_as(text: &str, ty: &Type) -> Option<String> {
    if text == "null" || !ty.has_dynamic() {
        return redacted(text, 0);
    }
    match ty {
        Type::Dynamic => in_value(text, &|text| redacted(text, 0)),
        Type::Object(object) => rewritten(text, &|name, text| match object.attribute(name) {
            Some(ty) => redacted_as(text, ty),
            None => redacted(text, 0),
        }),
        Type::Tuple(types) => {
            let elements = raw::elements(text).ok()?.into_iter().zip(types.iter());
            let redacted: Option<Vec<String>> = elements.map(|(text, ty)| redacted_as(text, ty)).collect();
            Some(format!("[{}]", redacted?.join(",")))
        }
        Type::Map(element) => within(text, Nesting::Map, &|text| redacted_as(text, element)),
        Type::List(element) | Type::Set(element) => {
            within(text, Nesting::List, &|text| redacted_as(text, element))
        }
        Type::String | Type::Number | Type::Bool => redacted(text, 0),
    }
}

/// A text of the same form: JSON stays JSON, and what else is not a letter or a digit stays as it is, so that a number, a
/// URL, a key in PEM or a list with separators can still be read as one.
fn redacted_text(text: &str, depth: usize) -> String {
    match text.trim() {
        "true" | "false" => return "false".to_owned(),
        json if json.starts_with(['{', '[']) && raw::is_value(json) => {
            if let Some(redacted) = redacted(json, depth) {
                return redacted;
            }
        }
        _ => {}
    }
    let lines = text.split_inclusive('\n');
    lines.map(|line| if is_pem_boundary(line.trim_end()) { line.to_owned() } else { masked(line) }).collect()
}

fn masked(text: &str) -> String {
    let mask = |char: char| match char {
        char if char.is_numeric() => '1',
        char if char.is_uppercase() => 'A',
        char if char.is_alphabetic() => 'a',
        char => char,
    };
    text.chars().map(mask).collect()
}

fn is_pem_boundary(line: &str) -> bool {
    let label = line.strip_prefix("-----BEGIN ").or_else(|| line.strip_prefix("-----END "));
    let label = label.and_then(|rest| rest.strip_suffix("-----"));
    label.is_some_and(|label| label.chars().all(|char| char.is_ascii_uppercase() || char == ' '))
}

/// An object with what `by` makes of its members.
fn rewritten(object: &str, by: &dyn Fn(&str, &str) -> Option<String>) -> Option<String> {
    let members = raw::members(object).ok()?;
    let texts: Option<Vec<String>> = members.iter().map(|(name, text)| by(name, text)).collect();
    Some(raw::object(members.iter().map(|(name, _)| &**name).zip(texts?.iter().map(String::as_str))))
}
