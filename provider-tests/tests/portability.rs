//! What runs on one system only is in few files, which have code for the others, too.

use std::fs;
use std::path::{Path, PathBuf};

/// What only some systems have.
const WORDS: [&str; 9] = [
    "target_os",
    "target_arch",
    "cfg(unix)",
    "cfg(not(unix))",
    "cfg(windows)",
    "std::os::",
    "/proc",
    "nix::",
    "rustix::",
];

/// The files that have such words, from the folder of the crate. Of the embedded core it is what locks and stores
/// states, and of real cores what runs them.
const MARKED: [&str; 7] = [
    "cores/src/cache.rs",
    "cores/src/driver/provider.rs",
    "cores/src/launcher.rs",
    "cores/src/main.rs",
    "cores/src/process.rs",
    "embedded/src/state/journal.rs",
    "embedded/src/state/lock.rs",
];

/// The sources of the test crates and of those that they need, but for the one of processes.
const SOURCES: [&str; 5] = ["src", "cores/src", "embedded/src", "../sdk/core/src", "../sdk/server/src"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let of = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flat_map(of).filter(|path| path.extension().is_some_and(|it| it == "rs")).collect()
}

/// The lines of a file that name a system.
fn named(text: &str) -> Vec<&str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.filter(|line| WORDS.iter().any(|word| line.contains(word))).collect()
}

#[test]
fn only_marked_files_name_a_system() {
    let mut found = Vec::new();
    for path in SOURCES.iter().flat_map(|folder| files(&root().join(folder))) {
        let lines = named(&fs::read_to_string(&path).expect("a file")).join("\n");
        let name = path.strip_prefix(root()).expect("within").display().to_string();
        if !lines.is_empty() && !MARKED.contains(&name.as_str()) {
            found.push(format!("{name}:\n{lines}"));
        }
    }
    assert!(found.is_empty(), "use what all systems have, or mark these files:\n{}", found.join("\n"));
}

#[test]
fn marked_files_have_code_for_all_systems() {
    for name in MARKED {
        let text = fs::read_to_string(root().join(name)).expect(name);
        let lines = named(&text);
        assert!(!lines.is_empty(), "{name} names no system; take its mark away");
        for (one, others) in [
            ("#[cfg(target_os = \"linux\")]", "not(target_os = \"linux\")"),
            ("#[cfg(windows)]", "not(windows)"),
        ] {
            let has_one = lines.iter().any(|line| line.trim() == one);
            assert!(
                !has_one || lines.iter().any(|line| line.contains(others)),
                "{name} has code for one system only"
            );
        }
    }
}
