//! What has changed since a state file was written as a whole.
//!
//! Writing a large state after each change takes time that grows with the square of its objects. So a change is a line
//! in `.NAME.journal` beside the file until the lines together come to a part of it. A line is about one instance, and
//! names the serial of the file that it changes, so that it means nothing once the file has been written.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::error::StateError;
use super::part::Part;
use super::{State, encode};
use crate::address::InstanceAddress;
use crate::json_text::push_string;

/// Up to so many bytes a state is written as a whole after each change, and others than us find all in it.
const SMALL: usize = 64 * 1024;

/// The part of a larger state, as a divisor, that the lines may come to.
const PART: usize = 8;

/// The lines beside a state file.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    /// How many bytes this process has written to it.
    length: usize,
}

/// Whether a change was noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Noted {
    Yes,
    /// It is time to write the whole state.
    No,
}

impl Journal {
    pub(super) fn beside(state: &Path) -> Self {
        let name = state.file_name().unwrap_or_default().to_string_lossy();
        Self { path: state.with_file_name(format!(".{name}.journal")), length: 0 }
    }

    /// Notes an instance as it is in `part`, which has nothing else; gone if that is empty. `whole` is the length of
    /// the file with this serial.
    pub(super) fn note(
        &mut self,
        (at, part): (&InstanceAddress, &State),
        (serial, whole): (u64, usize),
    ) -> Result<Noted, StateError> {
        if whole < SMALL || self.length > whole / PART {
            return Ok(Noted::No);
        }
        let mut line = format!("{{\"serial\":{serial},\"at\":");
        push_string(&mut line, &at.to_string());
        line.push_str(",\"state\":");
        line.push_str(&encode::compact(part, &encode::body(part)?));
        line.push_str("}\n");
        let append =
            || OpenOptions::new().create(true).append(true).open(&self.path)?.write_all(line.as_bytes());
        append().map_err(StateError::io("write", &self.path))?;
        self.length += line.len();
        Ok(Noted::Yes)
    }

    /// Forgets all, because the file has it.
    pub(super) fn clear(&mut self) {
        // What stays has the serial of another file.
        let _ = fs::remove_file(&self.path);
        self.length = 0;
    }

    /// Makes the changes that were noted for the file with this state.
    pub(super) fn replay(&self, state: &mut State) -> Result<(), StateError> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(StateError::io("read", &self.path)(error)),
        };
        // A line without an end was being written when the process was killed; nobody was told of its object.
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        for (number, line) in (1..).zip(lines) {
            apply(line, state)
                .map_err(|error| error.within(format!("{} line {number}", self.path.display())))?;
        }
        Ok(())
    }
}

fn apply(line: &[u8], state: &mut State) -> Result<(), StateError> {
    let mut members = Part::document(line)?.members()?;
    let serial = members.required("serial", Part::count)?;
    let at = members.required("at", Part::text)?;
    let at: InstanceAddress =
        at.parse().map_err(|_| StateError::new("an address is required").within("at"))?;
    let mut part = members.required("state", |part| Ok(part.raw().as_bytes())).and_then(State::from_bytes)?;
    if serial != state.serial || part.lineage != state.lineage {
        return Ok(());
    }
    let instance = part
        .resources
        .get_mut(&at.resource)
        .and_then(|it| Some((it.provider.clone(), it.instances.remove(&at.key)?)));
    match instance {
        Some((provider, instance)) => {
            let resource = state.resources.entry(at.resource).or_insert_with(|| super::ResourceState {
                provider: provider.clone(),
                instances: std::collections::BTreeMap::new(),
            });
            resource.provider = provider;
            resource.instances.insert(at.key, instance);
        }
        None => {
            let resource = state.resources.get_mut(&at.resource);
            resource.and_then(|resource| resource.instances.remove(&at.key));
            state.resources.retain(|_, resource| !resource.instances.is_empty());
        }
    }
    Ok(())
}
