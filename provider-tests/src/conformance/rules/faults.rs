//! Calls that fail, and changes that are stopped.

use std::time::Duration;

use ferroform_plugin::grpc::{Code, Status};

use crate::client::Fault;
use crate::conformance::bench::{Bench, Stage};
use crate::conformance::rule::{Rule, RuleResult, Verdict, not_checked, violated};
use crate::conformance::service_fault::ServiceFault;
use crate::embedded::PlanOptions;
use crate::plan::Action;

/// How often a change can wait until nobody looks any more.
const MAX_WAITS: usize = 64;

/// Tries each wait of something, until there is no such wait any more. Whether there was one.
pub(super) fn each_wait(
    bench: &Bench,
    attempt: &impl AsyncFn(&mut Stage, usize) -> Result<bool, Verdict>,
) -> Result<bool, Verdict> {
    for waits in 0..MAX_WAITS {
        if !bench.run(async |stage| attempt(stage, waits).await)? {
            return Ok(waits > 0);
        }
    }
    Ok(true)
}

/// What can go wrong with a call, as the provider sees it: it comes late or never, its answer is not heard or not
/// understood, it comes twice.
pub(super) fn faults() -> [Fault; 7] {
    [
        Fault::Delay(Duration::from_millis(1)),
        Fault::Error(Status::new(Code::Unavailable, "a fault that is made by the test")),
        Fault::ResetBefore,
        Fault::ResetAfter,
        Fault::Truncated,
        Fault::Malformed,
        Fault::Duplicated,
    ]
}

/// A change of the object under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Creation,
    Update,
    Destruction,
}

const PHASES: [Phase; 3] = [Phase::Creation, Phase::Update, Phase::Destruction];

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Self::Creation => "creation",
            Self::Update => "update",
            Self::Destruction => "destruction",
        }
    }

    /// Makes the object if there has to be one before.
    async fn begin(self, stage: &mut Stage) -> RuleResult {
        if self != Self::Creation {
            stage.created().await?;
        }
        Ok(())
    }

    async fn make(self, stage: &mut Stage) -> Result<(), String> {
        let minimal = stage.minimal.clone();
        match self {
            Self::Creation => stage.apply(&minimal).await.map(drop),
            Self::Update => {
                let changed = stage.changed.clone().unwrap_or_default();
                stage.apply(&changed).await.map(drop)
            }
            Self::Destruction => stage.destroy(&minimal).await,
        }
    }

    /// Whether the resource has this change. A replacement is a destruction and a creation.
    fn is_there(self, bench: &Bench) -> Result<bool, Verdict> {
        if self != Self::Update {
            return Ok(true);
        }
        bench.run(async |stage| {
            let Some(changed) = stage.changed.clone() else { return Ok(false) };
            stage.created().await?;
            let plan = stage.plan(&changed, &PlanOptions::default()).await;
            let this = stage.this();
            Ok(plan.changes.iter().any(|change| change.address == this && change.action == Action::Update))
        })
    }
}

pub(in crate::conformance) fn every_call(bench: &Bench) -> RuleResult {
    needs(bench)?;
    for phase in PHASES {
        if !phase.is_there(bench)? {
            continue;
        }
        let calls = undisturbed(bench, phase)?;
        for fault in faults() {
            for (at, method) in ends(&calls) {
                bench.run(async |stage| failing(stage, phase, (at, method), &fault).await)?;
            }
        }
    }
    Ok(())
}

/// The calls of a change with which nothing interferes. One that fails then has another fault.
fn undisturbed(bench: &Bench, phase: Phase) -> Result<Vec<String>, Verdict> {
    bench.run(async |stage| {
        phase.begin(stage).await?;
        stage.proxy.take_calls();
        let made = phase.make(stage).await;
        made.map_err(|error| not_checked(format!("the {} fails: {error}", phase.name())))?;
        Ok(stage.proxy.take_calls())
    })
}

/// What has failed is refreshed before the next attempt.
fn needs(bench: &Bench) -> RuleResult {
    bench.needs(Rule::Destroy)?;
    bench.needs(Rule::Disappears)
}

/// The last call of each method: those before are the same for the provider.
fn ends(calls: &[String]) -> Vec<(usize, &str)> {
    let last = |at: &usize, method: &String| calls.iter().rposition(|it| it == method) == Some(*at);
    let ends = calls.iter().enumerate().filter(|(at, method)| last(at, method));
    ends.map(|(at, method)| (at, method.as_str())).collect()
}

