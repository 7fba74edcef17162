//! The minimal provider, started as core starts it.

use ferroform_testing::client::{Client, Command, Provider};
use ferroform_testing::core::lifecycle::Resource;
use serde_json::json;

use crate::support::{run, state, written};

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
        let provider =
            Provider::connect(Client::new(process.connection(), process.protocol())).await.unwrap();
        let block = &provider.resource("minimal_note").unwrap().block;
        provider.configure(&written(&provider.schemas().provider.block, &json!({}))).await.unwrap();

        let mut note = Resource::new(&provider, "minimal_note").unwrap();
        for text in ["one", "two"] {
            let report = note.apply(&written(block, &json!({ "path": path, "text": text }))).await;
            assert!(report.succeeded(), "{report}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::write(&path, "three").unwrap();
        note.refresh().await;
        assert_eq!(state(&note)["text"], "three");

        let mut second = Resource::new(&provider, "minimal_note").unwrap();
        let report = second.apply(&written(block, &json!({ "path": path, "text": "" }))).await;
        assert!(!report.succeeded(), "{report}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "three");

        let report = note.destroy().await;
        assert!(report.succeeded(), "{report}");
        assert!(!path.exists());
        drop(provider);
        assert!(process.shutdown().await.unwrap().success());
    });
}
