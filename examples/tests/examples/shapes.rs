//! The shapes of what all releases of the demo have stored.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ferroform::Protocol;
use ferroform::testing::ProviderCheck;
use ferroform_examples::demo::Release;

fn texts(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let text = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().expect("a name");
        (name, fs::read_to_string(entry.path()).expect("a text"))
    };
    entries.map(text).collect()
}

/// The files as they came to be: each release has recorded its own shape, and this one has added what is new.
fn recorded(folder: &Path) {
    let mut history = String::new();
    for release in Release::OLD {
        let alone = tempfile::tempdir().expect("a folder");
        let found = ProviderCheck::new(release.provider(Protocol::V6)).record_shapes(alone.path());
        assert_eq!(found, [""; 0]);
        history.extend(texts(alone.path()).remove("demo_note.txt"));
    }
    fs::write(folder.join("demo_note.txt"), history).expect("written");
    let current = ProviderCheck::new(Release::Current.provider(Protocol::V6));
    assert_eq!(current.record_shapes(folder), [""; 0]);
    assert_eq!(current.compare_shapes(folder), [""; 0]);
}

#[test]
fn the_shapes_of_all_releases_are_on_file() {
    let folder = tempfile::tempdir().expect("a folder");
    recorded(folder.path());
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shapes");
    let now = texts(folder.path());
    if std::env::var_os("FERROFORM_UPDATE").is_some_and(|update| update == "1") {
        fs::create_dir_all(&committed).expect("made");
        for (name, text) in &now {
            fs::write(committed.join(name), text).expect("written");
        }
    }
    assert_eq!(now, texts(&committed));
    let versions = |what: &str| now["demo_note.txt"].lines().filter(|line| line.starts_with(what)).count();
    assert_eq!((versions("state "), versions("identity ")), (4, 3));
}
