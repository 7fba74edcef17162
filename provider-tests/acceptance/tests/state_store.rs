//! The state store of the demo keeps the rules, in processes that are killed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ferroform::value::Value;
use ferroform_testing::client::{Client, Command, Error, OpenStateStore, Protocol, Provider};
use ferroform_testing::state_store::StateStoreRules;
use libtest_mimic::Trial;

use crate::trial;

pub(crate) fn trials() -> [Trial; 4] {
    [
        trial("demo_folder_keeps_the_rules", demo_folder_keeps_the_rules),
        trial("state_names_cannot_leave_the_folder", state_names_cannot_leave_the_folder),
        trial("lock_names_its_holder", lock_names_its_holder),
        trial("write_needs_no_lock", write_without_a_lock_replaces_a_state_that_another_process_has_locked),
    ]
}

async fn open(root: &Path) -> Result<OpenStateStore, Error> {
    let command = Command::new(env!("CARGO_BIN_EXE_terraform-provider-demo")).env("DEMO_PROTOCOL", "6");
    let process = command.only(Protocol::V6).start().await?;
    let provider = Provider::connect(Client::new(process, Protocol::V6)).await?;
    let root = Value::from(root.to_str().expect("a path that is text"));
    provider.configure(&Value::object([("root", root.clone())])).await?;
    provider.open_state_store("demo_folder", &Value::object([("path", root), ("holder", Value::Null)])).await
}

fn files(root: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(root).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

/// The length of a file; 0 when it is there no more.
fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |found| found.len())
}

async fn demo_folder_keeps_the_rules() {
    let root = tempfile::tempdir().expect("a folder");
    let chunk = u64::try_from(open(root.path()).await.expect("a store").chunk_size()).expect("a size");
    // Those that are there when an instance starts were left by one that was killed.
    let stale = Arc::new(Mutex::new(Vec::new()));
    let written = |least: u64| {
        let (root, stale) = (root.path().to_owned(), Arc::clone(&stale));
        move || {
            let stale = stale.lock().expect("no panic");
            let mut new = files(&root).into_iter().filter(|file| !stale.contains(file));
            new.any(|file| file.extension().is_none() && length(&file) >= least)
        }
    };
    let launch = || {
        *stale.lock().expect("no panic") = files(root.path());
        open(root.path())
    };
    let rules = StateStoreRules::new(launch)
        .kill_when("the temporary file is there", written(0))
        .kill_when("half of the state is in it", written(chunk * 2))
        .kill_when("all of the state is in it", written(chunk * 4));
    assert_eq!(rules.violations().await, [""; 0]);
    let left: Vec<_> = files(root.path()).into_iter().filter(|it| it.extension().is_some()).collect();
    assert!(left.is_empty(), "states or locks are left: {left:?}");
}

async fn state_names_cannot_leave_the_folder() {
    let root = tempfile::tempdir().expect("a folder");
    let store = open(root.path()).await.expect("an open store");
    for id in ["", ".", "..", "../a", "a/b", "a\\b", ".hidden", "ä", &"a".repeat(200)] {
        let found = store.write(id, &b"{}".as_slice().into()).await.expect_err("an invalid name");
        assert!(found.to_string().contains("Invalid State Name"), "{id}: {found}");
        assert!(store.read(id).await.is_err() && store.lock(id, "test").await.is_err(), "{id}");
    }
    assert!(files(root.path()).is_empty());
}

async fn lock_names_its_holder() {
    let root = tempfile::tempdir().expect("a folder");
    let (one, other) = (open(root.path()).await.expect("a store"), open(root.path()).await.expect("a store"));
    one.lock("a", "apply").await.expect("a lock");
    let found = other.lock("a", "plan").await.expect_err("it is held").to_string();
    assert!(found.contains("locked by demo, process ") && found.contains("for apply"), "{found}");
}

async fn write_without_a_lock_replaces_a_state_that_another_process_has_locked() {
    let root = tempfile::tempdir().expect("a folder");
    let (one, other) = (open(root.path()).await.expect("a store"), open(root.path()).await.expect("a store"));
    let lock = one.lock("a", "apply").await.expect("a lock");
    // The request has no lock ID, and core writes without a lock where the user chose so.
    other.write("a", &b"{}".as_slice().into()).await.expect("a write");
    assert_eq!(one.read("a").await.expect("an answer"), Some(b"{}".to_vec()));
    one.unlock("a", &lock).await.expect("the lock is still held");
}
