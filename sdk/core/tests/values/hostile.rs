//! Bytes that mean harm: they end in an error, on a small stack and in bounded memory.

use ferroform::ty::Type;
use ferroform::value::{Value, convert};
use ferroform_core::codec::json::{self, UnknownAttributes};
use ferroform_core::codec::{MAX_DEPTH, msgpack, type_json};
use proptest::prelude::*;

use crate::msgpack::bytes;

/// Calls `decode` and checks how much memory was in use at most, the decoded value included.
fn check_memory<T>(input: &[u8], decode: impl FnOnce() -> T) -> T {
    let mut result = None;
    let memory = allocation_counter::measure(|| result = Some(decode()));
    let limit = 64 * input.len() as u64 + 64 * 1024;
    assert!(memory.bytes_max <= limit, "{} bytes for an input of {}", memory.bytes_max, input.len());
    result.expect("the result was just set")
}

fn check_msgpack(input: &[u8], ty: &Type) -> Result<Value, String> {
    check_memory(input, || msgpack::decode(input, ty).map_err(|error| error.to_string()))
}

fn check_json(input: &[u8], ty: &Type) -> Result<Value, String> {
    check_memory(input, || {
        json::decode(input, ty, UnknownAttributes::Ignore).map_err(|error| error.to_string())
    })
}

fn check_untyped(input: &[u8]) -> Result<Value, String> {
    check_memory(input, || json::decode_untyped(input).map_err(|error| error.to_string()))
}

#[test]
fn memory_is_really_counted() {
    let memory = allocation_counter::measure(|| drop(std::hint::black_box(vec![1_u8; 1000])));
    assert_eq!(memory.bytes_max, 1000);
}

fn types() -> [Type; 7] {
    let object = Type::object([("", Type::Bool), ("a", Type::String)]);
    [
        Type::Dynamic,
        Type::list(Type::list(Type::list(Type::Bool))),
        Type::set(Type::set(Type::set(Type::Number))),
        Type::map(Type::map(Type::String)),
        Type::list(object.clone()),
        Type::set(Type::tuple([Type::Dynamic, object])),
        Type::list(Type::Dynamic),
    ]
}

#[test]
fn lengths_that_lie_reserve_nothing() {
    for marker in ["db", "c6", "c9", "dd", "df"] {
        for ty in types() {
            let input = bytes(&format!("{marker} ff ff ff ff"));
            assert!(check_msgpack(&input, &ty).is_err());
        }
    }
    // Each of these lengths is within the bytes that follow; all of them together are not.
    let nested = |depth: usize| [[0xdd, 0x00, 0x0f, 0x00, 0x00].repeat(depth), vec![0xc0; 1 << 20]].concat();
    let deep = (0..200).fold(Type::Bool, |ty, _| Type::list(ty));
    assert_eq!(
        check_msgpack(&nested(100), &deep),
        Err("[0]: the bytes end before the value does".to_owned())
    );
}

