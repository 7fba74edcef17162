//! Configurations that are made from the schema.

use std::cell::Cell;

use ferroform::schema::Block;
use ferroform::value::Value;
use proptest::prelude::any;
use proptest::strategy::{BoxedStrategy, Strategy};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

use super::{crash, is_panic, panic};
use crate::address::InstanceAddress;
use crate::client::{Provider, StoredObject, text};
use crate::config::{Body, resource};
use crate::conformance::bench::{Bench, NAME, Stage, schema};
use crate::conformance::rule::{Rule, RuleResult, Verdict, not_checked, violated};
use crate::embedded::PlanOptions;
use crate::plan_rules::summary::INVALID_PLAN;
use crate::plan_rules::{absent_computed_blocks, assert_plan_valid};
use crate::state::{Object, StateError};

/// The name of a second resource beside that under test.
const OTHER: &str = "other";

/// What became of a value that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sample {
    /// It was used.
    Taken,
    /// The provider refuses it.
    Refused,
}

pub(in crate::conformance) fn validation(bench: &Bench) -> RuleResult {
    let (runtime, mut stage) = bench.open()?;
    let (provider, _) = runtime.block_on(stage.smallest())?;
    let block = &schema(&provider, &stage.type_name)?.block;
    for configs in [bench.generator.partial_configs(block), bench.generator.configs(block)] {
        let show = |config: &Value| text::block(block, config);
        sample(bench, &configs, &show, |config| {
            let answer = provider.validate_resource(&stage.type_name, &config);
            let answer = runtime.block_on(async { bench.limited(answer).await })?;
            match crash(&answer).or_else(|| answer.ok().as_ref().and_then(panic)) {
                Some(how) => Err(Verdict::Violated(how)),
                None => Ok(Sample::Taken),
            }
        })?;
    }
    Ok(())
}

pub(in crate::conformance) fn lives(bench: &Bench) -> RuleResult {
    bench.needs(Rule::SecondPlan)?;
    bench.needs(Rule::Destroy)?;
    bench.needs(Rule::GeneratedValidation)?;
    let block = block(bench)?;
    let show = |config: &Value| text::block(&block, config);
    sample(bench, &bench.generator.configs(&block), &show, |config| {
        bench.run(async |stage| live(stage, &config).await)
    })
}

async fn live(stage: &mut Stage, config: &Value) -> Result<Sample, Verdict> {
    let (provider, _) = stage.smallest().await?;
    if refused(stage, &provider, config).await {
        return Ok(Sample::Refused);
    }
    let body = Body::of(&schema(&provider, &stage.type_name)?.block, config);
    stage.apply(&body).await.map_err(|error| Verdict::Violated(format!("it is not created: {error}")))?;
    super::lifecycle::settled(stage, &body).await?;
    stage.leave_it_out().await.map_err(|error| Verdict::Violated(format!("it is not destroyed: {error}")))?;
    match stage.object() {
        Ok(_) => Err(Verdict::Violated("the state still has it after the destruction".to_owned())),
        Err(_) => Ok(Sample::Taken),
    }
}

pub(in crate::conformance) fn distinct(bench: &Bench) -> RuleResult {
    bench.needs(Rule::Identity)?;
    let block = block(bench)?;
    let show = |config: &Value| text::block(&block, config);
    sample(bench, &bench.generator.configs(&block), &show, |config| {
        bench.run(async |stage| apart(stage, &config).await)
    })
}

/// Makes a second object with that configuration, and looks whether one of both can be without the other if they have
/// one identity.
async fn apart(stage: &mut Stage, config: &Value) -> Result<Sample, Verdict> {
    let (provider, _) = stage.smallest().await?;
    let Some(identity) = provider.identity(&stage.type_name) else { return Ok(Sample::Taken) };
    if refused(stage, &provider, config).await {
        return Ok(Sample::Refused);
    }
    let created = stage.created().await?;
    let body = Body::of(&schema(&provider, &stage.type_name)?.block, config);
    let both = stage.config_of(&[(NAME, &stage.minimal), (OTHER, &body)]);
    let address: InstanceAddress = resource(&stage.type_name, OTHER).address.into();
    let plan = stage.core.plan(&both, &stage.state, &PlanOptions::default()).await;
    // A service that does not take a second object, such as one of that name, has nothing to compare.
    if stage.make(&plan).await.is_err() {
        return Ok(Sample::Taken);
    }
    let other = stage.state.object(&address).cloned();
    let readable = |error: StateError| not_checked(error.to_string());
    let of = |object: &Object| object.identity_value(identity).map_err(readable);
    let (one, other) = (of(&created)?, other.as_ref().map(of).transpose()?.flatten());
    if one.is_none() || one != other {
        return Ok(Sample::Taken);
    }
    let alone = stage.config_of(&[(OTHER, &body)]);
    let plan = stage.core.plan(&alone, &stage.state, &PlanOptions::default()).await;
    stage.make(&plan).await.map_err(not_checked)?;
    let plan = stage.core.plan(&alone, &stage.state, &PlanOptions::default()).await;
    let is_there = plan.changes.iter().any(|it| it.address == address && !it.before.is_null());
    if is_there {
        return Err(Verdict::Violated(
            "it has the identity of another object, without which it is there, too".to_owned(),
        ));
    }
    Ok(Sample::Taken)
}

