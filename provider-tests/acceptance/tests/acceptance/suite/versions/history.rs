//! What the old releases of the demo stored, and what this one makes of it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use ferroform::Protocol;
use ferroform::testing::{UpgradeCheck, UpgradeChecker, UpgradeRecorder};
use ferroform_examples::demo::Release;
use ferroform_testing::config::{Config, ResourceBlock, body, list, object, provider, resource};
use ferroform_testing::embedded::PlanOptions;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::engine::{Engine, Identities, instance, source};
use crate::suite::matrix::TestTarget;

/// Where the states of the old releases are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tests/upgrades")
}

/// What the notes say.
const CONTENT: &str = "One.\n\nThree.\n";

/// The notes: the name of each resource, and its place.
const NOTES: [(&str, &str); 2] = [("nested", "notes/a.md"), ("top", "top.md")];

/// The folder of the provider.
pub(super) fn root() -> TempDir {
    let root = tempfile::tempdir().expect("a folder");
    fs::create_dir(root.path().join("notes")).expect("a folder");
    root
}

/// A note as it is written for a release.
pub(super) fn note(
    release: Release,
    protocol: Protocol,
    (name, target): (&str, &str),
    others: &str,
) -> ResourceBlock {
    let block = resource("demo_note", name);
    let block = block.set(if release == Release::V0 { "path" } else { "name" }, target);
    let block = match release {
        Release::V0 | Release::V1 => block.set("content", CONTENT),
        Release::V2 | Release::Current => block.set("lines", list(CONTENT.lines())),
    };
    let permissions = match release {
        Release::Current => vec![("owner", "rw-"), ("group", "r--"), ("others", others)],
        _ => vec![("mode", "0640")],
    };
    match protocol {
        Protocol::V6 => block.set("permissions", object(permissions)),
        Protocol::V5 => {
            let body = permissions.into_iter().fold(body(), |body, (name, value)| body.set(name, value));
            block.block("permissions", body)
        }
    }
}

pub(super) fn config(root: &Path) -> Config {
    Config::new().provider(provider("demo").set("root", root))
}

fn notes(root: &Path, release: Release, protocol: Protocol) -> Config {
    NOTES.iter().fold(config(root), |config, it| config.resource(note(release, protocol, *it, "---")))
}

/// The state file of a release. A core that knows no identities has stored none.
fn stored(release: Release, identities: Identities) -> Vec<u8> {
    let identity = match identities {
        Identities::Known => format!(".identity-{}", number(release)),
        Identities::NotKnown => String::new(),
    };
    let name = format!("demo_note.state-{}{identity}.tfstate", number(release));
    fs::read(folder().join(name)).expect("a state")
}

/// The state file that Terraform 0.11 has left of release 0.
fn stored_flat() -> Vec<u8> {
    fs::read(folder().join("demo_note.flat-0.tfstate")).expect("a state")
}

/// All of them.
fn all_stored() -> Vec<Vec<u8>> {
    let typed = Release::OLD.into_iter().flat_map(|release| {
        [Identities::Known, Identities::NotKnown].map(|identities| stored(release, identities))
    });
    typed.chain([stored_flat()]).collect()
}

fn number(release: Release) -> u8 {
    match release {
        Release::V0 => 0,
        Release::V1 => 1,
        Release::V2 => 2,
        Release::Current => 3,
    }
}

/// What is committed is what the old releases store. With `FERROFORM_UPDATE=1` it is written.
pub(super) fn recorded(target: &TestTarget) {
    for release in Release::OLD {
        let root = root();
        let provider = release.provider(Protocol::V6);
        let mut engine = Engine::real(target, &[("demo", provider.clone())]);
        let config = notes(root.path(), release, Protocol::V6);
        let seen = engine.apply(&config);
        assert!(seen.errors.is_empty(), "{seen:#?}");
        engine.settled(&config);
        let found = tempfile::tempdir().expect("a folder");
        as_committed(
            &UpgradeRecorder::new(provider.as_ref()).record(&engine.state(), found.path()).expect("recorded"),
        );
    }
}

/// Checks the only file that was recorded, or commits it.
#[track_caller]
fn as_committed(files: &[PathBuf]) {
    let [file] = files else { panic!("not one file but {files:?}") };
    let committed = folder().join(file.file_name().expect("a name"));
    if std::env::var_os("FERROFORM_UPDATE").is_some_and(|update| update == "1") {
        fs::copy(file, &committed).expect("written");
    }
    let read = |path: &Path| -> Json {
        let mut state: Json = serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
        // Each core gives its own.
        state["terraform_version"] = Json::Null;
        state
    };
    assert_eq!(read(file), read(&committed), "{}", committed.display());
}

