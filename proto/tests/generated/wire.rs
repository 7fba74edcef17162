//! Messages against wire bytes computed by hand from the field numbers of the protocol.

use std::fmt::Debug;

use bytes::Bytes;
use ferroform_proto::google::protobuf::Timestamp;
use ferroform_proto::{tfplugin5, tfplugin6};
use prost::Message;

use tfplugin6::attribute_path::{Step, step::Selector};
use tfplugin6::{AttributePath, Diagnostic, DynamicValue, FunctionError, RawState, diagnostic::Severity};

#[test]
fn dynamic_value() {
    let null = Bytes::from_static(&[0xc0]);
    check(&DynamicValue { msgpack: null.clone(), json: Bytes::new() }, b"\x0a\x01\xc0");
    check(&DynamicValue { msgpack: Bytes::new(), json: "null".into() }, b"\x12\x04null");
    check(&tfplugin5::DynamicValue { msgpack: null, json: Bytes::new() }, b"\x0a\x01\xc0");
    check(&DynamicValue::default(), b"");
}

#[test]
fn attribute_path() {
    let path = path([
        Selector::AttributeName("tags".to_owned()),
        Selector::ElementKeyString("a".to_owned()),
        Selector::ElementKeyInt(300),
        Selector::ElementKeyInt(0),
    ]);
    check(&path, b"\x0a\x06\x0a\x04tags\x0a\x03\x12\x01a\x0a\x03\x18\xac\x02\x0a\x02\x18\x00");
}

#[test]
fn diagnostic() {
    let diagnostic = Diagnostic {
        severity: Severity::Warning.into(),
        summary: "Sum".to_owned(),
        detail: "Det".to_owned(),
        attribute: Some(path([Selector::AttributeName("id".to_owned())])),
    };
    check(&diagnostic, b"\x08\x02\x12\x03Sum\x1a\x03Det\x22\x06\x0a\x04\x0a\x02id");
}

#[test]
fn optional_fields_keep_zero_apart_from_absent() {
    check(&FunctionError { text: "bad".to_owned(), function_argument: None }, b"\x0a\x03bad");
    check(&FunctionError { text: "bad".to_owned(), function_argument: Some(0) }, b"\x0a\x03bad\x10\x00");
    let opened = tfplugin6::open_ephemeral_resource::Response {
        renew_at: Some(Timestamp { seconds: 1, nanos: 2 }),
        private: Some(Bytes::new()),
        ..Default::default()
    };
    check(&opened, b"\x12\x04\x08\x01\x10\x02\x22\x00");
}

#[test]
fn maps_are_written_in_key_order() {
    let flatmap = [("b", "2"), ("a", "1")].map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    check(&RawState { json: Bytes::new(), flatmap }, b"\x12\x06\x0a\x01a\x12\x011\x12\x06\x0a\x01b\x12\x012");
}

#[test]
fn write_only_has_another_number_in_protocol_5() {
    let in_5 = tfplugin5::schema::Attribute { write_only: true, ..Default::default() };
    let in_6 = tfplugin6::schema::Attribute { write_only: true, ..Default::default() };
    check(&in_5, b"\x50\x01");
    check(&in_6, b"\x58\x01");
}

#[test]
fn unknown_fields_are_skipped() {
    let value = DynamicValue::decode(&b"\x0a\x01\xc0\x7a\x03new"[..]);
    assert_eq!(value, Ok(DynamicValue { msgpack: Bytes::from_static(&[0xc0]), json: Bytes::new() }));
}

fn path<const N: usize>(selectors: [Selector; N]) -> AttributePath {
    AttributePath { steps: selectors.map(|selector| Step { selector: Some(selector) }).into() }
}

fn check<M: Message + Default + PartialEq + Debug>(message: &M, bytes: &'static [u8]) {
    assert_eq!(message.encode_to_vec(), bytes);
    assert_eq!(M::decode(bytes).as_ref(), Ok(message));
}
