//! What the fuzz targets do with their input. The tests of the crate run the same on the committed seeds, without the
//! nightly compiler that fuzzing needs.

use ferroform_core::codec::json::{self, UnknownAttributes};
use ferroform_core::codec::{msgpack, type_json};
use ferroform_core::ty::{ObjectType, Type};

/// The types that the first byte of an input chooses from.
fn ty(selector: u8) -> Type {
    let rule = Type::object([("port", Type::Number), ("host", Type::String), ("open", Type::Bool)]);
    match selector % 8 {
        0 => Type::Dynamic,
        1 => Type::list(rule),
        2 => Type::set(rule),
        3 => Type::map(Type::set(Type::Number)),
        4 => Type::object([("any", Type::Dynamic), ("many", Type::list(Type::Dynamic)), ("rule", rule)]),
        5 => Type::tuple([Type::String, Type::map(Type::String), Type::Number]),
        6 => Type::set(Type::set(Type::list(Type::Bool))),
        _ => ObjectType::with_optional([("a", Type::Number), ("b", Type::String)], ["a"]).into(),
    }
}

/// Whatever decodes also encodes, and what that gives decodes to the same value and encodes to the same bytes.
pub(crate) fn msgpack(data: &[u8]) {
    let Some((selector, bytes)) = data.split_first() else { return };
    let ty = ty(*selector);
    let Ok(value) = msgpack::decode(bytes, &ty) else { return };
    value.conforms(&ty).expect("a decoded value conforms to its type");
    let encoded = match msgpack::encode(&value, &ty) {
        Ok(encoded) => encoded,
        Err(error) => {
            assert!(error.message().ends_with("must have the same type"), "{error}");
            return;
        }
    };
    let again = msgpack::decode(&encoded, &ty).expect("what was encoded decodes");
    assert_eq!(again, value);
    assert_eq!(msgpack::encode(&again, &ty).expect("the same value encodes again"), encoded);
}

/// The invariant of [`msgpack`], for JSON.
pub(crate) fn json(data: &[u8]) {
    let Some((selector, bytes)) = data.split_first() else { return };
    let ty = ty(*selector);
    let policy = if *selector < 128 { UnknownAttributes::Refuse } else { UnknownAttributes::Ignore };
    let Ok(value) = json::decode(bytes, &ty, policy) else { return };
    value.conforms(&ty).expect("a decoded value conforms to its type");
    let encoded = json::encode(&value, &ty).expect("a value from JSON is wholly known");
    let again = json::decode(&encoded, &ty, UnknownAttributes::Refuse).expect("what was encoded decodes");
    assert_eq!(again, value);
    assert_eq!(json::encode(&again, &ty).expect("the same value encodes again"), encoded);
}

/// The invariant of [`msgpack`], for types.
pub(crate) fn type_json(data: &[u8]) {
    let Ok(ty) = type_json::decode(data) else { return };
    let encoded = type_json::encode(&ty);
    assert_eq!(type_json::decode(encoded.as_bytes()).expect("what was encoded decodes"), ty);
    assert!(ty.depth() <= ferroform_core::codec::MAX_DEPTH + 1);
}
