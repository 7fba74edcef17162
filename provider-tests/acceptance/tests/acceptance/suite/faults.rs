//! Providers with bugs: panics, prints, and broken rules.

use ferroform_testing::real::Outcome;

use super::environment::{PROBE, TestEnvironment, refused, succeeded};
use super::matrix::{AcceptanceTest, Attach, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    vec![
        AcceptanceTest::new("panics", panics).sampled().about_process(),
        AcceptanceTest::new("prints", prints).on_both().about_process(),
        AcceptanceTest::new("broken rules", broken_rules),
    ]
}

/// A panic is an error of one object; the others of the same apply, and what is known of the object, are kept.
fn panics(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let neighbours: String = ["a", "b"].map(|name| number(name, 1)).concat();
    for (when, expect) in [
        ("before", vec!["probe_number.a", "probe_number.b"]),
        ("after", vec!["probe_number.a", "probe_number.b", "probe_panicking.this (tainted)"]),
    ] {
        env.configure(&format!(
            "{neighbours}resource \"probe_panicking\" \"this\" {{\n  name = \"this\"\n  when = \"{when}\"\n}}\n"
        ));
        let outcome = env.workspace.apply_auto(&["-parallelism=1"]).expect("an end");
        let parts = ["src/probe/faults.rs:", "This is a bug in the provider."];
        let error = refused(&outcome, "Provider Panicked", &parts);
        assert_eq!(error.address.as_deref(), Some("probe_panicking.this"));
        // The standard error of a provider that runs already is not core's, and OpenTofu does not show it.
        let shown = "Stack trace from the terraform-provider-probe plugin:\n\npanic: at ";
        let is_shown = target.attach == Attach::Spawned && target.by_product(true, false);
        assert_eq!(outcome.stderr.contains(shown), is_shown, "{}", outcome.stderr);
        let text = "the probe was asked to panic";
        assert!(!outcome.stderr.contains(text) && !error.detail.contains(text), "{}", outcome.stderr);
        assert_eq!(env.addresses(), expect, "{when}");
    }
    // The object is there, so it can be destroyed.
    assert!(env.file("this.json").exists());
    env.destroy();
    assert_eq!(env.files(), [""; 0]);
    env.close();
}

/// The configuration of a number.
fn number(name: &str, value: i64) -> String {
    format!("resource \"probe_number\" \"{name}\" {{\n  name = \"{name}\"\n  value = {value}\n}}\n")
}

fn prints(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    env.configure("resource \"probe_printing\" \"this\" {\n  name = \"this\"\n}\n");
    let outcome = env.workspace.apply_auto(&[]).expect("an end");
    succeeded(&outcome);
    assert!(!outcome.stdout.contains("printed"), "core takes standard output for a message");
    env.settled();
    env.destroy();
    env.close();
}

/// Each rule that the probe breaks, the error of the SDK, and the state of core afterwards.
fn broken_rules(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let check = |rule: &str, expect: (&str, &str), left: &[&str]| {
        env.configure(&format!(
            "{}resource \"probe_violating\" \"this\" {{\n  name = \"this\"\n  rule = \"{rule}\"\n  text = \"one\"\n}}\n",
            number("a", 1)
        ));
        let outcome: Outcome = env.workspace.apply_auto(&["-parallelism=1"]).expect("an end");
        let error = refused(&outcome, expect.0, &["This is a bug in the provider", expect.1]);
        assert!(!format!("{error:?}").contains("s3cret"), "a value is shown: {error:#?}");
        assert_eq!(env.addresses(), left, "{rule}");
        env.configure("");
        succeeded(&env.workspace.apply_auto(&[]).expect("an end"));
        assert_eq!(env.addresses(), [""; 0], "{rule}");
    };
    let kept = ["probe_number.a", "probe_violating.this (tainted)"];
    check("plan", ("Provider Planned An Impossible Value", "`plan`"), &[]);
    check("result", ("Provider Returned Another Value Than Planned", "`create`"), &kept);
    check("known", ("Provider Returned An Unknown Value", "`create`"), &kept);
    check("type", ("Invalid Provider Value", "does not fit its schema"), &kept);
    check("null", ("Provider Returned No Object", "`create`"), &kept[..1]);
    env.close();
}