async fn failing(stage: &mut Stage, phase: Phase, (at, method): (usize, &str), fault: &Fault) -> RuleResult {
    phase.begin(stage).await?;
    stage.proxy.set_fault(Some((at, fault.clone())));
    let first = phase.make(stage).await;
    stage.proxy.set_fault(None);
    let what = format!("when {method} has the fault {fault:?} during the {}", phase.name());
    // What went well is known, and nothing is lost in silence.
    if first.is_ok() {
        known(stage, phase).map_err(|problem| Verdict::Violated(format!("{what}, {problem}")))?;
    }
    let answer_is_heard = matches!(fault, Fault::Delay(_) | Fault::Error(_) | Fault::ResetBefore);
    if phase == Phase::Creation && method == "ApplyResourceChange" && !answer_is_heard {
        // Nobody can know of an object that was made by a call whose answer is lost, or that was made twice; core
        // has said that the call failed.
        return Ok(());
    }
    let harmless =
        matches!(fault, Fault::Delay(_)) || (matches!(fault, Fault::Duplicated) && phase == Phase::Creation);
    if harmless {
        first.map_err(|error| Verdict::Violated(format!("{what}: {error}")))?;
    }
    if phase == Phase::Update && stage.object().is_err() {
        return violated(format!("{what}, the state knows nothing of the object any more"));
    }
    again(stage, phase, &what).await
}

/// Whether the state has the object exactly if there is to be one.
fn known(stage: &Stage, phase: Phase) -> Result<(), String> {
    match (phase, stage.object()) {
        (Phase::Destruction, Ok(_)) => Err("the state still has the object".to_owned()),
        (Phase::Destruction, _) => match stage.left().as_slice() {
            [] => Ok(()),
            left => Err(format!("there is {}, and nobody was told", left.join(", "))),
        },
        (_, Ok(_)) => Ok(()),
        (_, Err(_)) => Err("the object is not in the state, and nobody was told".to_owned()),
    }
}

/// The next attempt succeeds, and in the end nothing is left.
async fn again(stage: &mut Stage, phase: Phase, what: &str) -> RuleResult {
    let again = phase.make(stage).await;
    again.map_err(|error| Verdict::Violated(format!("{what}, the next attempt fails: {error}")))?;
    let destroyed = Phase::Destruction.make(stage).await;
    destroyed.map_err(|error| Verdict::Violated(format!("{what}, it cannot be destroyed: {error}")))?;
    match stage.left().as_slice() {
        [] => Ok(()),
        left => violated(format!("{what}, there is still {} after the destruction", left.join(", "))),
    }
}

pub(in crate::conformance) fn every_await(bench: &Bench) -> RuleResult {
    needs(bench)?;
    for phase in PHASES {
        if !phase.is_there(bench)? {
            continue;
        }
        each_wait(bench, &async |stage, after| stopped(stage, phase, after).await)?;
    }
    Ok(())
}

/// Stops a change after it has waited that often; whether it has.
async fn stopped(stage: &mut Stage, phase: Phase, after: usize) -> Result<bool, Verdict> {
    phase.begin(stage).await?;
    stage.proxy.stop_after("ApplyResourceChange", after);
    let first = phase.make(stage).await;
    if !stage.proxy.take_stopped() {
        first.map_err(|error| not_checked(format!("the {} fails: {error}", phase.name())))?;
        return Ok(false);
    }
    let what = format!("when the {} is stopped after it has waited {after} times", phase.name());
    nothing_lost(stage, &what)?;
    again(stage, phase, &what).await.map(|()| true)
}

/// What core was told of is in the state, and what it was not told of must not be there.
fn nothing_lost(stage: &Stage, what: &str) -> RuleResult {
    let left = stage.left();
    if stage.object().is_err() && left.len() > stage.objects() {
        let left = left.join(", ");
        return violated(format!("{what}, there is {left}, of which the state does not know all"));
    }
    Ok(())
}

pub(in crate::conformance) fn every_service_fault(bench: &Bench) -> RuleResult {
    needs(bench)?;
    let mut met = false;
    for phase in PHASES {
        if !phase.is_there(bench)? {
            continue;
        }
        undisturbed(bench, phase)?;
        for fault in ServiceFault::ALL {
            met |= each_wait(bench, &async |stage, after| {
                with_service_fault(stage, phase, (after, *fault)).await
            })?;
        }
    }
    if met {
        Ok(())
    } else {
        Err(not_checked("the provider never waits for what `ResourceTest::service_faults` gives"))
    }
}

/// Lets the service fail after so many waits for it; whether it was waited for so often.
async fn with_service_fault(
    stage: &mut Stage,
    phase: Phase,
    (after, fault): (usize, ServiceFault),
) -> Result<bool, Verdict> {
    phase.begin(stage).await?;
    let Some(service_faults) = stage.service_faults.clone() else { return Ok(false) };
    service_faults.set(after, fault);
    let first = phase.make(stage).await;
    if !service_faults.take_met() {
        first.map_err(|error| not_checked(format!("the {} fails: {error}", phase.name())))?;
        return Ok(false);
    }
    let what = format!("when wait {} of the {} ends in {fault:?}", after + 1, phase.name());
    if first.is_ok() {
        known(stage, phase).map_err(|problem| Verdict::Violated(format!("{what}, {problem}")))?;
    }
    if phase == Phase::Creation && fault == ServiceFault::Hang && first.is_err() {
        // Nobody can tell of an object whose creation does not end; core has said so.
        return Ok(true);
    }
    nothing_lost(stage, &what)?;
    again(stage, phase, &what).await.map(|()| true)
}
