//! The contract between protocol 5 and 6.
//!
//! The SDK reads and writes protocol 5 with the messages of protocol 6 wherever the bytes mean the same. The
//! lists below are all places where they do not; the tests fail when a list lacks or invents a difference.
//! Names are those of protocol 6 throughout.

use std::collections::{BTreeMap, BTreeSet};

use ferroform_proto::{MethodKind, RENAMED_IN_5, tfplugin5, tfplugin6};
use protox::prost_reflect::{
    DescriptorPool, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor,
};

use crate::descriptors;

/// Messages with another name in protocol 5 (their nested messages follow): protocol 6 name, protocol 5 name.
const RENAMED_MESSAGES: &[(&str, &str)] = &[
    ("ConfigureProvider", "Configure"),
    ("StopProvider", "Stop"),
    ("ValidateDataResourceConfig", "ValidateDataSourceConfig"),
    ("ValidateProviderConfig", "PrepareProviderConfig"),
    ("ValidateResourceConfig", "ValidateResourceTypeConfig"),
];

/// Messages of protocol 6 without a counterpart: nested attribute types and state stores.
const MESSAGES_ONLY_IN_6: &[&str] = &[
    "ConfigureStateStore",
    "ConfigureStateStore.Request",
    "ConfigureStateStore.Response",
    "DeleteState",
    "DeleteState.Request",
    "DeleteState.Response",
    "GetMetadata.StateStoreMetadata",
    "GetStates",
    "GetStates.Request",
    "GetStates.Response",
    "LockState",
    "LockState.Request",
    "LockState.Response",
    "ReadStateBytes",
    "ReadStateBytes.Request",
    "ReadStateBytes.Response",
    "RequestChunkMeta",
    "Schema.Object",
    "StateRange",
    "StateStoreClientCapabilities",
    "StateStoreServerCapabilities",
    "UnlockState",
    "UnlockState.Request",
    "UnlockState.Response",
    "ValidateStateStore",
    "ValidateStateStore.Request",
    "ValidateStateStore.Response",
    "WriteStateBytes",
    "WriteStateBytes.RequestChunk",
    "WriteStateBytes.Response",
];

/// Messages of protocol 5 without a counterpart: the provisioner service.
const MESSAGES_ONLY_IN_5: &[&str] = &[
    "GetProvisionerSchema",
    "GetProvisionerSchema.Request",
    "GetProvisionerSchema.Response",
    "ProvisionResource",
    "ProvisionResource.Request",
    "ProvisionResource.Response",
    "ValidateProvisionerConfig",
    "ValidateProvisionerConfig.Request",
    "ValidateProvisionerConfig.Response",
];

/// Field numbers of shared messages that protocol 5 does not use. Reading protocol 5 leaves these fields
/// empty; a message written for protocol 5 must not set them.
const FIELDS_ONLY_IN_6: &[(&str, &str)] = &[
    ("ClientCapabilities", "bool store_planned_private = 3"),
    ("ClientCapabilities", "bool computed_blocks_allowed = 4"),
    ("GetMetadata.Response", "repeated GetMetadata.ActionMetadata actions = 9"),
    ("GetProviderSchema.Response", "map<string, Schema> state_store_schemas = 10"),
    ("PlanResourceChange.Request", "bytes planned_private = 9"),
    ("Schema.Attribute", "string deprecation_message = 12"),
    ("Schema.Block", "bool computed = 8"),
];

/// Field numbers of shared messages that protocol 6 does not use: unreachable through the protocol 6 message.
const FIELDS_ONLY_IN_5: &[(&str, &str)] =
    &[("ValidateProviderConfig.Response", "DynamicValue prepared_config = 1")];

