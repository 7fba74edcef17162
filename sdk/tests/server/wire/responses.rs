//! Responses, decoded again with the generated messages.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use ferroform::diag::{Diagnostic, Diagnostics};
use ferroform::path;
use ferroform::path::Path;
use ferroform::schema::Kind;
use ferroform_plugin::grpc::Code;
use ferroform_proto::{tfplugin5 as v5, tfplugin6 as v6};
use ferroform_server::protocol::{
    ApplyResourceChangeResponse, CallFunctionResponse, CloseEphemeralResourceResponse, Deferred,
    DynamicValue, FunctionError, GetMetadataResponse, ImportResourceStateResponse, ImportedResource,
    ListResourceResponse, OpenEphemeralResourceResponse, PlanResourceChangeResponse, ReadDataSourceResponse,
    ReadResourceResponse, RenewEphemeralResourceResponse, ServerCapabilities, StopProviderResponse,
    ValidateEphemeralResourceConfigResponse, ValidateProviderConfigResponse,
};
use prost::Message as _;

use super::{Recorder, VERSIONS, encoded, identity, msgpack, sent};
use crate::server::support::message;

fn value(text: &'static str) -> DynamicValue {
    DynamicValue::Msgpack(Bytes::from_static(text.as_bytes()))
}

/// Two diagnostics, and what they are on the wire. The path of the second is cut at the set.
fn diagnostics() -> (Diagnostics, Vec<v6::Diagnostic>) {
    use v6::attribute_path::{Step, step::Selector};
    let within_set = path!(rule[2]["k"].ports).element().attribute("from");
    let all = [
        Diagnostic::error("Bad", "It is bad."),
        Diagnostic::warning("Odd", "It is odd.").at(within_set),
        Diagnostic::warning("Whole", "").at(Path::root()),
    ];
    let step = |selector| Step { selector: Some(selector) };
    let wire = vec![
        v6::Diagnostic {
            severity: 1,
            summary: "Bad".to_owned(),
            detail: "It is bad.".to_owned(),
            attribute: None,
        },
        v6::Diagnostic {
            severity: 2,
            summary: "Odd".to_owned(),
            detail: "It is odd.".to_owned(),
            attribute: Some(v6::AttributePath {
                steps: vec![
                    step(Selector::AttributeName("rule".to_owned())),
                    step(Selector::ElementKeyInt(2)),
                    step(Selector::ElementKeyString("k".to_owned())),
                    step(Selector::AttributeName("ports".to_owned())),
                ],
            }),
        },
        v6::Diagnostic {
            severity: 2,
            summary: "Whole".to_owned(),
            detail: String::new(),
            attribute: Some(v6::AttributePath { steps: Vec::new() }),
        },
    ];
    (all.into_iter().collect(), wire)
}

/// Encodes over both protocols and compares with the message of protocol 6.
macro_rules! check {
    ($method:literal, $response:expr, $($expect:tt)+) => {
        for version in VERSIONS {
            check_decoded(&$($expect)+, &encoded(version, $method, $response).into_bytes());
        }
    };
}

fn check_decoded<M: prost::Message + Default + PartialEq + std::fmt::Debug>(expect: &M, bytes: &Bytes) {
    let decoded = M::decode(bytes.clone()).expect("it is a message");
    assert_eq!(decoded, *expect);
}

#[test]
fn plan_resource_change() {
    use v6::attribute_path::{Step, step::Selector};
    let (said, wire) = diagnostics();
    let response = || {
        message!(PlanResourceChangeResponse {
            planned_state: value("planned"),
            requires_replace: vec![path!(name), path!(rule).element().attribute("port")],
            planned_private: Bytes::from_static(b"private"),
            diagnostics: said.clone(),
            deferred: Some(Deferred::AbsentPrerequisite),
            planned_identity: Some(value("identity")),
        })
    };
    let path = |name: &str| v6::AttributePath {
        steps: vec![Step { selector: Some(Selector::AttributeName(name.to_owned())) }],
    };
    check!(
        "PlanResourceChange",
        response(),
        v6::plan_resource_change::Response {
            planned_state: msgpack("planned"),
            requires_replace: vec![path("name"), path("rule")],
            planned_private: Bytes::from_static(b"private"),
            diagnostics: wire.clone(),
            legacy_type_system: false,
            deferred: Some(v6::Deferred { reason: 3 }),
            planned_identity: identity("identity"),
        }
    );
}

