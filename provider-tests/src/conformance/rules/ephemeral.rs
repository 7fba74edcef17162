//! What is opened is closed, whatever happens meanwhile.
//!
//! The rules play core on the protocol client: an open, a renewal if the open asked for one, and a close. Core closes nothing
//! whose open failed, and closes once what it has opened, with the private data of the open.

use ferroform::schema::{Block, Schema};
use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;
use prost::Message as _;

use super::error;
use super::faults::{each_wait, faults};
use crate::client::{Fault, OpenResponse, Provider};
use crate::conformance::bench::{Bench, Stage, decode, errors};
use crate::conformance::rule::{RuleResult, Verdict, not_checked, violated};
use crate::conformance::rules::secrecy::{Sorts, planted};
use crate::conformance::service_fault::{ServiceFault, ServiceFaults};
use crate::embedded::PlanOptions;
use crate::secrets::{Secrets, list};
use crate::state::sensitive_paths;

/// How many renewals are looked at.
const RENEWALS: usize = 3;

/// How an ephemeral resource ended.
enum End {
    /// The open failed. Core closes nothing then.
    Refused(String),
    /// It was opened with that result, and closed.
    Closed(Value),
    /// The answer of the open did not arrive; core reports that.
    Unheard(String),
    /// It was opened, and closed neither at once nor by a second close.
    Unclosed(String),
}

/// What came of an ephemeral resource.
struct Life {
    end: End,
    renewed: Result<(), String>,
}

/// The configuration as the provider gets it, and a configured provider.
async fn ready(stage: &mut Stage) -> Result<(Provider, Value), Verdict> {
    let plan = stage.core.plan(&stage.ephemeral(), &stage.state, &PlanOptions::default()).await;
    let opened = errors(&plan.diagnostics);
    opened.map_err(|error| not_checked(format!("the smallest configuration is not opened: {error}")))?;
    let provider = stage.provider().await?;
    let request = stage.proxy.request("OpenEphemeralResource").unwrap_or_default();
    let request = proto::open_ephemeral_resource::Request::decode(request).unwrap_or_default();
    let ty = schema(&provider, stage)?.ty();
    let config = decode(request.config.as_ref(), &ty).map_err(not_checked)?;
    Ok((provider, config))
}

fn schema<'p>(provider: &'p Provider, stage: &Stage) -> Result<&'p Schema, Verdict> {
    provider.catalog().ephemeral_resource(&stage.type_name).map_err(|error| not_checked(error.to_string()))
}

/// Opens, renews once if the provider asks for it, and closes.
async fn live(stage: &Stage, provider: &Provider, config: &Value) -> Life {
    let opened = match open(stage, provider, config).await {
        Ok(opened) => opened,
        Err(end) => return Life { end, renewed: Ok(()) },
    };
    let renewed = match opened.renew_at {
        None => Ok(()),
        Some(_) => {
            let renewed = provider.renew_ephemeral(&stage.type_name, opened.private.clone()).await;
            renewed
                .map_err(|error| error.to_string())
                .and_then(|renewed| error(&renewed.diagnostics).map_or(Ok(()), Err))
        }
    };
    let end = match close_for_sure(stage, provider, &opened).await {
        Ok(()) => End::Closed(opened.value),
        Err(error) => End::Unclosed(error),
    };
    Life { end, renewed }
}

async fn open(stage: &Stage, provider: &Provider, config: &Value) -> Result<OpenResponse, End> {
    let opened = provider.open_ephemeral(&stage.type_name, config).await;
    let opened = opened.map_err(|error| End::Unheard(error.to_string()))?;
    match error(&opened.diagnostics) {
        Some(error) => Err(End::Refused(error)),
        None => Ok(opened),
    }
}

async fn close(stage: &Stage, provider: &Provider, opened: &OpenResponse) -> Result<(), String> {
    let closed = provider.close_ephemeral(&stage.type_name, opened.private.clone()).await;
    error(&closed.map_err(|error| error.to_string())?).map_or(Ok(()), Err)
}

/// Closes once more what was not closed. Nothing interferes with the second close, so it succeeds, whatever the first has
/// done.
async fn close_for_sure(stage: &Stage, provider: &Provider, opened: &OpenResponse) -> Result<(), String> {
    match close(stage, provider, opened).await {
        Ok(()) => Ok(()),
        Err(first) => {
            stage.service_faults.iter().for_each(ServiceFaults::end);
            let second = close(stage, provider, opened).await;
            second.map_err(|second| {
                format!("the close fails ({first}), and so does the close after that: {second}")
            })
        }
    }
}

