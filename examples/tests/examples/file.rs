//! The resource `demo_file`.

use std::fs;

use ferroform::value::Value;
use ferroform_testing::client::{ApplyRequest, StoredObject};
use ferroform_testing::plan::Action;
use serde_json::{Value as Json, json};

use crate::support::{Demo, on_both, summaries, written};

const FILE: &str = "demo_file";

fn hello() -> Json {
    json!({ "name": "a.txt", "content": "Hello!\n" })
}

/// Tries to create a file where `prepare` has been; the errors are paths and summaries.
fn check_create(config: &Json, prepare: impl Fn(&Demo), expect: &[&str]) {
    on_both(async |demo| {
        prepare(&demo);
        let mut file = demo.resource(FILE);
        assert_eq!(file.apply(config).await.errors(), expect, "{config}");
        assert_eq!(!file.state().is_null(), expect.is_empty(), "{config}");
    });
}

/// Reads a good file again after something has happened to it: the errors, and whether it is still managed.
fn check_read(happens: impl Fn(&Demo), expect: &[&str], managed: bool) {
    on_both(async |demo| {
        fs::create_dir(demo.path("d")).unwrap();
        let mut file = demo.made(FILE, &json!({ "name": "d/a.txt", "content": "" })).await;
        happens(&demo);
        assert_eq!(file.refresh().await.errors(), expect);
        assert_eq!(!file.state().is_null(), managed);
    });
}

#[test]
fn lives() {
    on_both(async |demo| {
        let mut file = demo.made(FILE, &hello()).await;
        let sha256 = "b22b009134622b6508d756f1062455d71a7026594eacb0badf81f4f677929ebe";
        let expect =
            json!({ "name": "a.txt", "content": "Hello!\n", "mode": "0644", "size": 7, "sha256": sha256 });
        assert_eq!(file.state(), expect);
        assert_eq!(demo.content("a.txt"), "Hello!\n");

        let planned = file.plan(&json!({ "name": "a.txt", "content": "Bye!\n", "mode": "0600" })).await;
        assert_eq!(planned.action(), Action::Update);
        // The plan hook leaves nothing for apply to find out.
        assert!(planned.plan.changes[0].after.is_wholly_known());
        assert_eq!(file.make(planned).await.errors(), [""; 0]);
        assert_eq!(demo.content("a.txt"), "Bye!\n");

        assert_eq!(file.destroy().await.errors(), [""; 0]);
        assert_eq!(fs::read_dir(demo.root.path()).unwrap().count(), 0);
    });
}

#[test]
fn names_stay_below_the_root() {
    let outside =
        ["", "/etc/a", "..", "../a", "d/../a", "d/./a", "./a", "d//a", "a/", "/", "d\\a", "a\0b", "."];
    for name in outside {
        let config = json!({ "name": name, "content": "" });
        check_create(&config, |_| {}, &["name: Name Leaves The Root"]);
    }
    for name in ["a", "..a", "a..b", "a b", "ä.txt", "d/a"] {
        let config = json!({ "name": name, "content": "" });
        check_create(&config, |demo| fs::create_dir(demo.path("d")).unwrap(), &[]);
    }
}

#[test]
fn modes_are_octal() {
    for mode in ["", "644", "0648", "1644", "00644", "0x44", "rw-r--r--"] {
        let config = json!({ "name": "a", "content": "", "mode": mode });
        check_create(&config, |_| {}, &["mode: Invalid Mode"]);
    }
    for mode in ["0600", "0777", "0400"] {
        check_create(&json!({ "name": "a", "content": "", "mode": mode }), |_| {}, &[]);
    }
}

#[test]
fn nothing_is_overwritten() {
    on_both(async |demo| {
        demo.write("a.txt", "Mine!\n");
        assert_eq!(demo.resource(FILE).apply(&hello()).await.errors(), ["name: Name Already Exists"]);
        assert_eq!(demo.content("a.txt"), "Mine!\n");
    });
    check_create(
        &hello(),
        |demo| fs::create_dir(demo.path("a.txt")).unwrap(),
        &["name: Name Already Exists"],
    );
}

#[test]
fn a_directory_has_to_be_there() {
    let config = json!({ "name": "d/a.txt", "content": "" });
    check_create(&config, |_| {}, &["name: Directory Not Found"]);
    check_create(&config, |demo| demo.write("d", "a file"), &["name: Directory Not Found"]);
    check_create(&config, |demo| fs::remove_dir(demo.root.path()).unwrap(), &["root: Root Not Found"]);
}

