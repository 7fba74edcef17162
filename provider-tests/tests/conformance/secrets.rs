//! Secrets are found where they must not be, in whatever form.

use std::io::{Cursor, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ferroform_testing::secrets::Secrets;
use ferroform_testing::state::State;
use serde_json::{Value as Json, json};

const SENSITIVE: &str = "sens-canary";
const WRITE_ONLY: &str = "wo-canary";

fn secrets() -> Secrets {
    Secrets::new().sensitive(SENSITIVE).write_only(WRITE_ONLY)
}

fn check(found: impl IntoIterator<Item = ferroform_testing::secrets::Leak>, expect: &[&str]) {
    let found: Vec<String> = found.into_iter().map(|leak| leak.to_string()).collect();
    assert_eq!(found, expect);
    assert!(!found.iter().any(|leak| leak.contains("canary")));
}

#[test]
fn forms() {
    let text = |text: String| secrets().in_bytes("a log", text.as_bytes());
    let leak = "the secret `sensitive value 1` is in a log";
    check(text("nothing".to_owned()), &[]);
    check(text(format!("token={SENSITIVE};")), &[leak]);
    check(text(SENSITIVE.bytes().map(|byte| format!("{byte:02x}")).collect()), &[leak]);
    for before in ["", "a", "ab", "abc"] {
        check(text(STANDARD.encode(format!("{before}{SENSITIVE}, and more"))), &[leak]);
    }
    check(text(format!("{SENSITIVE} {WRITE_ONLY}")), &[leak, "the secret `write-only value 2` is in a log"]);
    check(Secrets::new().sensitive("").in_bytes("a log", b"anything"), &[]);
}

fn state(attributes: &Json, sensitive: &Json, private: &str) -> State {
    let state = json!({
        "version": 4, "terraform_version": "1.15.5", "serial": 1, "outputs": {},
        "lineage": "11111111-2222-3333-4444-555555555555",
        "resources": [{
            "mode": "managed", "type": "demo_thing", "name": "a",
            "provider": "provider[\"example.com/ferroform/demo\"]",
            "instances": [{
                "schema_version": 0, "attributes": attributes, "sensitive_attributes": sensitive,
                "private": STANDARD.encode(private),
            }],
        }],
    });
    State::from_bytes(state.to_string().as_bytes()).unwrap()
}

#[test]
fn states() {
    let marked = json!([[{"type": "get_attr", "value": "token"}]]);
    let find = |attributes: Json, sensitive: Json, private: &str| {
        secrets().in_state(&state(&attributes, &sensitive, private)).unwrap()
    };
    check(find(json!({"token": SENSITIVE}), marked.clone(), ""), &[]);
    check(
        find(json!({"token": SENSITIVE}), json!([]), ""),
        &[
            "the secret `sensitive value 1` is in an attribute that is not marked of demo_thing.a in the state",
        ],
    );
    check(
        find(json!({"token": null}), marked.clone(), SENSITIVE),
        &["the secret `sensitive value 1` is in the private data of demo_thing.a in the state"],
    );
    check(
        find(json!({"token": WRITE_ONLY}), marked, ""),
        &["the secret `write-only value 2` is in the state"],
    );
}

#[test]
fn plans() {
    let plan = |marks: Json| {
        json!({
            "resource_changes": [{"change": {
                "before": null, "after": {"token": SENSITIVE, "list": [SENSITIVE, "b"]}, "after_sensitive": marks,
            }}],
            "configuration": {"token": WRITE_ONLY},
        })
    };
    let leak = "the secret `sensitive value 1` is in a value of the plan that is not marked";
    check(secrets().in_plan(&plan(json!({"token": true, "list": [true]}))), &[]);
    check(secrets().in_plan(&plan(json!(true))), &[]);
    check(secrets().in_plan(&plan(json!({"token": true}))), &[leak]);
    check(
        secrets().in_plan(&json!({"prior_state": {"values": {"a": WRITE_ONLY}, "sensitive_values": true}})),
        &["the secret `write-only value 2` is in the plan"],
    );
}

#[test]
fn plan_files() {
    let file = |name: &str| {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(format!("{SENSITIVE} {WRITE_ONLY}").as_bytes()).unwrap();
        archive.finish().unwrap().into_inner()
    };
    check(secrets().in_plan_file(&file("tfconfig/m-/main.tf")).unwrap(), &[]);
    check(
        secrets().in_plan_file(&file("tfplan")).unwrap(),
        &["the secret `write-only value 2` is in tfplan in the plan file"],
    );
    assert!(secrets().in_plan_file(b"no archive").is_err());
}
