//! The state in a state store of the provider, and what becomes of it when the store fails.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use async_trait::async_trait;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{self, Store};
use ferroform::path;
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::state_store::{StateSink, StateSource, StoreContext};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::state::State;
use libtest_mimic::Trial;

use crate::play::named;
use crate::play::verbs::Desk;

/// The state store `shape_folder`: files in a folder. A file `refuses-` and the name of a call makes this call fail, and
/// one named `loses` has somebody else release the lock when the state was read.
pub(crate) struct Folder;

/// An open folder.
struct States(PathBuf);

#[async_trait]
impl dynamic::StateStore for Folder {
    fn schema(&self) -> Schema {
        Schema::new(Block::new([Attribute::required("path", Type::String)]))
    }

    async fn configure(
        &self,
        _: &mut dynamic::Context<'_, dynamic::phase::ConfigureStateStore>,
        config: Value,
    ) -> Result<Arc<dyn Store>> {
        let path = config.get(&path!(path)).and_then(Value::as_str).unwrap_or_default();
        match Path::new(path).is_dir() {
            true => Ok(Arc::new(States(path.into()))),
            false => Err(Error::new("Folder Not Found", "Name a folder that is there.").at(path!(path))),
        }
    }
}

impl States {
    fn call(&self, name: &str) -> Result {
        match self.0.join(format!("refuses-{name}")).exists() {
            true => Err(Error::new("Service Not Reached", format!("The {name} has failed."))),
            false => Ok(()),
        }
    }

    fn locked(&self) -> bool {
        self.0.join("lock").exists()
    }
}

#[async_trait]
impl Store for States {
    /// Small, so that a state has several.
    fn chunk_size(&self, _: usize) -> usize {
        100
    }

