//! The fields of all messages.

use std::collections::BTreeMap;

use bytes::Bytes;
use ferroform_proto::google::protobuf::Timestamp;
use ferroform_proto::tfplugin6 as proto;

use super::{Describe, Field, bytes};
use crate::client::wire::path;

/// A type of fields.
trait AsField {
    fn as_field(&self) -> Field<'_>;
}

impl AsField for String {
    fn as_field(&self) -> Field<'_> {
        if self.is_empty() { Field::Empty } else { Field::Text(format!("{self:?}")) }
    }
}

impl AsField for Vec<String> {
    fn as_field(&self) -> Field<'_> {
        Field::Lines(self.iter().map(|text| format!("{text:?}")).collect())
    }
}

impl AsField for i64 {
    fn as_field(&self) -> Field<'_> {
        if *self == 0 { Field::Empty } else { Field::Text(self.to_string()) }
    }
}

impl AsField for bool {
    fn as_field(&self) -> Field<'_> {
        if *self { Field::Text("true".to_owned()) } else { Field::Empty }
    }
}

impl AsField for Bytes {
    fn as_field(&self) -> Field<'_> {
        if self.is_empty() { Field::Empty } else { Field::Text(bytes(self.len())) }
    }
}

impl<T: AsField> AsField for Option<T> {
    fn as_field(&self) -> Field<'_> {
        self.as_ref().map_or(Field::Empty, AsField::as_field)
    }
}

impl AsField for proto::DynamicValue {
    fn as_field(&self) -> Field<'_> {
        Field::Value(self)
    }
}

/// Arguments of functions, which have no schema that tells the sensitive ones.
impl AsField for Vec<proto::DynamicValue> {
    fn as_field(&self) -> Field<'_> {
        Field::Lines(self.iter().map(|value| bytes(value.msgpack.len() + value.json.len())).collect())
    }
}

impl AsField for proto::ResourceIdentityData {
    fn as_field(&self) -> Field<'_> {
        self.identity_data.as_ref().map_or(Field::Empty, Field::Identity)
    }
}

/// Stored state may be of another version than the schema.
impl AsField for proto::RawState {
    fn as_field(&self) -> Field<'_> {
        let flatmap: usize = self.flatmap.iter().map(|(key, value)| key.len() + value.len()).sum();
        Field::Text(bytes(self.json.len() + flatmap))
    }
}

impl AsField for Vec<proto::Diagnostic> {
    fn as_field(&self) -> Field<'_> {
        Field::Diagnostics(self)
    }
}

impl AsField for Vec<proto::AttributePath> {
    fn as_field(&self) -> Field<'_> {
        Field::Lines(self.iter().map(|wire| path(wire).to_string()).collect())
    }
}

impl AsField for proto::Deferred {
    fn as_field(&self) -> Field<'_> {
        Field::Text(self.reason().as_str_name().to_owned())
    }
}

impl AsField for proto::ClientCapabilities {
    fn as_field(&self) -> Field<'_> {
        let all = [
            (self.deferral_allowed, "deferral_allowed"),
            (self.write_only_attributes_allowed, "write_only_attributes_allowed"),
            (self.store_planned_private, "store_planned_private"),
            (self.computed_blocks_allowed, "computed_blocks_allowed"),
        ];
        names(all)
    }
}

impl AsField for proto::ServerCapabilities {
    fn as_field(&self) -> Field<'_> {
        let all = [
            (self.plan_destroy, "plan_destroy"),
            (self.get_provider_schema_optional, "get_provider_schema_optional"),
            (self.move_resource_state, "move_resource_state"),
            (self.generate_resource_config, "generate_resource_config"),
        ];
        names(all)
    }
}

fn names<const N: usize>(all: [(bool, &str); N]) -> Field<'static> {
    let names: Vec<&str> = all.into_iter().filter(|(is, _)| *is).map(|(_, name)| name).collect();
    if names.is_empty() { Field::Empty } else { Field::Text(names.join(", ")) }
}

impl AsField for Timestamp {
    fn as_field(&self) -> Field<'_> {
        Field::Text(format!("{}.{:09} s since 1970", self.seconds, self.nanos))
    }
}

