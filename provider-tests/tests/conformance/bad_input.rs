//! Providers that hang, go away or talk nonsense, and a test that is killed: an error in bounded time, and nothing
//! that was told of is lost.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use ferroform_testing::client::{Client, Fault, FaultInjector, InProcessTransport, Protocol};
use ferroform_testing::config::{Config, resource};
use ferroform_testing::embedded::{Core, PlanOptions};
use ferroform_testing::state::{State, StateFile};

use crate::conformance::broken::{Cloud, router};

/// Where a child process keeps its state, which makes the provider hang at the last object.
const STATE: &str = "FERROFORM_TEST_KILLED_STATE";

const HOUR: Duration = Duration::from_secs(3600);

/// A core whose provider has a fault at that call of `ApplyResourceChange`, from 0, over all walks.
fn core(cloud: &Cloud, fault: Option<(usize, Fault)>) -> Core {
    let (cloud, fault) = (cloud.clone(), Mutex::new((0, fault)));
    let fault = std::sync::Arc::new(fault);
    let address = "example.com/ferroform/demo".parse().unwrap();
    let core = Core::new().with_parallelism(1).with_call_limit(Duration::from_secs(30));
    core.with_provider("demo", address, move || {
        let fault = fault.clone();
        let decide = move |path: &str, _| {
            let mut fault = fault.lock().unwrap();
            if !path.ends_with("/ApplyResourceChange") {
                return None;
            }
            fault.0 += 1;
            fault.1.clone().filter(|(at, _)| at + 1 == fault.0).map(|(_, fault)| fault)
        };
        let client =
            Client::new(FaultInjector::new(InProcessTransport::new(router(&cloud)), decide), Protocol::V6);
        async move { Ok(client) }
    })
}

fn config(names: &[&str]) -> Config {
    let config = Config::new().required_provider("demo", "example.com/ferroform/demo");
    names.iter().fold(config, |config, name| config.resource(resource("demo_thing", name).set("name", *name)))
}

fn objects(state: &State) -> Vec<String> {
    state.resources.keys().map(ToString::to_string).collect()
}

/// The second of three objects has the fault: the others are there, and an error says what happened to it.
fn check(fault: Fault, summary: &str) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let core = core(&Cloud::new(None), Some((1, fault)));
        let plan = core.plan(&config(&["a", "b", "c"]), &State::default(), &PlanOptions::default()).await;
        let outcome = core.apply(&plan).await;
        let said: Vec<&str> = outcome.diagnostics.iter().map(|it| it.summary.as_str()).collect();
        assert_eq!(said, [summary]);
        assert_eq!(objects(&outcome.state), ["demo_thing.a", "demo_thing.c"]);
    });
}

#[test]
fn a_provider_that_hangs() {
    check(Fault::Delay(HOUR), "Plugin did not respond");
}

#[test]
fn a_provider_that_goes_away() {
    check(Fault::ResetBefore, "Plugin did not respond");
    check(Fault::ResetAfter, "Plugin did not respond");
}

#[test]
fn a_provider_that_talks_nonsense() {
    check(Fault::Malformed, "Plugin error");
    check(Fault::Truncated, "Plugin error");
}

/// Applies three objects and stores the state after each change. As the child of the next test, it hangs at the third.
#[test]
fn the_state_is_stored_after_each_change() {
    let folder = tempfile::tempdir().unwrap();
    let killed = std::env::var_os(STATE);
    let path = killed.as_ref().map_or_else(|| folder.path().join("terraform.tfstate"), Into::into);
    let fault = killed.is_some().then_some((2, Fault::Delay(HOUR)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let file = Mutex::new(StateFile::open(&path, "apply").unwrap());
    let core = core(&Cloud::new(None), fault).on_state(move |state, _| {
        file.lock().unwrap().write(&mut state.clone()).unwrap();
        let stored = format!("\nstored {}\n", state.resources.len());
        std::io::stdout().write_all(stored.as_bytes()).unwrap();
    });
    runtime.block_on(async {
        let plan = core.plan(&config(&["a", "b", "c"]), &State::default(), &PlanOptions::default()).await;
        assert!(core.apply(&plan).await.succeeded());
    });
    drop(core);
    assert_eq!(stored(&path), ["demo_thing.a", "demo_thing.b", "demo_thing.c"]);
}

/// The objects in a state file, which nobody has locked.
fn stored(path: &Path) -> Vec<String> {
    let state = StateFile::open(path, "plan").unwrap().read().unwrap().unwrap();
    objects(&state)
}

#[cfg(unix)]
#[test]
fn a_test_that_is_killed_leaves_a_state_of_what_was_created() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    let name = "conformance::bad_input::the_state_is_stored_after_each_change";
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(STATE, &path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let second = output.lines().map_while(Result::ok).find(|line| line == "stored 2");
    // This is SIGKILL, so that the child cannot do anything more.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(second.is_some(), "the child ended before it had created two objects");
    assert_eq!(stored(&path), ["demo_thing.a", "demo_thing.b"]);
}
