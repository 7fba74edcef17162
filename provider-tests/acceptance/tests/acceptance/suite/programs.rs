//! The programs of the examples, used as their pages say.

use std::fs;
use std::process::Command;

use ferroform_testing::real::{Protocol, Provider, Workspace};

use super::environment::{DEMO, TestEnvironment, changes, succeeded};
use super::matrix::{AcceptanceTest, Attach, TestTarget, number};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    let first = AcceptanceTest::new("the first provider", first).speaking(&[Protocol::V6]);
    vec![
        first.attached(&[Attach::Spawned]).on_both(),
        AcceptanceTest::new("example", example).on_both(),
        AcceptanceTest::new("the installed example", installed).attached(&[Attach::Spawned]).sampled(),
    ]
}

/// The provider of the README with its configuration, which names a file in the working directory of core.
fn first(target: &TestTarget) {
    let provider = Provider::dev_override("example.com/ferroform/minimal", env!("CARGO_BIN_EXE_minimal"));
    let workspace = Workspace::new(&target.core, &[provider.expect("a provider")]).expect("a workspace");
    workspace.write("main.tf", include_str!("../../../../../examples/minimal/main.tf")).expect("written");
    let note = workspace.dir().join("hello.txt");
    let change = |action: &str| {
        let plan = workspace.plan(&[]).expect("a plan");
        assert_eq!(changes(&plan), [format!("minimal_note.hello {action}")]);
        succeeded(&workspace.apply(&plan).expect("an end"));
        assert_eq!(fs::read_to_string(&note).expect("a file"), "Hello, world!\n");
        assert_eq!(workspace.plan_only(&[]).expect("a plan").exit_code, Some(0));
    };
    change("create");
    fs::write(&note, "edited").expect("written");
    change("update");
    succeeded(&workspace.destroy().expect("an end"));
    assert!(!note.exists());
}

/// The configuration that the page of the demo shows.
fn configuration(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::V5 => include_str!("../../../../../examples/demo/protocol5/main.tf"),
        Protocol::V6 => include_str!("../../../../../examples/demo/main.tf"),
    }
}

/// What stands beside it, for cores that have ephemeral resources.
const TOKEN_FILE: &str = include_str!("../../../../../examples/demo/token_file.tf");

fn example(target: &TestTarget) {
    let env = TestEnvironment::open(target, DEMO);
    let root = env.root().to_str().expect("text").to_owned();
    let env = env.with_variable("TF_VAR_root", &root);
    env.workspace.write("main.tf", configuration(target.protocol)).expect("written");
    env.workspace.write("token_file.tf", TOKEN_FILE).expect("written");
    env.apply();
    let expect = [
        "demo_directory.build",
        "demo_directory.site",
        "demo_file.index",
        "demo_file.index",
        "demo_service.web",
        "demo_token.api",
    ];
    assert_eq!(env.addresses(), expect);
    env.settled();
    assert_eq!(env.state()["outputs"]["size"]["value"], "<h1>Hello</h1>\n".len());
    env.destroy();
    assert_eq!(env.files(), [""; 0]);
    env.close();
}

/// What `demo install` prints is all that core needs to find the provider, also without `init`.
fn installed(target: &TestTarget) {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("providers");
    let done = Command::new(DEMO.executable).arg("install").arg(&directory).output().expect("it starts");
    assert!(done.status.success(), "{done:?}");
    let file = folder.path().join("demo.tfrc");
    fs::write(&file, done.stdout).expect("written");
    let workspace = Workspace::new(&target.core, &[])
        .expect("a workspace")
        .with_env("TF_CLI_CONFIG_FILE", file)
        .with_env("TF_VAR_root", folder.path())
        .with_env(DEMO.protocol_variable, number(target.protocol));
    workspace.write("main.tf", configuration(target.protocol)).expect("written");
    let outcome = workspace.plan_only(&[]).expect("a plan");
    assert_eq!(outcome.exit_code, Some(2), "{outcome:?}");
    let planned = outcome.messages.iter().filter(|message| message.kind == "planned_change").count();
    assert_eq!(planned, 5, "{:?}", outcome.messages);
    let directory = fs::canonicalize(directory).expect("a folder").display().to_string();
    let overridden = |summary: &str, detail: &str| {
        summary == "Provider development overrides are in effect" && detail.contains(&directory)
    };
    assert!(outcome.diagnostics.iter().any(|it| overridden(&it.summary, &it.detail)), "{outcome:?}");
}