impl AsField for proto::FunctionError {
    fn as_field(&self) -> Field<'_> {
        Field::Text(format!("{:?}", self.text))
    }
}

impl AsField for proto::StateRange {
    fn as_field(&self) -> Field<'_> {
        Field::Text(format!("{}..{}", self.start, self.end))
    }
}

impl AsField for proto::StateStoreClientCapabilities {
    fn as_field(&self) -> Field<'_> {
        Field::Text(format!("chunk_size {}", self.chunk_size))
    }
}

impl AsField for proto::StateStoreServerCapabilities {
    fn as_field(&self) -> Field<'_> {
        Field::Text(format!("chunk_size {}", self.chunk_size))
    }
}

impl AsField for proto::RequestChunkMeta {
    fn as_field(&self) -> Field<'_> {
        Field::Nested(vec![vec![("state_id", self.state_id.as_field())]])
    }
}

impl AsField for Vec<proto::import_resource_state::ImportedResource> {
    fn as_field(&self) -> Field<'_> {
        let fields = self.iter().map(|imported| {
            vec![
                ("type_name", imported.type_name.as_field()),
                ("state", imported.state.as_field()),
                ("private", imported.private.as_field()),
                ("identity", imported.identity.as_field()),
            ]
        });
        Field::Nested(fields.collect())
    }
}

impl AsField for proto::invoke_action::event::Type {
    fn as_field(&self) -> Field<'_> {
        use proto::invoke_action::event::Type;
        match self {
            Type::Progress(progress) => Field::Text(format!("progress {:?}", progress.message)),
            Type::Completed(completed) => {
                Field::Nested(vec![vec![("completed", completed.diagnostics.as_field())]])
            }
        }
    }
}

/// A message as a field, for what is in maps: their keys say enough.
impl<T> AsField for BTreeMap<String, T> {
    fn as_field(&self) -> Field<'_> {
        let names: Vec<&str> = self.keys().map(String::as_str).collect();
        if names.is_empty() { Field::Empty } else { Field::Text(names.join(", ")) }
    }
}

impl AsField for proto::Schema {
    fn as_field(&self) -> Field<'_> {
        Field::Text(format!("version {}", self.version))
    }
}

/// Metadata messages name a type and have nothing else.
macro_rules! named {
    ($($message:ident $name:ident)*) => {$(
        impl AsField for Vec<proto::get_metadata::$message> {
            fn as_field(&self) -> Field<'_> {
                Field::Lines(self.iter().map(|item| item.$name.clone()).collect())
            }
        }
    )*};
}

named! {
    DataSourceMetadata type_name
    ResourceMetadata type_name
    FunctionMetadata name
    EphemeralMetadata type_name
    ListResourceMetadata type_name
    StateStoreMetadata type_name
    ActionMetadata type_name
}

/// The fields of a message, except the one that names its type, which stands before the bar.
macro_rules! fields {
    ($($module:ident::$message:ident [$($type_name:ident)? | $($field:tt)*];)*) => {$(
        impl Describe for proto::$module::$message {
            fn fields(&self) -> Vec<(&'static str, Field<'_>)> {
                fields!(@ self $($field)*)
            }

            $(fn type_name(&self) -> Option<String> {
                Some(self.$type_name.clone())
            })?
        }
    )*};
    (@ $self:ident $($field:ident)*) => {
        vec![$((stringify!($field).trim_start_matches("r#"), $self.$field.as_field())),*]
    };
}

