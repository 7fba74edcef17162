//! `Debug` of the messages that carry values: configuration, state, private data and plugin output may hold
//! secrets, so only their length is shown. The derived `Debug` would print them.

use std::fmt::{self, Write as _};

use bytes::Bytes;
use ferroform_proto::{goplugin, tfplugin5, tfplugin6};
use protox::prost_reflect::{DescriptorPool, FieldDescriptor, Kind, MessageDescriptor};

use crate::codegen::snake_case;

/// All messages with a field whose content is withheld.
pub(crate) fn withholding(pool: &DescriptorPool) -> impl Iterator<Item = MessageDescriptor> {
    pool.all_messages().filter(|message| !message.is_map_entry() && message.fields().any(|f| is_withheld(&f)))
}

pub(crate) fn write_impl(message: &MessageDescriptor, buf: &mut String) -> fmt::Result {
    writeln!(buf, "impl ::core::fmt::Debug for {} {{", rust_path(message))?;
    writeln!(buf, "fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{")?;
    write!(buf, "f.debug_struct({:?})", message.name())?;
    for field in message.fields() {
        write!(buf, ".field({:?}, &{})", field.name(), expression(&field))?;
    }
    writeln!(buf, ".finish()\n}}\n}}")
}

/// Bytes hold values, private data or output, except the type of an attribute, parameter or result, which is
/// part of a schema. The only map of strings is the state written by Terraform 0.11 and older.
fn is_withheld(field: &FieldDescriptor) -> bool {
    match field.kind() {
        Kind::Bytes => field.name() != "type",
        Kind::Message(entry) if field.is_map() => entry.map_entry_value_field().kind() == Kind::String,
        _ => false,
    }
}

fn expression(field: &FieldDescriptor) -> String {
    let name = field.name();
    match (is_withheld(field), field.supports_presence(), field.kind()) {
        (true, true, _) => format!("self.{name}.as_ref().map(|value| crate::Withheld(value.len()))"),
        (true, false, _) => format!("crate::Withheld(self.{name}.len())"),
        (false, _, Kind::Enum(_)) => format!("self.{name}()"),
        (false, _, _) => format!("self.{name}"),
    }
}

/// `ReadResource.Request` becomes `read_resource::Request`.
fn rust_path(message: &MessageDescriptor) -> String {
    let modules = std::iter::successors(message.parent_message(), MessageDescriptor::parent_message);
    modules.fold(message.name().to_owned(), |path, outer| format!("{}::{path}", snake_case(outer.name())))
}

#[test]
fn values_are_withheld() {
    let secret = Bytes::from_static(b"secret");
    let value = tfplugin6::DynamicValue { msgpack: secret.clone(), json: Bytes::new() };
    check(&value, "DynamicValue { msgpack: <withheld, length 6>, json: <withheld, length 0> }");
    check(
        &tfplugin5::RawState {
            json: Bytes::new(),
            flatmap: [("password".to_owned(), "secret".to_owned())].into(),
        },
        "RawState { json: <withheld, length 0>, flatmap: <withheld, length 1> }",
    );
    check(
        &tfplugin6::read_resource::Response { private: secret.clone(), ..Default::default() },
        "Response { new_state: None, diagnostics: [], private: <withheld, length 6>, \
         deferred: None, new_identity: None }",
    );
    check(
        &tfplugin6::close_ephemeral_resource::Request {
            type_name: "token".to_owned(),
            private: Some(secret.clone()),
        },
        r#"Request { type_name: "token", private: Some(<withheld, length 6>) }"#,
    );
    check(
        &goplugin::StdioData { channel: goplugin::stdio_data::Channel::Stderr.into(), data: secret },
        "StdioData { channel: Stderr, data: <withheld, length 6> }",
    );
}

#[test]
fn types_of_attributes_are_shown() {
    let result = tfplugin6::function::Return { r#type: Bytes::from_static(b"\"string\"") };
    check(&result, r#"Return { r#type: b"\"string\"" }"#);
}

fn check(message: &impl fmt::Debug, expect: &str) {
    assert_eq!(format!("{message:?}"), expect);
}
