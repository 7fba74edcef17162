//! Configurations that are made from the schema.

use std::cell::Cell;

use ferroform::schema::Block;
use ferroform::value::Value;
use proptest::strategy::BoxedStrategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use super::{crash, panic};
use crate::client::text;
use crate::config::Body;
use crate::conformance::bench::{Bench, Stage, schema};
use crate::conformance::law::{Held, Law, Verdict, broken, unchecked};

/// What became of a value that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sample {
    /// It was used.
    Taken,
    /// The provider refuses it.
    Refused,
}

pub(in crate::conformance) fn validation(bench: &Bench) -> Held {
    let (runtime, mut stage) = bench.open()?;
    let least = stage.least.clone();
    let (provider, _) = runtime.block_on(stage.known(&least))?;
    let block = &schema(&provider, &stage.type_name)?.block;
    for configs in [bench.generator.partial_configs(block), bench.generator.configs(block)] {
        sample(bench, &configs, block, |config| {
            let answer = provider.validate_resource(&stage.type_name, &config);
            let answer = runtime.block_on(async { bench.limited(answer).await })?;
            match crash(&answer).or_else(|| answer.ok().as_ref().and_then(panic)) {
                Some(how) => Err(Verdict::Broken(how)),
                None => Ok(Sample::Taken),
            }
        })?;
    }
    Ok(())
}

pub(in crate::conformance) fn lives(bench: &Bench) -> Held {
    bench.needs(Law::SecondPlan)?;
    bench.needs(Law::Destroy)?;
    bench.needs(Law::GeneratedValidation)?;
    let block = block(bench)?;
    sample(bench, &bench.generator.configs(&block), &block, |config| {
        bench.run(async |stage| live(stage, &config).await)
    })
}

async fn live(stage: &mut Stage, config: &Value) -> Result<Sample, Verdict> {
    let least = stage.least.clone();
    let (provider, _) = stage.known(&least).await?;
    let valid = provider.validate_resource(&stage.type_name, config).await;
    if valid.is_ok_and(|diagnostics| diagnostics.has_errors()) {
        return Ok(Sample::Refused);
    }
    let body = Body::of(&schema(&provider, &stage.type_name)?.block, config);
    stage.apply(&body).await.map_err(|error| Verdict::Broken(format!("it is not created: {error}")))?;
    super::lifecycle::settled(stage, &body).await?;
    stage.leave_it_out().await.map_err(|error| Verdict::Broken(format!("it is not destroyed: {error}")))?;
    match stage.object() {
        Ok(_) => Err(Verdict::Broken("the state still has it after the destruction".to_owned())),
        Err(_) => Ok(Sample::Taken),
    }
}

/// The block of the resource type.
fn block(bench: &Bench) -> Result<Block, Verdict> {
    bench.run(async |stage| {
        let least = stage.least.clone();
        let (provider, _) = stage.known(&least).await?;
        Ok(schema(&provider, &stage.type_name)?.block.clone())
    })
}

/// Checks values of a strategy, and shrinks the first that fails. The values are the same
/// in each run.
pub(super) fn sample(
    bench: &Bench,
    values: &BoxedStrategy<Value>,
    block: &Block,
    check: impl Fn(Value) -> Result<Sample, Verdict>,
) -> Held {
    let config = Config { cases: bench.cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let (taken, stopped) = (Cell::new(0_u32), Cell::new(None));
    let ran = runner.run(values, |value| {
        match check(value) {
            Ok(Sample::Refused) | Err(Verdict::Held) => {}
            Ok(Sample::Taken) => taken.set(taken.get() + 1),
            Err(Verdict::Broken(how)) => return Err(TestCaseError::fail(how)),
            Err(Verdict::Unchecked(why)) => stopped.set(Some(why)),
        }
        Ok(())
    });
    match ran {
        Err(TestError::Fail(how, value)) => {
            return broken(format!("{how}\nwith this value: {}", text::block(block, &value)));
        }
        Err(TestError::Abort(why)) => return Err(unchecked(format!("no values are made: {why}"))),
        Ok(()) => {}
    }
    if let Some(why) = stopped.take() {
        return Err(unchecked(why));
    }
    if bench.cases > 0 && taken.get() == 0 {
        let hint = "say with `Subject::values` and `Subject::settle` what attributes may hold";
        return Err(unchecked(format!(
            "the provider refuses all configurations that the schema allows; {hint}"
        )));
    }
    Ok(())
}
