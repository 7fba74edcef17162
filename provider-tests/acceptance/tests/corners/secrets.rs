//! Secrets that core never stores, and how a change of them is seen all the same.

use ferroform::path;
use ferroform_testing::case::{Case, Seen, Step, changes, error, is, no_changes, object};
use ferroform_testing::plan::Action;
use ferroform_testing::real::Feature;

use crate::support::{World, apply, case, text};

const LOGIN: &str = "corner_login.this";

pub(crate) fn cases() -> Vec<Case<World>> {
    vec![write_only()]
}

fn login(lines: &[&str]) -> String {
    format!("resource \"corner_login\" \"this\" {{\n  label = \"l\"\n  {}\n}}\n", lines.join("\n  "))
}

/// The service has this, and core has nothing of it.
fn has(
    password: &'static str,
    token: &'static str,
    tokens: &'static str,
) -> impl Fn(&Seen<'_, World>) + Send + Sync {
    move |seen| {
        let object = seen.run.world.object("l");
        assert_eq!([&object["password"], &object["token"], &object["tokens"]], [password, token, tokens]);
        let state = seen.state.json().to_string();
        for secret in ["first", "second", "third", "one-t", "two-t"] {
            assert!(!state.contains(secret), "{secret:?} is in the state: {state}");
        }
    }
}

fn write_only() -> Case<World> {
    let updates = || changes([(LOGIN, Action::Update)]);
    let (first, second) = ("password = \"first\"", "password = \"second\"");
    let (one, two) = ("password_version = 1", "password_version = 2");
    let stored = object(LOGIN).has(path!(password), is::null()).has(path!(token), is::null());
    case("write-only attributes")
        .requires(Feature::WriteOnlyAttributes)
        .step(
            apply(login(&[first, one, "token = \"one-t\""])).state(stored).check(has("first", "one-t", "1")),
        )
        // Nobody can see that a password is another one: its version says so.
        .step(
            apply(login(&[second, one, "token = \"one-t\""]))
                .plan(no_changes())
                .check(has("first", "one-t", "1")),
        )
        .step(
            apply(login(&[second, two, "token = \"one-t\""]))
                .plan(updates())
                .check(has("second", "one-t", "1")),
        )
        // A hash says it of a token.
        .step(
            apply(login(&[second, two, "token = \"two-t\""]))
                .plan(updates())
                .check(has("second", "two-t", "2")),
        )
        .step(apply(login(&[second, two])).plan(updates()).check(has("second", "", "3")))
        .step(apply(login(&[])).plan(updates()).check(has("", "", "3")))
        .step(
            Step::plan_only(text(login(&["password = \"third\""])))
                .expect(error("Invalid Attribute Combination").detail("password_version")),
        )
        .step(apply(""))
}
