//! Conversion of a view to its model.

use crate::diag::{Diagnostic, Error, Result};
use crate::model::attr::NOT_YET_KNOWN;
use crate::model::error::{MISSING_VALUE, UNKNOWN_VALUE};
use crate::model::{Decode, Encode};

/// What a view was made from, which says why it lacks a value and what to do about that.
#[derive(Debug, Clone, Copy)]
pub enum ViewSource {
    Config,
    Plan,
    State,
}

/// The model with the values of a view. Both have the same values of the language, so nothing is copied by field.
///
/// # Errors
/// Each value that the view lacks, at its path.
#[inline(never)]
pub fn into_model<M: Decode>(view: impl Encode, source: ViewSource) -> Result<M> {
    M::from_value(&view.encode()).map_err(|error| lacking(error, source))
}

#[cold]
fn lacking(error: Error, source: ViewSource) -> Error {
    error.map(|diagnostic| {
        let (summary, detail) = match (source, diagnostic.summary.as_str()) {
            (ViewSource::Config, UNKNOWN_VALUE) => (UNKNOWN_VALUE, NOT_YET_KNOWN),
            (ViewSource::Plan, UNKNOWN_VALUE) => (
                UNKNOWN_VALUE,
                "The plan leaves this value to the provider, which has not set it. This is a bug in the provider; please \
                 report it to its developers.",
            ),
            (ViewSource::State, MISSING_VALUE) => (
                "Missing Stored Value",
                "The state has no value for this attribute, which always has one. Remove the object from the state and \
                 create or import it again, or use a release of the provider that upgrades its state.",
            ),
            _ => return diagnostic,
        };
        Diagnostic { summary: summary.to_owned(), detail: detail.to_owned(), ..diagnostic }
    })
}
