//! Secrets that core never stores, and how a change of them is seen all the same.

use ferroform::path;
use ferroform_testing::case::{
    Case, Idempotency, PlanView, RunsOn, Step, StepOutcome, ViewCheck, changes, error, is, no_changes, object,
};
use ferroform_testing::plan::Action;
use ferroform_testing::real::Feature;

use crate::edge_cases::support::{Backend, apply, case, text};

const LOGIN: &str = "corner_login.this";

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![versions(), hashes()]
}

fn login(lines: &[&str]) -> String {
    format!("resource \"corner_login\" \"this\" {{\n  label = \"l\"\n  {}\n}}\n", lines.join("\n  "))
}

/// The service has this, and core has nothing of it.
fn has(
    password: &'static str,
    token: &'static str,
    tokens: &'static str,
) -> impl Fn(&StepOutcome<'_, Backend>) + Send + Sync {
    move |outcome| {
        let object = outcome.run.backend.object("l");
        assert_eq!([&object["password"], &object["token"], &object["tokens"]], [password, token, tokens]);
        let state = outcome.state.json().to_string();
        for secret in ["first", "second", "third", "one-t", "two-t"] {
            assert!(!state.contains(secret), "{secret:?} is in the state: {state}");
        }
    }
}

fn updates() -> ViewCheck<PlanView> {
    changes([(LOGIN, Action::Update)])
}

/// Nobody can see that a password is another one: its version says so.
fn versions() -> Case<Backend> {
    let (first, second) = ("password = \"first\"", "password = \"second\"");
    let (one, two) = ("password_version = 1", "password_version = 2");
    case("write-only attributes with a version")
        .requires(Feature::WriteOnlyAttributes)
        .step(
            apply(login(&[first, one]))
                .state(object(LOGIN).has(path!(password), is::null()).has(path!(token), is::null()))
                .check(has("first", "", "1")),
        )
        .step(apply(login(&[second, one])).plan(no_changes()).check(has("first", "", "1")))
        .step(apply(login(&[second, two])).plan(updates()).check(has("second", "", "1")))
        .step(apply(login(&[])).plan(updates()).check(has("", "", "1")))
        .step(
            Step::plan_only(text(login(&["password = \"third\""])))
                .expect(error("Invalid Attribute Combination").detail("password_version")),
        )
        .step(apply(""))
}

/// A hash in the private state says it of a token. Hashes are slow, so there are few.
fn hashes() -> Case<Backend> {
    case("write-only attributes with a stored hash")
        .requires(Feature::WriteOnlyAttributes)
        .runs_on(RunsOn::Newest)
        .idempotency(Idempotency::Off)
        .step(apply(login(&["token = \"one-t\""])).check(has("", "one-t", "1")))
        .step(apply(login(&["token = \"two-t\""])).plan(updates()).check(has("", "two-t", "2")))
        .step(apply(login(&[])).plan(updates()).check(has("", "", "3")))
        .step(Step::plan_only(text(login(&[]))).plan(no_changes()))
}
