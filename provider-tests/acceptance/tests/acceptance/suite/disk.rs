//! A disk that is full for core itself: the objects are made, and core cannot write them down.

use std::fs;
use std::path::Path;

use ferroform_testing::real::Core;
use serde_json::Value;

use super::environment::{PROBE, TestEnvironment, errors, write_script};
use super::matrix::{AcceptanceTest, Attach, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    vec![AcceptanceTest::new("no place for the state", no_space).attached(&[Attach::Spawned]).on_both()]
}

const SMALL: &str = "resource \"probe_number\" \"a\" {\n  name  = \"a\"\n  value = 1\n}\n";

/// What a file may take when the disk is full: enough for each object, too little for the state of both.
const LIMIT: usize = 4096;

/// The core behind a limit of file sizes, which the file `full` in the folder turns on. What core starts has it too.
fn limited(core: &Core, folder: &Path) -> Core {
    let script = folder.join("core");
    let blocks = LIMIT / 512;
    let text = format!(
        "if [ -e '{}' ]; then trap '' XFSZ; ulimit -f {blocks}; fi\nexec '{}' \"$@\"\n",
        folder.join("full").display(),
        core.path.display()
    );
    write_script(&script, &text);
    Core { path: script, ..core.clone() }
}

fn no_space(target: &TestTarget) {
    let folder = tempfile::tempdir().expect("a folder");
    let full = folder.path().join("full");
    let target = TestTarget { core: limited(&target.core, folder.path()), ..target.clone() };
    let env = TestEnvironment::open(&target, PROBE);
    env.configure(SMALL);
    env.apply();
    let text = "x".repeat(LIMIT * 7 / 8);
    env.configure(&format!(
        "{SMALL}resource \"probe_text\" \"b\" {{\n  name = \"b\"\n  text = \"{text}\"\n}}\n"
    ));

    fs::write(&full, "").expect("written");
    // The driver fails the command if it leaves a process behind, the provider's included.
    let outcome = env.workspace.apply_auto(&[]).expect("an end");
    assert_eq!(outcome.exit_code, Some(1), "{outcome:?}");
    assert!(outcome.messages.iter().any(|message| message.kind == "apply_complete"), "{outcome:?}");
    assert_eq!(env.files(), ["a.json", "b.json"]);
    // Neither the state file nor `errored.tfstate` has the place, so core prints the state instead.
    for file in ["terraform.tfstate", "errored.tfstate"] {
        let cut = fs::read(env.workspace.dir().join(file)).expect("core has tried");
        assert!(serde_json::from_slice::<Value>(&cut).is_err(), "{file} is whole");
    }
    let dump = outcome.messages.iter().find(|message| message.json.get("state").is_some());
    let dump = &dump.unwrap_or_else(|| panic!("no state in {:?}", errors(&outcome))).json["state"];

    fs::remove_file(&full).expect("removed");
    fs::write(env.state_file(), dump.to_string()).expect("written");
    assert_eq!(env.addresses(), ["probe_number.a", "probe_text.b"]);
    env.settled();
    env.destroy();
    assert_eq!(env.files(), [""; 0]);
    env.close();
}
