//! Bad input: each has one clear error, and the state keeps every object that exists.

use std::fs;
use std::path::Path;

use ferroform_testing::real::Protocol;
use serde_json::{Value, json};

use super::environment::{PROBE, TestEnvironment, only_error, refused};
use super::matrix::{AcceptanceTest, Attach, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    let spawned =
        |name, run: fn(&TestTarget)| AcceptanceTest::new(name, run).attached(&[Attach::Spawned]).on_both();
    vec![
        spawned("wrong configuration", wrong_configuration),
        spawned("damaged state", damaged_state),
        spawned("files that cannot be used", unusable_files),
        spawned("schema mistake", schema_mistake),
        spawned("nested attributes in protocol 5", nested_in_protocol_5).speaking(&[Protocol::V5]),
        spawned("no place for a socket", no_socket),
    ]
}

/// What stands in the configuration and in the state before anything goes wrong.
const GOOD: &str = r#"
resource "probe_number" "a" {
  name  = "a"
  value = 1
}
resource "probe_text" "b" {
  name = "b"
  text = "one"
}
"#;

const OBJECTS: [&str; 2] = ["probe_number.a", "probe_text.b"];

/// A stage with two objects.
fn established(target: &TestTarget) -> TestEnvironment {
    let env = TestEnvironment::open(target, PROBE);
    env.configure(GOOD);
    env.apply();
    assert_eq!(env.addresses(), OBJECTS);
    env
}

/// Checks that neither a plan nor an apply gets anywhere, both for the same reason, and that the state stays.
fn check(env: &TestEnvironment, summary: &str, parts: &[&str]) {
    let before = env.state_text();
    refused(&env.workspace.plan_only(&[]).expect("an end"), summary, parts);
    refused(&env.workspace.apply_auto(&[]).expect("an end"), summary, parts);
    assert_eq!(env.state_text(), before);
}

fn wrong_configuration(target: &TestTarget) {
    let env = established(target);
    let check = |body: &str, summary: &str, parts: &[&str]| {
        env.configure(&format!("{GOOD}{body}"));
        check(&env, summary, parts);
    };
    let resource =
        |kind: &str, body: &str| format!("resource \"{kind}\" \"c\" {{\n  name = \"c\"\n{body}\n}}\n");
    check(&resource("probe_number", ""), "Missing required argument", &["\"value\" is required"]);
    check(
        &resource("probe_number", "  value = \"many\""),
        "Incorrect attribute value type",
        &["\"value\"", "a number is required"],
    );
    check(&resource("probe_nothing", ""), "Invalid resource type", &["probe_nothing"]);
    env.configure_at(Path::new("/does/not/exist"), GOOD);
    self::check(&env, "Root Not Found", &["/does/not/exist is not a folder. Create it"]);
    env.configure(GOOD);
    env.destroy();
    env.close();
}

/// Changes of the first object in the state file, each with the error that it causes.
fn damaged_state(target: &TestTarget) {
    let env = established(target);
    let good = env.state();
    let check = |pointer: &str, value: Value, summary: &str, parts: &[&str]| {
        let mut state = good.clone();
        let (object, key) = pointer.rsplit_once('/').expect("a pointer");
        state.pointer_mut(object).expect("it is there")[key] = value;
        fs::write(env.state_file(), state.to_string()).expect("written");
        check(&env, summary, parts);
    };
    let at = |rest: &str| format!("/resources/0/{rest}");
    let unreadable = "Restore the state from a backup";
    let value = at("instances/0/attributes/value");
    check(&value, json!("many"), "Unreadable State", &[unreadable, "`probe_number`", "a number is required"]);
    check(
        &value,
        json!([1]),
        "Unreadable State",
        &[unreadable, "`probe_number`", "number required, not list"],
    );
    let (summary, parts): (_, &[&str]) = match target.attach {
        // It reads the state itself before it asks the provider.
        Attach::Embedded => ("Failed to read state", &["an object is required"]),
        _ => ("Unreadable State", &[unreadable, "object required, not list"]),
    };
    check(&at("instances/0/attributes"), json!([]), summary, parts);
    // Not JSON, in base 64.
    let private = json!("Z2FyYmFnZQ==");
    check(&at("instances/0/private"), private, "Corrupt Private State", &[unreadable]);
    let newer = "Resource instance managed by newer provider version";
    check(&at("instances/0/schema_version"), json!(7), newer, &["newer provider version"]);
    fs::write(env.state_file(), good.to_string()).expect("written");
    env.settled();
    env.destroy();
    env.close();
}

