//! Provider binaries that the acceptance tests run on real cores, and their providers.

use std::env;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use ferroform::{Protocol, Serve};

pub mod cloud;
pub mod corner;
#[cfg(test)]
mod newest;
pub mod plain;
pub mod probe;
pub mod small;
pub mod wide;
pub mod wrong;

/// The protocol that a variable asks for.
#[must_use]
pub fn protocol(variable: &str) -> Option<Protocol> {
    match env::var(variable).as_deref() {
        Ok("5") => Some(Protocol::V5),
        Ok("6") => Some(Protocol::V6),
        _ => None,
    }
}

/// Serves over the protocol that a variable asks for, or over all.
#[must_use]
pub fn run(serve: Serve, variable: &str) -> ExitCode {
    match protocol(variable) {
        Some(protocol) => serve.only(protocol).run(),
        None => serve.run(),
    }
}

/// The names of the files in a folder that end like this, without that end, sorted.
fn names(folder: &Path, end: &str) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        names.extend(name.to_str().and_then(|name| name.strip_suffix(end)).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// What came of looking for a file that may be absent.
fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}
