//! A program of any SDK behind the process of a composition: types move from it one by one, and its failures are those of
//! its types only.

mod store;
mod streams;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use ferroform::Protocol;
use ferroform::diag::Diagnostics;
use ferroform::value::Value;
use ferroform_core::codec::json;
use ferroform_plugin::client::Error;
use ferroform_testing::client::{
    ApplyRequest, Client, Command, PlanRequest, Process, Provider, StoredObject,
};
use libtest_mimic::Trial;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::composition::{go_program, of_sdk};
use crate::trial;

/// The composition: notes of its own, and whatever else the program has.
const COMPOSED: &str = env!("CARGO_BIN_EXE_terraform-provider-composed");

/// The same types, built with this SDK.
const SMALL: &str = env!("CARGO_BIN_EXE_terraform-provider-small");

/// How long a process may take to end that has to.
const END: Duration = Duration::from_secs(10);

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("a_program_that_does_not_serve_is_told_of", does_not_serve),
        trial("a_program_that_dies_takes_its_types_with_it_only", dies),
        trial("a_program_that_hangs_ends_with_the_users_patience", hangs),
        trial("a_program_ends_when_the_composition_is_killed", killed),
        trial("states_are_checked_without_the_program", check_upgrades),
    ];
    trials.extend(store::trials());
    trials.extend(streams::trials());
    for (sdk, speaks) in [("rust", Protocol::V5), ("go", Protocol::V6), ("go", Protocol::V5)] {
        for served in [Protocol::V6, Protocol::V5] {
            let name = format!(
                "a_type_moves_here_from_a_program::{sdk} {}::protocol {}",
                speaks.number(),
                served.number()
            );
            let test =
                trial(name, move || moves(if sdk == "go" { go_program() } else { None }, speaks, served));
            trials.push(of_sdk(test, sdk));
        }
    }
    trials
}

/// A folder for notes and cards, whose path marks all processes of a test.
struct Scene {
    folder: TempDir,
    program: PathBuf,
    speaks: Protocol,
}

impl Scene {
    fn new(program: impl Into<PathBuf>) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), program: program.into(), speaks: Protocol::V6 }
    }

    fn command(&self, program: impl AsRef<Path>) -> Command {
        Command::new(program.as_ref())
            .env("MARK", self.folder.path())
            .env("SMALL_PROTOCOL", self.speaks.number().to_string())
            .env("COMPOSED_PROGRAM", &self.program)
    }

    async fn start(&self, command: Command) -> (Process, Provider) {
        self.start_with("folder", command).await
    }

    /// A provider that has its folder in that attribute.
    async fn start_with(&self, attribute: &str, command: Command) -> (Process, Provider) {
        let process = command.start().await.expect("it serves");
        let client = Client::new(process.connection(), process.protocol());
        let provider = Provider::connect(client).await.expect("schemas");
        let config = Value::object([(attribute, Value::from(self.folder.path().display().to_string()))]);
        sound(&provider.validate_config(&config).await.expect("an answer"));
        sound(&provider.configure(&config).await.expect("an answer"));
        (process, provider)
    }

    /// The process of the program behind a composition.
    fn behind(&self, composed: &Process) -> Pid {
        let composed = composed.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        self.living().into_iter().find(|pid| Some(*pid) != composed).expect("the program lives")
    }

    /// The living processes of this test.
    fn living(&self) -> Vec<Pid> {
        let mark = OsString::from(format!("MARK={}\0", self.folder.path().display()));
        let mark = mark.as_encoded_bytes();
        let entries = fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
        let marked = entries.filter_map(|entry| {
            let id: i32 = entry.file_name().to_str()?.parse().ok()?;
            let environment = fs::read(entry.path().join("environ")).ok()?;
            environment.windows(mark.len()).any(|part| part == mark).then(|| Pid::from_raw(id))?
        });
        marked.collect()
    }

    async fn nothing_is_left(&self) {
        let start = Instant::now();
        while !self.living().is_empty() {
            assert!(start.elapsed() < END, "processes are left: {:?}", self.living());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn text(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.folder.path().join(file)).ok()
    }
}

fn sound(told: &Diagnostics) {
    assert!(told.is_empty(), "{told:?}");
}

fn config(name: &str, text: &str) -> Value {
    Value::object([("id", Value::Null), ("name", name.into()), ("text", text.into())])
}

