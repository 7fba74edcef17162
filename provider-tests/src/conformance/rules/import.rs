//! What is imported is what was created.

use ferroform::path::Path;
use ferroform::value::Value;

use super::lifecycle::changes;
use crate::client::Provider;
use crate::config::{Config, Expr, ImportBlock, ImportTarget};
use crate::conformance::bench::{Bench, Stage, errors};
use crate::conformance::rule::{Rule, RuleResult, Verdict, not_checked, violated};
use crate::embedded::PlanOptions;
use crate::plan::Action;
use crate::state::State;

pub(in crate::conformance) fn by_id(bench: &Bench) -> RuleResult {
    needs(bench)?;
    bench.run(async |stage| {
        stage.created().await?;
        let provider = stage.provider().await?;
        let object = stage.stored(&provider)?.value;
        let path = bench.import_id.clone().unwrap_or_default();
        let id = match object.get(&path).map(Value::peel) {
            Some(Value::String(id)) => id.to_string(),
            Some(Value::Number(id)) => id.to_string(),
            _ => {
                return Err(not_checked(format!(
                    "the attribute {path}, by which it is imported, has no text"
                )));
            }
        };
        imported(stage, &provider, (ImportTarget::Id(Expr::from(id.as_str())), &bench.import_except)).await
    })
}

/// A type without an identity has nothing to keep here.
pub(in crate::conformance) fn by_identity(bench: &Bench) -> RuleResult {
    needs(bench)?;
    bench.needs(Rule::DistinctIdentities)?;
    bench.run(async |stage| {
        stage.created().await?;
        let provider = stage.provider().await?;
        let Some(identity) = stage.stored(&provider)?.identity else { return Ok(()) };
        let Value::Object(members) = identity else { return Ok(()) };
        let members = members.iter().filter(|(_, value)| !value.is_null());
        let written = members.map(|(name, value)| (name.to_string(), Expr::Literal(value.clone()))).collect();
        imported(stage, &provider, (ImportTarget::Identity(Expr::Object(written)), &bench.import_except))
            .await
    })
}

fn needs(bench: &Bench) -> RuleResult {
    bench.needs(Rule::SecondPlan)?;
    bench.needs(Rule::Identity)
}

/// Forgets the object, imports it, and compares.
async fn imported(stage: &mut Stage, provider: &Provider, by: (ImportTarget, &Vec<Path>)) -> RuleResult {
    let (subject, except) = by;
    let before = stage.stored(provider)?;
    let this = stage.this();
    let mut state: State = stage.state.clone();
    state.resources.remove(&this.resource);
    let mut config: Config = stage.config(&stage.minimal);
    config.imports.push(ImportBlock::new(this.clone(), subject));
    let plan = stage.core.plan(&config, &state, &PlanOptions::default()).await;
    errors(&plan.diagnostics).map_err(|error| Verdict::Violated(format!("it is not imported: {error}")))?;
    let change = plan.changes.iter().find(|change| change.address == this);
    let Some(change) = change.filter(|change| change.importing.is_some()) else {
        return violated("the plan does not import it");
    };
    let (mut created, mut found) = (before.value, change.before.clone());
    for path in except {
        [&mut created, &mut found]
            .into_iter()
            .filter_map(|it| it.get_mut(path))
            .for_each(|it| *it = Value::Null);
    }
    if let Some(path) = difference(&created, &found) {
        return violated(format!("the imported object has another {path} than the one that was created"));
    }
    if before.identity != change.before_identity {
        return violated("the imported object has another identity than the one that was created");
    }
    if except.is_empty() && change.action != Action::NoOp {
        let changes = changes(&plan).unwrap_or_default();
        return violated(format!("right after the import there is something to do: {changes}"));
    }
    stage.make(&plan).await.map_err(Verdict::Violated)
}

/// The first attribute that differs.
fn difference(a: &Value, b: &Value) -> Option<String> {
    let (Some(a), Some(b)) = (a.as_entries(), b.as_entries()) else {
        return (a != b).then(|| "value".to_owned());
    };
    a.keys().find(|name| a.get(name) != b.get(name)).map(str::to_owned)
}
