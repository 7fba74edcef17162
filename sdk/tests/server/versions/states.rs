//! Upgrades of states.

use std::sync::Arc;

use ferroform::diag::Result;
use ferroform::dynamic::UpgradePaths;
use ferroform::model::Model;
use ferroform::provider::assemble;
use ferroform::value::Value;
use ferroform_server::protocol::{DynamicValue, RawState, UpgradeResourceStateRequest};
use ferroform_server::server::Server;
use proptest::prelude::*;

use super::record::{Cloud, Record, configured, json};
use crate::server::support::{
    THING, Thing, ask, details, message, object, response, serving, shown, summaries,
};

/// Upgrades a state; the result, the summaries, and the details.
fn upgrade(server: &Server, version: i64, raw: RawState) -> (String, String, String) {
    let request = message!(UpgradeResourceStateRequest {
        type_name: "cloud_record".to_owned(),
        version: version,
        raw_state: Some(raw),
    });
    let response = response!(UpgradeResourceState, ask(server, request));
    let state = shown(&<Record as Model>::schema(), &response.upgraded_state);
    (state, summaries(&response.diagnostics), details(&response.diagnostics))
}

#[track_caller]
fn check(version: i64, raw: &str, expect: (&str, &str)) -> String {
    let (state, summaries, details) = upgrade(&configured(), version, json(raw));
    assert_eq!((state.as_str(), summaries.as_str()), expect, "{details}");
    details
}