/// Plans and applies, as core does.
async fn change(
    provider: &Provider,
    of: &str,
    prior: &StoredObject,
    config: &Value,
) -> (StoredObject, Diagnostics) {
    let id = prior.value.as_entries().and_then(|entries| entries.get("id")).cloned();
    let proposed = match config.as_entries() {
        None => Value::Null,
        Some(entries) => {
            let of = |name: &str| entries.get(name).cloned().unwrap_or(Value::Null);
            Value::object([("id", id.unwrap_or(Value::Null)), ("name", of("name")), ("text", of("text"))])
        }
    };
    let request = PlanRequest { prior, config, proposed: &proposed, planned_private: Bytes::new() };
    let planned = provider.plan(of, request).await.expect("an answer");
    sound(&planned.diagnostics);
    let request = ApplyRequest { prior: &prior.value, planned: &planned.object, config };
    let applied = provider.apply(of, request).await.expect("an answer");
    (applied.object, applied.diagnostics)
}

async fn changed(provider: &Provider, of: &str, prior: &StoredObject, config: &Value) -> StoredObject {
    let (object, told) = change(provider, of, prior, config).await;
    sound(&told);
    object
}

async fn moves(program: Option<&Path>, speaks: Protocol, served: Protocol) {
    let is_go = program.is_some();
    let scene = Scene { speaks, ..Scene::new(program.unwrap_or(Path::new(SMALL))) };
    let (process, alone) = scene.start(scene.command(&scene.program)).await;
    assert_eq!(process.protocol(), speaks);
    let note = changed(&alone, "small_note", &StoredObject::none(), &config("n", "one")).await;
    let card = changed(&alone, "small_card", &StoredObject::none(), &config("c", "one")).await;
    process.shutdown().await.expect("it ends");

    let (process, all) = scene.start(scene.command(COMPOSED).only(served)).await;
    assert_eq!(process.protocol(), served);
    assert!(all.schemas().resources.keys().eq(["small_card", "small_note"]), "{:?}", all.schemas());
    let (mut note, mut card) = (note, card);
    for (of, name, object) in [("small_note", "n", &mut note), ("small_card", "c", &mut card)] {
        let schema = all.resource(of).expect("it is there");
        let stored = json::encode(&object.value, &schema.ty()).expect("a state");
        let stored = stored.into();
        let (upgraded, told) = all.upgrade(of, schema.version, stored).await.expect("an answer");
        sound(&told);
        assert_eq!(upgraded, object.value, "{of}");
        let read = all.read(of, object).await.expect("an answer");
        // What another SDK keeps beside the state cannot be read by this one.
        let is_dropped = is_go && of == "small_note";
        let told: Vec<_> = read.diagnostics.iter().map(|told| &*told.summary).collect();
        assert_eq!(told, if is_dropped { vec!["Private State Dropped"] } else { vec![] }, "{of}");
        assert_eq!(read.object.value, object.value, "{of}");
        assert_eq!(read.object.private == object.private, !is_dropped, "{of}");
        *object = read.object;
        let config = config(name, "one");
        let request = PlanRequest {
            prior: object,
            config: &config,
            proposed: &object.value,
            planned_private: Bytes::new(),
        };
        let planned = all.plan(of, request).await.expect("an answer");
        sound(&planned.diagnostics);
        assert_eq!(planned.object.value, object.value, "{of} does not change");
    }
    let note = changed(&all, "small_note", &note, &config("n", "two")).await;
    let card = changed(&all, "small_card", &card, &config("c", "two")).await;
    assert_eq!((scene.text("n.note"), scene.text("c.card")), (Some("two".into()), Some("two".into())));
    changed(&all, "small_note", &note, &Value::Null).await;
    changed(&all, "small_card", &card, &Value::Null).await;
    assert_eq!((scene.text("n.note"), scene.text("c.card")), (None, None));
    if is_go {
        let of = Value::object([("text", Value::from("four")), ("length", Value::Null)]);
        let (read, told) = all.read_data_source("small_length", &of).await.expect("an answer");
        sound(&told);
        assert_eq!(read, Value::object([("text", Value::from("four")), ("length", Value::from(4))]));
        let called = all.call_function("twice", &["ab".into()]).await.expect("an answer");
        assert_eq!(called.expect("a result"), Value::from("abab"));
    }
    assert!(process.shutdown().await.expect("it ends").success());
    scene.nothing_is_left().await;
}

async fn does_not_serve() {
    let scripts = tempfile::tempdir().expect("a folder");
    let script = |name: &str, text: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        let path = scripts.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        path
    };
    for (program, problem) in [
        (PathBuf::from("/does/not/exist"), "No such file or directory"),
        (script("talks", "echo hello"), "no handshake"),
        (script("ends", "exit 3"), "ended before it served"),
        (script("hangs", "exec sleep 1000"), "did not serve within"),
        (script("strange", "echo '1|7|unix|/tmp/x|grpc|'; sleep 1000"), "chose protocol"),
    ] {
        let scene = Scene::new(&program);
        let command = scene.command(COMPOSED).env("COMPOSED_START", "500");
        let Err(Error::Start { problem: told, .. }) = command.start().await else {
            panic!("{} does not serve", program.display())
        };
        assert!(told.contains("The provider cannot start: Provider Program Does Not Serve"), "{told}");
        assert!(told.contains(problem) && told.contains(&*program.to_string_lossy()), "{told}");
        scene.nothing_is_left().await;
    }
}

