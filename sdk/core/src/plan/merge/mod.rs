//! Merges an object that a provider observed into its planned or stored state.
//!
//! An observed value that is equivalent to the expected one is replaced by the expected one, at any depth. Every other
//! difference is in the [report](Drift) with its path. `docs/decisions/0011-equality-at-plan-time.md` has the reasons.

mod element_pairing;
mod merger;
mod normalize;
#[cfg(test)]
mod properties;
mod rules;
#[cfg(test)]
mod tests;

pub(super) use element_pairing::{MatchBasis, Pairing};
pub(super) use merger::{Phase, equivalent};
pub(super) use normalize::Normalizer;
pub(super) use rules::EqualityRules;

use merger::Merger;

use crate::diag::{Diagnostic, Diagnostics};
use crate::path::Path;
use crate::schema::Block;
use crate::value::Value;

/// The differences between an observed value and the expected one. It holds paths and no values. All elements of a set
/// share one path, which the report holds once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Drift {
    /// Values that are not equivalent.
    pub changed: Vec<Difference>,
    /// Values in an equivalent representation, which the expected representation replaced.
    pub suppressed: Vec<Path>,
    /// Attributes declared unverified that differ after apply and are recorded as planned.
    pub unverified: Vec<Path>,
}

/// An observed value that differs from the expected one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The path of the value. Elements that a set gained or lost have the path of the set.
    pub path: Path,
    /// How the values differ.
    pub kind: DifferenceKind,
}

/// How an observed value differs from the expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// Another value, other elements or another number of elements.
    Changed,
    /// No value, although one is expected.
    Missing,
    /// A value, although none is expected.
    Unexpected,
    /// A value of an attribute that is neither configured nor declared computed.
    Undeclared,
}

impl Drift {
    /// Whether all values are equivalent, except for those of attributes declared unverified.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block};
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    /// use ferroform_core::plan::refresh;
    ///
    /// let block = Block::new([Attribute::required("size", Type::Number)]);
    /// let disk = |size: i64| Value::object([("size", Value::from(size))]);
    /// assert!(refresh(&block, &disk(10), &mut disk(10)).is_empty());
    /// assert!(!refresh(&block, &disk(10), &mut disk(20)).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }

    /// An error at its path for each difference after a create or update: the service did not apply the planned value.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::schema::{Attribute, Block};
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    /// use ferroform_core::plan::complete;
    ///
    /// let block = Block::new([Attribute::required("size", Type::Number)]);
    /// let disk = |size: i64| Value::object([("size", Value::from(size))]);
    /// let errors = complete(&block, &disk(20), &mut disk(10)).errors();
    /// assert_eq!(errors.iter().next().unwrap().path, Some(path!(size)));
    /// ```
    #[must_use]
    pub fn errors(&self) -> Diagnostics {
        self.changed.iter().map(Difference::error).collect()
    }
}

impl Difference {
    fn error(&self) -> Diagnostic {
        let path = &self.path;
        let error = match self.kind {
            DifferenceKind::Undeclared => Diagnostic::error(
                "Undeclared Computed Attribute",
                format!(
                    "The service filled `{path}`; declare it computed. It is not configured, and the provider \
                     declares it optional only, so nothing could be planned for it. This is a bug in the provider."
                ),
            ),
            DifferenceKind::Unexpected => Diagnostic::error(
                "Service Has Another Value",
                format!(
                    "No value was planned for `{path}`, but the service has one. The state holds what the service \
                     has. Plan again to see the remaining changes."
                ),
            ),
            DifferenceKind::Missing => Diagnostic::error(
                "Service Has Another Value",
                format!(
                    "The service did not apply the value that was planned for `{path}`: it has none. The state \
                     holds what the service has. Plan again to see the remaining changes."
                ),
            ),
            DifferenceKind::Changed => Diagnostic::error(
                "Service Has Another Value",
                format!(
                    "The service did not apply the value that was planned for `{path}`: it has another one. The \
                     state holds what the service has. Plan again to see the remaining changes; if the service always \
                     rewrites this value, the provider must declare both forms equivalent."
                ),
            ),
        };
        error.at(path.clone())
    }
}

/// Merges an object that was read into its prior state. Equivalent values keep their prior representation, other values
/// are the observed ones. The prior state may be null, as before an import.
///
/// ```
/// use ferroform::path;
/// use ferroform_core::plan::refresh;
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::semantic;
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// let policy = Attribute::required("policy", Type::String).equivalence(semantic::Json::equivalence());
/// let block = Block::new([policy]);
/// let state = |policy: &str| Value::object([("policy", Value::string(policy))]);
///
/// let mut observed = state("{ }");
/// let drift = refresh(&block, &state("{}"), &mut observed);
/// assert_eq!(observed, state("{}"));
/// assert_eq!((drift.changed.len(), drift.suppressed), (0, vec![path!(policy)]));
/// ```
pub fn refresh(block: &Block, prior: &Value, observed: &mut Value) -> Drift {
    merge(Phase::Read, block, prior, observed)
}

/// Merges an object after a create or update into its plan. Unknown parts get the observed values, equivalent values keep
/// their planned representation, and every other difference is in the report and in the state.
pub fn complete(block: &Block, planned: &Value, observed: &mut Value) -> Drift {
    merge(Phase::Apply, block, planned, observed)
}

fn merge(phase: Phase, block: &Block, expected: &Value, observed: &mut Value) -> Drift {
    let mut merger = Merger::new(phase);
    if expected.is_null() {
        merger::strip_unmanaged(EqualityRules::body(block.into()), observed);
    } else {
        merger.value(EqualityRules::body(block.into()), observed, expected);
    }
    merger.drift
}

/// Replaces each float in `actual` that is a rounded number of `reference` by that number.
pub(super) fn restore_digits(actual: &mut Value, reference: &Value) {
    Merger::new(Phase::Read).value(EqualityRules::EXACT, actual, reference);
}