/// A life with which nothing interferes. One that fails then has another fault.
async fn undisturbed(stage: &mut Stage) -> RuleResult {
    let (provider, config) = ready(stage).await?;
    stage.proxy.take_calls();
    let life = live(stage, &provider, &config).await;
    life.renewed.map_err(|error| not_checked(format!("the renewal fails: {error}")))?;
    match life.end {
        End::Closed(_) => Ok(()),
        End::Refused(error) | End::Unheard(error) | End::Unclosed(error) => Err(not_checked(error)),
    }
}

/// Nothing is there any more of what was opened, with what result.
fn nothing_left(stage: &Stage, result: Option<&Value>, what: &str) -> RuleResult {
    if let left @ [_, ..] = stage.left().as_slice() {
        return violated(format!("{what}, there is still {}", left.join(", ")));
    }
    match result {
        Some(result) if stage.valid(result) == Some(true) => {
            violated(format!("{what}, the result is still valid"))
        }
        _ => Ok(()),
    }
}

/// Nothing is left, and the next attempt succeeds.
async fn after(stage: &mut Stage, end: End, what: &str) -> RuleResult {
    let result = match end {
        // Nobody can know what is there, and core has said so.
        End::Unheard(_) => return Ok(()),
        End::Unclosed(error) => return violated(format!("{what}, {error}")),
        End::Refused(_) => None,
        End::Closed(result) => Some(result),
    };
    nothing_left(stage, result.as_ref(), what)?;
    let again = undisturbed(stage).await;
    again.map_err(|verdict| {
        let error = verdict.into_result().err().unwrap_or_default();
        Verdict::Violated(format!("{what}, the next attempt fails: {error}"))
    })?;
    nothing_left(stage, None, what)
}

pub(in crate::conformance) fn open_and_close(bench: &Bench) -> RuleResult {
    bench.run(async |stage| {
        let plan = stage.core.plan(&stage.ephemeral(), &stage.state, &PlanOptions::default()).await;
        errors(&plan.diagnostics).or_else(|error| violated(format!("the plan fails: {error}")))?;
        nothing_left(stage, None, "after the plan")?;
        let outcome = stage.core.apply(&plan).await;
        errors(&outcome.diagnostics).or_else(|error| violated(format!("the apply fails: {error}")))?;
        nothing_left(stage, None, "after the apply")?;
        let (provider, config) = ready(stage).await?;
        let life = live(stage, &provider, &config).await;
        life.renewed.or_else(|error| violated(format!("the renewal fails: {error}")))?;
        match life.end {
            End::Closed(result) => nothing_left(stage, Some(&result), "after the close"),
            End::Refused(error) | End::Unheard(error) | End::Unclosed(error) => violated(error),
        }
    })
}

pub(in crate::conformance) fn renewal(bench: &Bench) -> RuleResult {
    bench.run(async |stage| {
        let (provider, config) = ready(stage).await?;
        let opened = open(stage, &provider, &config).await.map_err(|_| not_checked("the open fails"))?;
        valid(stage, &opened, "after the open")?;
        let (mut private, mut next) = (opened.private.clone(), opened.renew_at);
        for _ in 0..RENEWALS {
            let Some(at) = next else { break };
            stage.clock.sleep(at.duration_since(stage.clock.now()).unwrap_or_default()).await;
            valid(stage, &opened, "at the time of its renewal")?;
            let renewed = provider.renew_ephemeral(&stage.type_name, private).await;
            let renewed = renewed.map_err(|error| Verdict::Violated(error.to_string()))?;
            if let Some(error) = error(&renewed.diagnostics) {
                return violated(format!("the renewal fails: {error}"));
            }
            valid(stage, &opened, "after a renewal")?;
            (private, next) = (renewed.private, renewed.renew_at);
        }
        close(stage, &provider, &opened).await.map_err(not_checked)
    })
}

fn valid(stage: &Stage, opened: &OpenResponse, when: &str) -> RuleResult {
    match stage.valid(&opened.value) {
        Some(false) => violated(format!("{when}, the result is not valid")),
        _ => Ok(()),
    }
}

/// Without a life that ends well nothing else can be checked.
fn needs(bench: &Bench) -> RuleResult {
    open_and_close(bench)
        .map_err(|_| not_checked("the rule `open and close` does not hold; see the test of it"))
}

