//! The driver with real cores. A core that is not there makes its tests ignored ones, or failed ones when
//! `FERROFORM_REQUIRE_CORES` lists it.

use std::path::Path;
use std::sync::LazyLock;

use ferroform_testing::case::Trials;
use ferroform_testing::real::{
    Cache, Core, Message, Origin, Outcome, Provider, Resolver, Severity, Workspace, default_cores,
    locked_cores,
};
use serde_json::{Value, json};

static RESOLVER: LazyLock<Resolver> =
    LazyLock::new(|| Resolver::from_environment().expect("the variables can be used"));

/// The resolver that finds fetched cores only, so that the launcher is tried also where `PATH` has the same version.
static FETCHED: LazyLock<Resolver> =
    LazyLock::new(|| Resolver::new(Cache::from_environment().expect("the user has a cache directory")));

/// The cores that everything is tried on: the newest, and one that is often on `PATH` too.
const WHOLE: [&str; 2] = ["1.11.4", "1.15.5"];

/// What is done with a core.
type Test = fn(&Core);

/// Adds the tests of the driver.
pub(crate) fn trials(trials: &mut Trials) {
    let whole: &[(&str, Test)] = &[
        ("version", version),
        ("life_cycle", life_cycle),
        ("diagnostics", diagnostics),
        ("attachment", attachment),
        ("interrupt", interrupt),
    ];
    let launched: &[(&str, Test)] = &[
        ("is_from_the_cache", is_from_the_cache),
        ("version", version),
        ("life_cycle", life_cycle),
        ("providers_do_not_ignore_broken_pipes", providers_do_not_ignore_broken_pipes),
    ];
    let sample: &[(&str, Test)] = &[("life_cycle", life_cycle)];
    let mut add = |resolver: &Resolver, place: &str, version: &str, tests: &[(&str, Test)]| {
        let found = resolver.resolve(&version.parse().expect("a core"));
        for &(name, test) in tests {
            trials.on_core(&found, (&format!("{place}@{version}"), name), move |core| {
                test(core);
                Ok(())
            });
        }
    };
    for core in default_cores() {
        let version = core.version.to_string();
        add(&RESOLVER, "terraform", &version, if WHOLE.contains(&version.as_str()) { whole } else { sample });
        add(&FETCHED, "fetched terraform", &version, launched);
    }
    for core in
        locked_cores().iter().filter(|core| default_cores().all(|other| other.version != core.version))
    {
        add(&FETCHED, "fetched terraform", &core.version.to_string(), sample);
    }
}

/// Fails with everything that the command said.
#[track_caller]
fn succeeds(outcome: &Outcome) {
    assert!(outcome.succeeded(), "{outcome:?}\n{}{}", outcome.stdout, outcome.stderr);
}

/// The instances in a state file.
fn instances(state: &Value) -> Vec<&Value> {
    let resources = state["resources"].as_array().into_iter().flatten();
    resources.filter_map(|resource| resource["instances"].as_array()).flatten().collect()
}

fn version(core: &Core) {
    let workspace = Workspace::new(core, &[]).expect("a workspace");
    let outcome = workspace.run(&["version"]).expect("it runs");
    succeeds(&outcome);
    assert!(
        outcome.stdout.starts_with(&format!("{} v{}\n", core.product, core.version)),
        "{}",
        outcome.stdout
    );
    assert_eq!(outcome.stderr, "");
}

