//! A disk that is full for core itself: the objects are made, and core cannot write them down.

use std::fs;
use std::path::Path;

use ferroform_testing::real::Core;
use serde_json::Value;

use super::matrix::{Attach, Journey, Place};
use super::stage::{PROBE, Stage, errors, write_script};

pub(super) fn journeys() -> Vec<Journey> {
    vec![Journey::new("no place for the state", no_place).attached(&[Attach::Spawned]).on_both()]
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

fn no_place(place: &Place) {
    let folder = tempfile::tempdir().expect("a folder");
    let full = folder.path().join("full");
    let place = Place { core: limited(&place.core, folder.path()), ..place.clone() };
    let stage = Stage::open(&place, PROBE);
    stage.configure(SMALL);
    stage.apply();
    let text = "x".repeat(LIMIT * 7 / 8);
    stage.configure(&format!(
        "{SMALL}resource \"probe_text\" \"b\" {{\n  name = \"b\"\n  text = \"{text}\"\n}}\n"
    ));

    fs::write(&full, "").expect("written");
    // The driver fails the command if it leaves a process behind, the provider's included.
    let outcome = stage.workspace.apply_auto(&[]).expect("an end");
    assert_eq!(outcome.exit_code, Some(1), "{outcome:?}");
    assert!(outcome.messages.iter().any(|message| message.kind == "apply_complete"), "{outcome:?}");
    assert_eq!(stage.files(), ["a.json", "b.json"]);
    // Neither the state file nor `errored.tfstate` has the place, so core prints the state instead.
    for file in ["terraform.tfstate", "errored.tfstate"] {
        let cut = fs::read(stage.workspace.dir().join(file)).expect("core has tried");
        assert!(serde_json::from_slice::<Value>(&cut).is_err(), "{file} is whole");
    }
    let dump = outcome.messages.iter().find(|message| message.json.get("state").is_some());
    let dump = &dump.unwrap_or_else(|| panic!("no state in {:?}", errors(&outcome))).json["state"];

    fs::remove_file(&full).expect("removed");
    fs::write(stage.state_file(), dump.to_string()).expect("written");
    assert_eq!(stage.addresses(), ["probe_number.a", "probe_text.b"]);
    stage.settled();
    stage.destroy();
    assert_eq!(stage.files(), [""; 0]);
    stage.close();
}
