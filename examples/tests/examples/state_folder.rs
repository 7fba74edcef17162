//! The state store `demo_folder`, which keeps the states of cases as core would have it keep them.

use std::fs;
use std::path::PathBuf;

use ferroform::{Protocol, Serve, path};
use ferroform_examples::demo::{self, ADDRESS};
use ferroform_testing::case::{
    Case, Provider, Run, Start, Step, StepOutcome, call, error, no_call, no_object, object,
};
use ferroform_testing::client::Fault;
use ferroform_testing::config::{Config, provider, resource, state_store};
use ferroform_testing::state::State;

/// Where the provider has its files, and where the states are.
struct Folders {
    root: PathBuf,
    states: PathBuf,
}

impl Folders {
    fn new(start: &Start) -> Self {
        let [root, states] = ["root", "states"].map(|name| start.directory().join(name));
        for folder in [&root, &states] {
            fs::create_dir(folder).expect("a folder");
        }
        Self { root, states }
    }

    /// The files of the store.
    fn stored(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.states).expect("the folder of the states");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// How many objects the stored state has.
    fn objects(&self) -> usize {
        let bytes = fs::read(self.states.join("default.tfstate")).expect("the state");
        State::from_bytes(&bytes).expect("a state").resources.len()
    }

    /// What the provider has made.
    fn made(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.root).expect("the root");
        entries.map(|entry| entry.expect("an entry").path().display().to_string()).collect()
    }
}

type Seen<'a> = StepOutcome<'a, Folders>;

fn case(name: &str) -> Case<Folders> {
    let demo = Provider::in_process(ADDRESS, |_: &Folders| {
        Serve::new(demo::provider(Protocol::V6)).only(Protocol::V6)
    });
    Case::with_backend(name, Folders::new)
        .provider(demo)
        .provider_config(|folders: &Folders| provider("demo").set("root", folders.root.as_path()))
        .state_store(|folders: &Folders| state_store("demo_folder").set("path", folders.states.as_path()))
        .expect_no_leftovers(Folders::made)
}

fn directory(name: &str) -> Config {
    Config::new().resource(resource("demo_directory", "d").set("name", name))
}

const D: &str = "demo_directory.d";

#[test]
fn state_is_kept_in_the_folder() {
    case("state in a folder")
        .step(
            Step::plan_only(directory("a"))
                .calls(call("LockState").times(1))
                .calls(no_call("WriteStateBytes")),
        )
        .step(
            Step::apply(directory("a"))
                .state(object(D).has(path!(name), "a"))
                .calls(call("WriteStateBytes").times(1))
                .check(|seen: &Seen<'_>| assert_eq!(seen.run.backend.stored(), ["default.tfstate"])),
        )
        .step(
            Step::destroy()
                .state(no_object(D))
                .check(|seen: &Seen<'_>| assert_eq!(seen.run.backend.objects(), 0)),
        )
        .check();
}

#[test]
fn lock_of_a_dead_process_stays_until_it_is_released() {
    let lock = |folders: &Folders| folders.states.join("default.lock");
    case("stale lock")
        .step(Step::run(move |run: &Run<'_, Folders>| {
            fs::write(lock(run.backend), "1f\nada@build-7, process 4711, for apply\n").expect("a lock");
        }))
        .step(
            Step::apply(directory("a"))
                .expect(error("State Locked").detail("ada@build-7, process 4711"))
                .check(|seen: &Seen<'_>| assert_eq!(seen.run.backend.made(), [""; 0])),
        )
        .step(Step::run(move |run: &Run<'_, Folders>| fs::remove_file(lock(run.backend)).expect("a lock")))
        .step(Step::apply(directory("a")).state(object(D)))
        .check();
}

#[test]
fn failed_write_leaves_the_stored_state_and_loses_no_object() {
    case("failed write")
        .step(Step::apply(Config::new().resource(resource("demo_directory", "other").set("name", "other"))))
        .step(
            Step::apply(directory("a"))
                .fault("WriteStateBytes", Fault::ResetBefore)
                .expect(error("Failed to save state"))
                .state(object("demo_directory.other"))
                .check(|seen: &Seen<'_>| assert_eq!(seen.run.backend.stored(), ["default.tfstate"])),
        )
        .check();
}

#[test]
fn mistake_in_the_block_of_the_store_is_an_error_of_the_step() {
    case("no folder")
        .state_store(|_: &Folders| state_store("demo_folder").set("path", "/nowhere/at/all"))
        .step(Step::apply(directory("a")).expect(error("State Folder Not Found")))
        .check();
}
