//! Drift: what a service shows, beside what was planned for it or is stored of it.
//!
//! Whatever is equivalent to the older value keeps the spelling of that, at any depth; everything else is a difference
//! and has its path in the [report](Drift). `docs/decisions/0011-equality-at-plan-time.md` says why.

#[cfg(test)]
mod laws;
mod lens;
mod normal;
mod pairs;
mod spell;
#[cfg(test)]
mod tests;

pub(super) use lens::Lens;
pub(super) use normal::Normal;
pub(super) use pairs::{By, Pairing};
pub(super) use spell::{Phase, equivalent};

use spell::Speller;

use crate::diag::{Diagnostic, Diagnostics};
use crate::path::Path;
use crate::schema::Block;
use crate::value::Value;

/// What was found when a value that is seen was compared with the wanted one. It holds paths and no values; a path into
/// a set, which many elements share, is noted once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Drift {
    /// What really differs.
    pub changed: Vec<Difference>,
    /// What means the same in another spelling, which was suppressed.
    pub suppressed: Vec<Path>,
    /// Attributes declared unverified that differ after apply and are recorded as planned.
    pub unverified: Vec<Path>,
}

/// A place where the seen value differs from the wanted one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The place; that of the whole set for elements that it gained or lost.
    pub path: Path,
    /// What is there.
    pub found: Found,
}

/// What stands in the place of a wanted value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Found {
    /// Another value, other elements or another number of them.
    Other,
    /// No value, where one is wanted.
    Nothing,
    /// A value, where none is wanted.
    Something,
    /// A value of an attribute that the configuration leaves out and that is not declared computed.
    Undeclared,
}

impl Drift {
    /// Whether nothing really differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }

    /// The differences after a create or update as errors, each at its path: what was planned is not what the service
    /// has.
    #[must_use]
    pub fn errors(&self) -> Diagnostics {
        let mut errors = Diagnostics::default();
        for difference in &self.changed {
            errors.push(difference.error());
        }
        errors
    }
}

impl Difference {
    fn error(&self) -> Diagnostic {
        let path = &self.path;
        let error = match self.found {
            Found::Undeclared => Diagnostic::error(
                "Undeclared Computed Attribute",
                format!(
                    "The service filled `{path}`; declare it computed. It is not configured, and the provider \
                     declares it optional only, so nothing could be planned for it. This is a bug in the provider."
                ),
            ),
            Found::Something => Diagnostic::error(
                "Service Has Another Value",
                format!(
                    "No value was planned for `{path}`, but the service has one. The state holds what the service \
                     has. Plan again to see the remaining changes."
                ),
            ),
            Found::Nothing => Diagnostic::error(
                "Service Has Another Value",
                format!(
                    "The service did not apply the value that was planned for `{path}`: it has none. The state \
                     holds what the service has. Plan again to see the remaining changes."
                ),
            ),
            Found::Other => Diagnostic::error(
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

/// Merges an object that was read into its prior state: what is equivalent keeps the prior spelling, what differs has
/// the new value. The prior state may be null, as before an import.
///
/// ```
/// use ferroform::path;
/// use ferroform_core::plan::refresh;
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::semantic;
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// let policy = Attribute { equivalence: semantic::json(), ..Attribute::required("policy", Type::String) };
/// let block = Block { attributes: vec![policy], ..Block::default() };
/// let state = |policy: &str| Value::object([("policy", Value::string(policy))]);
///
/// let mut seen = state("{ }");
/// let drift = refresh(&block, &state("{}"), &mut seen);
/// assert_eq!(seen, state("{}"));
/// assert_eq!((drift.changed.len(), drift.suppressed), (0, vec![path!(policy)]));
/// ```
pub fn refresh(block: &Block, prior: &Value, seen: &mut Value) -> Drift {
    merge(Phase::Read, block, prior, seen)
}

/// Merges an object as it is after a create or update into its plan: unknown parts take their values from it, what is
/// equivalent is spelled as planned, and what differs is in the report and in the state.
pub fn complete(block: &Block, planned: &Value, seen: &mut Value) -> Drift {
    merge(Phase::Apply, block, planned, seen)
}

fn merge(phase: Phase, block: &Block, wanted: &Value, seen: &mut Value) -> Drift {
    let mut speller = Speller::new(phase);
    if wanted.is_null() {
        speller.alone(Lens::body(block.into()), seen);
    } else {
        speller.value(Lens::body(block.into()), seen, wanted);
    }
    speller.drift
}

/// Gives floats in `actual` that are numbers of `reference`, rounded to a float, their spelling there.
pub(super) fn respell(actual: &mut Value, reference: &Value) {
    Speller::new(Phase::Read).value(Lens::EXACT, actual, reference);
}
