//! What has changed since a state file was written as a whole.
//!
//! Writing a large state after each change takes time that grows with the square of its objects. So a change is a line
//! in `.NAME.journal` beside the file until the lines together come to a part of it. A line is about one instance, and
//! names the serial of the file that it changes, so that it means nothing once the file has been written.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::error::StateError;
use super::file::share;
use super::part::Part;
use super::{InstanceState, ResourceState, State, encode};
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
    /// The file of the state.
    state: PathBuf,
    /// How many bytes this process has written to it.
    length: usize,
}

/// Whether a change was noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JournalOutcome {
    Yes,
    /// It is time to write the whole state.
    No,
}

impl Journal {
    pub(super) fn beside(state: &Path) -> Self {
        let name = state.file_name().unwrap_or_default().to_string_lossy();
        Self { path: state.with_file_name(format!(".{name}.journal")), state: state.to_owned(), length: 0 }
    }

    /// Notes an instance as it is in `part`, which has nothing else; gone if that is empty. `whole` is the length of
    /// the file with this serial.
    pub(super) fn note(
        &mut self,
        (at, part): (&InstanceAddress, &State),
        (serial, whole): (u64, usize),
    ) -> Result<JournalOutcome, StateError> {
        if whole < SMALL || self.length > whole / PART {
            return Ok(JournalOutcome::No);
        }
        let mut line = format!("{{\"serial\":{serial},\"at\":");
        push_string(&mut line, &at.to_string());
        line.push_str(",\"state\":");
        line.push_str(&encode::compact(part, &encode::body(part)?));
        line.push_str("}\n");
        self.append(line.as_bytes()).map_err(StateError::io("write", &self.path))?;
        self.length += line.len();
        Ok(JournalOutcome::Yes)
    }

    /// Writes a line, or nothing of it.
    fn append(&self, line: &[u8]) -> io::Result<()> {
        let mut file = self.open()?;
        let before = file.metadata()?.len();
        file.write_all(line).inspect_err(|_| {
            // On a full disk a part of the line may be there, and the next one must not continue it. If not even this
            // is possible, then neither is the next one.
            let _ = file.set_len(before);
        })
    }

    /// The open file, for those who may read the state.
    fn open(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&self.path)?;
        share(&file, &self.state)?;
        Ok(file)
    }

    /// Forgets all, because the file has it.
    pub(super) fn clear(&mut self) {
        // What stays has the serial of another file.
        let _ = fs::remove_file(&self.path);
        self.length = 0;
    }

    /// Makes the changes that were noted for the file with this state, or for none.
    pub(super) fn replay(&self, state: &mut Option<State>) -> Result<(), StateError> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(StateError::io("read", &self.path)(error)),
        };
        // A line without an end was being written when the process was killed; nobody was told of its object.
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let mut elsewhere = BTreeMap::new();
        for (number, line) in (1..).zip(lines) {
            let line = Line::read(line).map_err(|error| {
                StateError::new(format!(
                    "{} notes what was changed last, but its line {number} is damaged: {error}. Correct or remove the \
                     line, and see whether its object is known",
                    self.path.display()
                ))
            })?;
            match state {
                Some(state) if line.changes(state) => line.apply(state),
                _ => {
                    elsewhere.insert(line.at.clone(), line.instance().is_some());
                }
            }
        }
        // A file that we wrote ourselves has what was noted before.
        elsewhere.retain(|at, exists| *exists && !state.as_ref().is_some_and(|state| has(state, at)));
        if elsewhere.is_empty() {
            return Ok(());
        }
        let lost: Vec<String> = elsewhere.keys().map(ToString::to_string).collect();
        Err(StateError::new(format!(
            "{} notes objects that exist, but the state that they belong to was overwritten or removed by another \
             program since: {}. Put that state back, or import or delete the objects; then remove the journal",
            self.path.display(),
            lost.join(", ")
        )))
    }
}

