//! Values that are not known yet, at each place of a configuration in turn.

use ferroform::path::{Path, Step};
use ferroform::schema::{Block, BlockNesting};
use ferroform::value::Value;
use ferroform_core::schema::walk::Member;

use super::error;
use super::planning::ask;
use crate::client::{Provider, StoredObject};
use crate::config::Body;
use crate::conformance::bench::{Bench, errors, schema};
use crate::conformance::rule::{Rule, RuleResult, Verdict, not_checked, violated};
use crate::conformance::variants::variants;
use crate::embedded::PlanOptions;
use crate::generate::names;
use crate::plan_rules::{assert_plan_valid, equal};

/// The configurations in which one place is unknown.
pub(super) fn unknown_places(block: &Block, config: &Value) -> Vec<(Path, Value)> {
    variants(block, config, &|place, value| {
        let may = match place {
            Member::Attribute(_) => true,
            Member::Block(nested) => !matches!(nested.nesting, BlockNesting::Single | BlockNesting::Group),
        };
        (may && !value.is_unknown()).then(Value::unknown)
    })
}

/// The same without blocks that are unknown as a whole. They come of `dynamic` blocks, which cannot be written here.
fn unknown_attributes(block: &Block, config: &Value) -> Vec<(Path, Value)> {
    variants(block, config, &|place, value| {
        (matches!(place, Member::Attribute(_)) && !value.is_unknown()).then(Value::unknown)
    })
}

pub(in crate::conformance) fn monotonicity(bench: &Bench) -> RuleResult {
    bench.needs(Rule::ValidateUnknowns)?;
    bench.run(async |stage| {
        let (provider, config) = stage.smallest().await?;
        monotone(bench, &provider, (&stage.type_name, &StoredObject::none(), &config)).await?;
        let Some(changed) = stage.changed.clone() else { return Ok(()) };
        stage.created().await?;
        let prior = stage.stored(&provider)?;
        let (_, config) = stage.known(&changed).await?;
        monotone(bench, &provider, (&stage.type_name, &prior, &config)).await
    })
}

async fn monotone(
    bench: &Bench,
    provider: &Provider,
    (type_name, prior, config): (&str, &StoredObject, &Value),
) -> RuleResult {
    let block = &schema(provider, type_name)?.block;
    let known = ask(provider, type_name, prior, config).await?;
    if let Some(error) = error(&known.diagnostics) {
        return Err(not_checked(format!("the plan with all values known fails: {error}")));
    }
    for (path, config) in unknown_places(block, config) {
        if bench.must_be_known.iter().any(|it| names(it) == names(&path)) {
            continue;
        }
        let valid = provider.validate_resource(type_name, &config).await;
        let valid = valid.map_err(|error| Verdict::Violated(format!("{path} is unknown: {error}")))?;
        let planned = ask(provider, type_name, prior, &config).await?;
        if let Some(said) = error(&valid).or_else(|| error(&planned.diagnostics)) {
            return violated(format!(
                "{path} is unknown, and that is an error: {said} (an attribute that has to be known is named with \
                 `must_be_known`)"
            ));
        }
        if let Some(problem) = assert_plan_valid(block, &prior.value, &config, &planned.object.value).first()
        {
            return violated(format!("{path} is unknown: {problem}"));
        }
        if let Some(at) = contradiction(&planned.object.value, &known.object.value, &Path::root()) {
            return violated(format!(
                "while {path} is unknown, {at} is planned with a value that it does not have once that is known"
            ));
        }
    }
    Ok(())
}

/// The place at which two plans cannot both be right.
fn contradiction(early: &Value, late: &Value, path: &Path) -> Option<Path> {
    if equal(early, late) != Some(false) {
        return None;
    }
    let inner = match (early.peel(), late.peel()) {
        (Value::Object(early), Value::Object(late)) => early.iter().find_map(|(name, value)| {
            let path = path.clone().attribute(name.to_string());
            contradiction(value, late.get(name)?, &path)
        }),
        (Value::List(early), Value::List(late)) if early.len() == late.len() => {
            let pairs = early.iter().zip(late).enumerate();
            pairs
                .into_iter()
                .find_map(|(at, (a, b))| contradiction(a, b, &path.clone().step(Step::Index(at))))
        }
        _ => None,
    };
    Some(inner.unwrap_or_else(|| path.clone()))
}

pub(in crate::conformance) fn late_values(bench: &Bench) -> RuleResult {
    bench.needs(Rule::Unknowns)?;
    bench.needs(Rule::Destroy)?;
    bench.run(async |stage| {
        let body = stage.minimal.clone();
        let (provider, config) = stage.known(&body).await?;
        let block = &schema(&provider, &stage.type_name)?.block;
        for (path, early) in unknown_attributes(block, &config) {
            if bench.must_be_known.iter().any(|it| names(it) == names(&path)) {
                continue;
            }
            let mut plan = stage.plan(&Body::of(block, &early), &PlanOptions::default()).await;
            errors(&plan.diagnostics)
                .map_err(|error| not_checked(format!("the plan with {path} unknown fails: {error}")))?;
            plan.configuration = (&stage.config(&Body::of(block, &config))).into();
            if let Err(error) = stage.make(&plan).await {
                return violated(format!("{path} was unknown when it was planned, and then: {error}"));
            }
            let gone = stage.leave_it_out().await;
            gone.map_err(|error| not_checked(format!("it is not destroyed: {error}")))?;
        }
        Ok(())
    })
}
