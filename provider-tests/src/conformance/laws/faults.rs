//! Calls that fail, and changes that are stopped.

use ferroform::plugin::grpc::{Code, Status};

use crate::client::Fault;
use crate::conformance::bench::{Bench, Stage};
use crate::conformance::law::{Held, Law, Verdict, broken, unchecked};

/// How often a create can wait until nobody looks any more.
const MAX_WAITS: usize = 64;

/// What can go wrong with a call, as the provider sees it: it never comes, its answer is not heard or not understood, it
/// comes twice.
fn faults() -> [Fault; 4] {
    [
        Fault::Error(Status::new(Code::Unavailable, "a fault that is made by the test")),
        Fault::ResetAfter,
        Fault::Malformed,
        Fault::Duplicated,
    ]
}

pub(in crate::conformance) fn every_call(bench: &Bench) -> Held {
    needs(bench)?;
    let calls = bench.run(async |stage| {
        stage.tap.take_calls();
        let least = stage.least.clone();
        stage.created().await?;
        let created = stage.tap.take_calls();
        let destroyed = stage.destroy(&least).await;
        destroyed.map_err(|error| unchecked(format!("it is not destroyed: {error}")))?;
        Ok((created, stage.tap.take_calls()))
    });
    let (created, destroyed) = calls?;
    for fault in faults() {
        for (at, method) in ends(&created) {
            bench.run(async |stage| while_creating(stage, (at, method), &fault).await)?;
        }
        for (at, method) in ends(&destroyed) {
            bench.run(async |stage| while_destroying(stage, (at, method), &fault).await)?;
        }
    }
    Ok(())
}

/// What has failed is refreshed before the next attempt.
fn needs(bench: &Bench) -> Held {
    bench.needs(Law::Destroy)?;
    bench.needs(Law::Vanish)
}

/// The last call of each method: those before are the same for the provider.
fn ends(calls: &[String]) -> Vec<(usize, &str)> {
    let last = |at: &usize, method: &String| calls.iter().rposition(|it| it == method) == Some(*at);
    let ends = calls.iter().enumerate().filter(|(at, method)| last(at, method));
    ends.map(|(at, method)| (at, method.as_str())).collect()
}

async fn while_creating(stage: &mut Stage, (at, method): (usize, &str), fault: &Fault) -> Held {
    let least = stage.least.clone();
    stage.tap.set_fault(Some((at, fault.clone())));
    let first = stage.apply(&least).await;
    stage.tap.set_fault(None);
    // Nobody can know of an object that was made by a call whose answer is lost, or that was made twice.
    let lost = !matches!(fault, Fault::Error(_));
    if method == "ApplyResourceChange" && lost {
        return Ok(());
    }
    let what = || format!("when {method} has the fault {fault:?} during the creation");
    if matches!(fault, Fault::Duplicated) {
        first.map_err(|error| Verdict::Broken(format!("{}: {error}", what())))?;
    }
    let again = stage.apply(&least).await;
    again.map_err(|error| Verdict::Broken(format!("{}, the next attempt fails: {error}", what())))?;
    let destroyed = stage.destroy(&least).await;
    destroyed.map_err(|error| Verdict::Broken(format!("{}, it cannot be destroyed: {error}", what())))?;
    nothing_left(stage, &what())
}

async fn while_destroying(stage: &mut Stage, (at, method): (usize, &str), fault: &Fault) -> Held {
    stage.created().await?;
    let least = stage.least.clone();
    stage.tap.set_fault(Some((at, fault.clone())));
    // Whether it fails is not the question.
    drop(stage.destroy(&least).await);
    stage.tap.set_fault(None);
    let what = || format!("when {method} has the fault {fault:?} during the destruction");
    let destroyed = stage.destroy(&least).await;
    destroyed.map_err(|error| Verdict::Broken(format!("{}, the next attempt fails: {error}", what())))?;
    nothing_left(stage, &what())
}

pub(in crate::conformance) fn every_await(bench: &Bench) -> Held {
    needs(bench)?;
    for after in 0..MAX_WAITS {
        let reached = bench.run(async |stage| {
            let least = stage.least.clone();
            stage.tap.stop_after(after);
            let first = stage.apply(&least).await;
            let reached = stage.tap.take_stopped();
            let what = || format!("when the create is stopped after it has waited {after} times");
            if !reached {
                first.map_err(|error| unchecked(format!("it is not created: {error}")))?;
                return Ok(false);
            }
            // What core was told of is in the state, and what it was not told of must not be there.
            let known = stage.object().is_ok();
            let left = stage.left();
            if !known && !left.is_empty() {
                return Err(Verdict::Broken(format!(
                    "{}, there is {}, of which the state knows nothing",
                    what(),
                    left.join(", ")
                )));
            }
            let again = stage.apply(&least).await;
            again.map_err(|error| Verdict::Broken(format!("{}, the next attempt fails: {error}", what())))?;
            let destroyed = stage.destroy(&least).await;
            destroyed
                .map_err(|error| Verdict::Broken(format!("{}, it is not destroyed: {error}", what())))?;
            nothing_left(stage, &what())?;
            Ok(true)
        })?;
        if !reached {
            return Ok(());
        }
    }
    Ok(())
}

fn nothing_left(stage: &Stage, what: &str) -> Held {
    match stage.left().as_slice() {
        [] => Ok(()),
        left => broken(format!("{what}, there is still {} after the destruction", left.join(", "))),
    }
}
