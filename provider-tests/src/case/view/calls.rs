//! The calls that the providers under test got.

use crate::client::Entry;

/// The calls of a step, in the order in which they were started. Secrets are hidden in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    entries: Vec<Entry>,
}

impl Calls {
    pub(crate) fn new(entries: Vec<Entry>) -> Self {
        Self { entries }
    }

    /// The calls.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}