#[test]
fn dense_input_takes_bounded_memory() {
    let many = |element: &[u8]| {
        let count = 200_000_u32;
        [&[0xdd], count.to_be_bytes().as_slice(), &element.repeat(count as usize)].concat()
    };
    let of_map =
        |entry: &[u8]| [&[0xdf], 200_000_u32.to_be_bytes().as_slice(), &entry.repeat(200_000)].concat();
    for (input, ty) in [
        (many(b"\xc0"), Type::list(Type::Bool)),
        (many(b"\xa0"), Type::list(Type::String)),
        (many(b"\x90"), Type::list(Type::list(Type::Bool))),
        (many(b"\x91\xc0"), Type::list(Type::set(Type::Bool))),
        (many(b"\x91\x01"), Type::set(Type::set(Type::Number))),
        (many(b"\x05"), Type::set(Type::Number)),
        (many(b"\xd4\x00\x00"), Type::set(Type::Number)),
        (many(b"\xa1\x35"), Type::list(Type::Number)),
        (many(b"\xa51e999"), Type::list(Type::Number)),
        (many(b"\xc7\x03\x0c\x81\x01\xc2"), Type::list(Type::Number)),
        (many(b"\x92\xa6\"bool\"\xc0"), Type::list(Type::Dynamic)),
        (many(b"\x81\xa0\xc0"), Type::list(Type::map(Type::Bool))),
        (of_map(b"\xa0\xc0"), Type::map(Type::Bool)),
        (many(b"\x81\xa0\xc0"), Type::list(Type::object([("", Type::Bool)]))),
    ] {
        check_msgpack(&input, &ty).unwrap_or_else(|error| panic!("{ty:?}: {error}"));
    }
    let texts = |element: &str| format!("[{}null]", format!("{element},").repeat(100_000)).into_bytes();
    for (input, ty) in [
        (texts("0"), Type::list(Type::Number)),
        (texts("0"), Type::list(Type::String)),
        (texts("\"\""), Type::list(Type::String)),
        (texts("[0]"), Type::set(Type::set(Type::Number))),
        (texts("[[[[0]]]]"), Type::list(Type::list(Type::list(Type::list(Type::list(Type::Number)))))),
        (texts("{\"\":0}"), Type::list(Type::map(Type::Number))),
        (texts("1e999"), Type::list(Type::Number)),
        (texts(r#"{"value":0,"type":"number"}"#), Type::list(Type::Dynamic)),
    ] {
        check_json(&input, &ty).unwrap_or_else(|error| panic!("{ty:?}: {error}"));
    }
    for element in ["0", "\"\"", "[0]", "[[[[0]]]]", "{}", "{\"\":0}", "1e999"] {
        check_untyped(&texts(element)).unwrap_or_else(|error| panic!("{element}: {error}"));
    }
    let tuple = format!(r#"["tuple",[{}"bool"]]"#, r#"["list","bool"],"#.repeat(100_000)).into_bytes();
    check_memory(&tuple, || type_json::decode(&tuple)).expect("a long type is a type");
}

#[test]
fn deep_input_is_refused() {
    let depth = format!("nested more than {MAX_DEPTH} levels deep");
    let input = [bytes("92 c4 09 |\"dynamic\"|").repeat(10_000), vec![0xc0]].concat();
    assert_eq!(check_msgpack(&input, &Type::Dynamic), Err(depth.clone()));
    let input =
        [br#"{"type":"dynamic","value":"#.repeat(10_000), b"null".to_vec(), b"}".repeat(10_000)].concat();
    assert_eq!(check_json(&input, &Type::Dynamic), Err(depth.clone()));
    let ty = [br#"["list","#.repeat(10_000), br#""bool""#.to_vec(), b"]".repeat(10_000)].concat();
    let error = check_memory(&ty, || type_json::decode(&ty)).expect_err("too deep");
    assert_eq!(error.message(), format!("a type {depth}"));
    let ignored = [b"{\"x\":".to_vec(), b"[".repeat(1 << 20), b"]".repeat(1 << 20), b"}".to_vec()].concat();
    let object = Type::object([("a", Type::Bool)]);
    assert_eq!(check_json(&ignored, &object), Ok(Value::object([("a", Value::Null)])));
    assert!(check_msgpack(&[0x91; 10_000], &Type::list(Type::Bool)).is_err());
    let array = [b"[".repeat(10_000), b"]".repeat(10_000)].concat();
    assert_eq!(check_untyped(&array), Err(depth.clone()));
    let object = [b"{\"a\":".repeat(10_000), b"0".to_vec(), b"}".repeat(10_000)].concat();
    assert_eq!(check_untyped(&object), Err(depth));
}

#[test]
fn the_deepest_value_needs_a_small_stack() {
    let work = || {
        let ty = (0..MAX_DEPTH).fold(Type::Bool, |ty, at| match at % 3 {
            0 => Type::set(ty),
            1 => Type::object([("a", ty)]),
            _ => Type::list(ty),
        });
        let value = (0..MAX_DEPTH).fold(Value::Bool(true), |value, at| match at % 3 {
            0 => Value::set([value]),
            1 => Value::object([("a", value)]),
            _ => Value::list([value]),
        });
        let bytes = msgpack::encode(&value, &ty).expect("deep enough");
        let text = json::encode(&value, &ty).expect("deep enough");
        assert_eq!(msgpack::decode(&bytes, &ty).expect("deep enough"), value);
        assert_eq!(json::decode(&text, &ty, UnknownAttributes::Refuse).expect("deep enough"), value);
        assert_eq!(convert(&value, &ty).expect("the same type"), value);
        assert_eq!(format!("{value:?}").matches("true").count(), 1);
        assert!(msgpack::encode(&Value::list([value]), &Type::list(ty)).is_err());
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work).expect("a thread");
    thread.join().expect("the stack was large enough");
}

proptest! {
    #[test]
    fn any_bytes_are_a_value_or_an_error(input in proptest::collection::vec(any::<u8>(), 0..200)) {
        for ty in types() {
            let _ = check_msgpack(&input, &ty);
        }
    }

    /// What is said of an unknown value may be nonsense; it is unknown all the same.
    #[test]
    fn any_refinement_leaves_an_unknown(
        entries in proptest::collection::vec((0_u8..8, any::<[u8; 3]>()), 0..8), cut in 0_usize..40,
    ) {
        let said = entries.iter().flat_map(|(key, rest)| [&[*key], rest.as_slice()].concat());
        let mut payload = [vec![0x80 | entries.len() as u8], said.collect()].concat();
        payload.truncate(cut.max(1));
        let input = [vec![0xc7, payload.len() as u8, 12], payload].concat();
        for ty in types() {
            let value = check_msgpack(&input, &ty).expect("an unknown");
            prop_assert!(value.is_unknown(), "{value:?}");
            let again = msgpack::encode(&value, &ty).expect("an unknown");
            prop_assert_eq!(msgpack::decode(&again, &ty).expect("an unknown"), value);
        }
    }

    #[test]
    fn any_json_is_a_value_or_an_error(input in r#"([\[\]{},:"ae0.-]|null|true|"(value|type|list|string|a)?"){0,60}"#) {
        for ty in types() {
            let _ = check_json(input.as_bytes(), &ty);
        }
        let _ = check_untyped(input.as_bytes());
        let _ = check_memory(input.as_bytes(), || type_json::decode(input.as_bytes()));
    }
}