async fn dies() {
    let scene = Scene::new(SMALL);
    let (process, all) = scene.start(scene.command(COMPOSED)).await;
    let (object, told) = change(&all, "small_card", &StoredObject::none(), &config("c", "crash")).await;
    assert!(object.value.is_null());
    let told: Vec<_> = told.iter().collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].summary, "Provider Program Ended");
    assert!(
        told[0].detail.contains(SMALL) && told[0].detail.contains("compare with the service"),
        "{told:?}"
    );
    changed(&all, "small_note", &StoredObject::none(), &config("n", "one")).await;
    let card = StoredObject { value: config("c", "one"), ..StoredObject::none() };
    let read = all.read("small_card", &card).await.expect("an answer");
    assert_eq!(
        read.diagnostics.iter().map(|told| &*told.summary).collect::<Vec<_>>(),
        ["Provider Program Ended"]
    );
    assert!(process.shutdown().await.expect("it ends").success());
    scene.nothing_is_left().await;
}

/// Stopped by a signal, as a program is that waits for something for ever.
async fn hangs() {
    let scene = Scene::new(SMALL);
    let (process, all) = scene.start(scene.command(COMPOSED)).await;
    pause(scene.behind(&process)).await;
    let card = StoredObject { value: config("c", "one"), ..StoredObject::none() };
    let reader = all.clone();
    let read = tokio::spawn(async move { reader.read("small_card", &card).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!read.is_finished());
    let start = Instant::now();
    all.stop().await.expect("an answer");
    let read = read.await.expect("no panic").expect("an answer");
    assert!(start.elapsed() < END, "{:?}", start.elapsed());
    assert_eq!(read.diagnostics.iter().map(|told| &*told.summary).collect::<Vec<_>>(), ["Call Cancelled"]);
    assert!(process.shutdown().await.expect("it ends").success());
    scene.nothing_is_left().await;
}

/// Stops a process until it is told to continue, which nobody does.
async fn pause(process: Pid) {
    kill_process(process, Signal::STOP).expect("it is there");
    // Until the signal has reached it, its threads answer.
    while !is_stopped(process) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Whether all threads of a process have stopped. Behind the name of each, in brackets, is its state.
fn is_stopped(process: Pid) -> bool {
    let threads = fs::read_dir(format!("/proc/{}/task", process.as_raw_nonzero())).expect("it lives");
    let mut states = threads
        .map(|thread| fs::read_to_string(thread.expect("an entry").path().join("stat")).expect("it lives"));
    states.all(|state| state.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('T')))
}

async fn killed() {
    let scene = Scene::new(SMALL);
    let (process, _all) = scene.start(scene.command(COMPOSED)).await;
    assert_eq!(scene.living().len(), 2, "the composition and its program");
    let composed = process.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)).expect("it lives");
    kill_process(composed, Signal::KILL).expect("it is there");
    let start = Instant::now();
    // The process is collected when its value is dropped, so that one may be left until then.
    while scene.living().iter().any(|pid| *pid != composed) {
        assert!(start.elapsed() < END, "the program outlives the composition");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(process);
    scene.nothing_is_left().await;
}

/// A state with an object of each: the composition has an own type for the note only.
const STATE: &str = r#"{"version": 4, "resources": [
  {"mode": "managed", "type": "small_note", "name": "a", "provider": "provider[\"registry.terraform.io/acme/small\"]",
   "instances": [{"schema_version": 0, "attributes": {"id": "id-a", "name": "a", "text": "x"}}]},
  {"mode": "managed", "type": "small_card", "name": "a", "provider": "provider[\"registry.terraform.io/acme/small\"]",
   "instances": [{"schema_version": 0, "attributes": {"id": "id-a", "name": "a", "text": "x"}}]}
]}"#;

async fn check_upgrades() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("it.tfstate");
    fs::write(&state, STATE).expect("a state");
    let checked = std::process::Command::new(COMPOSED)
        .arg("check-upgrades")
        .arg(&state)
        .env("COMPOSED_PROGRAM", "/does/not/exist")
        .output()
        .expect("it starts");
    let printed = String::from_utf8(checked.stdout).expect("text");
    assert!(checked.status.success(), "{printed}{:?}", String::from_utf8(checked.stderr));
    assert_eq!(printed, "small_note.a state 0: ok\n1 of 1 can be read by this release.\n");
}
