//! The resource `demo_token`.

use ferroform_testing::plan::Action;
use serde_json::{Value as Json, json};

use crate::support::{Demo, on_both};

const TOKEN: &str = "demo_token";

/// Changes the configuration of a token from one to another.
fn check_change(from: &Json, to: &Json, expect: Action) {
    on_both(async |demo| {
        let mut token = demo.made(TOKEN, from).await;
        let before = token.state()["value"].clone();
        let done = token.apply(to).await;
        assert_eq!((done.action(), done.errors()), (expect, Vec::new()), "{from} {to}");
        assert_eq!(token.state()["value"] == before, expect == Action::NoOp, "{from} {to}");
    });
}

#[test]
fn stays_until_something_changes() {
    let replace = Action::DeleteThenCreate;
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
        let before = token.state();
        assert_eq!(token.refresh().await.errors(), [""; 0]);
        assert_eq!(token.state(), before);
        assert_eq!(token.destroy().await.errors(), [""; 0]);
        assert_eq!(std::fs::read_dir(demo.root.path()).unwrap().count(), 0);
    });
}

#[test]
fn has_the_length_that_was_asked_for() {
    let check = |length: u32, expect: &[&str]| {
        on_both(async |demo| {
            let mut token = demo.resource(TOKEN);
            let done = token.apply(&json!({ "length": length })).await;
            assert_eq!(done.errors(), expect, "{length}");
            if expect.is_empty() {
                let value = token.state()["value"].as_str().unwrap().to_owned();
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
        let created = token.apply(&json!({})).await;
        let value = token.state()["value"].as_str().unwrap().to_owned();
        let destroyed = token.destroy().await;
        for done in [created, destroyed] {
            let shown = format!("{:?}", token.view(&done));
            assert!(!shown.contains(&value) && !done.text().contains(&value), "{shown}");
        }
    });
}

#[test]
fn a_state_without_a_token_is_an_error() {
    on_both(async |demo| {
        let state = json!({ "length": 32, "keepers": null, "value": null });
        let mut token = demo.resource(TOKEN).with_state(&state);
        assert_eq!(token.refresh().await.errors(), ["value: Missing Stored Value"]);
        assert_eq!(token.state(), state);
    });
}
