//! Parts of a JSON document that are read with clear errors and without being copied.
//!
//! The errors of `serde_json` name neither the part nor spare the value, so it only splits the text here.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::error::StateError;
use crate::json_text;

/// A value somewhere in a document.
#[derive(Clone, Copy)]
pub(super) struct Part<'a>(&'a RawValue);

/// The members of an object that were not taken yet. A member that is null counts as absent, as in core.
pub(super) struct Members<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Part<'a> {
    /// A whole document.
    pub(super) fn document(bytes: &'a [u8]) -> Result<Self, StateError> {
        serde_json::from_slice(bytes).map(Self).map_err(|error| {
            let problem = match error.classify() {
                Category::Eof => "the JSON text ends early",
                Category::Io | Category::Syntax | Category::Data => "the text is not valid JSON",
            };
            StateError::new(format!("{problem} (line {}, column {})", error.line(), error.column()))
        })
    }

    pub(super) fn text(self) -> Result<String, StateError> {
        self.read("a string")
    }

    pub(super) fn count(self) -> Result<u64, StateError> {
        self.read("a whole number that is not negative")
    }

    /// A version of a schema.
    pub(super) fn version(self) -> Result<i64, StateError> {
        i64::try_from(self.count()?).map_err(|_| StateError::new("the number is too large"))
    }

    pub(super) fn flag(self) -> Result<bool, StateError> {
        self.read("true or false")
    }

    pub(super) fn texts(self) -> Result<BTreeMap<String, String>, StateError> {
        self.read("an object of strings")
    }

    pub(super) fn members(self) -> Result<Members<'a>, StateError> {
        self.read("an object").map(Members)
    }

    /// Reads the elements of an array one by one.
    pub(super) fn elements<T>(
        self,
        mut read: impl FnMut(Part<'a>) -> Result<T, StateError>,
    ) -> Result<Vec<T>, StateError> {
        let elements: Vec<&'a RawValue> = self.read("an array")?;
        let elements = elements.into_iter().enumerate();
        elements.map(|(at, raw)| read(Part(raw)).map_err(|error| error.within_element(at))).collect()
    }

    /// The text without white space.
    pub(super) fn json(self) -> Bytes {
        Bytes::from(json_text::compact(self.0.get()))
    }

    /// The text as it is.
    pub(super) fn raw(self) -> &'a str {
        self.0.get()
    }

    /// The text of an object, without white space.
    pub(super) fn object(self) -> Result<Bytes, StateError> {
        if self.0.get().starts_with('{') { Ok(self.json()) } else { Err(required("an object")) }
    }

    fn read<T: serde::Deserialize<'a>>(self, wanted: &str) -> Result<T, StateError> {
        serde_json::from_str(self.0.get()).map_err(|_| required(wanted))
    }
}

impl<'a> Members<'a> {
    /// Takes a member, if it is there.
    pub(super) fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(Part<'a>) -> Result<T, StateError>,
    ) -> Result<Option<T>, StateError> {
        match self.0.remove(name) {
            None => Ok(None),
            Some(raw) if raw.get() == "null" => Ok(None),
            Some(raw) => read(Part(raw)).map(Some).map_err(|error| error.within(name)),
        }
    }

    /// Takes a member that has to be there.
    pub(super) fn required<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(Part<'a>) -> Result<T, StateError>,
    ) -> Result<T, StateError> {
        self.optional(name, read)?.ok_or_else(|| StateError::new("it is missing").within(name))
    }

    /// The members that are left.
    pub(super) fn rest(self) -> impl Iterator<Item = (String, Part<'a>)> {
        self.0.into_iter().map(|(name, raw)| (name, Part(raw)))
    }

    /// Makes sure that all members were taken.
    pub(super) fn end(self) -> Result<(), StateError> {
        let Some(name) = self.0.into_keys().next() else { return Ok(()) };
        let problem = "the name is not known, so the file may come from a newer core; it would be lost if the \
                       state was written";
        Err(StateError::new(problem).within(name))
    }
}

fn required(wanted: &str) -> StateError {
    StateError::new(format!("{wanted} is required"))
}
