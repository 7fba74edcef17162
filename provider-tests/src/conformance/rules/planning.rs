//! What holds for plans.

use bytes::Bytes;
use ferroform::path::Path;
use ferroform::value::Value;

use crate::client::{PlanRequest, PlanResponse, Provider, StoredObject};
use crate::conformance::bench::{Bench, Stage, schema};
use crate::conformance::rule::{Rule, RuleResult, Verdict, violated};
use crate::embedded::PlanOptions;
use crate::plan::Action;
use crate::plan_rules::{absent_computed_blocks, proposed_new};

/// Asks for a plan as core does.
pub(super) async fn ask(
    provider: &Provider,
    type_name: &str,
    prior: &StoredObject,
    config: &Value,
) -> Result<PlanResponse, Verdict> {
    let block = &schema(provider, type_name)?.block;
    let config = absent_computed_blocks(block, config);
    let proposed = proposed_new(block, &prior.value, &config);
    let request = PlanRequest { prior, config: &config, proposed: &proposed, planned_private: Bytes::new() };
    provider.plan(type_name, request).await.map_err(|error| Verdict::Violated(error.to_string()))
}

pub(in crate::conformance) fn replacement(bench: &Bench) -> RuleResult {
    bench.run(async |stage| {
        stage.created().await?;
        let provider = stage.provider().await?;
        let prior = stage.stored(&provider)?;
        let changed = stage.changed.clone().unwrap_or_default();
        let (_, config) = stage.known(&changed).await?;
        let planned = ask(&provider, &stage.type_name, &prior, &config).await?;
        for path in &planned.requires_replace {
            let names: ferroform::path::Path = path.addressable().iter().cloned().collect();
            let (before, after) = (prior.value.get(&names), planned.object.value.get(&names));
            let write_only = matches!((before, after), (Some(Value::Null), Some(Value::Null)));
            if before == after && !write_only {
                return violated(format!(
                    "{path} is said to require a replacement, and its value does not change"
                ));
            }
        }
        Ok(())
    })
}

pub(in crate::conformance) fn dependants(bench: &Bench) -> RuleResult {
    bench.needs(Rule::SecondPlan)?;
    bench.run(async |stage| {
        stage.created().await?;
        let changed = stage.changed.clone().unwrap_or_default();
        for (name, expr) in changed.arguments {
            let mut body = stage.minimal.clone();
            body.arguments.retain(|(other, _)| *other != name);
            body.arguments.push((name.clone(), expr));
            let plan = stage.plan(&body, &PlanOptions::default()).await;
            let change = plan.changes.iter().find(|change| change.address == stage.this());
            // What cannot be changed alone, or is replaced, says nothing about the others.
            let Some(change) = change.filter(|it| !plan.errored && it.action == Action::Update) else {
                continue;
            };
            let own = Path::root().attribute(name);
            let declared = bench.dependants.iter().filter(|(of, _)| *of == own);
            let mut allowed: Vec<&Path> = declared.flat_map(|(_, dependants)| dependants).collect();
            allowed.push(&own);
            let names = change.after.as_entries().into_iter().flat_map(|entries| entries.keys());
            let mut paths = names.map(|name| Path::root().attribute(name.to_owned()));
            let other = paths
                .find(|path| change.before.get(path) != change.after.get(path) && !allowed.contains(&path));
            if let Some(other) = other {
                return violated(format!(
                    "where {own} changes alone, the plan changes {other}, too; if it has to, say so with \
                     `ResourceTest::dependants`"
                ));
            }
        }
        Ok(())
    })
}

pub(in crate::conformance) fn determinism(bench: &Bench) -> RuleResult {
    bench.run(async |stage| {
        let (_, config) = stage.smallest().await?;
        same_plans(stage, &StoredObject::none(), &config).await
    })?;
    bench.run(async |stage| {
        stage.created().await?;
        let provider = stage.provider().await?;
        let prior = stage.stored(&provider)?;
        let changed = stage.changed.clone().unwrap_or_else(|| stage.minimal.clone());
        let config = stage.planned_config(&provider, &changed).await?;
        same_plans(stage, &prior, &config).await
    })
}

/// That an instance has the same plan twice, and another instance has it, too.
pub(super) async fn same_plans(stage: &Stage, prior: &StoredObject, config: &Value) -> RuleResult {
    let (first, second) = (stage.provider().await?, stage.provider().await?);
    let a = ask(&first, &stage.type_name, prior, config).await?;
    for provider in [&first, &second] {
        let b = ask(provider, &stage.type_name, prior, config).await?;
        alike(&a, &b)?;
    }
    Ok(())
}

/// That two plans of the same do not differ.
pub(super) fn alike(a: &PlanResponse, b: &PlanResponse) -> RuleResult {
    let what = if a.object.value != b.object.value {
        "values"
    } else if a.object.private != b.object.private {
        "private data"
    } else if a.object.identity != b.object.identity {
        "identities"
    } else if a.requires_replace != b.requires_replace {
        "paths that require a replacement"
    } else {
        return Ok(());
    };
    violated(format!("two plans of the same have different {what}"))
}