/// Field numbers of shared messages with different meanings: message, field in protocol 5, field in protocol
/// 6.
const FIELDS_CHANGED: &[(&str, &str, &str)] = &[
    (
        "GetMetadata.Response",
        "repeated GetMetadata.ActionMetadata actions = 8",
        "repeated GetMetadata.StateStoreMetadata state_stores = 8",
    ),
    ("Schema.Attribute", "bool write_only = 10", "Schema.Object nested_type = 10"),
    ("Schema.Attribute", "string deprecation_message = 11", "bool write_only = 11"),
];

/// Messages that need their protocol 5 type: one of their fields, or of the messages inside them, is
/// unreachable in protocol 6 or has another meaning there. Every other shared message can be read and written
/// with the protocol 6 type, with [`FIELDS_ONLY_IN_6`] left out.
const NEEDS_OWN_TYPE_IN_5: &[&str] = &[
    "ActionSchema",
    "GetMetadata.Response",
    "GetProviderSchema.Response",
    "Schema",
    "Schema.Attribute",
    "Schema.Block",
    "Schema.NestedBlock",
    "ValidateProviderConfig.Response",
];

const ENUMS_ONLY_IN_6: &[&str] = &["Schema.Object.NestingMode"];

const METHODS_ONLY_IN_6: &[&str] = &[
    "ValidateStateStoreConfig",
    "ConfigureStateStore",
    "ReadStateBytes",
    "WriteStateBytes",
    "LockState",
    "UnlockState",
    "GetStates",
    "DeleteState",
];

#[test]
fn messages_without_counterpart_are_listed() {
    let pool = descriptors();
    check_one_sided(
        messages(&pool, 5).into_keys(),
        messages(&pool, 6).into_keys(),
        (MESSAGES_ONLY_IN_5, MESSAGES_ONLY_IN_6),
    );
    let names_in_5: BTreeSet<_> = pool.all_messages().map(|message| message.full_name().to_owned()).collect();
    for (_, in_5) in RENAMED_MESSAGES {
        assert!(names_in_5.contains(&format!("tfplugin5.{in_5}")), "{in_5} is not a message of protocol 5");
    }
}