#[test]
fn apply_resource_change() {
    let (said, wire) = diagnostics();
    let response = || {
        message!(ApplyResourceChangeResponse {
            new_state: value("state"),
            private: Bytes::from_static(b"private"),
            diagnostics: said.clone(),
            new_identity: Some(value("identity")),
        })
    };
    check!(
        "ApplyResourceChange",
        response(),
        v6::apply_resource_change::Response {
            new_state: msgpack("state"),
            private: Bytes::from_static(b"private"),
            diagnostics: wire.clone(),
            legacy_type_system: false,
            new_identity: identity("identity"),
        }
    );
}

#[test]
fn read_resource() {
    let (said, wire) = diagnostics();
    let response = || {
        message!(ReadResourceResponse {
            new_state: value("state"),
            diagnostics: said.clone(),
            private: Bytes::from_static(b"private"),
            deferred: Some(Deferred::ResourceConfigUnknown),
            new_identity: Some(value("identity")),
        })
    };
    check!(
        "ReadResource",
        response(),
        v6::read_resource::Response {
            new_state: msgpack("state"),
            diagnostics: wire.clone(),
            private: Bytes::from_static(b"private"),
            deferred: Some(v6::Deferred { reason: 1 }),
            new_identity: identity("identity"),
        }
    );
}

#[test]
fn import_resource_state() {
    let response = || {
        message!(ImportResourceStateResponse {
            imported_resources: vec![message!(ImportedResource {
                type_name: "t".to_owned(),
                state: value("state"),
                private: Bytes::from_static(b"private"),
                identity: Some(value("identity")),
            })],
            deferred: Some(Deferred::ProviderConfigUnknown),
        })
    };
    check!(
        "ImportResourceState",
        response(),
        v6::import_resource_state::Response {
            imported_resources: vec![v6::import_resource_state::ImportedResource {
                type_name: "t".to_owned(),
                state: msgpack("state"),
                private: Bytes::from_static(b"private"),
                identity: identity("identity"),
            }],
            diagnostics: Vec::new(),
            deferred: Some(v6::Deferred { reason: 2 }),
        }
    );
}

/// Bytes written out by hand, so that the numbers of the generated messages are not taken on trust.
#[test]
fn ephemeral_resources_as_recorded_bytes() {
    const ODD: &[u8] = b"\x0a\x07\x08\x02\x12\x03Odd";
    let odd = || Diagnostics::from_iter([Diagnostic::warning("Odd", "")]);
    let at = SystemTime::UNIX_EPOCH + Duration::new(60, 5);
    for version in VERSIONS {
        let open = message!(OpenEphemeralResourceResponse {
            diagnostics: odd(),
            renew_at: Some(at),
            result: value("res"),
            private: Some(Bytes::from_static(b"p")),
            deferred: Some(Deferred::AbsentPrerequisite),
        });
        assert_eq!(
            encoded(version, "OpenEphemeralResource", open).into_bytes(),
            [ODD, b"\x12\x04\x08\x3c\x10\x05\x1a\x05\x0a\x03res\x22\x01p\x2a\x02\x08\x03"].concat()
        );
        let renewed = message!(RenewEphemeralResourceResponse {
            diagnostics: odd(),
            renew_at: Some(at),
            private: Some(Bytes::new()),
        });
        assert_eq!(
            encoded(version, "RenewEphemeralResource", renewed).into_bytes(),
            [ODD, b"\x12\x04\x08\x3c\x10\x05\x1a\x00"].concat()
        );
        let last = RenewEphemeralResourceResponse::default();
        assert_eq!(encoded(version, "RenewEphemeralResource", last).into_bytes(), b""[..]);
        let closed = message!(CloseEphemeralResourceResponse { diagnostics: odd() });
        assert_eq!(encoded(version, "CloseEphemeralResource", closed).into_bytes(), ODD);
        let validated = message!(ValidateEphemeralResourceConfigResponse { diagnostics: odd() });
        assert_eq!(encoded(version, "ValidateEphemeralResourceConfig", validated).into_bytes(), ODD);
    }
}

/// By hand, too. The first argument has a number, other than none.
#[test]
fn call_function_as_recorded_bytes() {
    for version in VERSIONS {
        let result = message!(CallFunctionResponse { result: value("res") });
        assert_eq!(encoded(version, "CallFunction", result).into_bytes(), b"\x0a\x05\x0a\x03res"[..]);
        for (argument, bytes) in
            [(Some(0), &b"\x12\x06\x0a\x02no\x10\x00"[..]), (None, b"\x12\x04\x0a\x02no")]
        {
            let error = Some(FunctionError { text: "no".to_owned(), argument });
            let failed = message!(CallFunctionResponse { error: error });
            assert_eq!(encoded(version, "CallFunction", failed).into_bytes(), bytes);
        }
    }
}

