//! Planning as a pure computation: from configuration, prior state and core's proposed new state to the planned
//! state and the paths that force a replacement; and the laws that every plan and every result must keep.
//!
//! The steps are, in this order: defaults, equivalent values to their prior spelling, write-only values to null, unknown marking, attribute modifiers (an
//! attribute before what is nested in it), then the author's plan hook, and at the end the paths that require
//! replacement, sorted and each once. Marking happens only where something changes, for otherwise an unchanged
//! object would always differ from itself. Everything runs in the order of the schema, so the same input gives the
//! same plan and the same diagnostics.

mod align;
mod consistency;
mod correlate;
mod drift;
mod holes;
mod passes;
mod propose;
mod respell;
mod suppress;
#[cfg(test)]
mod tests;

pub use consistency::{
    Breach, Law, compatible, identity_kept, known, plan_valid, replace_paths, write_only_null,
};
pub use drift::{Difference, Drift, Found, complete, refresh};
pub use respell::keep_untouched;

use crate::diag::{Diagnostics, Error};
use crate::path::Path;
use crate::schema::Block;
use crate::value::Value;

/// What a plan is made from.
#[derive(Debug, Clone, Copy)]
pub struct PlanInput<'a> {
    /// The schema.
    pub block: &'a Block,
    /// The configuration; never null here, for a destroy is not planned.
    pub config: &'a Value,
    /// The prior state; null when the object is to be created.
    pub prior: &'a Value,
    /// Core's merge of the two.
    pub proposed: &'a Value,
}

/// The result of the declared planning steps, before the author's plan hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The planned state.
    pub state: Value,
    /// Attributes whose change forces a replacement; sorted, each once.
    pub requires_replace: Vec<Path>,
}

/// Runs the declared planning steps.
///
/// # Errors
/// What a default reports, at its path.
///
/// ```
/// use ferroform::plan::{PlanInput, plan};
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::{Entries, Value};
///
/// let block = Block {
///     attributes: vec![Attribute::computed("id", Type::String), Attribute::required("name", Type::String)],
///     ..Block::default()
/// };
/// let config = Value::Object(Entries::from_iter([("id", Value::Null), ("name", Value::string("a"))]));
/// let made = plan(PlanInput { block: &block, config: &config, prior: &Value::Null, proposed: &config })?;
/// assert!(made.state.as_entries().unwrap().get("id").unwrap().is_unknown());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub fn plan(input: PlanInput<'_>) -> Result<Plan, Error> {
    let mut body = align::body(input);
    let mut diagnostics = Diagnostics::default();
    passes::defaults(&mut body, &mut diagnostics);
    diagnostics.take_errors()?;
    suppress::suppress(&mut body);
    passes::drop_write_only(&mut body);
    let mut requires_replace = Vec::new();
    if body.to_value() != *input.prior {
        passes::mark_unknown(&mut body);
        passes::modify(&mut body, input.prior, &mut requires_replace);
    }
    sort_paths(&mut requires_replace);
    Ok(Plan { state: body.into_value(), requires_replace })
}

/// Sorts paths and drops repetitions, so that answers do not depend on how they were collected.
pub fn sort_paths(paths: &mut Vec<Path>) {
    paths.sort();
    paths.dedup();
}
