//! State files on disk: whole, locked, and with a backup.

use std::fs;
use std::path::PathBuf;

use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::state::{OutputValue, State, StateFile};
use tempfile::TempDir;

/// A folder and the path of a state file in it.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("terraform.tfstate");
    (folder, path)
}

/// A state that holds nothing but an output.
fn state(output: &str) -> State {
    let mut state = State::default();
    let output =
        OutputValue { ty: Type::String, value: Value::from(output), sensitive: false, deprecated: None };
    state.outputs.insert("o".to_owned(), output);
    state
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_locked_until_it_is_dropped() {
    let (folder, path) = place();
    let mut first = StateFile::open(&path, "apply").expect("free");
    assert_eq!(names(&folder), [".terraform.tfstate.lock.info", "terraform.tfstate"]);
    for written in [false, true] {
        if written {
            first.write(&mut state("a")).expect("written");
        }
        let error = StateFile::open(&path, "plan").expect_err("locked").to_string();
        assert!(error.contains("is locked by process") && error.contains("for apply"), "{error}");
    }
    drop(first);
    assert_eq!(names(&folder), ["terraform.tfstate"]);
    drop(StateFile::open(&path, "plan").expect("free"));
}

#[test]
fn a_file_that_nothing_was_written_to_is_removed() {
    let (folder, path) = place();
    let file = StateFile::open(&path, "plan").expect("free");
    assert_eq!(file.read(), Ok(None));
    drop(file);
    assert_eq!(names(&folder), [""; 0]);
}

#[test]
fn empty_file_that_was_there_stays() {
    let (folder, path) = place();
    fs::write(&path, []).expect("written");
    let file = StateFile::open(&path, "plan").expect("free");
    assert_eq!(file.read(), Ok(None));
    drop(file);
    assert_eq!(names(&folder), ["terraform.tfstate"]);
}

#[test]
#[cfg(unix)]
fn symbolic_link_stays_and_its_file_is_replaced() {
    let (folder, path) = place();
    let elsewhere = tempfile::tempdir().expect("a folder");
    let target = elsewhere.path().join("state.json");
    let link = |name: &str, to: &std::path::Path| {
        std::os::unix::fs::symlink(to, folder.path().join(name)).expect("a link");
    };
    // By way of another link, and with a file that is not there yet.
    link("between", &target);
    link("terraform.tfstate", std::path::Path::new("between"));
    for text in ["a", "b"] {
        let mut file = StateFile::open(&path, "apply").expect("free");
        file.write(&mut state(text)).expect("written");
        assert!(StateFile::open(&target, "plan").expect_err("locked").to_string().contains("is locked"));
    }
    assert!(path.is_symlink() && folder.path().join("between").is_symlink());
    let read = StateFile::look(&target).expect("a state").expect("it is there");
    assert_eq!(read.outputs, state("b").outputs);
    let backup = StateFile::look(folder.path().join("terraform.tfstate.backup")).expect("a state");
    assert_eq!(backup.expect("it is there").outputs, state("a").outputs);
    drop(StateFile::open(folder.path().join("between"), "plan").expect("free"));
    fs::remove_file(&target).expect("it was there");
    drop(StateFile::open(&path, "plan").expect("free"));
    assert!(path.is_symlink() && !target.exists());
}

#[test]
fn the_serial_grows_with_every_change_only() {
    let (folder, path) = place();
    let mut file = StateFile::open(&path, "apply").expect("free");
    let mut serials = Vec::new();
    for output in ["a", "a", "b", "a"] {
        let mut state = state(output);
        file.write(&mut state).expect("written");
        serials.push(state.serial);
        assert_eq!(file.read(), Ok(Some(state)));
    }
    assert_eq!(serials, [1, 1, 2, 3]);
    drop(file);
    assert_eq!(names(&folder), ["terraform.tfstate"]);

    let mut file = StateFile::open(&path, "apply").expect("free");
    let before = fs::read(&path).expect("a file");
    file.write(&mut state("a")).expect("nothing to write");
    assert_eq!(names(&folder), [".terraform.tfstate.lock.info", "terraform.tfstate"]);
    for output in ["b", "c"] {
        file.write(&mut state(output)).expect("written");
    }
    assert_eq!(fs::read(path.with_extension("tfstate.backup")).expect("a backup"), before);
}

#[test]
fn the_lineage_is_that_of_the_file() {
    let (_folder, path) = place();
    let mut file = StateFile::open(&path, "apply").expect("free");
    let mut first = state("a");
    file.write(&mut first).expect("written");
    let digits: Vec<&str> = first.lineage.split('-').collect();
    assert_eq!(digits.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
    assert!(digits[2].starts_with('4'), "{}", first.lineage);
    let mut second = state("b");
    file.write(&mut second).expect("written");
    assert_eq!(second.lineage, first.lineage);
    let mut other = state("c");
    other.lineage = "other".to_owned();
    let error = file.write(&mut other).expect_err("another lineage").to_string();
    assert!(error.contains("holds a state of another lineage"), "{error}");
    assert_eq!(file.read(), Ok(Some(second)));
}

#[test]
fn a_file_that_is_no_state_is_not_overwritten() {
    for (content, problem) in [("{", "ends early"), ("{\"version\":5}", "format 5 is newer")] {
        let (_folder, path) = place();
        fs::write(&path, content).expect("written");
        let mut file = StateFile::open(&path, "apply").expect("free");
        let error = file.write(&mut state("a")).expect_err("no state").to_string();
        assert!(error.contains("terraform.tfstate") && error.contains(problem), "{error}");
        assert_eq!(fs::read(&path).expect("a file"), content.as_bytes());
    }
}

#[test]
fn a_file_that_cannot_be_opened_is_named() {
    let (folder, _) = place();
    let error = StateFile::open(folder.path().join("none/terraform.tfstate"), "plan").expect_err("no folder");
    assert!(error.to_string().starts_with("could not open "), "{error}");
}

/// A state with the resource `t.a`, or with none, as text on one line.
fn text((serial, lineage): (u64, &str), resources: &str) -> String {
    format!(
        r#"{{"version":4,"terraform_version":"1.15.5","serial":{serial},"lineage":"{lineage}","outputs":{{}},"resources":[{resources}]}}"#
    )
}

const RESOURCE: &str = r#"{"mode":"managed","type":"t","name":"a","provider":"provider[\"registry.terraform.io/x/t\"]","instances":[{"schema_version":0,"attributes":{}}]}"#;

#[test]
fn what_was_noted_for_a_state_is_in_it_or_is_missed() {
    let of = (7, "one");
    let check = |file: Option<String>, noted: (u64, &str), expect: Result<usize, &str>| {
        let (folder, path) = place();
        if let Some(file) = &file {
            fs::write(&path, file).expect("written");
        }
        let (serial, part) = (noted.0, text(noted, RESOURCE));
        let half = r#"{"serial":7,"at":"t.b","sta"#;
        let lines = format!("{{\"serial\":{serial},\"at\":\"t.a\",\"state\":{part}}}\n{half}");
        fs::write(folder.path().join(".terraform.tfstate.journal"), lines).expect("written");
        let found = StateFile::look(&path).map(|state| state.map_or(0, |state| state.resources.len()));
        match (found, expect) {
            (Ok(found), Ok(expect)) => assert_eq!(found, expect, "{file:?} {noted:?}"),
            (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
            (found, expect) => panic!("{found:?} instead of {expect:?} for {file:?} and {noted:?}"),
        }
    };
    check(Some(text(of, "")), of, Ok(1));
    // Written as a whole, and killed before the journal was removed.
    check(Some(text((8, "one"), RESOURCE)), of, Ok(1));
    // Another program has written it, or it is another state, or there is none.
    check(Some(text((8, "one"), "")), of, Err("since: t.a."));
    check(Some(text((7, "two"), "")), of, Err("since: t.a."));
    check(None, of, Err("since: t.a."));
}
