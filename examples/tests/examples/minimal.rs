//! The minimal provider, started as core starts it.

use ferroform_testing::client::{Client, Command, Provider};
use ferroform_testing::config::Config;
use serde_json::json;

use crate::support::{Object, run};

const SOURCE: &str = include_str!("../../minimal/main.rs");
const PROGRAM: &str = env!("CARGO_BIN_EXE_terraform-provider-minimal");

#[test]
fn fits_on_a_page() {
    let lines = SOURCE.lines().count();
    assert!(lines <= 60, "{lines} lines");
}

#[test]
fn is_the_one_in_the_readme() {
    assert!(include_str!("../../../README.md").contains(SOURCE.trim_end()), "copy the file into README.md");
}

#[test]
fn lives() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note.txt");
        let process = Command::new(PROGRAM).start().await.unwrap();
        let client = Client::new(process.connection(), process.protocol());
        let provider = Provider::connect(client.clone()).await.unwrap();
        let new = || {
            let client = client.clone();
            Object::new(&provider, "minimal_note", Config::new(), move || client.clone())
        };

        let mut note = new();
        for text in ["one", "two"] {
            let done = note.apply(&json!({ "path": path, "text": text })).await;
            assert_eq!(done.errors(), [""; 0]);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::write(&path, "three").unwrap();
        assert_eq!(note.refresh().await.errors(), [""; 0]);
        assert_eq!(note.state()["text"], "three");

        let refused = new().apply(&json!({ "path": path, "text": "" })).await;
        assert_eq!(refused.errors().len(), 1, "{}", refused.text());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "three");

        assert_eq!(note.destroy().await.errors(), [""; 0]);
        assert!(!path.exists());
        drop((note, client));
        drop(provider);
        assert!(process.shutdown().await.unwrap().success());
    });
}
