//! A state store of a program, through the process of a composition: the demo's, whose states are files.

use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use ferroform::Protocol;
use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::client::{Client, Error, OpenStateStore, Process, Provider};
use ferroform_testing::state_store::StateStoreRules;
use libtest_mimic::Trial;
use rustix::process::{Signal, kill_process};

use super::{COMPOSED, Scene};
use crate::trial;

const DEMO: &str = env!("CARGO_BIN_EXE_terraform-provider-demo");

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("a_store_of_a_program_keeps_the_rules", keeps_the_rules),
        trial("a_program_that_dies_in_a_write_leaves_the_state_and_its_lock", dies_in_a_write),
        trial("a_program_that_dies_in_a_read_is_reported_once", dies_in_a_read),
    ]
}

fn scene() -> Scene {
    Scene::new(DEMO)
}

/// An instance of the composition, and its open store. The states are in the folder of the scene.
async fn open(scene: &Scene) -> (Process, Provider, OpenStateStore) {
    let command = scene.command(COMPOSED).env("COMPOSED_ALONE", "1").env("DEMO_PROTOCOL", "6");
    let (process, provider) = scene.start_with("root", command.only(Protocol::V6)).await;
    let store = provider.open_state_store("demo_folder", &config(scene)).await.expect("a store");
    (process, provider, store)
}

fn config(scene: &Scene) -> Value {
    let path = Value::from(scene.folder.path().display().to_string());
    Value::object([("path", path), ("holder", Value::Null)])
}

fn files(scene: &Scene) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(scene.folder.path()).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

fn state(seed: u8, length: usize) -> Bytes {
    Bytes::from(
        (0..length)
            .map(|at| seed.wrapping_add(u8::try_from(at % 251).unwrap_or_default()))
            .collect::<Vec<_>>(),
    )
}

/// The instances that the rules kill are those of the composition, whose programs end with them.
async fn keeps_the_rules() {
    let scene = scene();
    let launch = || async {
        let command = scene.command(COMPOSED).env("COMPOSED_ALONE", "1").env("DEMO_PROTOCOL", "6");
        let process = command.only(Protocol::V6).start().await?;
        let provider = Provider::connect(Client::new(process, Protocol::V6)).await?;
        let root = Value::from(scene.folder.path().display().to_string());
        provider.configure(&Value::object([("root", root)])).await?;
        provider.open_state_store("demo_folder", &config(&scene)).await
    };
    let rules = StateStoreRules::new(launch).large(20_000_000).kills(10);
    assert_eq!(rules.violations().await, [""; 0]);
    scene.nothing_is_left().await;
}

async fn dies_in_a_write() {
    let scene = scene();
    let (process, _, store) = open(&scene).await;
    let (old, new) = (state(1, 100), state(2, 50_000_000));
    let lock = store.lock("a", "apply").await.expect("a lock");
    store.write("a", &old).await.expect("stored");
    let before = files(&scene);
    let program = scene.behind(&process);
    let dies = async {
        let is_written = |file: &PathBuf| std::fs::metadata(file).is_ok_and(|it| it.len() > 5_000_000);
        while !files(&scene).iter().any(|file| !before.contains(file) && is_written(file)) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        kill_process(program, Signal::KILL).expect("it lives");
    };
    let (written, ()) = tokio::join!(store.write("a", &new), dies);
    let Err(Error::Reported(diagnostics)) = written else { panic!("the write is {written:?}") };
    let told: Vec<_> = diagnostics.iter().collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].summary, "Provider Program Ended");
    assert!(told[0].detail.contains("The state and its lock are as they were before"), "{told:?}");
    assert!(process.shutdown().await.expect("it ends").success());

    let (process, _, store) = open(&scene).await;
    assert_eq!(store.read("a").await.expect("a state").as_deref(), Some(&*old));
    assert_eq!(store.list().await.expect("a list"), ["a"]);
    let held = store.lock("a", "plan").await.expect_err("it is held").to_string();
    assert!(
        held.contains(&format!("process {}", program.as_raw_nonzero())) && held.contains("for apply"),
        "{held}"
    );
    store.unlock("a", &lock).await.expect("unlocked");
    store.write("a", &new).await.expect("stored");
    assert_eq!(store.read("a").await.expect("a state").as_deref(), Some(&*new));
    assert!(process.shutdown().await.expect("it ends").success());
    scene.nothing_is_left().await;
}

/// Most of a state is still in its file when the first chunk is here.
async fn dies_in_a_read() {
    let scene = scene();
    let (process, provider, store) = open(&scene).await;
    let whole = state(1, 100_000_000);
    store.write("a", &whole).await.expect("stored");
    let request =
        proto::read_state_bytes::Request { type_name: "demo_folder".to_owned(), state_id: "a".to_owned() };
    let mut chunks = provider.client().read_state_bytes(request).await.expect("a start");
    let first = chunks.next().await.expect("a chunk").expect("a chunk");
    kill_process(scene.behind(&process), Signal::KILL).expect("it lives");
    let (mut read, mut told) = (first.bytes.len(), Vec::new());
    while let Some(chunk) = chunks.next().await.expect("chunks, and no status") {
        assert!(told.is_empty(), "there is an event after the error");
        told.extend(chunk.diagnostics.into_iter().map(|it| it.summary));
        read += chunk.bytes.len();
    }
    assert_eq!(told, ["Provider Program Ended"]);
    assert!(read < whole.len(), "all was read before the program died");
    assert!(process.shutdown().await.expect("it ends").success());
    scene.nothing_is_left().await;
}
