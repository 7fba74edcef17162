//! Secrets stay where they may be.

use std::collections::BTreeMap;

use ferroform::path::Path;
use ferroform::schema::{AttributeType, Block};
use ferroform::ty::Type;
use ferroform::value::Value;

use crate::config::Body;
use crate::conformance::bench::{Bench, Stage, errors, schema};
use crate::conformance::law::{Held, Verdict, broken, unchecked};
use crate::conformance::places::{Place, variants};
use crate::embedded::PlanOptions;
use crate::secrets::{Leak, Secrets, list};

pub(in crate::conformance) fn canaries(bench: &Bench) -> Held {
    bench.run(async |stage| {
        let body = stage.changed.clone().unwrap_or_else(|| stage.least.clone());
        let (provider, config) = stage.known(&body).await?;
        let schemas = provider.schemas().clone();
        let block = &schema(&provider, &stage.type_name)?.block;
        let (config, secrets) = planted(block, &config);
        if secrets.is_empty() {
            return Ok(());
        }
        let schemas = BTreeMap::from([(stage.address.clone(), schemas)]);
        let body = Body::of(block, &config);
        let mut leaks = Vec::new();
        for options in [PlanOptions::default(), PlanOptions::default(), PlanOptions::refresh_only()] {
            let plan = stage.plan(&body, &options).await;
            leaks.extend(secrets.in_diagnostics(&plan.diagnostics));
            errors(&plan.diagnostics).map_err(|error| refused(&leaks, &error))?;
            let json = plan.to_json(&schemas).map_err(|error| unchecked(error.to_string()))?;
            leaks.extend(secrets.in_plan(&json));
            for change in &plan.changes {
                leaks.extend(secrets.in_bytes("the planned private data", &change.private));
            }
            let outcome = stage.core.apply(&plan).await;
            leaks.extend(secrets.in_diagnostics(&outcome.diagnostics));
            errors(&outcome.diagnostics).map_err(|error| refused(&leaks, &error))?;
            leaks.extend(secrets.in_state(&outcome.state).map_err(|error| unchecked(error.to_string()))?);
            stage.state = outcome.state;
        }
        leaks.extend(ended(stage, &secrets, &body).await);
        if leaks.is_empty() { Ok(()) } else { broken(list(&leaks)) }
    })
}

/// What is left to look at when all is done.
async fn ended(stage: &mut Stage, secrets: &Secrets, body: &Body) -> Vec<Leak> {
    let mut leaks = Vec::new();
    if let Err(error) = stage.destroy(body).await {
        leaks.extend(secrets.in_bytes("an error of the destruction", error.as_bytes()));
    }
    leaks.extend(secrets.in_bytes("the transcript", stage.transcript.to_string().as_bytes()));
    leaks.extend(secrets.in_bytes("the output on stderr", stage.tap.stderr().as_bytes()));
    leaks
}

/// A leak counts although the rest was refused.
fn refused(leaks: &[Leak], error: &str) -> Verdict {
    if leaks.is_empty() {
        let hint = "give the attributes longer limits, or leave the law out";
        return unchecked(format!("the configuration with canaries is not applied, {hint}: {error}"));
    }
    Verdict::Broken(list(leaks))
}

/// The configuration with a canary for each sensitive and each write-only attribute that is a text.
fn planted(block: &Block, config: &Value) -> (Value, Secrets) {
    let (mut config, mut secrets) = (config.clone(), Secrets::new());
    let places = variants(block, &config, &|place, _| match place {
        Place::Attribute(attribute) if attribute.sensitive || attribute.write_only => match &attribute.ty {
            AttributeType::Plain(Type::String) => Some(Value::from(mark(attribute.write_only, 0))),
            _ => None,
        },
        _ => None,
    });
    for (number, (path, variant)) in places.into_iter().enumerate() {
        let write_only = variant.get(&path).and_then(Value::as_str).is_some_and(|it| it == mark(true, 0));
        let canary = mark(write_only, number + 1);
        // A place in a set has no address, so there is none to put another canary into.
        let Some(place) = config.get_mut(&path) else { continue };
        *place = Value::from(canary.as_str());
        secrets = planted_at(secrets, write_only, (&path, &canary));
    }
    (config, secrets)
}

fn planted_at(secrets: Secrets, write_only: bool, (path, canary): (&Path, &str)) -> Secrets {
    if write_only { secrets.write_only_at(path, canary) } else { secrets.sensitive_at(path, canary) }
}

fn mark(write_only: bool, number: usize) -> String {
    format!("{}-canary-{number:03}", if write_only { "wo" } else { "sens" })
}
