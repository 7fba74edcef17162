//! Requests, field by field. Those of protocol 5 are sent as the same bytes, which a test of the messages allows.

use std::collections::HashSet;

use bytes::Bytes;
use ferroform_plugin::grpc::Code;
use ferroform_proto::{tfplugin5 as v5, tfplugin6 as v6};
use ferroform_server::protocol::{ClientCapabilities, DynamicValue, RawState, Request, Rpc};
use prost::Message as _;

use super::{Recorder, VERSIONS, decoded, identity, msgpack, routed, sent};
use crate::server::support::message;

/// Takes the neutral request of one kind out of a request, decoded over that protocol.
macro_rules! request {
    ($version:expr, $rpc:ident as $method:expr, $bytes:expr) => {{
        let call = decoded($version, $method, $bytes);
        assert_eq!(call.protocol, $version);
        match call.request {
            Request::$rpc(request) => request,
            other => panic!("{other:?} is no {}", stringify!($rpc)),
        }
    }};
}

fn value(text: &'static str) -> DynamicValue {
    DynamicValue::Msgpack(Bytes::from_static(text.as_bytes()))
}

/// Capabilities of which every second is there, so that no two can be mixed up unnoticed by both halves.
fn halves() -> [(v6::ClientCapabilities, ClientCapabilities); 2] {
    let pair = |first: bool| {
        let sent = v6::ClientCapabilities {
            deferral_allowed: first,
            write_only_attributes_allowed: !first,
            store_planned_private: first,
            computed_blocks_allowed: !first,
        };
        let neutral = message!(ClientCapabilities {
            deferral_allowed: first,
            write_only_attributes_allowed: !first,
            store_planned_private: first,
            computed_blocks_allowed: !first,
        });
        (sent, neutral)
    };
    [pair(true), pair(false)]
}

#[test]
fn plan_resource_change() {
    for (capabilities, expect) in halves() {
        let message = v6::plan_resource_change::Request {
            type_name: "t".to_owned(),
            prior_state: msgpack("prior"),
            proposed_new_state: msgpack("proposed"),
            config: msgpack("config"),
            prior_private: Bytes::from_static(b"private"),
            provider_meta: msgpack("meta"),
            client_capabilities: Some(capabilities),
            prior_identity: identity("identity"),
            planned_private: Bytes::from_static(b"planned"),
        };
        for version in VERSIONS {
            let request =
                request!(version, PlanResourceChange as "PlanResourceChange", message.encode_to_vec());
            assert_eq!(request.type_name, "t");
            assert_eq!(request.prior_state, value("prior"));
            assert_eq!(request.proposed_new_state, value("proposed"));
            assert_eq!(request.config, value("config"));
            assert_eq!(request.prior_private, "private");
            assert_eq!(request.provider_meta, value("meta"));
            assert_eq!(request.client_capabilities, expect);
            assert_eq!(request.prior_identity, Some(value("identity")));
            assert_eq!(request.planned_private, "planned");
        }
    }
}

#[test]
fn apply_resource_change() {
    let message = v6::apply_resource_change::Request {
        type_name: "t".to_owned(),
        prior_state: msgpack("prior"),
        planned_state: msgpack("planned"),
        config: msgpack("config"),
        planned_private: Bytes::from_static(b"private"),
        provider_meta: msgpack("meta"),
        planned_identity: identity("identity"),
    };
    for version in VERSIONS {
        let request =
            request!(version, ApplyResourceChange as "ApplyResourceChange", message.encode_to_vec());
        assert_eq!(request.type_name, "t");
        assert_eq!(request.prior_state, value("prior"));
        assert_eq!(request.planned_state, value("planned"));
        assert_eq!(request.config, value("config"));
        assert_eq!(request.planned_private, "private");
        assert_eq!(request.provider_meta, value("meta"));
        assert_eq!(request.planned_identity, Some(value("identity")));
    }
}

/// From bytes written out by hand, so that the numbers of the generated messages are not taken on trust.
#[test]
fn read_resource_from_recorded_bytes() {
    let bytes = b"\x0a\x01t\x12\x07\x0a\x05state\x1a\x07private\x22\x06\x0a\x04meta\x2a\x02\x10\x01\x32\x06\x0a\x04\x0a\x02id";
    for version in VERSIONS {
        let request = request!(version, ReadResource as "ReadResource", bytes.to_vec());
        assert_eq!(request.type_name, "t");
        assert_eq!(request.current_state, value("state"));
        assert_eq!(request.private, "private");
        assert_eq!(request.provider_meta, value("meta"));
        let capable = message!(ClientCapabilities { write_only_attributes_allowed: true });
        assert_eq!(request.client_capabilities, capable);
        assert_eq!(request.current_identity, Some(value("id")));
    }
}