fn has(state: &State, at: &InstanceAddress) -> bool {
    state.resources.get(&at.resource).is_some_and(|resource| resource.instances.contains_key(&at.key))
}

/// A change of one instance.
struct Line {
    serial: u64,
    at: InstanceAddress,
    part: State,
}

impl Line {
    fn read(line: &[u8]) -> Result<Self, StateError> {
        let mut members = Part::document(line)?.members()?;
        let serial = members.required("serial", Part::count)?;
        let at = members.required("at", Part::text)?;
        let at = at.parse().map_err(|_| StateError::new("an address is required").within("at"))?;
        let part = members.required("state", |part| Ok(part.raw().as_bytes())).and_then(State::from_bytes)?;
        Ok(Self { serial, at, part })
    }

    /// Whether that is the state which it changes.
    fn changes(&self, state: &State) -> bool {
        self.serial == state.serial && self.part.lineage == state.lineage
    }

    /// The instance, unless it is gone.
    fn instance(&self) -> Option<(&ResourceState, &InstanceState)> {
        let resource = self.part.resources.get(&self.at.resource)?;
        Some((resource, resource.instances.get(&self.at.key)?))
    }

    fn apply(&self, state: &mut State) {
        let Self { at, .. } = self;
        let Some((of, instance)) = self.instance() else {
            let resource = state.resources.get_mut(&at.resource);
            resource.and_then(|resource| resource.instances.remove(&at.key));
            state.resources.retain(|_, resource| !resource.instances.is_empty());
            return;
        };
        let resource = state
            .resources
            .entry(at.resource.clone())
            .or_insert_with(|| ResourceState { provider: of.provider.clone(), instances: BTreeMap::new() });
        resource.provider.clone_from(&of.provider);
        resource.instances.insert(at.key.clone(), instance.clone());
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use super::*;

    /// The variable with the state of a process whose files are short.
    const STATE: &str = "FERROFORM_JOURNAL_STATE";

    #[test]
    fn journal_has_the_mode_of_the_state() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("terraform.tfstate");
        fs::write(&path, []).expect("written");
        for mode in [0o600, 0o640] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
            let at: InstanceAddress = "demo_thing.a".parse().expect("an address");
            let part = State { lineage: "one".to_owned(), ..State::default() };
            let mut journal = Journal::beside(&path);
            assert_eq!(journal.note((&at, &part), (0, 1 << 20)), Ok(JournalOutcome::Yes));
            assert_eq!(fs::metadata(&journal.path).expect("there").permissions().mode() & 0o777, mode);
        }
    }

    /// What a full disk has cut off does not spoil the line that comes next.
    #[test]
    fn a_line_is_whole_or_not_there() {
        let name = "state::journal::tests::a_line_is_whole_or_not_there";
        if let Some(path) = std::env::var_os(STATE) {
            let mut journal = Journal::beside(Path::new(&path));
            let mut note = |name: String| {
                let at: InstanceAddress = format!("demo_thing.{name}").parse().expect("an address");
                let part = State { lineage: "one".to_owned(), ..State::default() };
                journal.note((&at, &part), (0, 1 << 20))
            };
            assert_eq!(note("a".to_owned()), Ok(JournalOutcome::Yes));
            let error = note("b".repeat(1 << 16)).expect_err("there is no room");
            assert!(error.to_string().contains(".terraform.tfstate.journal: "), "{error}");
            assert_eq!(note("c".to_owned()), Ok(JournalOutcome::Yes));
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("terraform.tfstate");
        let mut limited = Command::new("sh");
        limited.args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "sh"]);
        limited.arg(std::env::current_exe().expect("this program")).args(["--exact", name]).env(STATE, &path);
        let output = limited.output().expect("started");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        let lines = fs::read_to_string(folder.path().join(".terraform.tfstate.journal")).expect("a journal");
        let names: Vec<_> =
            lines.lines().map(|line| Line::read(line.as_bytes()).expect("a line").at.to_string()).collect();
        assert_eq!(names, ["demo_thing.a", "demo_thing.c"]);
    }
}