    async fn read(&self, _: &StoreContext, id: &str, state: StateSink<'_>) -> Result {
        self.call("read")?;
        if self.0.join("loses").exists() {
            fs::remove_file(self.0.join("lock"))?;
        }
        match fs::read(self.0.join(id)) {
            Ok(bytes) => state.start(bytes.len() as u64).send(bytes).await,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    async fn write(&self, _: &StoreContext, id: &str, mut state: StateSource<'_>) -> Result {
        let (mut bytes, mut chunks) = (Vec::new(), 0);
        while let Some(chunk) = state.next().await? {
            bytes.extend_from_slice(&chunk);
            chunks += 1;
        }
        assert!(chunks > 1, "a state of {} bytes came in one chunk", bytes.len());
        self.call("write")?;
        if !self.locked() {
            return Err(Error::new("Lock Lost", "Somebody has released the lock."));
        }
        Ok(fs::write(self.0.join(id), bytes)?)
    }

    async fn lock(&self, _: &StoreContext, _: &str, operation: &str) -> Result<String> {
        self.call("lock")?;
        if let Ok(holder) = fs::read_to_string(self.0.join("lock")) {
            return Err(Error::new("State Locked", format!("It is locked for {holder}.")));
        }
        fs::write(self.0.join("lock"), operation)?;
        Ok("lock-1".to_owned())
    }

    async fn unlock(&self, _: &StoreContext, _: &str, lock: &str) -> Result {
        self.call("unlock")?;
        match self.locked() && lock == "lock-1" {
            true => Ok(fs::remove_file(self.0.join("lock"))?),
            false => Err(Error::new("Lock Lost", "There is no such lock.")),
        }
    }

    async fn list(&self, _: &StoreContext) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    async fn delete(&self, _: &StoreContext, id: &str) -> Result {
        Ok(fs::remove_file(self.0.join(id))?)
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let all: &[(&str, fn())] = &[
        ("state_is_read_and_written_in_the_store", life),
        ("held_lock_ends_the_command_before_it_begins", stale_lock),
        ("lost_lock_saves_the_state_beside", lost_lock),
        ("failing_write_saves_the_state_beside", failing_write),
        ("failing_read_changes_nothing", failing_read),
        ("failing_unlock_is_reported_and_the_state_is_stored", failing_unlock),
        ("mistakes_in_the_block_are_reported", mistakes),
    ];
    named("state_store", all)
}

const THING: &str =
    "resource \"shape_thing\" \"a\" {\n  name = \"a\"\n}\noutput \"id\" { value = shape_thing.a.id }\n";

/// A desk whose state is in the folder `states`.
fn desk() -> Desk {
    let desk = Desk::new(THING);
    let states = desk.path().join("states");
    fs::create_dir(&states).expect("a folder");
    let block = format!(
        "terraform {{\n  state_store \"shape_folder\" {{\n    provider \"shape\" {{}}\n    path = \"{}\"\n  }}\n}}\n",
        states.display()
    );
    desk.write("store.tf", &block);
    desk
}

fn file(desk: &Desk, name: &str) -> PathBuf {
    desk.path().join("states").join(name)
}

/// Makes a call fail.
fn refuse(desk: &Desk, call: &str) {
    fs::write(file(desk, &format!("refuses-{call}")), "").expect("written");
}

fn stored(desk: &Desk) -> Option<State> {
    let bytes = fs::read(file(desk, "default")).ok()?;
    Some(State::from_bytes(&bytes).expect("a state"))
}

/// Nothing is locked, and nothing was put into the folder itself.
#[track_caller]
fn released(desk: &Desk) {
    assert!(!file(desk, "lock").exists());
    assert_eq!(desk.state(), None);
}

fn life() {
    let desk = desk();
    assert!(desk.does("plan").contains("1 to add"));
    assert!(stored(&desk).is_none());
    released(&desk);
    assert!(desk.does("apply -auto-approve").contains("1 added"));
    let first = stored(&desk).expect("a state");
    assert_eq!(first.resources.len(), 1);
    released(&desk);
    assert!(desk.does("plan").contains("No changes."));
    assert_eq!(desk.does("state list"), "shape_thing.a\n");
    assert_eq!(desk.does("output -raw id"), "id-a");
    assert_eq!(State::from_bytes(desk.does("state pull").as_bytes()).expect("a state"), first);
    assert!(desk.does("show").contains("shape_thing.a"));
    desk.does("taint shape_thing.a");
    let tainted = stored(&desk).expect("a state");
    assert_eq!((tainted.serial, &tainted.lineage), (first.serial + 1, &first.lineage));
    desk.does("state rm shape_thing.a");
    desk.does("import shape_thing.a id-a");
    assert!(desk.does("destroy -auto-approve").contains("1 destroyed"));
    assert!(stored(&desk).expect("a state").resources.is_empty());
    released(&desk);
}

fn stale_lock() {
    let desk = desk();
    fs::write(file(&desk, "lock"), "an apply that was killed").expect("written");
    for command in ["plan", "apply -auto-approve", "apply -auto-approve -lock-timeout=1s"] {
        let printed = desk.run(command);
        assert_eq!(printed.code, 1, "{command}: {}", printed.out);
        assert!(printed.err.contains("Error: Failed to lock state"), "{command}: {}", printed.err);
        assert!(!printed.err.contains(".."), "{command}: {}", printed.err);
        assert!(printed.err.contains("an apply that was killed"), "{command}: {}", printed.err);
    }
    assert!(stored(&desk).is_none() && file(&desk, "lock").exists());
    assert!(desk.does("plan -lock=false").contains("1 to add"));
    assert!(file(&desk, "lock").exists());
}

/// The state that was saved beside, after errors with these summaries.
#[track_caller]
fn saved(desk: &Desk, summaries: &[&str]) -> State {
    let printed = desk.run("apply -auto-approve");
    assert_eq!(printed.code, 1, "{}", printed.out);
    for summary in summaries {
        assert!(printed.err.contains(&format!("Error: {summary}")), "{}", printed.err);
    }
    assert!(printed.err.contains("errored.tfstate"), "{}", printed.err);
    let refuge = desk.path().join("errored.tfstate");
    State::from_bytes(&fs::read(refuge).expect("a state")).expect("a state")
}

fn lost_lock() {
    let desk = desk();
    fs::write(file(&desk, "loses"), "").expect("written");
    let state = saved(&desk, &["Failed to save state", "Failed to unlock state"]);
    assert_eq!(state.resources.len(), 1);
    assert!(stored(&desk).is_none());
}

fn failing_write() {
    let desk = desk();
    desk.does("apply -auto-approve");
    let before = stored(&desk).expect("a state");
    refuse(&desk, "write");
    desk.write("more.tf", "resource \"shape_thing\" \"b\" {\n  name = \"b\"\n}\n");
    let state = saved(&desk, &["Failed to save state"]);
    assert_eq!((state.serial, state.resources.len()), (before.serial + 1, 2));
    assert_eq!(stored(&desk), Some(before));
    released(&desk);
    desk.fails("taint shape_thing.a", "Failed to save state");
}

fn failing_read() {
    let desk = desk();
    refuse(&desk, "read");
    for command in ["plan", "apply -auto-approve", "state list", "output"] {
        desk.fails(command, "Failed to read state");
        released(&desk);
    }
    fs::remove_file(file(&desk, "refuses-read")).expect("removed");
    fs::write(file(&desk, "default"), "{}").expect("written");
    desk.fails("apply -auto-approve", "Failed to read state");
    released(&desk);
    assert_eq!(fs::read(file(&desk, "default")).expect("read"), b"{}");
}

fn failing_unlock() {
    let desk = desk();
    refuse(&desk, "unlock");
    desk.fails("apply -auto-approve", "Failed to unlock state");
    assert_eq!(stored(&desk).expect("a state").resources.len(), 1);
    assert!(file(&desk, "lock").exists());
}

fn mistakes() {
    let rows = [
        ("state_store \"shape_folder\" {}", "Missing provider block"),
        ("state_store \"shape_none\" {\n provider \"shape\" {}\n }", "Invalid state store type"),
        ("state_store \"shape_folder\" {\n provider \"shape\" {}\n }", "Missing required argument"),
        (
            "state_store \"shape_folder\" {\n provider \"shape\" {}\n path = \"/does/not/exist\"\n }",
            "Folder Not Found",
        ),
        (
            "state_store \"shape_folder\" {\n provider \"shape\" {}\n path = var.x\n }",
            "Variables not allowed",
        ),
        ("state_store \"a\" {\n provider \"none\" {}\n }", "Failed to load plugin schemas"),
    ];
    for (block, summary) in rows {
        let desk = Desk::new(THING);
        desk.write(
            "store.tf",
            &format!("terraform {{\n  {block}\n}}\nvariable \"x\" {{ default = \"y\" }}\n"),
        );
        desk.fails("plan", summary);
        assert_eq!(desk.state(), None, "{block}");
    }
}
