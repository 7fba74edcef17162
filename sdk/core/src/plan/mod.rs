//! Planning as a pure computation: from configuration, prior state and core's proposed new state to the planned
//! state and the paths that force a replacement; and core's rules for plans and results.
//!
//! The steps are, in this order: defaults, equivalent values to their prior representation, write-only values to null, unknown
//! marking, attribute modifiers (an attribute before what is nested in it), the paths that require replacement, then the
//! author's plan hook, and where that changes the plan the paths once more, sorted and each once. Marking happens only where something changes, for otherwise an unchanged
//! object would always differ from itself; an attribute that says what it is made from is marked only where one of
//! those changes. A modifier runs in any case, and where it makes the first change the marking is done for it.
//! Everything runs in the order of the schema, so the same input gives the same plan and the same diagnostics.

mod consistency;
mod correlation;
mod merge;
mod partial_values;
mod planning_steps;
mod preserve;
mod proposed_new;
mod semantic_equality;
mod set_correlation;
#[cfg(test)]
mod tests;

pub use consistency::{
    Rule, Violation, identity_kept, open_result_valid, plan_valid, replace_paths, result_valid, wholly_known,
    write_only_null,
};
pub use merge::{Difference, DifferenceKind, Drift, complete, refresh};
pub use preserve::restore_untouched;

use crate::diag::{Diagnostics, Error};
use crate::path::Path;
use crate::plan::correlation::Sets;
use crate::plan::planning_steps::Replacements;
use crate::private::Private;
use crate::schema::walk::{Body, Member};
use crate::schema::{Block, Environment};
use crate::value::{Refinements, Unknown, Value};

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
    /// Attributes of which a modifier says that a change forces a replacement, whether they change or not.
    pub replaced_by_modifiers: Vec<Path>,
    /// Attributes whose configured value is equivalent to the prior one, which is planned.
    pub suppressed: Vec<Path>,
}

/// Runs the declared planning steps.
///
/// # Errors
/// What a default or a modifier reports, at its path.
///
/// ```
/// use ferroform_core::plan::{PlanInput, plan};
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::{Entries, Value};
///
/// let block = Block::new([Attribute::computed("id", Type::String), Attribute::required("name", Type::String)]);
/// let config = Value::Object(Entries::from_iter([("id", Value::Null), ("name", Value::string("a"))]));
/// let made = plan(PlanInput { block: &block, config: &config, prior: &Value::Null, proposed: &config })?;
/// assert!(made.state.as_entries().unwrap().get("id").unwrap().is_unknown());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub fn plan(input: PlanInput<'_>) -> Result<Plan, Error> {
    plan_in(input, &Environment::default(), &Private::default())
}

/// Runs the declared planning steps, with defaults that may depend on environment variables, and modifiers that may
/// depend on the private data of the object.
///
/// # Errors
/// As [`plan`].
pub fn plan_in(input: PlanInput<'_>, environment: &Environment, private: &Private) -> Result<Plan, Error> {
    let (prepared, is_changed) = prepare(input, environment)?;
    let made = finish(prepared, (input, private), is_changed)?;
    if !is_changed && made.state != *input.prior {
        // A modifier made the first change, and what depends on changes was not marked for it.
        return finish(prepare(input, environment)?.0, (input, private), true);
    }
    Ok(made)
}

/// States what is known of a value that the plan leaves to the provider. A configured value, or one that is known, has no
/// need of it and stays as it is.
///
/// ```
/// use ferroform::path;
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::{Refinements, Value};
/// use ferroform_core::plan::refine;
///
/// let block = Block::new([Attribute::computed("url", Type::String)]);
/// let config = Value::object([("url", Value::Null)]);
/// let mut planned = Value::object([("url", Value::unknown())]);
/// let https = || Refinements::new().prefix("https://");
/// refine(&block, &config, &mut planned, &path!(url), https())?;
/// let Some(Value::Unknown(url)) = planned.get(&path!(url)) else { panic!("a known value") };
/// assert_eq!(url.refinements(), Some(&https()));
///
/// let error = refine(&block, &config, &mut planned, &path!(url), Refinements::new().at_least(1)).unwrap_err();
/// assert!(error.to_string().contains("only a number has bounds"));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
///
/// # Errors
/// There is no such value, or the refinements do not fit its type.
pub fn refine(
    block: &Block,
    config: &Value,
    planned: &mut Value,
    path: &Path,
    refinements: Refinements,
) -> Result<(), Error> {
    let wrong = |why: &str| {
        Error::new(
            "Invalid Refinement",
            format!("`plan` says of an unknown value what cannot be: {why}. This is a bug in the provider."),
        )
        .at(path.clone())
    };
    let ty = block.ty();
    let ty = consistency::type_at(&ty, path.steps()).ok_or_else(|| wrong("the schema has nothing there"))?;
    if let Some(mistake) = refinements.mistake(ty) {
        return Err(wrong(mistake));
    }
    let is_configured = config.get(path).is_some_and(|configured| !configured.is_null());
    if let Some(Value::Unknown(unknown)) = planned.get_mut(path)
        && !is_configured
    {
        *unknown = Unknown::refined(refinements);
    }
    Ok(())
}

