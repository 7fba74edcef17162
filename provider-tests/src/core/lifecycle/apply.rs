//! Applying: what core asks for to make a change, and what it records of the outcome.

use ferroform::diag::Diagnostic;
use ferroform::value::Value;

use super::Resource;
use super::plan::Plan;
use super::report::Report;
use super::state::{State, Status};
use crate::client::{ApplyRequest, Stored};
use crate::core::action::{Action, ReplaceOrder, decide_action, requires_replace};
use crate::core::compatible::assert_object_compatible;
use crate::core::problem::summary;
use crate::core::proposed::absent_computed_blocks;
use crate::core::shape::{assert_wholly_known, assert_write_only_null, conforms, without_unknowns};

impl Resource<'_> {
    /// Plans and makes the change to that configuration (`terraform apply`), which has to be wholly known.
    pub async fn apply(&mut self, config: &Value) -> Report {
        let plan = self.plan(config).await;
        self.apply_planned(plan, config).await
    }

    /// Plans and makes the deletion of the object (`terraform destroy`).
    pub async fn destroy(&mut self) -> Report {
        let plan = self.plan_destroy().await;
        self.apply_planned(plan, &Value::Null).await
    }

    /// Makes a planned change. What was unknown in the configuration when it was planned has to be known in
    /// `config`.
    ///
    /// A plan that failed changes nothing; its report is the answer.
    pub async fn apply_planned(&mut self, plan: Plan, config: &Value) -> Report {
        let Plan { mut report, before, planned, status } = plan;
        if !report.succeeded() {
            return report;
        }
        if !config.is_wholly_known() {
            let detail = "The configuration has values that are not known when the change is made.";
            report.diagnostics.push(Diagnostic::error("Configuration contains unknown value", detail));
            return report;
        }
        self.state = self.record(&before, status, &mut report);
        let Report { action, .. } = report;
        match action {
            Action::NoOp => {}
            Action::Create => self.create(&planned, config, &mut report).await,
            Action::Update => self.update(&planned, config, &mut report).await,
            Action::Delete => {
                if let Some(before) = self.stored(&mut report).await {
                    self.state = self.delete(&before, &planned, &mut report).await;
                }
            }
            Action::Replace(ReplaceOrder::DeleteThenCreate) => {
                if let Some(before) = self.stored(&mut report).await {
                    let gone = Stored { value: Value::Null, ..planned.clone() };
                    self.state = self.delete(&before, &gone, &mut report).await;
                }
                if report.succeeded() {
                    self.create(&planned, config, &mut report).await;
                }
            }
            Action::Replace(ReplaceOrder::CreateThenDelete) => {
                self.create_then_delete(&planned, config, &mut report).await;
            }
        }
        report
    }

    async fn create(&mut self, planned: &Stored, config: &Value, report: &mut Report) {
        let none = Stored::none();
        self.state = self.change(&none, planned, config, report).await;
    }

    async fn update(&mut self, planned: &Stored, config: &Value, report: &mut Report) {
        if let Some(before) = self.stored(report).await {
            self.state = self.change(&before, planned, config, report).await;
        }
    }

    /// The old object is put aside until the new one is there.
    async fn create_then_delete(&mut self, planned: &Stored, config: &Value, report: &mut Report) {
        self.deposed.extend(self.state.take());
        self.create(planned, config, report).await;
        if !report.succeeded() {
            if self.state.is_none() {
                self.state = self.deposed.pop();
            }
            return;
        }
        while let Some(state) = self.deposed.pop() {
            let left = match self.upgraded(&state, report).await {
                Some(before) => match self.destruction(&before, report).await {
                    Some(planned) => self.delete_deposed(&state, &before, &planned, report).await,
                    None => Some(state),
                },
                None => Some(state),
            };
            if left.is_some() {
                self.deposed.extend(left);
                return;
            }
        }
    }

    async fn delete_deposed(
        &self,
        state: &State,
        before: &Stored,
        planned: &Stored,
        report: &mut Report,
    ) -> Option<State> {
        let deleted = self.outcome(before, planned, &Value::Null, report).await;
        self.recorded(Some(state), deleted, report)
    }

    async fn delete(&self, before: &Stored, planned: &Stored, report: &mut Report) -> Option<State> {
        let deleted = self.outcome(before, planned, &Value::Null, report).await;
        self.recorded(self.state.as_ref(), deleted, report)
    }

    /// Makes the plan again with what is known now, checks that it keeps the first one's promises, and applies it.
    async fn change(
        &self,
        before: &Stored,
        planned: &Stored,
        config: &Value,
        report: &mut Report,
    ) -> Option<State> {
        let kept = self.state.clone();
        if !self.validate(config, report).await {
            return kept;
        }
        let again = self.planned(before, config, planned.private.clone(), report).await;
        let Some(again) = again else { return kept };
        let block = &self.schema.block;
        let value = &again.object.value;
        let (replace, problems) = requires_replace(block, &before.value, value, &again.requires_replace);
        report.problems(problems);
        let expected = if before.value.is_null() { Action::Create } else { Action::Update };
        let action = decide_action(&before.value, value, &replace, Default::default());
        if action != expected && action != Action::NoOp {
            let detail = format!("the action was {expected:?}, and is {action:?} now that all is known");
            report.problem(summary::INCONSISTENT_FINAL_PLAN, detail);
        }
        let broken = assert_object_compatible(block, &planned.value, value);
        report.problems(broken.into_iter().map(|problem| problem.under(summary::INCONSISTENT_FINAL_PLAN)));
        if !report.succeeded() || action == Action::NoOp {
            return kept;
        }
        let outcome = self.outcome(before, &again.object, config, report).await;
        self.recorded(kept.as_ref(), outcome, report)
    }

    /// Applies a plan and checks the answer. The answer is the object to record, null if it is gone, or `None` when
    /// there is nothing to record.
    async fn outcome(
        &self,
        before: &Stored,
        planned: &Stored,
        config: &Value,
        report: &mut Report,
    ) -> Option<Stored> {
        let config = absent_computed_blocks(&self.schema.block, config);
        let request = ApplyRequest { prior: &before.value, planned, config: &config };
        let applied = report.answered(self.provider.apply(&self.type_name, request).await)?;
        report.known_identity(applied.object.identity.as_ref(), summary::INVALID_IDENTITY);
        // Errors do not end it here: the provider may still tell of an object that it has made.
        report.diagnostics.extend(applied.diagnostics);
        let mut object = applied.object;
        let block = &self.schema.block;
        let mut shape = conforms(block, &object.value);
        shape.extend(assert_write_only_null(block, &object.value));
        if !shape.is_empty() {
            report.problems(shape);
            return None;
        }
        report.problems(assert_wholly_known(&object.value));
        object.value = without_unknowns(object.value);
        let deletes = planned.value.is_null();
        if !deletes && report.succeeded() && !applied.legacy_type_system {
            report.problems(assert_object_compatible(block, &planned.value, &object.value));
        }
        if report.succeeded() && deletes != object.value.is_null() {
            let detail = if deletes { "the object is still there" } else { "the object is null" };
            report.problem(summary::INVALID_RESULT, detail);
        }
        Some(object)
    }

    /// What core records of an outcome: an object that the provider told of, even when there were errors, and what
    /// was there before when it told of none.
    fn recorded(
        &self,
        before: Option<&State>,
        outcome: Option<Stored>,
        report: &mut Report,
    ) -> Option<State> {
        let Some(object) = outcome else { return before.cloned() };
        match (report.succeeded(), object.value.is_null()) {
            (true, _) => self.record(&object, Status::Ready, report),
            (false, true) => before.cloned(),
            (false, false) => {
                let status = before.map_or(Status::Tainted, |before| before.status);
                self.record(&object, status, report)
            }
        }
    }
}