/// By hand, too.
#[test]
fn ephemeral_resources_from_recorded_bytes() {
    let config = b"\x0a\x01t\x12\x05\x0a\x03cfg";
    let open = [&config[..], b"\x1a\x02\x08\x01"].concat();
    for version in VERSIONS {
        let request = request!(
            version,
            ValidateEphemeralResourceConfig as "ValidateEphemeralResourceConfig",
            config.to_vec()
        );
        assert_eq!((request.type_name.as_str(), request.config), ("t", value("cfg")));
        let request = request!(version, OpenEphemeralResource as "OpenEphemeralResource", open.clone());
        assert_eq!((request.type_name.as_str(), request.config), ("t", value("cfg")));
        let capable = message!(ClientCapabilities { deferral_allowed: true });
        assert_eq!(request.client_capabilities, capable);
        for (private, bytes) in
            [(Some("p"), &b"\x0a\x01t\x12\x01p"[..]), (Some(""), b"\x0a\x01t\x12\x00"), (None, b"\x0a\x01t")]
        {
            let private = private.map(Bytes::from);
            let request =
                request!(version, RenewEphemeralResource as "RenewEphemeralResource", bytes.to_vec());
            assert_eq!((request.type_name.as_str(), &request.private), ("t", &private));
            let request =
                request!(version, CloseEphemeralResource as "CloseEphemeralResource", bytes.to_vec());
            assert_eq!((request.type_name.as_str(), &request.private), ("t", &private));
        }
    }
}

/// By hand, too.
#[test]
fn call_function_from_recorded_bytes() {
    for version in VERSIONS {
        let bytes = b"\x0a\x01f\x12\x05\x0a\x03one\x12\x05\x0a\x03two";
        let request = request!(version, CallFunction as "CallFunction", bytes.to_vec());
        assert_eq!(request.name, "f");
        assert_eq!(request.arguments, [value("one"), value("two")]);
    }
}

#[test]
fn import_resource_state() {
    for (capabilities, expect) in halves() {
        let message = v6::import_resource_state::Request {
            type_name: "t".to_owned(),
            id: "i-1".to_owned(),
            client_capabilities: Some(capabilities),
            identity: identity("identity"),
        };
        for version in VERSIONS {
            let request =
                request!(version, ImportResourceState as "ImportResourceState", message.encode_to_vec());
            assert_eq!((request.type_name.as_str(), request.id.as_str()), ("t", "i-1"));
            assert_eq!(request.client_capabilities, expect);
            assert_eq!(request.identity, Some(value("identity")));
        }
    }
}

#[test]
fn configure_provider() {
    for (capabilities, expect) in halves() {
        let message = v6::configure_provider::Request {
            terraform_version: "1.15.5".to_owned(),
            config: msgpack("config"),
            client_capabilities: Some(capabilities),
        };
        for (version, method) in [(5, "Configure"), (6, "ConfigureProvider")] {
            let request = request!(version, ConfigureProvider as method, message.encode_to_vec());
            assert_eq!(request.terraform_version, "1.15.5");
            assert_eq!(request.config, value("config"));
            assert_eq!(request.client_capabilities, expect);
        }
    }
}

#[test]
fn upgrade_resource_state() {
    let check = |raw_state: Option<v6::RawState>, expect: Option<RawState>| {
        let message =
            v6::upgrade_resource_state::Request { type_name: "t".to_owned(), version: 3, raw_state };
        for version in VERSIONS {
            let request =
                request!(version, UpgradeResourceState as "UpgradeResourceState", message.encode_to_vec());
            assert_eq!((request.type_name.as_str(), request.version), ("t", 3));
            assert_eq!(request.raw_state, expect);
        }
    };
    let json = v6::RawState { json: Bytes::from_static(b"{}"), ..Default::default() };
    check(Some(json), Some(RawState::Json(Bytes::from_static(b"{}"))));
    let flatmap = v6::RawState { flatmap: [("a".to_owned(), "1".to_owned())].into(), ..Default::default() };
    check(Some(flatmap), Some(RawState::Flatmap([("a".to_owned(), "1".to_owned())].into())));
    check(Some(v6::RawState::default()), None);
    check(None, None);
}

