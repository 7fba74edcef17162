//! `UpgradeResourceState`.

use bytes::Bytes;
use ferroform_server::protocol::{RawState, UpgradeResourceStateRequest};

use crate::server::support::{
    THING, Thing, ask, details, message, response, schema, serving, shown, summaries,
};

fn json(text: &'static str) -> Option<RawState> {
    Some(RawState::Json(Bytes::from_static(text.as_bytes())))
}

/// The upgraded state and what is said, for a schema of version 3; gives the details back.
fn check(version: i64, raw_state: Option<RawState>, expect: (&str, &str)) -> String {
    let mut thing = Thing::default();
    thing.schema.version = 3;
    let request = message!(UpgradeResourceStateRequest {
        type_name: THING.to_owned(),
        version: version,
        raw_state: raw_state
    });
    let response = response!(UpgradeResourceState, ask(&serving(thing), request));
    let upgraded = shown(&schema(), &response.upgraded_state);
    assert_eq!((upgraded.as_str(), summaries(&response.diagnostics).as_str()), expect, "{response:?}");
    details(&response.diagnostics)
}

#[test]
fn a_state_of_the_same_version_is_fitted_to_the_schema() {
    let same = r#"{"id": "1", "name": "a", "secret": null}"#;
    check(3, json(r#"{"id":"1","name":"a","secret":null}"#), (same, ""));
    check(3, json(r#"{"id":"1","name":"a","dropped":{"x":[1]}}"#), (same, ""));
    check(3, json(r#"{"name":"a"}"#), (r#"{"id": null, "name": "a", "secret": null}"#, ""));
    check(3, json(r#"{"id":"1","name":"a","secret":"hunter2"}"#), (same, ""));
    check(3, json("null"), ("null", ""));
    check(3, None, ("nothing", ""));
}

#[test]
fn other_versions_are_refused_with_what_to_do() {
    let newer = check(4, json("{}"), ("nothing", "error: No State Upgrade\n"));
    for part in ["version 4", "version 3", "newer release", THING] {
        assert!(newer.contains(part), "{part} is missing: {newer}");
    }
    let older = check(2, json("{}"), ("nothing", "error: No State Upgrade\n"));
    assert!(older.contains("version 2") && older.contains("older release"), "{older}");
    check(-1, json("{}"), ("nothing", "error: No State Upgrade\n"));
}

#[test]
fn the_flat_form_is_refused_with_what_to_do() {
    let flat = RawState::Flatmap([("id".to_owned(), "1".to_owned())].into());
    let detail = check(3, Some(flat), ("nothing", "error: State Too Old\n"));
    assert!(detail.contains("Terraform 0.12") && detail.contains("import it again"), "{detail}");
}

#[test]
fn damaged_state_is_reported_at_its_path() {
    let detail = check(3, json(r#"{"name":{}}"#), ("nothing", "error name: Unreadable State\n"));
    let (advice, finding) = detail.split_once("\n\n").expect("an advice and a finding");
    assert!(advice.ends_with("import it again.") && !finding.contains("bug"), "{detail}");
    assert_eq!(finding, "What is wrong: string required, not object.");
    check(3, json(r#"{"name""#), ("nothing", "error: Unreadable State\n"));
    let detail = check(3, json(""), ("nothing", "error: Unreadable State\n"));
    assert!(detail.contains("backup") && detail.contains(THING), "{detail}");
}
