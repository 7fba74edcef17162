//! What has to hold after a step: nothing left to do, and an import that gave the same object.

use ferroform::path::Path;

use super::{Runner, StepResult};
use crate::case::check::Problems;
use crate::case::engine::{PlanArguments, ShowPlan};
use crate::case::step::{AnyStep, Idempotency, Limits};
use crate::case::view::{ObjectView, differences};
use crate::plan::Action;

impl<B: Send + Sync + 'static> Runner<'_, B> {
    /// Whether nothing is left to do.
    pub(super) fn settled(&mut self, step: &AnyStep<B>) -> StepResult {
        let plans: &[(&str, bool)] = match step.idempotency.unwrap_or(self.case.idempotency) {
            Idempotency::Strict => &[("without refresh", true), ("with refresh", false)],
            Idempotency::Refreshed => &[("with refresh", false)],
            Idempotency::Off => &[],
        };
        for (which, no_refresh) in plans {
            let targets = step.limits.targets.clone();
            let limits = Limits { targets, no_refresh: *no_refresh, ..Limits::default() };
            let ask = PlanArguments { limits, show: ShowPlan::OnChanges, ..PlanArguments::default() };
            let made = self.engine.plan(&self.last.clone(), &ask)?;
            let calls = self.engine.take_calls().unwrap_or_default();
            let problems = match &made.plan {
                _ if made.failed() => vec![format!("the plan {which} after the apply fails")],
                Some(plan) if plan.has_changes() => {
                    let problem = format!("the plan {which} after the apply is not empty");
                    std::iter::once(problem).chain(plan.summary()).collect()
                }
                _ => continue,
            };
            self.facts.plan = made.plan;
            self.facts.diagnostics = made.diagnostics;
            self.facts.calls = calls;
            return Ok(problems);
        }
        Ok(Vec::new())
    }

    /// Whether an import gave the object that there was before.
    pub(super) fn same_as_before(
        &mut self,
        address: &str,
        before: &ObjectView<'_>,
        except: &[Path],
    ) -> StepResult {
        let mut problems = Problems::default();
        let plan = self.facts.plan.as_ref();
        if let Some(change) = plan.and_then(|plan| plan.change(address))
            && change.action() != Some(Action::NoOp)
            && except.is_empty()
        {
            problems.add(format!("the import of {address} is not the end of it:"));
            change.lines().into_iter().for_each(|line| problems.add(line));
        }
        let state = self.state()?;
        let Some(after) = state.object(address) else {
            problems.add(format!("the import left no object {address}"));
            return Ok(problems.into_found());
        };
        let excepted = |place: &str| {
            except.iter().map(ToString::to_string).any(|path| {
                place.strip_prefix(&path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            })
        };
        for difference in differences(before.attributes(), after.attributes()) {
            if !excepted(&difference.path) {
                problems.add(format!("the imported {address} is not the created one: {difference}"));
            }
        }
        for difference in differences(before.identity(), after.identity()) {
            problems.add(format!("the identity of the imported {address} is another: {difference}"));
        }
        Ok(problems.into_found())
    }
}
