//! The resource `demo_directory`.

use std::fs;

use ferroform_testing::core::{Action, ReplaceOrder};
use serde_json::json;

use crate::support::{errors, on_both, state};

const DIRECTORY: &str = "demo_directory";

#[test]
fn lives() {
    on_both(async |demo| {
        let mut directory = demo.made(DIRECTORY, &json!({ "name": "d" })).await;
        let path = fs::canonicalize(demo.path("d")).unwrap();
        assert_eq!(state(&directory), json!({ "name": "d", "path": path }));
        assert!(path.is_dir());

        let report = directory.apply(&demo.config(DIRECTORY, &json!({ "name": "e" }))).await;
        assert_eq!(report.action, Action::Replace(ReplaceOrder::DeleteThenCreate), "{report}");
        assert!(!path.exists());
        assert!(demo.path("e").is_dir());

        assert_eq!(errors(&directory.destroy().await), [""; 0]);
        assert!(!demo.path("e").exists());
    });
}

#[test]
fn nothing_in_it_is_deleted() {
    on_both(async |demo| {
        let mut directory = demo.made(DIRECTORY, &json!({ "name": "d" })).await;
        demo.write("d/mine.txt", "");
        assert_eq!(errors(&directory.destroy().await), ["Directory Not Removed"]);
        assert!(directory.state().is_some());
        assert!(demo.path("d/mine.txt").exists());
    });
}

#[test]
fn a_file_in_its_place_is_no_directory() {
    on_both(async |demo| {
        let mut directory = demo.made(DIRECTORY, &json!({ "name": "d" })).await;
        fs::remove_dir(demo.path("d")).unwrap();
        demo.write("d", "");
        let report = directory.apply(&demo.config(DIRECTORY, &json!({ "name": "d" }))).await;
        assert_eq!(errors(&report), ["name: Name Already Exists"]);
        assert!(directory.state().is_none());
    });
}

#[test]
fn imports_by_name() {
    on_both(async |demo| {
        fs::create_dir(demo.path("d")).unwrap();
        let mut directory = demo.resource(DIRECTORY);
        assert_eq!(errors(&directory.import("e").await), ["Object Not Found"]);
        assert_eq!(errors(&directory.import("d").await), [""; 0]);
        assert_eq!(state(&directory)["name"], "d");
    });
}