/// A state as Terraform 0.11 wrote it. What the SDK of its time left in `meta` is private data.
fn state_of_0_11() -> String {
    let note = |(name, target): (&str, &str)| {
        let attributes = json!({
            "id": target, "path": target, "content": CONTENT, "permissions.#": "1", "permissions.0.mode": "0640",
        });
        let meta = json!({"schema_version": "0", "e2bfb730-ecaa-11e6-8f88-34363bc7c4c0": {"create": 600_000_000_000_u64}});
        let primary = json!({"id": target, "attributes": attributes, "meta": meta, "tainted": false});
        let note = json!({
            "type": "demo_note", "depends_on": [], "primary": primary, "deposed": [], "provider": "provider.demo",
        });
        (format!("demo_note.{name}"), note)
    };
    let resources: serde_json::Map<String, Json> = NOTES.into_iter().map(note).collect();
    let module = json!({"path": ["root"], "outputs": {}, "resources": resources, "depends_on": []});
    let state = json!({
        "version": 3, "terraform_version": "0.11.14", "serial": 1, "lineage": "flat", "modules": [module],
    });
    state.to_string()
}

/// The committed flat state is what a core makes of one that Terraform 0.11 wrote.
pub(super) fn recorded_flat(target: &TestTarget) {
    let provider = Release::Current.provider(Protocol::V6);
    let mut engine = Engine::real(target, &[("demo", provider.clone())]);
    engine.set_state(state_of_0_11().as_bytes());
    let Engine::Real { session, .. } = &engine else { panic!("it is no real core") };
    // Both products take the provider of such a state for one of their own registry.
    let old = target.by_product("registry.terraform.io/-/demo", "registry.opentofu.org/-/demo");
    let new = source("demo");
    let outcome =
        session.workspace().run(&["state", "replace-provider", "-auto-approve", old, &new]).expect("an end");
    assert!(outcome.succeeded(), "{outcome:?}");
    let found = tempfile::tempdir().expect("a folder");
    as_committed(
        &UpgradeRecorder::new(provider.as_ref()).record(&engine.state(), found.path()).expect("recorded"),
    );
}

/// Every state that an old release has stored is one without changes.
pub(super) fn upgraded(start: impl Fn() -> Engine) {
    for old in all_stored() {
        let mut engine = start();
        let root = root();
        for (_, target) in NOTES {
            let file = root.path().join(target);
            fs::write(&file, CONTENT).expect("written");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("set");
        }
        engine.set_state(&old);
        let config = notes(root.path(), Release::Current, engine.protocol());
        engine.settled(&config);

        // Something has to change, for core to store a new state.
        let marked = config.clone().output("mark", "x");
        let seen = engine.apply(&marked);
        assert!(seen.errors.is_empty(), "{seen:#?}");
        let knows = engine.identities();
        let (state, old) = (engine.state_json(), serde_json::from_slice(&old).expect("JSON"));
        for (name, target) in NOTES {
            let address = format!("demo_note.{name}");
            check(instance(&state, &address), instance(&old, &address), target, knows);
        }
        engine.settled(&marked);
    }
}

/// Objects that are gone are made anew, also those that never had an identity: nobody misses one.
pub(super) fn gone(start: impl Fn() -> Engine) {
    for old in all_stored() {
        let (mut engine, root) = (start(), root());
        engine.set_state(&old);
        let config = notes(root.path(), Release::Current, engine.protocol());
        let seen = engine.plan(&config, &PlanOptions::default());
        assert_eq!(seen.changes, ["demo_note.nested create", "demo_note.top create"], "{seen:#?}");
        let seen = engine.apply(&config);
        assert!(seen.errors.is_empty(), "{seen:#?}");
        engine.settled(&config);
    }
}

/// Checks a note in the state.
#[track_caller]
fn check(found: &Json, old: &Json, target: &str, identities: Identities) {
    assert_eq!(found["schema_version"], 3);
    // Private data of another SDK is dropped.
    let kept = if old["attributes_flat"].is_null() { &old["private"] } else { &Json::Null };
    assert_eq!(&found["private"], kept, "{found:#}");
    let permissions = json!({"owner": "rw-", "group": "r--", "others": "---"});
    let lines: Vec<&str> = CONTENT.lines().collect();
    assert_eq!(found["attributes"], json!({"name": target, "lines": lines, "permissions": permissions}));
    if identities == Identities::Known {
        let (directory, name) = match target.rsplit_once('/') {
            Some((directory, name)) => (Some(directory), name),
            None => (None, target),
        };
        assert_eq!(found["identity_schema_version"], 2, "{found:#}");
        assert_eq!(found["identity"], json!({"directory": directory, "name": name}));
    }
}

