//! Planning: what core asks for before it changes anything.

use bytes::Bytes;
use ferroform::value::Value;

use super::Resource;
use super::report::Report;
use super::state::Status;
use crate::client::{PlanRequest, Planned, Stored};
use crate::core::action::{Action, decide_action, requires_replace};
use crate::core::assert_plan_valid;
use crate::core::problem::summary;
use crate::core::proposed::{absent_computed_blocks, proposed_new};
use crate::core::shape::{assert_write_only_null, conforms};

/// A planned change, to be looked at and then applied.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What is planned. Nothing is applied if it has failed.
    pub report: Report,
    /// The object as it is now.
    pub(super) before: Stored,
    /// The object as it is planned, with the private data of the last plan.
    pub(super) planned: Stored,
    /// What becomes of the state before anything is changed: what was read.
    pub(super) status: Status,
}

impl Plan {
    /// The planned value. Shown by [`Report`] without what is sensitive; this is all of it.
    #[must_use]
    pub fn planned(&self) -> &Value {
        &self.planned.value
    }
}

impl Resource<'_> {
    /// Plans the change to that configuration (`terraform plan`), which may have unknown values. The state stays.
    pub async fn plan(&self, config: &Value) -> Plan {
        let mut plan = self.empty_plan();
        let status = plan.status;
        if let Some(stored) = self.stored(&mut plan.report).await
            && let Some(before) = self.read(&stored, &mut plan.report).await
        {
            plan.before = before;
            self.plan_from(&mut plan, config, status).await;
        }
        plan
    }

    /// Plans to delete the object (`terraform plan -destroy`).
    pub async fn plan_destroy(&self) -> Plan {
        let mut plan = self.empty_plan();
        let Some(stored) = self.stored(&mut plan.report).await else { return plan };
        let Some(before) = self.read(&stored, &mut plan.report).await else { return plan };
        plan.planned = Stored { private: before.private.clone(), ..Stored::none() };
        if !before.value.is_null()
            && let Some(planned) = self.destruction(&before, &mut plan.report).await
        {
            plan.planned = planned;
        }
        plan.before = before;
        plan.report.action = decide_action(&plan.before.value, &Value::Null, &[], self.handling);
        plan.report.compare(&self.schema.block, &plan.before.value, &Value::Null, &[]);
        plan
    }

    fn empty_plan(&self) -> Plan {
        Plan {
            report: Report::new(&self.type_name),
            before: Stored::none(),
            planned: Stored::none(),
            status: self.state.as_ref().map_or(Status::Ready, |state| state.status),
        }
    }

    /// A damaged object is replaced: the provider is asked to plan as if there were none.
    async fn plan_from(&self, plan: &mut Plan, config: &Value, status: Status) {
        let tainted = status == Status::Tainted && !plan.before.value.is_null();
        let none = Stored::none();
        let prior = if tainted { &none } else { &plan.before };
        let report = &mut plan.report;
        if !self.validate(config, report).await {
            return;
        }
        let Some(planned) = self.planned(prior, config, Bytes::new(), report).await else { return };
        let (prior_value, planned_value) = (&prior.value, &planned.object.value);
        let (replace, problems) =
            requires_replace(&self.schema.block, prior_value, planned_value, &planned.requires_replace);
        report.problems(problems);
        let mut action = decide_action(prior_value, planned_value, &replace, self.handling);
        self.check_identity(&planned, action, report);
        plan.planned = planned.object;
        if tainted && action == Action::Create {
            action = Action::Replace(self.handling.order);
        } else if let Action::Replace(_) = action {
            match self.second_plan(&plan.planned, config, report).await {
                Some(second) => plan.planned = second,
                None => return,
            }
        }
        report.action = action;
        report.compare(&self.schema.block, &plan.before.value, &plan.planned.value, &replace);
    }

    /// What the new object of a replacement will be. Its plan is not compared with the configuration, and only its
    /// errors are told, for its warnings were told with the first plan.
    async fn second_plan(&self, first: &Stored, config: &Value, report: &mut Report) -> Option<Stored> {
        let prior = Stored { value: Value::Null, ..first.clone() };
        let config = absent_computed_blocks(&self.schema.block, config);
        let proposed = proposed_new(&self.schema.block, &Value::Null, &config);
        let request = PlanRequest {
            prior: &prior,
            config: &config,
            proposed: &proposed,
            planned_private: Bytes::new(),
        };
        let planned = report.answered(self.provider.plan(&self.type_name, request).await)?;
        let errors = planned.diagnostics.into_iter().filter(ferroform::diag::Diagnostic::is_error);
        report.diagnostics.extend(errors);
        self.check_shape(&planned.object.value, report);
        report.succeeded().then_some(planned.object)
    }

    pub(super) async fn validate(&self, config: &Value, report: &mut Report) -> bool {
        let answer = self.provider.validate_resource(&self.type_name, config).await;
        if let Some(diagnostics) = report.answered(answer) {
            report.diagnostics.extend(diagnostics);
        }
        report.succeeded()
    }

    /// One plan of a configuration, with all checks of it but those that need the action.
    pub(super) async fn planned(
        &self,
        prior: &Stored,
        config: &Value,
        planned_private: Bytes,
        report: &mut Report,
    ) -> Option<Planned> {
        let block = &self.schema.block;
        let config = absent_computed_blocks(block, config);
        let proposed = proposed_new(block, &prior.value, &config);
        let request = PlanRequest { prior, config: &config, proposed: &proposed, planned_private };
        let planned = report.answered(self.provider.plan(&self.type_name, request).await)?;
        report.diagnostics.extend(planned.diagnostics.clone());
        if !report.succeeded() {
            return None;
        }
        report.refuse_deferral(planned.deferred.is_some());
        self.check_shape(&planned.object.value, report);
        if !planned.legacy_type_system && report.succeeded() {
            report.problems(assert_plan_valid(block, &prior.value, &config, &planned.object.value));
        }
        report.succeeded().then_some(planned)
    }

    fn check_shape(&self, planned: &Value, report: &mut Report) {
        let breaches =
            [assert_write_only_null(&self.schema.block, planned), conforms(&self.schema.block, planned)];
        let breaches = breaches.into_iter().flatten();
        report.problems(breaches.map(|problem| problem.under(summary::INVALID_PLAN)));
    }

    /// A new object has an identity only when it is there.
    fn check_identity(&self, planned: &Planned, action: Action, report: &mut Report) {
        if !matches!(action, Action::Create | Action::Replace(_)) {
            report.known_identity(planned.object.identity.as_ref(), summary::INVALID_IDENTITY);
        }
    }

    /// The plan to delete an object. A provider without the capability is not asked, and gets its private data back.
    pub(super) async fn destruction(&self, before: &Stored, report: &mut Report) -> Option<Stored> {
        if !self.provider.schemas().capabilities.plan_destroy {
            return Some(Stored { private: before.private.clone(), ..Stored::none() });
        }
        let request = PlanRequest {
            prior: before,
            config: &Value::Null,
            proposed: &Value::Null,
            planned_private: Bytes::new(),
        };
        let planned = report.answered(self.provider.plan(&self.type_name, request).await)?;
        report.diagnostics.extend(planned.diagnostics);
        if !planned.object.value.is_null() && report.succeeded() {
            report.problem(summary::INVALID_PLAN, "the plan to delete the object has a value");
        }
        report.known_identity(planned.object.identity.as_ref(), summary::INVALID_IDENTITY);
        report.succeeded().then_some(planned.object)
    }
}
