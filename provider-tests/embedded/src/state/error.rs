//! What goes wrong between a state and its file.

use std::fmt;
use std::io;
use std::path::Path;

/// A state that cannot be read or written. Never shows a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateError {
    /// The way to the part, from the inside out, which is how an error travels.
    steps: Vec<String>,
    problem: String,
    kind: Kind,
}

/// What some callers do something about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Locked,
    Other,
}

impl StateError {
    /// The part of the state that is wrong, such as `resources[2].instances[0].private`; empty for the whole.
    #[must_use]
    pub fn part(&self) -> String {
        let mut part = String::new();
        for step in self.steps.iter().rev() {
            if !part.is_empty() && !step.starts_with('[') {
                part.push('.');
            }
            part.push_str(step);
        }
        part
    }

    /// What is wrong, without the part.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }

    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self { steps: Vec::new(), problem: problem.into(), kind: Kind::Other }
    }

    /// Somebody else has the lock.
    pub(super) fn locked(problem: impl Into<String>) -> Self {
        Self { kind: Kind::Locked, ..Self::new(problem) }
    }

    /// Whether somebody else has the lock, so that it may come to be free.
    pub(crate) fn is_locked(&self) -> bool {
        self.kind == Kind::Locked
    }

    /// The error of a part, as an error of the member that holds it.
    pub(crate) fn within(mut self, member: impl Into<String>) -> Self {
        self.steps.push(member.into());
        self
    }

    /// The error of a part, as an error of the array that holds it.
    pub(super) fn within_element(self, at: usize) -> Self {
        self.within(format!("[{at}]"))
    }

    pub(super) fn io(doing: &str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::new(format!("could not {doing} {}: {error}", path.display()))
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part();
        if !part.is_empty() {
            write!(f, "{part}: ")?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for StateError {}