#[test]
fn every_released_version_is_upgraded() {
    let asked = "warning: Size Was Asked For\n";
    check(0, r#"{"name":"a","tags":["x","y"]}"#, (r#"{"owner": null, "size": 2, "title": "a"}"#, ""));
    check(1, r#"{"name":"a","gone":1}"#, (r#"{"owner": null, "size": null, "title": "a"}"#, ""));
    check(
        2,
        r#"{"title":"a","size":"18446744073709551615"}"#,
        (r#"{"owner": null, "size": 18446744073709551615, "title": "a"}"#, ""),
    );
    check(3, r#"{"title":"abc"}"#, (r#"{"owner": null, "size": 3, "title": "abc"}"#, asked));
    check(4, r#"{"label":"a"}"#, (r#"{"owner": null, "size": null, "title": "a"}"#, ""));
    check(
        7,
        r#"{"title":"a","owner":{"mail":"m","gone":[1]},"gone":{}}"#,
        (r#"{"owner": {"mail": "m"}, "size": null, "title": "a"}"#, ""),
    );
    check(2, "null", ("null", ""));
    let flat = RawState::Flatmap(
        [("name", "a"), ("tags.#", "3")].map(|(key, text)| (key.to_owned(), text.to_owned())).into(),
    );
    let (state, said, _) = upgrade(&configured(), 0, flat.clone());
    assert_eq!((state.as_str(), said.as_str()), (r#"{"owner": null, "size": 3, "title": "a"}"#, ""));
    let (state, said, details) = upgrade(&configured(), 2, flat.clone());
    assert_eq!((state.as_str(), said.as_str()), ("nothing", "error: State Too Old\n"));
    assert!(
        details.contains("version 2 and") && details.contains("reads of the versions 0, 1 only"),
        "{details}"
    );
    let (state, said, _) = upgrade(&configured(), 8, flat);
    assert_eq!((state.as_str(), said.as_str()), ("nothing", "error: No State Upgrade\n"));
}

#[test]
fn state_version_without_an_upgrade_is_reported() {
    for version in [5, 8, -1] {
        let details = check(version, "{}", ("nothing", "error: No State Upgrade\n"));
        for part in ["`cloud_record`", &format!("version {version};"), "the versions 0, 1, 2, 3, 4 and 7"] {
            assert!(details.contains(part), "{part}: {details}");
        }
    }
    assert!(check(8, "{}", ("nothing", "error: No State Upgrade\n")).contains("newer release"));
    let failed = check(2, r#"{"size":"1"}"#, ("nothing", "error: No Title\n"));
    assert!(failed.contains("from version 2 to version 7") && failed.contains("There is none."), "{failed}");
    check(0, r#"{"name":{}}"#, ("nothing", "error name: Unreadable Value\n"));
    check(0, r#"{"tags":[]}"#, ("nothing", "error name: Missing Value\n"));
    check(0, r#"{"name""#, ("nothing", "error: Unreadable Value\n"));
    check(0, "", ("nothing", "error: Unreadable Value\n"));
    check(4, "[]", ("nothing", "error: Unreadable Value\n"));
    let panicked = check(
        3,
        r#"{"title":"panic"}"#,
        ("nothing", "warning: Size Was Asked For\nerror: Provider Panicked\n"),
    );
    assert!(panicked.contains("from version 3 to version 7") && !panicked.contains("half-way"), "{panicked}");
    // The sync steps need no client.
    let unconfigured = Server::new(assemble::<Cloud>());
    assert_eq!(upgrade(&unconfigured, 0, json(r#"{"name":"a"}"#)).1, "");
    assert_eq!(upgrade(&unconfigured, 3, json(r#"{"title":"a"}"#)).1, "error: Provider Not Configured\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn upgrading_a_current_state_changes_nothing(title in ".*", size in any::<Option<u64>>()) {
        let state = serde_json::json!({"title": title, "size": size, "owner": null}).to_string();
        let server = Server::new(assemble::<Cloud>());
        let (once, said, _) = upgrade(&server, 7, json(&state));
        prop_assert_eq!(said, "");
        let value = Value::object([
            ("title", Value::string(title)),
            ("size", size.map_or(Value::Null, Value::from)),
            ("owner", Value::Null),
        ]);
        prop_assert_eq!(once, format!("{value:?}"));
    }

    #[test]
    fn upgrading_is_total(version in -1..9_i64, title in ".*", size in any::<Option<String>>(), cut in 0..80_usize) {
        let text = serde_json::json!({"name": title, "label": title, "title": title, "size": size, "tags": [size]}).to_string();
        let text: String = text.chars().take(cut.max(1) * 2).collect();
        let (state, said, _) = upgrade(&configured(), version, json(&text));
        prop_assert!(!said.contains("Panicked"), "{}", said);
        prop_assert_eq!(state == "nothing", said.contains("error"), "{}: {}", state, said);
    }

    #[test]
    fn upgrading_a_flat_state_is_total(version in -1..9_i64, name in any::<Option<String>>(), more in prop::collection::btree_map("tags[.#0-9]{0,3}", ".*", 0..4)) {
        let mut flat = more;
        flat.extend(name.map(|name| ("name".to_owned(), name)));
        let (state, said, _) = upgrade(&configured(), version, RawState::Flatmap(flat));
        prop_assert!(!said.contains("Panicked"), "{}", said);
        prop_assert_eq!(state == "nothing", said.contains("error"), "{}: {}", state, said);
    }
}

#[test]
fn an_upgraded_state_must_be_storable() {
    let check = |made: fn() -> Result<Value>, expect: (&str, &str)| {
        let mut thing = Thing {
            upgrade_paths: UpgradePaths::new([(0, vec![1])]),
            upgrade: Box::new(move |_, _| made()),
            ..Thing::default()
        };
        thing.schema.version = 1;
        let request = message!(UpgradeResourceStateRequest {
            type_name: THING.to_owned(),
            raw_state: Some(json("{}"))
        });
        let response = response!(UpgradeResourceState, ask(&serving(thing), request));
        assert_eq!(summaries(&response.diagnostics), expect.0);
        assert_eq!(response.upgraded_state, DynamicValue::Absent);
        let details = details(&response.diagnostics);
        let bug = format!("of type `{THING}` from version 0 made something that is no state of version 1");
        for part in [&bug, "bug in the provider", "was not changed", expect.1] {
            assert!(details.contains(part), "{part}: {details}");
        }
    };
    let at = |path: &str| format!("error{path}: Invalid State Upgrade\n");
    check(|| Ok(Value::Null), (&at(""), "is null"));
    check(|| Ok(crate::server::support::planned("a")), (&at(" id"), "Provider Returned An Unknown Value"));
    check(|| Ok(Value::list([])), (&at(""), "Invalid Provider Value"));
    check(
        || {
            let Value::Object(mut state) = object("1", "a") else { return Ok(Value::Null) };
            state.insert("secret", Value::from("hunter2"));
            Ok(Value::Object(state))
        },
        (&at(" secret"), "Provider Returned A Write-Only Value"),
    );
}

#[test]
fn one_client_serves_all_upgrades() {
    let server = Arc::new(configured());
    let (first, ..) = upgrade(&server, 3, json(r#"{"title":"abc"}"#));
    let (second, ..) = upgrade(&server, 3, json(r#"{"title":"abc"}"#));
    assert!(first.contains(r#""size": 3"#) && second.contains(r#""size": 4"#), "{first} {second}");
}