pub(in crate::conformance) fn updates(bench: &Bench) -> RuleResult {
    bench.needs(Rule::GeneratedLifecycles)?;
    let block = block(bench)?;
    let configs = bench.generator.configs(&block);
    let pairs = (configs.clone(), configs, any::<u64>());
    let pairs =
        pairs.prop_map(|(before, other, kept)| (before.clone(), blended(&before, other, kept))).boxed();
    let show = |(before, after): &(Value, Value)| {
        format!("{}\nand after it: {}", text::block(&block, before), text::block(&block, after))
    };
    sample(bench, &pairs, &show, |(before, after)| {
        bench.run(async |stage| update(stage, &before, &after).await)
    })
}

/// The second configuration with some of the attributes and blocks of the first, as the bits say: where all of them
/// differ, most objects are replaced.
fn blended(before: &Value, other: Value, kept: u64) -> Value {
    let (Some(before), Value::Object(mut entries)) = (before.as_entries(), other) else { return Value::Null };
    for (at, (name, value)) in before.iter().enumerate() {
        if kept >> (at % 64) & 1 == 1 {
            entries.insert(&**name, value.clone());
        }
    }
    Value::Object(entries)
}

/// Changes an object from one configuration to another.
async fn update(stage: &mut Stage, before: &Value, after: &Value) -> Result<Sample, Verdict> {
    let (provider, _) = stage.smallest().await?;
    for config in [before, after] {
        if refused(stage, &provider, config).await {
            return Ok(Sample::Refused);
        }
    }
    let block = &schema(&provider, &stage.type_name)?.block;
    let (before, after) = (Body::of(block, before), Body::of(block, after));
    stage.apply(&before).await.map_err(|error| Verdict::Violated(format!("it is not created: {error}")))?;
    let plan = stage.plan(&after, &PlanOptions::default()).await;
    if plan.errored {
        // A provider may refuse a change that it cannot make; what core refuses, and a panic, is another matter.
        let is_fault =
            |summary: &str| summary == INVALID_PLAN || is_panic(summary) || summary.starts_with("Plugin ");
        let fault = plan.diagnostics.iter().find(|it| it.is_error() && is_fault(&it.summary));
        return match fault {
            Some(error) => {
                let why = format!("the update is not planned: {}: {}", error.summary, error.detail);
                Err(Verdict::Violated(why))
            }
            None => Ok(Sample::Refused),
        };
    }
    let prior = stage.stored(&provider)?;
    let config = stage.planned_config(&provider, &after).await?;
    super::planning::same_plans(stage, &prior, &config).await?;
    stage.make(&plan).await.map_err(|error| Verdict::Violated(format!("it is not updated: {error}")))?;
    super::lifecycle::settled(stage, &after).await?;
    Ok(Sample::Taken)
}

pub(in crate::conformance) fn plans(bench: &Bench) -> RuleResult {
    bench.needs(Rule::GeneratedValidation)?;
    let (runtime, mut stage) = bench.open()?;
    let (provider, _) = runtime.block_on(stage.smallest())?;
    let block = &schema(&provider, &stage.type_name)?.block;
    let pairs = (bench.generator.states(block), bench.generator.partial_configs(block)).boxed();
    let show = |(prior, config): &(Value, Value)| {
        format!("{}\nwhere there was: {}", text::block(block, config), text::block(block, prior))
    };
    sample(bench, &pairs, &show, |(prior, config)| {
        let prior = StoredObject { value: prior, ..StoredObject::none() };
        let config = absent_computed_blocks(block, &config);
        runtime.block_on(bench.limited(planned(&stage, &provider, (&prior, &config))))?
    })
}

/// Plans a configuration where the state has any object of the schema.
async fn planned(
    stage: &Stage,
    provider: &Provider,
    (prior, config): (&StoredObject, &Value),
) -> Result<Sample, Verdict> {
    if refused(stage, provider, config).await {
        return Ok(Sample::Refused);
    }
    let first = super::planning::ask(provider, &stage.type_name, prior, config).await?;
    if let Some(how) = panic(&first.diagnostics) {
        return Err(Verdict::Violated(how));
    }
    let block = &schema(provider, &stage.type_name)?.block;
    // The provider may say that it cannot do anything with such an object.
    if !first.diagnostics.has_errors() && first.deferred.is_none() {
        let problems = assert_plan_valid(block, &prior.value, config, &first.object.value);
        if let Some(problem) = problems.first() {
            return Err(Verdict::Violated(format!("the plan is invalid: {problem}")));
        }
    }
    let second = super::planning::ask(provider, &stage.type_name, prior, config).await?;
    super::planning::alike(&first, &second)?;
    Ok(Sample::Taken)
}