/// An upgrade that fails leaves the state as it is, to the byte.
pub(super) fn failing(start: impl Fn() -> Engine) {
    let root = root();
    let mut engine = start();
    let config = notes(root.path(), Release::Current, engine.protocol());
    let knows = engine.identities() == Identities::Known;
    let mut check = |state: Vec<u8>, (from, to): (&str, &str), expect: (&str, &[&str])| {
        let state = String::from_utf8(state).expect("text");
        assert!(state.contains(from), "{from} is not in {state}");
        engine.set_state(state.replacen(from, to, 1).as_bytes());
        engine.refuses(&config, expect.0, expect.1);
    };
    let mode = r#""mode": "0640""#;
    check(
        stored(Release::V0, Identities::Known),
        (mode, r#""mode": "lots""#),
        ("Invalid Mode", &["from version 0 to version 3", "lots"]),
    );
    check(
        stored(Release::V2, Identities::Known),
        (mode, r#""mode": []"#),
        ("Unreadable Value", &["demo_note"]),
    );
    check(
        stored(Release::V1, Identities::Known),
        (r#""permissions": {"#, r#""rights": {"#),
        ("Missing Value", &["demo_note"]),
    );
    check(
        stored_flat(),
        (r#""permissions.0.mode": "0640""#, r#""permissions.0.mode": "lots""#),
        ("Invalid Mode", &["from version 0 to version 3", "lots"]),
    );
    check(
        stored_flat(),
        (r#""permissions.0.mode""#, r#""mode""#),
        ("Incomplete Note", &["permissions.0.mode"]),
    );
    // Nothing else of release 1 has a path.
    let path = r#""path": "notes/a.md""#;
    if knows {
        check(
            stored(Release::V1, Identities::Known),
            (path, r#""path": {"a": 1}"#),
            ("Unreadable Value", &["identity"]),
        );
        check(
            stored(Release::V1, Identities::Known),
            (path, r#""other": "notes/a.md""#),
            ("Missing Value", &["identity"]),
        );
    }
}

/// The library call says the same as the cores.
pub(super) fn checked() {
    let checker = UpgradeChecker::new(Release::Current.provider(Protocol::V6));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let checks = runtime.block_on(checker.folder(folder())).expect("checked");
    let bad: Vec<_> = checks.iter().filter(|it| !it.succeeded()).map(ToString::to_string).collect();
    assert_eq!(bad, [""; 0]);
    let direct = |it: &&UpgradeCheck| it.address == "demo_note.top" && it.what == "identity";
    let mut lines: Vec<_> = checks.iter().filter(direct).map(ToString::to_string).collect();
    lines.dedup();
    // What a core without identities has stored counts as version 0, without data.
    let expect = ["0 -> 1 -> 2: ok", "1 -> 2: ok", "0 -> 1 -> 2: ok", "2: ok", "0 -> 1 -> 2: ok"];
    assert_eq!(lines, expect.map(|expect| format!("demo_note.top identity {expect}")));
}

/// The verbs of a provider binary.
pub(super) fn verbs() {
    let run = |release: &str, arguments: &[&std::ffi::OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_terraform-provider-demo"));
        let done = command.env("DEMO_AS_VERSION", release).args(arguments).output().expect("an end");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (done.status.code(), text(done.stdout), text(done.stderr))
    };
    let (check, record) = ("check-upgrades".as_ref(), "record-upgrades".as_ref());
    let folder = folder();
    let (code, said, _) = run("3", &[check, folder.as_os_str()]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("demo_note.top state 0 -> 1 -> 2 -> 3: ok\n"), "{said}");
    assert!(said.ends_with("can be read by this release.\n"), "{said}");

    // An older release cannot read what newer ones have stored.
    let state = folder.join("demo_note.state-2.identity-2.tfstate");
    let before = fs::read(&state).expect("a file");
    let (code, said, _) = run("0", &[check, state.as_os_str()]);
    assert_eq!(code, Some(1), "{said}");
    for part in ["demo_note.top state 2: No State Upgrade", "newer release", "0 of 4"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(fs::read(&state).expect("a file"), before);

    // What is recorded can be recorded again.
    let other = tempfile::tempdir().expect("a folder");
    let (code, said, _) = run("2", &[record, state.as_os_str(), other.path().as_os_str()]);
    assert_eq!(code, Some(0));
    let written = other.path().join(state.file_name().expect("a name"));
    assert_eq!(said, format!("{}\n", written.display()));
    assert_eq!(fs::read(written).expect("a file"), before);

    for (arguments, part) in [
        (&[check, "nothing".as_ref()][..], "nothing cannot be read"),
        (&[record][..], "record-upgrades STATE [FOLDER]"),
        (&[check, "--x".as_ref()][..], "check-upgrades [--config FILE] [STATE]"),
    ] {
        let (code, _, said) = run("3", arguments);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(part), "{part}: {said}");
    }
}
