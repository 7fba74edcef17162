//! Type constraints as JSON: `"string"`, `["list","number"]`, `["object",{"port":"number"},["port"]]`.
//!
//! This is the form of types in schemas (protocol `Schema.Attribute.type`) and within dynamic values.

use super::text::{Kind, Reader, write_string};
use super::{CodecError, MAX_DEPTH};
use crate::path::Step;
use crate::ty::{ObjectType, Type};

/// Decodes a type constraint.
///
/// # Errors
/// Text that is not JSON or not a type, an object type that names an attribute twice or an optional attribute that
/// it does not have, nesting beyond [`MAX_DEPTH`].
///
/// ```
/// use ferroform_core::codec::type_json;
/// use ferroform::ty::Type;
///
/// assert_eq!(type_json::decode(br#"["list",["object",{"port":"number"}]]"#)?,
///     Type::list(Type::object([("port", Type::Number)])));
/// # Ok::<(), ferroform_core::codec::CodecError>(())
/// ```
pub fn decode(json: &[u8]) -> Result<Type, CodecError> {
    let mut reader = Reader::new(json);
    let ty = read(&mut reader, MAX_DEPTH)?;
    reader.end()?;
    Ok(ty)
}

/// Encodes a type constraint, without white space and with attributes sorted by name.
///
/// ```
/// use ferroform_core::codec::type_json;
/// use ferroform::ty::Type;
///
/// assert_eq!(type_json::encode(&Type::map(Type::Dynamic)), r#"["map","dynamic"]"#);
/// ```
#[must_use]
pub fn encode(ty: &Type) -> String {
    let mut out = String::new();
    write(&mut out, ty);
    out
}

/// Reads a type as part of a larger text.
pub(super) fn read(reader: &mut Reader<'_>, depth: usize) -> Result<Type, CodecError> {
    match reader.kind()? {
        Kind::String => match reader.string()?.as_ref() {
            "string" => Ok(Type::String),
            "number" => Ok(Type::Number),
            "bool" => Ok(Type::Bool),
            "dynamic" => Ok(Type::Dynamic),
            _ => Err(not_a_type()),
        },
        Kind::Array => {
            let depth = depth.checked_sub(1).ok_or_else(|| {
                CodecError::decode(format!("a type nested more than {MAX_DEPTH} levels deep"))
            })?;
            read_compound(reader, depth)
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::Object => Err(not_a_type()),
    }
}

fn read_compound(reader: &mut Reader<'_>, depth: usize) -> Result<Type, CodecError> {
    let mut first = true;
    reader.open(b'[')?;
    if !reader.next(&mut first, b']')? || reader.kind()? != Kind::String {
        return Err(not_a_type());
    }
    let constructor = reader.string()?;
    if !reader.next(&mut first, b']')? {
        return Err(not_a_type());
    }
    let ty = match constructor.as_ref() {
        "list" => Type::list(read(reader, depth)?),
        "set" => Type::set(read(reader, depth)?),
        "map" => Type::map(read(reader, depth)?),
        "tuple" => Type::tuple(read_tuple(reader, depth)?),
        "object" => return read_object(reader, depth),
        _ => return Err(not_a_type()),
    };
    if reader.next(&mut first, b']')? { Err(not_a_type()) } else { Ok(ty) }
}

fn expect(reader: &mut Reader<'_>, kind: Kind) -> Result<(), CodecError> {
    if reader.kind()? == kind { Ok(()) } else { Err(not_a_type()) }
}

fn read_tuple(reader: &mut Reader<'_>, depth: usize) -> Result<Vec<Type>, CodecError> {
    let mut first = true;
    let mut elements = Vec::new();
    expect(reader, Kind::Array)?;
    reader.open(b'[')?;
    while reader.next(&mut first, b']')? {
        let ty = read(reader, depth).map_err(|error| error.within(Step::Index(elements.len())))?;
        super::push(&mut elements, ty);
    }
    Ok(elements)
}

/// Reads the attributes, perhaps the names of optional ones, and the end of the array that holds them.
fn read_object(reader: &mut Reader<'_>, depth: usize) -> Result<Type, CodecError> {
    let mut first = true;
    let mut attributes = Vec::new();
    expect(reader, Kind::Object)?;
    reader.open(b'{')?;
    while reader.next(&mut first, b'}')? {
        let name = reader.key()?;
        match read(reader, depth) {
            Ok(ty) => super::push(&mut attributes, (name, ty)),
            Err(error) => return Err(error.within(Step::Attribute(name.into_owned().into()))),
        }
    }
    let mut optional = Vec::new();
    let mut after_attributes = false;
    if reader.next(&mut after_attributes, b']')? {
        expect(reader, Kind::Array)?;
        reader.open(b'[')?;
        let mut first = true;
        while reader.next(&mut first, b']')? {
            expect(reader, Kind::String)?;
            let name = reader.string()?;
            super::push(&mut optional, name);
        }
        if reader.next(&mut after_attributes, b']')? {
            return Err(not_a_type());
        }
    }
    let given = (attributes.len(), optional.len());
    let object = ObjectType::with_optional(attributes, optional);
    if given != (object.attributes().len(), object.optional().len()) {
        return Err(CodecError::decode("an object type with repeated or nonexistent attribute names"));
    }
    Ok(Type::Object(object))
}

/// Writes a type as part of a larger text.
pub(super) fn write(out: &mut String, ty: &Type) {
    let mut collection = |kind: &str, element: &Type| {
        out.push_str("[\"");
        out.push_str(kind);
        out.push_str("\",");
        write(out, element);
        out.push(']');
    };
    match ty {
        Type::String => out.push_str("\"string\""),
        Type::Number => out.push_str("\"number\""),
        Type::Bool => out.push_str("\"bool\""),
        Type::Dynamic => out.push_str("\"dynamic\""),
        Type::List(element) => collection("list", element),
        Type::Set(element) => collection("set", element),
        Type::Map(element) => collection("map", element),
        Type::Tuple(elements) => {
            out.push_str("[\"tuple\",[");
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write(out, element);
            }
            out.push_str("]]");
        }
        Type::Object(object) => write_object(out, object),
    }
}

fn write_object(out: &mut String, object: &ObjectType) {
    out.push_str("[\"object\",{");
    for (at, (name, ty)) in object.attributes().iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        write_string(out, name);
        out.push(':');
        write(out, ty);
    }
    out.push('}');
    for (at, name) in object.optional().iter().enumerate() {
        out.push_str(if at > 0 { "," } else { ",[" });
        write_string(out, name);
    }
    out.push_str(if object.optional().is_empty() { "]" } else { "]]" });
}

#[cold]
fn not_a_type() -> CodecError {
    CodecError::decode("the JSON is not a type constraint")
}
