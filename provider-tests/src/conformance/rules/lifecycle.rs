//! The life of one object on the embedded core.

use crate::config::Body;
use crate::conformance::bench::{Bench, Stage, delete, errors, schema};
use crate::conformance::rule::{Rule, RuleResult, Verdict, not_checked, violated};
use crate::embedded::PlanOptions;
use crate::plan::{Action, Plan};
use crate::plan_rules::assert_object_compatible;

/// Core checks the plan and the result; what is left is that they are in the state.
pub(in crate::conformance) fn create(bench: &Bench) -> RuleResult {
    bench.run(async |stage| {
        let minimal = stage.minimal.clone();
        let plan = stage.apply(&minimal).await.map_err(Verdict::Violated)?;
        let Some(change) = plan.changes.iter().find(|change| change.address == stage.this()) else {
            return violated("the plan has no change for it");
        };
        if change.action != Action::Create {
            return violated(format!("the plan is to {:?} it", change.action));
        }
        let provider = stage.provider().await?;
        let object = stage.stored(&provider)?;
        let block = &schema(&provider, &stage.type_name)?.block;
        match assert_object_compatible(block, &change.after, &object.value).first() {
            Some(problem) => violated(problem.to_string()),
            None => Ok(()),
        }
    })
}

pub(in crate::conformance) fn read(bench: &Bench) -> RuleResult {
    bench.needs(Rule::Upgrade)?;
    bench.run(async |stage| {
        stage.created().await?;
        let plan = stage.plan(&stage.minimal, &PlanOptions::refresh_only()).await;
        errors(&plan.diagnostics).map_err(Verdict::Violated)?;
        match drifted(&plan) {
            None => Ok(()),
            Some(drift) => violated(format!("reading changes the object right after it was made: {drift}")),
        }
    })
}

pub(in crate::conformance) fn second_plan(bench: &Bench) -> RuleResult {
    bench.needs(Rule::Read)?;
    bench.run(async |stage| {
        stage.created().await?;
        settled(stage, &stage.minimal).await
    })
}

pub(in crate::conformance) fn update(bench: &Bench) -> RuleResult {
    bench.needs(Rule::SecondPlan)?;
    bench.run(async |stage| {
        stage.created().await?;
        let minimal = stage.minimal.clone();
        let changed = stage.changed.clone().unwrap_or_default();
        for body in [changed, minimal] {
            stage.apply(&body).await.map_err(Verdict::Violated)?;
            settled(stage, &body).await?;
        }
        Ok(())
    })
}

pub(in crate::conformance) fn destroy(bench: &Bench) -> RuleResult {
    bench.run(async |stage| {
        stage.created().await?;
        let minimal = stage.minimal.clone();
        stage.destroy(&minimal).await.map_err(Verdict::Violated)?;
        if !stage.state.resources.is_empty() {
            return violated("the state still has something after everything was destroyed");
        }
        match stage.left().as_slice() {
            [] => Ok(()),
            left => violated(format!("after everything was destroyed there is still {}", left.join(", "))),
        }
    })
}

pub(in crate::conformance) fn destroy_twice(bench: &Bench) -> RuleResult {
    bench.needs(Rule::Destroy)?;
    bench.run(async |stage| {
        stage.created().await?;
        let provider = stage.provider().await?;
        let object = stage.stored(&provider)?;
        let first = delete(&provider, &stage.type_name, &object).await;
        first.map_err(|error| not_checked(format!("it is not deleted: {error}")))?;
        let second = delete(&provider, &stage.type_name, &object).await;
        second.map_err(|error| Verdict::Violated(format!("to delete it once more is an error: {error}")))
    })
}

pub(in crate::conformance) fn disappears(bench: &Bench) -> RuleResult {
    if bench.is_deleted_by_provider {
        bench.needs(Rule::Destroy)?;
    }
    bench.run(async |stage| {
        stage.created().await?;
        stage.delete_outside().await?;
        let plan = stage.plan(&stage.minimal, &PlanOptions::default()).await;
        errors(&plan.diagnostics)
            .map_err(|error| Verdict::Violated(format!("it was deleted outside: {error}")))?;
        let change = plan.changes.iter().find(|change| change.address == stage.this());
        match change.map(|change| change.action) {
            Some(Action::Create) => {}
            action => {
                return violated(format!(
                    "it was deleted outside, and the plan is not to create it but {action:?}"
                ));
            }
        }
        let created = stage.make(&plan).await;
        created.map_err(|error| Verdict::Violated(format!("it is not created again: {error}")))
    })
}

pub(in crate::conformance) fn drift(bench: &Bench) -> RuleResult {
    bench.needs(Rule::SecondPlan)?;
    bench.run(async |stage| {
        stage.created().await?;
        let provider = stage.provider().await?;
        stage.drift(&stage.stored(&provider)?.value);
        let plan = stage.plan(&stage.minimal, &PlanOptions::default()).await;
        errors(&plan.diagnostics).map_err(Verdict::Violated)?;
        if plan.drift.is_empty() {
            return violated("the object was changed from outside, and reading it does not show that");
        }
        if changes(&plan).is_none() {
            return violated("the object was changed from outside, and the plan is not to change it back");
        }
        stage.make(&plan).await.map_err(Verdict::Violated)?;
        settled(stage, &stage.minimal).await
    })
}

/// That nothing is left to do, with and without a refresh.
pub(super) async fn settled(stage: &Stage, body: &Body) -> RuleResult {
    let plan = stage.plan(body, &PlanOptions::default().without_refresh()).await;
    errors(&plan.diagnostics).map_err(Verdict::Violated)?;
    if let Some(changes) = changes(&plan) {
        return violated(format!("the plan after the apply is not empty: {changes}"));
    }
    let plan = stage.plan(body, &PlanOptions::default()).await;
    errors(&plan.diagnostics).map_err(Verdict::Violated)?;
    if let Some(drift) = drifted(&plan) {
        return violated(format!("reading changes the object after the apply: {drift}"));
    }
    match changes(&plan) {
        None => Ok(()),
        Some(changes) => violated(format!("the plan after the apply and a refresh is not empty: {changes}")),
    }
}

/// What a plan changes: addresses, actions and the attributes in which it does.
pub(super) fn changes(plan: &Plan) -> Option<String> {
    let changes = plan.changes.iter().filter(|it| !matches!(it.action, Action::NoOp | Action::Read));
    said(changes)
}

/// What has changed outside.
fn drifted(plan: &Plan) -> Option<String> {
    said(plan.drift.iter())
}

fn said<'c>(changes: impl Iterator<Item = &'c crate::plan::ResourceChange>) -> Option<String> {
    let each = changes.map(|change| {
        let (before, after) = (change.before.as_entries(), change.after.as_entries());
        let names = after.map(|it| it.keys().map(str::to_owned).collect::<Vec<_>>()).unwrap_or_default();
        let differs =
            |name: &&String| before.and_then(|it| it.get(name)) != after.and_then(|it| it.get(name));
        let names: Vec<String> = names.iter().filter(differs).cloned().collect();
        format!("{} {} ({})", change.action.words().join(" and "), change.address, names.join(", "))
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| each.join("; "))
}