#[test]
fn fields_differ_as_listed() {
    let (mut only_in_5, mut only_in_6, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for (name, [in_5, in_6]) in &shared_messages(&descriptors()) {
        let (in_5, in_6) = (fields(in_5), fields(in_6));
        for number in in_5.keys().chain(in_6.keys()).collect::<BTreeSet<_>>() {
            match (in_5.get(number), in_6.get(number)) {
                (Some(in_5), Some(in_6)) if in_5 != in_6 => {
                    changed.push((name.clone(), in_5.clone(), in_6.clone()))
                }
                (Some(in_5), None) => only_in_5.push((name.clone(), in_5.clone())),
                (None, Some(in_6)) => only_in_6.push((name.clone(), in_6.clone())),
                _ => {}
            }
        }
    }
    assert_eq!(borrowed(&only_in_5), FIELDS_ONLY_IN_5);
    assert_eq!(borrowed(&only_in_6), FIELDS_ONLY_IN_6);
    let changed: Vec<_> = changed.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
    assert_eq!(changed, FIELDS_CHANGED);
}

#[test]
fn messages_that_need_their_own_type_are_listed() {
    let different = FIELDS_CHANGED.iter().map(|(message, ..)| *message);
    let mut found: BTreeSet<String> =
        different.chain(FIELDS_ONLY_IN_5.iter().map(|(message, _)| *message)).map(str::to_owned).collect();
    let shared = shared_messages(&descriptors());
    loop {
        let outer: Vec<_> = shared
            .iter()
            .filter(|(name, [in_5, _])| {
                !found.contains(*name) && referenced(in_5).any(|inner| found.contains(&inner))
            })
            .map(|(name, _)| name.clone())
            .collect();
        if outer.is_empty() {
            break;
        }
        found.extend(outer);
    }
    assert!(found.iter().eq(NEEDS_OWN_TYPE_IN_5), "found {found:#?}");
}

#[test]
fn enums_are_the_same() {
    let pool = descriptors();
    let (in_5, in_6) = (enums(&pool, 5), enums(&pool, 6));
    check_one_sided(in_5.keys().cloned(), in_6.keys().cloned(), (&[], ENUMS_ONLY_IN_6));
    for (name, values) in in_5 {
        assert_eq!(Some(&values), in_6.get(&name), "{name}");
    }
}

#[test]
fn protocol_5_reserves_the_state_store_schemas() {
    let response =
        descriptors().get_message_by_name("tfplugin5.GetProviderSchema.Response").expect("it exists");
    assert_eq!(response.reserved_ranges().flatten().collect::<Vec<_>>(), [10]);
}

#[test]
fn methods_differ_as_listed() {
    let name_in_5 =
        |name| RENAMED_IN_5.iter().find(|(in_6, _)| *in_6 == name).map_or(name, |(_, in_5)| *in_5);
    let expected: Vec<_> = tfplugin6::provider::METHODS
        .iter()
        .filter(|method| !METHODS_ONLY_IN_6.contains(&method.name))
        .map(|method| (name_in_5(method.name), method.kind))
        .collect();
    let found: Vec<_> =
        tfplugin5::provider::METHODS.iter().map(|method| (method.name, method.kind)).collect();
    assert_eq!(found, expected);
    assert_eq!((found.len(), tfplugin6::provider::METHODS.len()), (28, 36));
}

#[test]
fn methods_take_the_same_messages() {
    let pool = descriptors();
    let in_5 = method_messages(&pool, "tfplugin5.Provider");
    let in_6 = method_messages(&pool, "tfplugin6.Provider");
    for (name, messages) in &in_6 {
        let renamed = RENAMED_IN_5.iter().find(|(in_6, _)| in_6 == name);
        let in_5 = in_5.get(renamed.map_or(name.as_str(), |(_, in_5)| in_5));
        let expected = (!METHODS_ONLY_IN_6.contains(&name.as_str())).then_some(messages);
        assert_eq!(in_5, expected, "{name}");
    }
}

#[test]
fn method_tables_give_path_and_kind() {
    let kind = |name| {
        tfplugin6::provider::METHODS.iter().find(|method| method.name == name).map(|m| (m.path, m.kind))
    };
    assert_eq!(kind("GetMetadata"), Some(("/tfplugin6.Provider/GetMetadata", MethodKind::Unary)));
    assert_eq!(kind("ListResource"), Some((tfplugin6::provider::LIST_RESOURCE, MethodKind::ServerStream)));
    assert_eq!(
        kind("WriteStateBytes"),
        Some((tfplugin6::provider::WRITE_STATE_BYTES, MethodKind::ClientStream))
    );
    let provisioner: Vec<_> =
        tfplugin5::provisioner::METHODS.iter().map(|method| (method.name, method.kind)).collect();
    assert_eq!(
        provisioner,
        [
            ("GetSchema", MethodKind::Unary),
            ("ValidateProvisionerConfig", MethodKind::Unary),
            ("ProvisionResource", MethodKind::ServerStream),
            ("Stop", MethodKind::Unary),
        ]
    );
}

fn check_one_sided(
    in_5: impl Iterator<Item = String>,
    in_6: impl Iterator<Item = String>,
    (only_in_5, only_in_6): (&[&str], &[&str]),
) {
    let (in_5, in_6): (BTreeSet<_>, BTreeSet<_>) = (in_5.collect(), in_6.collect());
    assert_eq!(in_5.difference(&in_6).collect::<Vec<_>>(), only_in_5);
    assert_eq!(in_6.difference(&in_5).collect::<Vec<_>>(), only_in_6);
}

/// The messages in both protocols, each in the form of 5 and of 6.
fn shared_messages(pool: &DescriptorPool) -> BTreeMap<String, [MessageDescriptor; 2]> {
    let mut in_6 = messages(pool, 6);
    let pairs = messages(pool, 5).into_iter();
    pairs.filter_map(|(name, in_5)| in_6.remove(&name).map(|in_6| (name, [in_5, in_6]))).collect()
}

fn messages(pool: &DescriptorPool, protocol: u8) -> BTreeMap<String, MessageDescriptor> {
    let package = format!("tfplugin{protocol}");
    pool.all_messages()
        .filter(|message| message.package_name() == package && !message.is_map_entry())
        .map(|message| (name_in_6(message.full_name()), message))
        .collect()
}

fn enums(pool: &DescriptorPool, protocol: u8) -> BTreeMap<String, Vec<(i32, String)>> {
    let package = format!("tfplugin{protocol}");
    let values =
        |e: &EnumDescriptor| e.values().map(|value| (value.number(), value.name().to_owned())).collect();
    pool.all_enums()
        .filter(|e| e.package_name() == package)
        .map(|e| (name_in_6(e.full_name()), values(&e)))
        .collect()
}

fn method_messages(pool: &DescriptorPool, service: &str) -> BTreeMap<String, [String; 2]> {
    let service = pool.get_service_by_name(service).expect("the service exists");
    let messages = |method: &MethodDescriptor| {
        [name_in_6(method.input().full_name()), name_in_6(method.output().full_name())]
    };
    service.methods().map(|method| (method.name().to_owned(), messages(&method))).collect()
}

/// Each field number with the field as it is written in a `.proto` file, and the oneof it belongs to.
fn fields(message: &MessageDescriptor) -> BTreeMap<u32, String> {
    message.fields().map(|field| (field.number(), declaration(&field))).collect()
}

fn declaration(field: &FieldDescriptor) -> String {
    let oneof = field.containing_oneof();
    let label = match &oneof {
        Some(oneof) if oneof.is_synthetic() => "optional ".to_owned(),
        Some(oneof) => format!("oneof {}: ", oneof.name()),
        None if field.is_list() => "repeated ".to_owned(),
        None => String::new(),
    };
    let kind = match field.kind() {
        Kind::Message(entry) if field.is_map() => {
            let (key, value) = (entry.map_entry_key_field().kind(), entry.map_entry_value_field().kind());
            format!("map<{}, {}>", type_name(&key), type_name(&value))
        }
        kind => type_name(&kind),
    };
    format!("{label}{kind} {} = {}", field.name(), field.number())
}

fn type_name(kind: &Kind) -> String {
    match kind {
        Kind::Message(message) => name_in_6(message.full_name()),
        Kind::Enum(e) => name_in_6(e.full_name()),
        scalar => format!("{scalar:?}"),
    }
}

/// The messages a message refers to.
fn referenced(message: &MessageDescriptor) -> impl Iterator<Item = String> {
    message.fields().filter_map(|field| match field.kind() {
        Kind::Message(entry) if field.is_map() => {
            entry.map_entry_value_field().kind().as_message().map(|value| name_in_6(value.full_name()))
        }
        Kind::Message(inner) => Some(name_in_6(inner.full_name())),
        _ => None,
    })
}

/// The name without the package of a provider protocol, as protocol 6 has it.
fn name_in_6(full_name: &str) -> String {
    if let Some(name) = full_name.strip_prefix("tfplugin6.") {
        return name.to_owned();
    }
    let Some(name) = full_name.strip_prefix("tfplugin5.") else {
        return full_name.to_owned();
    };
    let (outer, nested) = name.split_at(name.find('.').unwrap_or(name.len()));
    let renamed = RENAMED_MESSAGES.iter().find(|(_, in_5)| *in_5 == outer);
    format!("{}{nested}", renamed.map_or(outer, |(in_6, _)| in_6))
}

fn borrowed(pairs: &[(String, String)]) -> Vec<(&str, &str)> {
    pairs.iter().map(|(first, second)| (first.as_str(), second.as_str())).collect()
}