#[test]
fn an_empty_value_is_null() {
    let check = |config: Option<v6::DynamicValue>, expect: DynamicValue| {
        let message = v6::validate_provider_config::Request { config };
        for (version, method) in [(5, "PrepareProviderConfig"), (6, "ValidateProviderConfig")] {
            let request = request!(version, ValidateProviderConfig as method, message.encode_to_vec());
            assert_eq!(request.config, expect);
        }
    };
    let json = || Bytes::from_static(b"null");
    check(None, DynamicValue::Absent);
    check(Some(v6::DynamicValue::default()), DynamicValue::Absent);
    check(Some(v6::DynamicValue { msgpack: Bytes::new(), json: json() }), DynamicValue::Json(json()));
    let both = v6::DynamicValue { msgpack: Bytes::from_static(b"\xc0"), json: json() };
    check(Some(both), DynamicValue::Msgpack(Bytes::from_static(b"\xc0")));
    let arguments = v6::call_function::Request {
        name: "f".to_owned(),
        arguments: vec![v6::DynamicValue::default(), msgpack("one").expect("a value")],
    };
    for version in VERSIONS {
        let request = request!(version, CallFunction as "CallFunction", arguments.encode_to_vec());
        assert_eq!(request.name, "f");
        assert_eq!(request.arguments, [DynamicValue::Absent, value("one")]);
    }
}

#[test]
fn an_empty_identity_is_none() {
    for data in [None, Some(v6::ResourceIdentityData::default())] {
        let message = v6::import_resource_state::Request { identity: data, ..Default::default() };
        let request = request!(6, ImportResourceState as "ImportResourceState", message.encode_to_vec());
        assert_eq!(request.identity, None);
    }
}

#[test]
fn every_method_of_both_protocols_is_routed_to_its_procedure() {
    let mut in_6 = HashSet::new();
    for method in v6::provider::METHODS {
        assert!(routed(6, Recorder::shared(), method.name).is_some(), "{}", method.name);
        in_6.insert(method.name);
    }
    assert_eq!(in_6, Rpc::ALL.iter().map(|rpc| rpc.name()).collect());
    for method in v5::provider::METHODS {
        assert!(routed(5, Recorder::shared(), method.name).is_some(), "{}", method.name);
    }
    for (method, rpc) in [
        ("GetSchema", Rpc::GetProviderSchema),
        ("PrepareProviderConfig", Rpc::ValidateProviderConfig),
        ("ValidateResourceTypeConfig", Rpc::ValidateResourceConfig),
        ("ValidateDataSourceConfig", Rpc::ValidateDataResourceConfig),
        ("Configure", Rpc::ConfigureProvider),
        ("Stop", Rpc::StopProvider),
    ] {
        assert_eq!(decoded(5, method, Vec::new()).request.rpc(), rpc);
        assert!(routed(6, Recorder::shared(), method).is_none(), "{method} is no method of protocol 6");
        assert!(
            routed(5, Recorder::shared(), rpc.name()).is_none(),
            "{} is no method of protocol 5",
            rpc.name()
        );
    }
}

#[test]
fn protocol_5_has_no_state_stores() {
    let methods = [
        "ValidateStateStoreConfig",
        "ConfigureStateStore",
        "ReadStateBytes",
        "WriteStateBytes",
        "LockState",
        "UnlockState",
        "GetStates",
        "DeleteState",
    ];
    for method in methods {
        assert!(routed(5, Recorder::shared(), method).is_none(), "{method}");
        assert!(routed(6, Recorder::shared(), method).is_some(), "{method}");
    }
}

#[test]
fn other_paths_lead_nowhere() {
    for path in ["/tfplugin5.Provider/ReadResource", "/tfplugin6.Provider/", "/ReadResource", ""] {
        assert!(super::router(6, Recorder::shared()).route(path).is_none(), "{path}");
    }
}

#[test]
fn bytes_that_are_no_message_are_refused_with_the_name_of_the_procedure() {
    for version in VERSIONS {
        let status = sent(version, &Default::default(), "ReadResource", vec![0x0a, 0x7f])
            .expect_err("it is cut short");
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().contains("ReadResource"), "{status}");
    }
}

#[test]
fn calls_are_numbered() {
    let read = || decoded(6, "ReadResource", Vec::new()).id;
    let (first, second) = (read(), read());
    assert!(first > 0 && second > first, "{first} {second}");
}