/// Files of the provider that cannot be written or read. What was made before, and what is beside, is kept.
fn unusable_files(target: &TestTarget) {
    let env = established(target);
    let more = format!("{GOOD}resource \"probe_text\" \"c\" {{\n  name = \"c\"\n  text = \"two\"\n}}\n");
    env.configure(&format!("{more}{}", GOOD.replace("\"a\"", "\"d\"").replace("\"b\"", "\"e\"")));
    let kept = ["probe_number.a", "probe_number.d", "probe_text.b", "probe_text.e"];

    fs::create_dir(env.file("c.json")).expect("a folder");
    let outcome = env.workspace.apply_auto(&["-parallelism=1"]).expect("an end");
    let error =
        refused(&outcome, "File Not Written", &["c.json could not be written", "apply again", "directory"]);
    assert_eq!(error.address.as_deref(), Some("probe_text.c"));
    assert_eq!(env.addresses(), kept);
    fs::remove_dir(env.file("c.json")).expect("removed");

    if Path::new("/dev/full").exists() {
        std::os::unix::fs::symlink("/dev/full", env.file("c.json")).expect("a link");
        let outcome = env.workspace.apply_auto(&[]).expect("an end");
        refused(&outcome, "File Not Written", &["Free the place and apply again", "No space left on device"]);
        assert_eq!(env.addresses(), kept);
        fs::remove_file(env.file("c.json")).expect("removed");
    }

    fs::rename(env.file("b.json"), env.file("saved")).expect("moved");
    fs::create_dir(env.file("b.json")).expect("a folder");
    check(&env, "File Not Read", &["b.json could not be read. Restore it"]);
    fs::remove_dir(env.file("b.json")).expect("removed");
    fs::rename(env.file("saved"), env.file("b.json")).expect("moved");
    env.apply();
    env.settled();
    env.destroy();
    env.close();
}

/// Checks that neither a plan nor an apply has the schemas of the provider, that core shows the parts of what the provider
/// reports, and that the state stays.
fn check_without_schemas(target: &TestTarget, env: &TestEnvironment, parts: &[&str]) {
    let before = env.state_text();
    for outcome in [env.workspace.plan_only(&[]), env.workspace.apply_auto(&[])] {
        let outcome = outcome.expect("an end");
        let error = only_error(&outcome);
        // OpenTofu has all of it in the summary.
        let (summary, text) = target.by_product(
            ("Failed to load plugin schemas", &error.detail),
            ("failed to read ", &error.summary),
        );
        assert!(error.summary.starts_with(summary), "{error:#?}");
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in {error:#?}");
        }
    }
    assert_eq!(env.state_text(), before);
}

fn schema_mistake(target: &TestTarget) {
    let env = established(target).with_variable("PROBE_MISTAKE", "probe_reserved");
    let parts =
        ["Invalid Provider Schema", "probe_reserved", "`count`", "this name is reserved by the language"];
    check_without_schemas(target, &env, &parts);
    env.close();
}

fn nested_in_protocol_5(target: &TestTarget) {
    let env = established(target).with_variable("PROBE_MISTAKE", "probe_nested");
    let parts = ["Nested Attributes Need Protocol 6", "of probe_nested", "a nested block there"];
    check_without_schemas(target, &env, &parts);
    env.close();
}

/// The provider cannot even start, so core has no message of it to show.
fn no_socket(target: &TestTarget) {
    let env = established(target).with_variable("TMPDIR", "/does/not/exist");
    check_without_schemas(target, &env, &["The provider cannot start", "/does/not/exist"]);
    env.close();
}
