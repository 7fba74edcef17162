//! The life of a note, on the embedded core and in the program that core starts.

use std::fs;
use std::path::PathBuf;

use ferroform_testing::prelude::*;
use tempfile::TempDir;

fn file(folder: &TempDir) -> PathBuf {
    folder.path().join("hello.txt")
}

fn minimal() -> Provider<TempDir> {
    Provider::binary("example.com/ferroform/minimal", env!("CARGO_BIN_EXE_terraform-provider-minimal"))
}

/// The configuration of a note in the folder of the run.
fn note(text: &'static str) -> Source<TempDir> {
    Source::with(move |run: &Run<'_, TempDir>| {
        let path = file(run.backend);
        Config::new()
            .resource(resource("minimal_note", "hello").set("path", path.as_path()).set("text", text))
    })
}

#[test]
fn note_is_created_updated_read_and_deleted() {
    Case::with_backend("note", |_| tempfile::tempdir().expect("a folder"))
        .provider(minimal())
        .step(
            Step::apply(note("one"))
                .plan(change("minimal_note.hello").action(Action::Create))
                .check(|outcome| assert_eq!(fs::read_to_string(file(outcome.run.backend)).unwrap(), "one")),
        )
        .step(
            Step::apply(note("two"))
                .plan(change("minimal_note.hello").action(Action::Update))
                .check(|outcome| assert_eq!(fs::read_to_string(file(outcome.run.backend)).unwrap(), "two")),
        )
        .step(Step::change_outside(|folder| fs::write(file(folder), "three").unwrap()))
        .step(Step::refresh().state(object("minimal_note.hello").has(path!(text), "three")))
        .step(Step::change_outside(|folder| fs::remove_file(file(folder)).unwrap()))
        .step(Step::apply(note("four")).plan(change("minimal_note.hello").action(Action::Create)))
        .expect_no_leftovers(|folder| {
            file(folder).exists().then(|| "hello.txt".to_owned()).into_iter().collect::<Vec<_>>()
        })
        .check();
}

#[test]
fn note_never_replaces_a_file_that_exists() {
    Case::with_backend("existing file", |_| {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(file(&folder), "mine").expect("written");
        folder
    })
    .provider(minimal())
    .step(
        Step::apply(note("theirs"))
            .expect(error("File Not Created").detail("import it or choose another path").at(path!(path)))
            .check(|outcome| assert_eq!(fs::read_to_string(file(outcome.run.backend)).unwrap(), "mine")),
    )
    .check();
}