/// A configuration that is not planned, such as that of a provider, with its defaults filled in.
///
/// # Errors
/// What a default reports, at its path.
pub fn with_defaults(block: &Block, config: &Value, environment: &Environment) -> Result<Value, Error> {
    let input = PlanInput { block, config, prior: &Value::Null, proposed: config };
    let mut body = correlation::body(input, Sets::Proposed);
    let mut diagnostics = Diagnostics::default();
    planning_steps::defaults(&mut body, environment, &mut diagnostics);
    diagnostics.take_errors()?;
    Ok(body.into_value())
}

/// What is planned by the configuration and defaults alone, with what was suppressed.
type Prepared<'a> = (correlation::Body<'a>, Vec<Path>);

/// What is planned at first, and whether that is a change.
fn prepare<'a>(input: PlanInput<'a>, environment: &Environment) -> Result<(Prepared<'a>, bool), Error> {
    let mut body = correlation::body(input, Sets::Proposed);
    let mut diagnostics = Diagnostics::default();
    planning_steps::defaults(&mut body, environment, &mut diagnostics);
    diagnostics.take_errors()?;
    planning_steps::keep_computed_blocks(&mut body);
    let suppressed = semantic_equality::suppress(&mut body);
    planning_steps::drop_write_only(&mut body);
    let is_changed = !body.is(input.prior);
    Ok(((body, suppressed), is_changed))
}

fn finish(
    (mut body, suppressed): Prepared<'_>,
    (input, private): (PlanInput<'_>, &Private),
    is_changed: bool,
) -> Result<Plan, Error> {
    if is_changed {
        planning_steps::mark_unknown(&mut body);
        if Body::from(input.block).any(&is_recomputed) {
            planning_steps::mark_recomputed(&mut body);
        }
    }
    let (mut replacements, mut diagnostics) = (Replacements::default(), Diagnostics::default());
    planning_steps::modify(&mut body, input.prior, private, &mut replacements, &mut diagnostics);
    diagnostics.take_errors()?;
    let Replacements { required: mut requires_replace, by_modifiers: replaced_by_modifiers } = replacements;
    sort_paths(&mut requires_replace);
    Ok(Plan { state: body.into_value(), requires_replace, replaced_by_modifiers, suppressed })
}

/// The attributes whose change forces a replacement in a plan that was changed since [`plan`] made it, such as by the
/// author's hook: that plan is the proposal of the input. Sorted, each once.
///
/// ```
/// use ferroform::path;
/// use ferroform_core::plan::{PlanInput, replaced};
/// use ferroform::private::Private;
/// use ferroform::schema::{Attribute, Block, Replace};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// let zone = Attribute::optional_computed("zone", Type::String).replace(Replace::OnChange);
/// let block = Block::new([zone]);
/// let of = |zone: Value| Value::object([("zone", zone)]);
/// let (config, prior, planned) = (of(Value::Null), of(Value::from("a")), of(Value::from("b")));
/// let input = PlanInput { block: &block, config: &config, prior: &prior, proposed: &planned };
/// assert_eq!(replaced(input, &Private::default(), Vec::new()), [path!(zone)]);
/// ```
#[must_use]
pub fn replaced(input: PlanInput<'_>, private: &Private, by_modifiers: Vec<Path>) -> Vec<Path> {
    let mut replacements = Replacements { by_modifiers, ..Replacements::default() };
    planning_steps::replace_again(
        &mut correlation::body(input, Sets::Planned),
        input.prior,
        private,
        &mut replacements,
    );
    sort_paths(&mut replacements.required);
    replacements.required
}

/// Whether it is an attribute that says what it is made from.
fn is_recomputed(member: Member<'_>) -> bool {
    matches!(member, Member::Attribute(attribute) if attribute.recompute_on.is_some())
}

/// Sorts paths and drops repetitions, so that answers do not depend on how they were collected.
pub fn sort_paths(paths: &mut Vec<Path>) {
    paths.sort_unstable();
    paths.dedup();
}