/// Whether the provider finds errors in a configuration. A call that fails is a matter of another rule.
async fn refused(stage: &Stage, provider: &Provider, config: &Value) -> bool {
    let valid = provider.validate_resource(&stage.type_name, config).await;
    valid.is_ok_and(|diagnostics| diagnostics.has_errors())
}

/// The block of the resource type.
fn block(bench: &Bench) -> Result<Block, Verdict> {
    bench.run(async |stage| {
        let (provider, _) = stage.smallest().await?;
        Ok(schema(&provider, &stage.type_name)?.block.clone())
    })
}

/// The seed of the values, unless `PROPTEST_RNG_SEED` has another one: a provider that has not changed passes again.
const SEED: u64 = 0;

/// How values are made: so many, unless `PROPTEST_CASES` has another number, and from which seed.
fn made(cases: u32) -> (Config, u64) {
    let environment = Config::default();
    let asked = std::env::var_os("PROPTEST_CASES").map(|_| environment.cases);
    made_as(cases, environment.rng_seed, asked)
}

fn made_as(cases: u32, seed: RngSeed, asked: Option<u32>) -> (Config, u64) {
    let seed = match seed {
        RngSeed::Fixed(seed) => seed,
        RngSeed::Random => SEED,
    };
    // A resource without values has a reason for it.
    let cases = asked.filter(|_| cases > 0).unwrap_or(cases);
    let rng_seed = RngSeed::Fixed(seed);
    (Config { cases, rng_seed, failure_persistence: None, ..Config::default() }, seed)
}

/// Checks values of a strategy, and shrinks the first that fails.
pub(super) fn sample<V: std::fmt::Debug>(
    bench: &Bench,
    values: &BoxedStrategy<V>,
    show: &dyn Fn(&V) -> String,
    check: impl Fn(V) -> Result<Sample, Verdict>,
) -> RuleResult {
    let (config, seed) = made(bench.cases);
    let cases = config.cases;
    let mut runner = TestRunner::new(config);
    let (taken, stopped) = (Cell::new(0_u32), Cell::new(None));
    let ran = runner.run(values, |value| {
        match check(value) {
            Ok(Sample::Refused) | Err(Verdict::Holds) => {}
            Ok(Sample::Taken) => taken.set(taken.get() + 1),
            Err(Verdict::Violated(how)) => return Err(TestCaseError::fail(how)),
            Err(Verdict::NotChecked(why)) => stopped.set(Some(why)),
        }
        Ok(())
    });
    match ran {
        Err(TestError::Fail(how, value)) => {
            return violated(format!(
                "{how}\nwith this value: {}\nto make it again: PROPTEST_RNG_SEED={seed} PROPTEST_CASES={cases}",
                show(&value)
            ));
        }
        Err(TestError::Abort(why)) => return Err(not_checked(format!("no values are made: {why}"))),
        Ok(()) => {}
    }
    if let Some(why) = stopped.take() {
        return Err(not_checked(why));
    }
    if bench.cases > 0 && taken.get() == 0 {
        let hint = "say with `ResourceTest::values` and `ResourceTest::adjust` what attributes may hold";
        return Err(not_checked(format!("the provider refuses all that was made from the schema; {hint}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::strategy::ValueTree as _;

    use super::*;

    /// The values that are made from a seed.
    fn values(seed: RngSeed) -> Vec<u64> {
        let (config, _) = made_as(24, seed, None);
        let tree = vec(any::<u64>(), 24).new_tree(&mut TestRunner::new(config));
        tree.expect("values").current()
    }

    #[test]
    fn each_seed_makes_values_of_its_own() {
        assert_ne!(values(RngSeed::Fixed(1)), values(RngSeed::Fixed(2)));
        assert_eq!(values(RngSeed::Fixed(1)), values(RngSeed::Fixed(1)));
    }

    #[test]
    fn values_without_a_seed_are_the_same_in_each_run() {
        assert_eq!(values(RngSeed::Random), values(RngSeed::Fixed(SEED)));
        assert_eq!(made_as(24, RngSeed::Random, None).1, SEED);
    }

    #[test]
    fn number_of_values_follows_the_environment_when_it_has_one() {
        let cases = |cases, asked| made_as(cases, RngSeed::Random, asked).0.cases;
        assert_eq!([cases(24, None), cases(24, Some(1000)), cases(0, Some(1000))], [24, 1000, 0]);
    }
}