#[test]
fn values_keep_their_form_and_absent_ones_are_left_out() {
    let with = |state: DynamicValue| message!(ReadDataSourceResponse { state: state });
    let expect = |state| v6::read_data_source::Response { state, ..Default::default() };
    let json = Bytes::from_static(b"{}");
    check!("ReadDataSource", with(DynamicValue::Absent), expect(None));
    check!(
        "ReadDataSource",
        with(DynamicValue::Json(json.clone())),
        expect(Some(v6::DynamicValue { msgpack: Bytes::new(), json: json.clone() }))
    );
}

#[test]
fn stop_provider() {
    for (version, method) in [(5, "Stop"), (6, "StopProvider")] {
        let response = message!(StopProviderResponse { error: "no".to_owned() });
        let bytes = encoded(version, method, response).into_bytes();
        check_decoded(&v6::stop_provider::Response { error: "no".to_owned() }, &bytes);
    }
}

#[test]
fn protocol_5_gets_its_provider_configuration_back() {
    let (said, wire) = diagnostics();
    let sent_back = |config: Option<v6::DynamicValue>| {
        let handler = std::sync::Arc::new(Recorder::default());
        let answer = message!(ValidateProviderConfigResponse { diagnostics: said.clone() });
        *handler.answer.lock().unwrap() = Some(answer.into());
        let request = v6::validate_provider_config::Request { config }.encode_to_vec();
        let message = sent(5, &handler, "PrepareProviderConfig", request).expect("it is answered");
        v5::prepare_provider_config::Response::decode(message.into_bytes()).expect("it is a message")
    };
    let response = sent_back(msgpack("config"));
    assert_eq!(response.prepared_config.map(|config| config.msgpack), Some(Bytes::from_static(b"config")));
    assert_eq!(response.diagnostics.len(), wire.len());
    assert_eq!((response.diagnostics[0].severity, response.diagnostics[0].summary.as_str()), (1, "Bad"));
    let response = sent_back(None);
    assert!(response.prepared_config.is_none());
    assert_eq!(response.diagnostics.len(), wire.len());
    let in_6 = encoded(
        6,
        "ValidateProviderConfig",
        message!(ValidateProviderConfigResponse { diagnostics: said.clone() }),
    );
    check_decoded(&v6::validate_provider_config::Response { diagnostics: wire }, &in_6.into_bytes());
}

#[test]
fn metadata_has_other_numbers_in_protocol_5() {
    let name = |(kind, name): (Kind, &str)| (kind, vec![name.to_owned()]);
    let response = || {
        message!(GetMetadataResponse {
            server_capabilities: message!(ServerCapabilities {
                plan_destroy: true,
                move_resource_state: true
            }),
            names_by_kind: [
                (Kind::DataSource, "d"),
                (Kind::Resource, "r"),
                (Kind::Function, "f"),
                (Kind::EphemeralResource, "e"),
                (Kind::ListResource, "l"),
                (Kind::StateStore, "s"),
                (Kind::Action, "a"),
            ]
            .map(name)
            .into(),
        })
    };
    let bytes = encoded(6, "GetMetadata", response()).into_bytes();
    let in_6 = v6::get_metadata::Response::decode(bytes).expect("it is a message");
    let capabilities = in_6.server_capabilities.expect("they are always sent");
    assert!(capabilities.plan_destroy && capabilities.move_resource_state);
    assert!(!capabilities.get_provider_schema_optional && !capabilities.generate_resource_config);
    assert_eq!((in_6.data_sources[0].type_name.as_str(), in_6.resources[0].type_name.as_str()), ("d", "r"));
    assert_eq!((in_6.functions[0].name.as_str(), in_6.ephemeral_resources[0].type_name.as_str()), ("f", "e"));
    assert_eq!(
        (in_6.list_resources[0].type_name.as_str(), in_6.state_stores[0].type_name.as_str()),
        ("l", "s")
    );
    assert_eq!((in_6.actions.len(), in_6.actions[0].type_name.as_str()), (1, "a"));

    let bytes = encoded(5, "GetMetadata", response()).into_bytes();
    let in_5 = v5::get_metadata::Response::decode(bytes).expect("it is a message");
    assert_eq!((in_5.actions.len(), in_5.actions[0].type_name.as_str()), (1, "a"));
    assert_eq!((in_5.resources[0].type_name.as_str(), in_5.list_resources[0].type_name.as_str()), ("r", "l"));
}

#[test]
fn an_answer_of_the_wrong_shape_is_a_status() {
    let handler = std::sync::Arc::new(Recorder::default());
    *handler.answer.lock().unwrap() = Some(ListResourceResponse::default().into());
    let status = sent(6, &handler, "ReadResource", Vec::new()).expect_err("a stream is no message");
    assert_eq!(status.code(), Code::Internal);
}