#[test]
fn the_root_may_go_after_it_was_configured() {
    on_both(async |demo| {
        let config = demo.config(FILE, &hello());
        let texts = [("name", "a.txt"), ("content", ""), ("mode", "0644"), ("sha256", "")];
        let members = texts.map(|(name, text)| (name, Value::string(text)));
        let value = Value::object(members.into_iter().chain([("size", Value::from(0))]));
        let file = StoredObject { value, ..StoredObject::none() };
        fs::remove_dir(demo.root.path()).unwrap();
        let read = demo.provider.read(FILE, &file).await.unwrap();
        assert_eq!(summaries(&read.diagnostics), ["Root Not Found"]);
        let create = ApplyRequest { prior: &Value::Null, planned: &file, config: &config };
        let created = demo.provider.apply(FILE, create).await.unwrap();
        assert_eq!(summaries(&created.diagnostics), ["name: Root Not Found"]);
    });
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out() {
    let outside = tempfile::tempdir().unwrap();
    let config = json!({ "name": "d/a.txt", "content": "" });
    let link = |demo: &Demo| std::os::unix::fs::symlink(outside.path(), demo.path("d")).unwrap();
    check_create(&config, link, &["name: Name Leaves The Root"]);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    let relink = |demo: &Demo| {
        fs::remove_dir_all(demo.path("d")).unwrap();
        link(demo);
    };
    check_read(relink, &["Name Leaves The Root"], true);
}

#[test]
fn drift_is_found_and_mended() {
    on_both(async |demo| {
        let mut file = demo.made(FILE, &hello()).await;
        demo.write("a.txt", "Hacked!\n");
        assert_eq!(file.refresh().await.errors(), [""; 0]);
        assert_eq!(file.state()["content"], "Hacked!\n");
        assert_eq!(file.state()["size"], 8);
        let done = file.apply(&hello()).await;
        assert_eq!((done.action(), done.errors()), (Action::Update, Vec::new()));
        assert_eq!(demo.content("a.txt"), "Hello!\n");
    });
}

#[cfg(unix)]
#[test]
fn the_mode_drifts_too() {
    use std::os::unix::fs::PermissionsExt as _;
    on_both(async |demo| {
        let mut file = demo.made(FILE, &hello()).await;
        fs::set_permissions(demo.path("a.txt"), fs::Permissions::from_mode(0o640)).unwrap();
        file.refresh().await;
        assert_eq!(file.state()["mode"], "0640");
        file.apply(&hello()).await;
        let mode = fs::metadata(demo.path("a.txt")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o644);
    });
}

#[test]
fn what_is_gone_is_forgotten() {
    check_read(|demo| fs::remove_file(demo.path("d/a.txt")).unwrap(), &[], false);
    check_read(|demo| fs::remove_dir_all(demo.path("d")).unwrap(), &[], false);
    let other_kind = |demo: &Demo| {
        fs::remove_file(demo.path("d/a.txt")).unwrap();
        fs::create_dir(demo.path("d/a.txt")).unwrap();
    };
    check_read(other_kind, &[], false);
}

#[test]
fn what_cannot_be_read_is_kept() {
    check_read(|demo| fs::remove_dir_all(demo.root.path()).unwrap(), &["root: Root Not Found"], true);
    check_read(|demo| demo.write("d/a.txt", [0xff]), &["File Is No Text"], true);
    check_read(|demo| demo.write("d/a.txt", vec![b'a'; (1 << 20) + 1]), &["File Too Long"], true);
    check_read(|demo| demo.write("d/a.txt", vec![b'a'; 1 << 20]), &[], true);
}

#[test]
fn nothing_is_written_that_could_not_be_read() {
    let long = "a".repeat(1 << 20);
    check_create(&json!({ "name": "a", "content": long }), |_| {}, &[]);
    check_create(&json!({ "name": "a", "content": long + "a" }), |_| {}, &["name: File Too Long"]);
}

#[test]
fn deleting_what_is_gone_is_no_error() {
    on_both(async |demo| {
        let mut file = demo.made(FILE, &hello()).await;
        let planned = file.plan_destroy().await;
        fs::remove_file(demo.path("a.txt")).unwrap();
        assert_eq!(file.make(planned).await.errors(), [""; 0]);
        assert!(file.state().is_null());
    });
}

#[test]
fn imports_by_name() {
    let check = |id: &str, expect: &[&str]| {
        on_both(async |demo| {
            demo.write("a.txt", "Hello!\n");
            let mut file = demo.resource(FILE);
            assert_eq!(file.import(id).await, expect, "{id}");
            assert_eq!(!file.state().is_null(), expect.is_empty(), "{id}");
        });
    };
    check("a.txt", &[]);
    check("b.txt", &["Object Not Found"]);
    check("../a.txt", &["Name Leaves The Root"]);
}

#[test]
fn what_follows_from_an_unknown_content_is_unknown() {
    on_both(async |demo| {
        let config = Value::object([("name", Value::string("a.txt")), ("content", Value::unknown())]);
        let done = demo.resource(FILE).plan_value(&config).await;
        assert_eq!(done.errors(), [""; 0]);
        let planned = done.plan.changes[0].after.as_entries().unwrap();
        let later: Vec<_> = planned.iter().filter(|(_, value)| value.is_unknown()).collect();
        assert_eq!(later.iter().map(|(name, _)| &***name).collect::<Vec<_>>(), ["content", "sha256", "size"]);
    });
}

#[test]
fn the_data_source_reads() {
    let check = |name: &str, expect: Result<Json, &str>| {
        on_both(async |demo| {
            demo.write("a.txt", "Hello!\n");
            let block = &demo.provider.schemas().data_sources[FILE].block;
            let config = written(block, &json!({ "name": name }));
            let (state, found) = demo.provider.read_data_source(FILE, &config).await.unwrap();
            match &expect {
                Ok(expect) => assert_eq!(
                    state,
                    Value::object([
                        ("name", Value::string(name)),
                        ("content", Value::string(expect["content"].as_str().unwrap())),
                        ("size", Value::from(expect["size"].as_i64().unwrap())),
                    ])
                ),
                Err(expect) => assert_eq!(summaries(&found), [*expect]),
            }
        });
    };
    check("a.txt", Ok(json!({ "content": "Hello!\n", "size": 7 })));
    check("b.txt", Err("name: File Not Found"));
    check("../a.txt", Err("name: Name Leaves The Root"));
}