fields! {
    get_metadata::Request [ | ];
    get_metadata::Response [ |
        server_capabilities diagnostics data_sources resources functions ephemeral_resources list_resources
        state_stores actions
    ];
    get_provider_schema::Request [ | ];
    get_provider_schema::Response [ |
        provider resource_schemas data_source_schemas diagnostics provider_meta server_capabilities
        functions ephemeral_resource_schemas list_resource_schemas state_store_schemas action_schemas
    ];
    validate_provider_config::Request [ | config];
    validate_provider_config::Response [ | diagnostics];
    validate_resource_config::Request [type_name | config client_capabilities];
    validate_resource_config::Response [ | diagnostics];
    validate_data_resource_config::Request [type_name | config];
    validate_data_resource_config::Response [ | diagnostics];
    upgrade_resource_state::Request [type_name | version raw_state];
    upgrade_resource_state::Response [ | upgraded_state diagnostics];
    get_resource_identity_schemas::Request [ | ];
    get_resource_identity_schemas::Response [ | identity_schemas diagnostics];
    upgrade_resource_identity::Request [type_name | version raw_identity];
    upgrade_resource_identity::Response [ | upgraded_identity diagnostics];
    configure_provider::Request [ | terraform_version config client_capabilities];
    configure_provider::Response [ | diagnostics];
    read_resource::Request [type_name |
        current_state private provider_meta client_capabilities current_identity
    ];
    read_resource::Response [ | new_state diagnostics private deferred new_identity];
    plan_resource_change::Request [type_name |
        prior_state proposed_new_state config prior_private provider_meta client_capabilities
        prior_identity planned_private
    ];
    plan_resource_change::Response [ |
        planned_state requires_replace planned_private diagnostics legacy_type_system deferred
        planned_identity
    ];
    apply_resource_change::Request [type_name |
        prior_state planned_state config planned_private provider_meta planned_identity
    ];
    apply_resource_change::Response [ | new_state private diagnostics legacy_type_system new_identity];
    import_resource_state::Request [type_name | id client_capabilities identity];
    import_resource_state::Response [ | imported_resources diagnostics deferred];
    move_resource_state::Request [target_type_name |
        source_provider_address source_type_name source_schema_version source_state source_private
        source_identity source_identity_schema_version
    ];
    move_resource_state::Response [ | target_state diagnostics target_private target_identity];
    read_data_source::Request [type_name | config provider_meta client_capabilities];
    read_data_source::Response [ | state diagnostics deferred];
    generate_resource_config::Request [type_name | state];
    generate_resource_config::Response [ | config diagnostics];
    validate_ephemeral_resource_config::Request [type_name | config];
    validate_ephemeral_resource_config::Response [ | diagnostics];
    open_ephemeral_resource::Request [type_name | config client_capabilities];
    open_ephemeral_resource::Response [ | diagnostics renew_at result private deferred];
    renew_ephemeral_resource::Request [type_name | private];
    renew_ephemeral_resource::Response [ | diagnostics renew_at private];
    close_ephemeral_resource::Request [type_name | private];
    close_ephemeral_resource::Response [ | diagnostics];
    list_resource::Request [type_name | config include_resource_object limit];
    list_resource::Event [ | identity display_name resource_object diagnostic];
    validate_list_resource_config::Request [type_name | config include_resource_object limit];
    validate_list_resource_config::Response [ | diagnostics];
    get_functions::Request [ | ];
    get_functions::Response [ | functions diagnostics];
    call_function::Request [ | name arguments];
    call_function::Response [ | result error];
    validate_state_store::Request [type_name | config];
    validate_state_store::Response [ | diagnostics];
    configure_state_store::Request [type_name | config capabilities];
    configure_state_store::Response [ | diagnostics capabilities];
    read_state_bytes::Request [type_name | state_id];
    read_state_bytes::Response [ | bytes total_length range diagnostics];
    write_state_bytes::RequestChunk [ | meta bytes total_length range];
    write_state_bytes::Response [ | diagnostics];
    lock_state::Request [type_name | state_id operation];
    lock_state::Response [ | lock_id diagnostics];
    unlock_state::Request [type_name | state_id lock_id];
    unlock_state::Response [ | diagnostics];
    get_states::Request [type_name | ];
    get_states::Response [ | state_id diagnostics];
    delete_state::Request [type_name | state_id];
    delete_state::Response [ | diagnostics];
    plan_action::Request [action_type | config client_capabilities];
    plan_action::Response [ | diagnostics deferred];
    invoke_action::Request [action_type | config client_capabilities];
    invoke_action::Event [ | r#type];
    validate_action_config::Request [type_name | config];
    validate_action_config::Response [ | diagnostics];
    stop_provider::Request [ | ];
    stop_provider::Response [ | error];
}