fn life_cycle(core: &Core) {
    let workspace = Workspace::new(core, &[]).expect("a workspace");
    workspace.write("main.tf", r#"resource "terraform_data" "this" { input = "hello" }"#).expect("written");
    assert_eq!(workspace.state().expect("readable"), None);

    let plan = workspace.plan(&[]).expect("it runs");
    assert!(plan.succeeded() && plan.has_changes(), "{plan:?}");
    let json = plan.json.as_ref().expect("a plan");
    assert_eq!(json["resource_changes"][0]["change"]["actions"], json!(["create"]));
    assert!(plan.outcome.messages.iter().any(|message| message.kind == "planned_change"));

    succeeds(&workspace.apply(&plan).expect("it runs"));
    let state = workspace.state().expect("readable").expect("a state");
    let found: Vec<&Value> =
        instances(&state).iter().map(|instance| &instance["attributes"]["output"]).collect();
    assert_eq!(found, [&json!({"value": "hello", "type": "string"})]);
    let shown = workspace.show_json().expect("shown");
    assert_eq!(shown["values"]["root_module"]["resources"][0]["values"]["output"], "hello");

    assert_eq!(workspace.plan_only(&[]).expect("it runs").exit_code, Some(0));
    succeeds(&workspace.refresh().expect("it runs"));
    workspace.write("main.tf", r#"resource "terraform_data" "this" { input = "bye" }"#).expect("written");
    succeeds(&workspace.apply_auto(&[]).expect("it runs"));
    succeeds(&workspace.destroy().expect("it runs"));
    assert_eq!(instances(&workspace.state().expect("readable").expect("a state")), Vec::<&Value>::new());
    assert_eq!(workspace.starts(), 8);

    workspace.write("main.tf", r#"resource "terraform_data" "this" {}"#).expect("written");
    succeeds(&workspace.import("terraform_data.this", "an-id").expect("it runs"));
    let state = workspace.state().expect("readable").expect("a state");
    let ids: Vec<&Value> = instances(&state).iter().map(|instance| &instance["attributes"]["id"]).collect();
    assert_eq!(ids, ["an-id"]);
}

fn diagnostics(core: &Core) {
    let workspace = Workspace::new(core, &[]).expect("a workspace");
    workspace.write("main.tf", "resource \"terraform_data\" \"this\" {\n  wrong = 1\n}\n").expect("written");
    let commands: [&dyn Fn() -> Outcome; 2] =
        [&|| workspace.validate().expect("it runs"), &|| workspace.plan(&[]).expect("it runs").outcome];
    for command in commands {
        let outcome = command();
        assert_eq!(outcome.exit_code, Some(1));
        let [diagnostic] = outcome.diagnostics.as_slice() else { panic!("{outcome:?}") };
        assert_eq!(
            (diagnostic.severity, diagnostic.summary.as_str()),
            (Severity::Error, "Unsupported argument")
        );
        let range = diagnostic.range.as_ref().expect("a range");
        assert_eq!((range.filename.as_str(), range.start.line, range.start.column), ("main.tf", 2, 3));
        let snippet = diagnostic.snippet.as_ref().expect("a snippet");
        assert_eq!(snippet.context.as_deref(), Some("resource \"terraform_data\" \"this\""));
        assert_eq!((snippet.code.as_str(), snippet.start_line), ("  wrong = 1", 2));
    }
}

/// A script in place of a provider: what core says about it shows that core has found it.
fn attachment(core: &Core) {
    let executable = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fake-program.sh");
    let main = r#"
terraform {
  required_providers { thing = { source = "acme/thing" } }
}
resource "thing_thing" "this" {}
"#;
    let mirrored = Provider::mirror("acme/thing", "1.2.3", &executable).expect("good");
    let workspace = Workspace::new(core, &[mirrored]).expect("a workspace");
    workspace.write("main.tf", main).expect("written");
    let outcome = workspace.init().expect("it runs");
    succeeds(&outcome);
    assert!(outcome.stdout.contains("Installed acme/thing v1.2.3"), "{}", outcome.stdout);

    let overridden = Provider::dev_override("acme/thing", &executable).expect("good");
    let workspace = Workspace::new(core, &[overridden]).expect("a workspace");
    workspace.write("main.tf", main).expect("written");
    let outcome = workspace.plan_only(&[]).expect("it runs");
    assert_eq!(outcome.exit_code, Some(1));
    let has = |text: &str| outcome.diagnostics.iter().any(|it| it.detail.contains(text));
    assert!(has("overrides/0") && has("acme/thing"), "{:?}", outcome.diagnostics);
    assert!(has("Unrecognized remote plugin message"), "{:?}", outcome.diagnostics);

    let workspace = Workspace::new(core, &[]).expect("a workspace");
    workspace.write("main.tf", main).expect("written");
    assert_eq!(workspace.init().expect("it runs").exit_code, Some(1), "nothing is downloaded");
}

/// Rust's runtime ignores SIGPIPE in the launcher. Providers must not inherit that, since they do not under a core that
/// is its own executable.
fn providers_do_not_ignore_broken_pipes(core: &Core) {
    let workspace = Workspace::new(core, &[]).expect("a workspace");
    let main = r#"
resource "terraform_data" "this" {
  provisioner "local-exec" { command = "exec grep SigIgn /proc/self/status" }
}
"#;
    workspace.write("main.tf", main).expect("written");
    let outcome = workspace.apply_auto(&[]).expect("it runs");
    let mask = outcome.messages.iter().find_map(|message| Some(message.text.split_once("SigIgn:\t")?.1));
    let mask = u64::from_str_radix(mask.expect("it is printed"), 16).expect("a mask");
    const SIGPIPE: u32 = 13;
    assert_eq!(mask >> (SIGPIPE - 1) & 1, 0, "{mask:x}");
}

/// A core that gets a Ctrl-C ends what it is doing, keeps the state and fails.
fn interrupt(core: &Core) {
    let workspace = Workspace::new(core, &[]).expect("a workspace");
    let main = r#"
resource "terraform_data" "first" {}
resource "terraform_data" "second" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" { command = "echo ready; exec sleep 1000" }
}
resource "terraform_data" "third" { depends_on = [terraform_data.second] }
"#;
    workspace.write("main.tf", main).expect("written");
    let mut running = workspace.start(&["apply", "-json", "-auto-approve"]).expect("it starts");
    let ready = |line: &Message| line.kind == "provision_progress" && line.text.ends_with(": ready");
    running.wait_for(ready).expect("the provisioner runs");
    running.interrupt().expect("sent");
    let outcome = running.wait().expect("it ends and leaves no process");
    assert_eq!(outcome.exit_code, Some(1), "{}", outcome.stdout);
    let state = workspace.state().expect("readable").expect("a state");
    assert_eq!(instances(&state).len(), 2, "{state}");
}

fn is_from_the_cache(core: &Core) {
    assert_eq!(core.origin, Origin::Cache);
    assert!(core.path.starts_with(Cache::from_environment().expect("known").dir()), "{core}");
}
