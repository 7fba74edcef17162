//! The resource `demo_token`.

use bytes::Bytes;
use ferroform_testing::core::lifecycle::{State, Status};
use ferroform_testing::core::{Action, ReplaceOrder};
use serde_json::{Value as Json, json};

use crate::support::{Demo, errors, on_both, state};

const TOKEN: &str = "demo_token";

/// Changes the configuration of a token from one to another.
fn check_change(from: &Json, to: &Json, expect: Action) {
    on_both(async |demo| {
        let mut token = demo.made(TOKEN, from).await;
        let before = state(&token)["value"].clone();
        let report = token.apply(&demo.config(TOKEN, to)).await;
        assert_eq!((report.action, errors(&report)), (expect, Vec::new()), "{from} {to}");
        assert_eq!(state(&token)["value"] == before, expect == Action::NoOp, "{from} {to}");
    });
}

#[test]
fn stays_until_something_changes() {
    let replace = Action::Replace(ReplaceOrder::DeleteThenCreate);
    let keeper = |it: &str| json!({ "keepers": { "k": it } });
    check_change(&json!({}), &json!({}), Action::NoOp);
    check_change(&json!({}), &json!({ "length": 32 }), Action::NoOp);
    check_change(&keeper("a"), &keeper("a"), Action::NoOp);
    check_change(&keeper("a"), &keeper("b"), replace);
    check_change(&keeper("a"), &json!({}), replace);
    check_change(&json!({}), &json!({ "length": 33 }), replace);
}

#[test]
fn lives_in_the_state_only() {
    on_both(async |demo| {
        let mut token = demo.made(TOKEN, &json!({})).await;
        let before = state(&token);
        assert_eq!(errors(&token.refresh().await), [""; 0]);
        assert_eq!(state(&token), before);
        assert_eq!(errors(&token.destroy().await), [""; 0]);
        assert_eq!(std::fs::read_dir(demo.root.path()).unwrap().count(), 0);
    });
}

#[test]
fn has_the_length_that_was_asked_for() {
    let check = |length: u32, expect: &[&str]| {
        on_both(async |demo| {
            let mut token = demo.resource(TOKEN);
            let report = token.apply(&demo.config(TOKEN, &json!({ "length": length }))).await;
            assert_eq!(errors(&report), expect, "{length}");
            if expect.is_empty() {
                let value = state(&token)["value"].as_str().unwrap().to_owned();
                let allowed = |it: char| it.is_ascii_alphanumeric() || "-_".contains(it);
                assert_eq!((value.len(), value.chars().all(allowed)), (length as usize, true), "{value}");
            }
        });
    };
    check(8, &[]);
    check(256, &[]);
    check(7, &["length: Invalid Length"]);
    check(257, &["length: Invalid Length"]);
}

#[test]
fn is_never_shown() {
    on_both(async |demo: Demo| {
        let mut token = demo.resource(TOKEN);
        let report = token.apply(&demo.config(TOKEN, &json!({}))).await;
        let value = state(&token)["value"].as_str().unwrap().to_owned();
        assert!(!report.to_string().contains(&value));
        let report = token.destroy().await.to_string();
        assert!(report.contains("(sensitive value)") && !report.contains(&value), "{report}");
    });
}

#[test]
fn a_state_without_a_token_is_an_error() {
    on_both(async |demo| {
        let state = State {
            attributes: Bytes::from_static(br#"{"length":32,"keepers":null,"value":null}"#),
            schema_version: 0,
            private: Bytes::new(),
            identity: None,
            identity_version: 0,
            status: Status::Ready,
        };
        let mut token = demo.resource(TOKEN).with_state(state);
        assert_eq!(errors(&token.refresh().await), ["Incomplete Token"]);
        assert!(token.state().is_some());
    });
}
