//! The resource `demo_directory`.

use std::fs;

use ferroform_testing::plan::Action;
use serde_json::json;

use crate::support::on_both;

const DIRECTORY: &str = "demo_directory";

#[test]
fn lives() {
    on_both(async |demo| {
        let mut directory = demo.made(DIRECTORY, &json!({ "name": "d" })).await;
        let path = fs::canonicalize(demo.path("d")).unwrap();
        assert_eq!(directory.state(), json!({ "name": "d", "path": path }));
        assert!(path.is_dir());

        let done = directory.apply(&json!({ "name": "e" })).await;
        assert_eq!((done.action(), done.errors()), (Action::DeleteThenCreate, Vec::new()));
        assert!(!path.exists());
        assert!(demo.path("e").is_dir());

        assert_eq!(directory.destroy().await.errors(), [""; 0]);
        assert!(!demo.path("e").exists());
    });
}

#[test]
fn nothing_in_it_is_deleted() {
    on_both(async |demo| {
        let mut directory = demo.made(DIRECTORY, &json!({ "name": "d" })).await;
        demo.write("d/mine.txt", "");
        assert_eq!(directory.destroy().await.errors(), ["Directory Not Removed"]);
        assert!(!directory.state().is_null());
        assert!(demo.path("d/mine.txt").exists());
    });
}

#[test]
fn a_file_in_its_place_is_no_directory() {
    on_both(async |demo| {
        let mut directory = demo.made(DIRECTORY, &json!({ "name": "d" })).await;
        fs::remove_dir(demo.path("d")).unwrap();
        demo.write("d", "");
        assert_eq!(directory.apply(&json!({ "name": "d" })).await.errors(), ["name: Name Already Exists"]);
        assert!(directory.state().is_null());
    });
}

#[test]
fn imports_by_name() {
    on_both(async |demo| {
        fs::create_dir(demo.path("d")).unwrap();
        let mut directory = demo.resource(DIRECTORY);
        assert_eq!(directory.import("e").await, ["Object Not Found"]);
        assert_eq!(directory.import("d").await, [""; 0]);
        assert_eq!(directory.state()["name"], "d");
    });
}
