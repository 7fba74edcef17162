//! Disks without room. A limit on the size of files does to a process what a full disk does, and stands for one.

use std::fs;
use std::process::{Command, Stdio};

use libtest_mimic::Trial;
use serde_json::Value as Json;

use crate::PROGRAM_OF;
use crate::play::named;
use crate::play::provider::GATE;
use crate::play::verbs::{Desk, Printed};

pub(crate) fn trials() -> Vec<Trial> {
    let all: &[(&str, fn())] = &[
        ("a_state_without_room_is_printed", printed),
        ("a_state_without_its_place_is_put_beside", put_beside),
        ("a_state_without_new_objects_is_not_rescued", unrescued),
        ("a_lock_without_room_is_no_lock", unlocked),
        ("a_plan_without_room_is_not_saved", unsaved),
    ];
    named("full", all)
}

/// An object for which there is room, one for whose state there is none, and one that must not be begun.
fn text() -> String {
    format!(
        r#"
resource "shape_thing" "small" {{ name = "small" }}
resource "shape_thing" "large" {{
  name = shape_thing.small.name
  text = {:?}
}}
resource "shape_thing" "never" {{ name = shape_thing.large.id }}
"#,
        "long ".repeat(4000)
    )
}

/// Runs a command as a process whose files have at most so many blocks, of 512 or 1024 bytes.
fn limited(desk: &Desk, blocks: &str, command: &str) -> Printed {
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f \"$0\"; exec \"$@\"", blocks])
        .arg(std::env::current_exe().expect("this program"))
        .args(command.split_whitespace())
        .arg(desk.path())
        .env(PROGRAM_OF, "play")
        .env(GATE, desk.path())
        .stdin(Stdio::null())
        .output()
        .expect("started");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let code = output.status.code().and_then(|code| u8::try_from(code).ok()).expect("a code");
    Printed { code, out: text(output.stdout), err: text(output.stderr) }
}

/// Finds that the error names the state, and says what is to be done.
#[track_caller]
fn is_told(desk: &Desk, printed: &Printed) {
    let place = desk.path().join("terraform.tfstate").display().to_string();
    assert_eq!(printed.code, 1, "{}", printed.out);
    assert_eq!(printed.err.matches("Error: ").count(), 1, "{}", printed.err);
    for part in ["Error: Failed to save state", &place, "before you go on"] {
        assert!(printed.err.contains(part), "{part:?}: {}", printed.err);
    }
}

fn printed() {
    for form in ["", " -json"] {
        let desk = Desk::new(&text());
        let printed = limited(&desk, "8", &format!("apply -auto-approve{form}"));
        assert_eq!(desk.does("state list"), "shape_thing.small\n", "what was stored stays");
        let state = if form.is_empty() {
            is_told(&desk, &printed);
            printed.out.split_once("\n{\n").map(|(_, state)| format!("{{\n{state}"))
        } else {
            let lines = printed.out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
            let states: Vec<Json> = lines.filter(|line: &Json| line["state"].is_string()).collect();
            assert_eq!((printed.code, states.len()), (1, 1), "{}", printed.out);
            states[0]["state"].as_str().map(str::to_owned)
        };
        fs::write(desk.path().join("terraform.tfstate"), state.expect("a state")).expect("written");
        assert_eq!(desk.does("state list"), "shape_thing.large\nshape_thing.small\n");
        assert!(desk.does("plan").contains("Plan: 1 to add, 0 to change, 0 to destroy."));
        let names = fs::read_dir(desk.path()).expect("a folder").flatten().map(|it| it.file_name());
        let mut names: Vec<_> = names.filter_map(|name| name.into_string().ok()).collect();
        names.sort();
        assert_eq!(names, ["main.tf", "terraform.tfstate"], "nothing is left in part");
    }
}

/// What was put aside is never overwritten.
fn put_beside() {
    let desk = Desk::new("resource \"shape_thing\" \"first\" { name = \"first\" }\n");
    desk.does("apply -auto-approve");
    let before = desk.state();
    // No backup can be made.
    let (backup, aside) = (desk.path().join("terraform.tfstate.backup"), desk.path().join("errored.tfstate"));
    fs::create_dir_all(backup.join("in the way")).expect("made");
    desk.write("main.tf", &text());
    let printed = limited(&desk, "unlimited", "apply -auto-approve");
    is_told(&desk, &printed);
    assert!(printed.err.contains("errored.tfstate instead"), "{}", printed.err);
    assert_eq!(desk.state(), before);
    let kept = fs::read(&aside).expect("a state");
    let again = limited(&desk, "unlimited", "apply -auto-approve");
    is_told(&desk, &again);
    assert_eq!(fs::read(&aside).expect("a state"), kept);
    assert!(again.err.contains("errored-"), "{}", again.err);
    fs::remove_dir_all(&backup).expect("removed");
    fs::rename(aside, desk.path().join("terraform.tfstate")).expect("moved");
    assert!(desk.does("apply -auto-approve").contains("Apply complete!"));
}

/// Nothing is at stake when a mark in the state cannot be written: nothing is put aside, let alone printed.
fn unrescued() {
    let desk = Desk::new("resource \"shape_thing\" \"a\" { name = \"canary\" }\n");
    desk.does("apply -auto-approve");
    let before = desk.state();
    fs::create_dir_all(desk.path().join("terraform.tfstate.backup/in the way")).expect("made");
    for command in ["taint shape_thing.a", "state rm shape_thing.a", "state mv shape_thing.a shape_thing.b"] {
        let failed = desk.run(command);
        assert_eq!(failed.code, 1, "{}", failed.out);
        assert!(failed.err.contains("The state is as it was before."), "{}", failed.err);
        assert!(!failed.out.contains("canary") && !failed.err.contains("canary"), "{}", failed.err);
        assert_eq!(desk.state(), before);
    }
    assert!(!desk.path().join("errored.tfstate").exists());
}

fn unlocked() {
    let desk = Desk::new("resource \"shape_thing\" \"a\" { name = \"a\" }\n");
    let printed = limited(&desk, "0", "apply -auto-approve");
    assert_eq!(printed.code, 1, "{}", printed.out);
    assert!(printed.err.contains("Error: Failed to lock state"), "{}", printed.err);
    assert!(printed.err.contains(".terraform.tfstate.lock.info: "), "{}", printed.err);
    assert_eq!(desk.state(), None);
    assert!(desk.does("apply -auto-approve").contains("1 added"));
}

fn unsaved() {
    let desk = Desk::new(&text());
    let file = desk.path().join("plan.out").display().to_string();
    let printed = limited(&desk, "8", &format!("plan -out={file}"));
    assert_eq!(printed.code, 1, "{}", printed.out);
    assert!(
        printed.err.contains("Error: Failed to save plan") && printed.err.contains(&file),
        "{}",
        printed.err
    );
    assert!(!desk.path().join("plan.out").exists());
}
