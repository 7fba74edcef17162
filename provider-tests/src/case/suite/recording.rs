//! Recordings of real cores that tests replay.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

/// A committed recording of a real core. While nothing has changed that it was made from, it stands for the core in a
/// test.
///
/// The recording's key is the SHA-256 of its *parts*: the case, the recording itself, the checksum of the core, and the
/// code that drives it. A file of keys is committed beside the recordings. With `FERROFORM_RECORD` set, a test records anew
/// and [`Trials::recorded`](super::Trials::recorded) stores the key; with `FERROFORM_LIVE` set, every test runs on its core.
#[derive(Debug, Clone)]
pub struct Recording {
    keys: PathBuf,
    name: String,
    parts: fn(&str) -> io::Result<Vec<Vec<u8>>>,
}

/// Tests that record at the same time write one file.
static WRITING: Mutex<()> = Mutex::new(());

impl Recording {
    /// The recording of a name, with the file that has its key. The closure reads the parts of a recording of that name.
    pub fn new(
        keys: impl Into<PathBuf>,
        name: impl Into<String>,
        parts: fn(&str) -> io::Result<Vec<Vec<u8>>>,
    ) -> Self {
        Self { keys: keys.into(), name: name.into(), parts }
    }

    /// The lines of a recording, each of them JSON.
    ///
    /// # Errors
    /// The file cannot be read, or a line is none of the recording: the file and the line.
    pub fn lines<T: DeserializeOwned>(file: impl AsRef<Path>) -> Result<Vec<T>, String> {
        let file = file.as_ref();
        let at = |place: &dyn std::fmt::Display, problem: &dyn std::fmt::Display| {
            format!("{}{place}: {problem}; record it again with FERROFORM_RECORD=1", file.display())
        };
        let text = fs::read_to_string(file).map_err(|error| at(&"", &error))?;
        let parse = |(number, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|error| at(&format_args!(":{}", number + 1), &error))
        };
        text.lines().enumerate().map(parse).collect()
    }

    /// Whether nothing has changed since the recording was made, and nobody has asked to run live.
    pub(super) fn is_current(&self) -> bool {
        let is_set = |variable| std::env::var_os(variable).is_some();
        !is_set("FERROFORM_LIVE") && !is_set("FERROFORM_RECORD") && self.has_key()
    }

    /// Whether the file has the key of the parts as they are now.
    fn has_key(&self) -> bool {
        let keys = self.read().unwrap_or_default();
        keys.get(&self.name).is_some_and(|key| self.key().is_ok_and(|now| *key == now))
    }

    /// Stores the key of a recording that was just made.
    pub(super) fn store(&self) -> io::Result<()> {
        let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut keys = self.read().unwrap_or_default();
        keys.insert(self.name.clone(), self.key()?);
        fs::write(&self.keys, keys.iter().map(|(name, key)| format!("{name}\t{key}\n")).collect::<String>())
    }

    fn read(&self) -> io::Result<BTreeMap<String, String>> {
        let text = fs::read_to_string(&self.keys)?;
        let keys = text.lines().filter_map(|line| line.split_once('\t'));
        Ok(keys.map(|(name, key)| (name.to_owned(), key.to_owned())).collect())
    }

    fn key(&self) -> io::Result<String> {
        let mut hash = Sha256::new();
        for part in (self.parts)(&self.name)? {
            // The length keeps what moves from one part to the next from having the same key.
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As an interrupted recording or a merge leaves one.
    #[test]
    fn broken_recording_is_one_error_with_file_and_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("lists.jsonl");
        let lines = || {
            Recording::lines::<(String, u32)>(&file)
                .map_err(|it| it.replace(&*file.to_string_lossy(), "FILE"))
        };
        let missing = lines().expect_err("there is none");
        assert!(missing.starts_with("FILE: No such file"), "{missing}");
        fs::write(&file, "[\"a\",1]\n[\"b\",2]\n").expect("written");
        assert_eq!(lines(), Ok(vec![("a".to_owned(), 1), ("b".to_owned(), 2)]));
        for (cut, problem) in
            [("[\"a\",1]\n[\"b", "FILE:2: EOF while parsing"), ("[\"a\"]\n", "FILE:1: invalid length")]
        {
            fs::write(&file, cut).expect("written");
            let error = lines().expect_err("it is broken");
            assert!(error.starts_with(problem) && error.ends_with("with FERROFORM_RECORD=1"), "{error}");
        }
    }

    #[test]
    fn changed_part_makes_a_recording_stale() {
        let folder = tempfile::tempdir().expect("a folder");
        let recorded = folder.path().join("lists.jsonl");
        fs::write(&recorded, "one").expect("written");
        let parts: fn(&str) -> io::Result<Vec<Vec<u8>>> = |name| Ok(vec![b"core".to_vec(), fs::read(name)?]);
        let recording = Recording::new(folder.path().join("keys.tsv"), recorded.to_string_lossy(), parts);
        assert!(!recording.has_key(), "no key is stored");

        recording.store().expect("stored");
        assert!(recording.has_key());
        let other: fn(&str) -> io::Result<Vec<Vec<u8>>> =
            |name| Ok(vec![b"cor".to_vec(), b"e".to_vec(), fs::read(name)?]);
        assert!(!Recording { parts: other, ..recording.clone() }.has_key(), "other parts have another key");

        fs::write(&recorded, "two").expect("written");
        assert!(!recording.has_key(), "the recording has changed");
    }
}