pub(in crate::conformance) fn every_call(bench: &Bench) -> RuleResult {
    needs(bench)?;
    let calls = bench.run(async |stage| {
        undisturbed(stage).await?;
        Ok(stage.proxy.take_calls())
    })?;
    for fault in faults() {
        for (at, method) in calls.iter().enumerate() {
            bench.run(async |stage| {
                let (provider, config) = ready(stage).await?;
                stage.proxy.set_fault(Some((at, fault.clone())));
                let life = live(stage, &provider, &config).await;
                stage.proxy.set_fault(None);
                let what = format!("when {method} has the fault {fault:?}");
                let is_open = method == "OpenEphemeralResource";
                let end = match (&fault, life.end) {
                    // Nobody can know of an open whose answer core has not seen.
                    (Fault::Duplicated, _) if is_open => return Ok(()),
                    (Fault::Delay(_) | Fault::Duplicated, End::Refused(error) | End::Unheard(error)) => {
                        return violated(format!("{what}: {error}"));
                    }
                    // The provider has not seen the call.
                    (Fault::Error(_) | Fault::ResetBefore, End::Unheard(error)) => End::Refused(error),
                    (_, end) => end,
                };
                after(stage, end, &what).await
            })?;
        }
    }
    Ok(())
}

pub(in crate::conformance) fn every_await(bench: &Bench) -> RuleResult {
    needs(bench)?;
    for method in ["OpenEphemeralResource", "RenewEphemeralResource", "CloseEphemeralResource"] {
        each_wait(bench, &async |stage, waits| {
            let (provider, config) = ready(stage).await?;
            stage.proxy.stop_after(method, waits);
            let life = live(stage, &provider, &config).await;
            if !stage.proxy.take_stopped() {
                return Ok(false);
            }
            let what = format!("when {method} is stopped after it has waited {waits} times");
            after(stage, life.end, &what).await.map(|()| true)
        })?;
    }
    Ok(())
}

pub(in crate::conformance) fn every_service_fault(bench: &Bench) -> RuleResult {
    needs(bench)?;
    let mut met = false;
    for fault in ServiceFault::ALL {
        met |= each_wait(bench, &async |stage, waits| {
            let (provider, config) = ready(stage).await?;
            let Some(service_faults) = stage.service_faults.clone() else { return Ok(false) };
            service_faults.set(waits, *fault);
            let life = live(stage, &provider, &config).await;
            if !service_faults.take_met() {
                return Ok(false);
            }
            let what = format!("when wait {} ends in {fault:?}", waits + 1);
            after(stage, life.end, &what).await.map(|()| true)
        })?;
    }
    if met { Ok(()) } else { Err(not_checked("the provider never waits for what `service_faults` gives")) }
}

pub(in crate::conformance) fn secrecy(bench: &Bench) -> RuleResult {
    // Numbers of that size are refused where ports and lengths are meant; what is refused shows nothing.
    match bench.run(async |stage| searched(stage, Sorts::TextsAndNumbers).await) {
        Err(Verdict::NotChecked(_)) => bench.run(async |stage| searched(stage, Sorts::Texts).await),
        held => held,
    }
}

/// Opens and closes with canaries, and looks for them and for the secrets of the result in what was reported.
async fn searched(stage: &mut Stage, sorts: Sorts) -> RuleResult {
    let (provider, config) = ready(stage).await?;
    let block = &schema(&provider, stage)?.block;
    let (config, planted) = planted(block, &config, sorts);
    let (mut secrets, mut failure) = (planted, None);
    match open(stage, &provider, &config).await {
        Ok(opened) => {
            secrets = sensitive_texts(block, &opened.value).into_iter().fold(secrets, Secrets::write_only);
            if opened.renew_at.is_some() {
                // What it reports is in the transcript.
                let _ = provider.renew_ephemeral(&stage.type_name, opened.private.clone()).await;
            }
            failure = close(stage, &provider, &opened).await.err();
        }
        Err(End::Refused(error) | End::Unheard(error) | End::Unclosed(error)) => failure = Some(error),
        Err(End::Closed(_)) => {}
    }
    drop(provider);
    // It has the diagnostics, too.
    let mut leaks = secrets.in_bytes("the transcript", stage.transcript.unmasked().as_bytes());
    leaks.extend(secrets.in_bytes("the output on stderr", stage.proxy.stderr().as_bytes()));
    match failure {
        _ if !leaks.is_empty() => violated(list(&leaks)),
        Some(error) => Err(not_checked(format!("the configuration with canaries is not opened: {error}"))),
        None => Ok(()),
    }
}

/// The texts in a result that the schema calls sensitive.
fn sensitive_texts<'v>(block: &Block, result: &'v Value) -> Vec<&'v str> {
    let mut texts = Vec::new();
    for path in sensitive_paths(block, result) {
        if let Some(text) = result.get(&path).and_then(Value::as_str).filter(|text| !text.is_empty()) {
            texts.push(text);
        }
    }
    texts
}
