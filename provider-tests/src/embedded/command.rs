//! The commands, each a sequence of walks.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use ferroform::diag::Severity;

use super::conditions::{check_rules, rules};
use super::log::Log;
use super::moved::{self, Moves};
use super::options::{PlanOptions, Refresh};
use super::plan::{PlanResult, PlanWalk, Purpose, Start};
use super::scope::{RepetitionData, Scope};
use super::session::Session;
use super::target::Targets;
use super::{
    Core, Outcome, apply, check_results, drift, plan, random, relevant_attributes, source_ranges, validate,
};
use crate::address::{InstanceAddress, Mode as ResourceMode, ModuleInstance};
use crate::checks::Checkable;
use crate::config::{Config, OutputBlock, RuleKind};
use crate::diagnostic::Diagnostic;
use crate::plan::{Action, ActionInvocation, Mode, OutputChange, Plan, ResourceChange, Trigger};
use crate::product::Product;
use crate::state::{OutputValue, State};

impl Core {
    /// Validates a configuration (`terraform validate`): the schemas, then the validate walk.
    pub async fn validate(&self, config: &Config) -> Vec<Diagnostic> {
        let validate = |core: Self| {
            let config = config.clone();
            async move {
                match Session::open(&core, &config, &State::default()).await {
                    Ok(session) => located(&config, validate::run(session.to_validate()).await),
                    Err(problems) => located(&config, problems),
                }
            }
        };
        self.apart(config, validate).await
    }

    /// Plans (`terraform plan`). A plan that failed has [`Plan::errored`] and cannot be applied.
    pub async fn plan(&self, config: &Config, state: &State, options: &PlanOptions) -> Plan {
        let plan = |core: Self| {
            let (config, state, options) = (config.clone(), state.clone(), options.clone());
            async move { core.plan_in_session(&config, &state, &options).await.0 }
        };
        self.apart(config, plan).await
    }

    /// A plan, and the session in which it was made.
    async fn plan_in_session(
        &self,
        config: &Config,
        state: &State,
        options: &PlanOptions,
    ) -> (Plan, Option<Arc<Session>>) {
        let mut plan = Plan::empty(config, state, options.mode);
        plan.emulated = self.emulated.clone();
        plan.timestamp = options.timestamp.clone().unwrap_or(plan.timestamp);
        plan.targets = options.targets.iter().map(ToString::to_string).collect();
        plan.invoke.clone_from(&options.invoke);
        let session = match Session::open(self, config, state).await {
            Ok(session) => {
                plan.diagnostics = validate::run(session.to_validate()).await;
                if !has_errors(&plan.diagnostics) {
                    // What functions have answered to validation is of no account.
                    session.layout.functions.take_results();
                    // Validation says its warnings once; planning says those of its own.
                    self.plan_all(&session, state, options, &mut plan).await;
                    plan.function_results = session.layout.functions.take_results();
                }
                Some(session)
            }
            Err(problems) => {
                plan.diagnostics = problems;
                None
            }
        };
        source_ranges::locate(config, &mut plan.diagnostics);
        plan.errored = has_errors(&plan.diagnostics);
        plan.applyable &= !plan.errored;
        plan.complete &= plan.targets.is_empty() && plan.deferred.is_empty();
        plan.read_anew = StateComparison::of(&plan.prior_state, state) == StateComparison::Different;
        (plan, session)
    }

    async fn plan_all(&self, session: &Arc<Session>, state: &State, options: &PlanOptions, plan: &mut Plan) {
        if !options.targets.is_empty() {
            let detail = "You are creating a plan with the -target option, which means that the result of \
                          this plan may not represent all of the changes requested by the current \
                          configuration.";
            plan.diagnostics.push(Diagnostic::warning("Resource targeting is in effect", detail));
        }
        plan.diagnostics.extend(self.misplaced(session));
        let Moves { state, moved, left, diagnostics, .. } = moved::apply(session, state).await;
        plan.diagnostics.extend(diagnostics);
        plan.diagnostics.extend(moved::excluded(&moved, &options.targets));
        if has_errors(&plan.diagnostics) {
            return;
        }
        if options.invoke.is_some() && !options.only_invoke() {
            let detail = "Invoking an action makes no changes, so it excludes targets, replacements and the other modes.";
            return plan.diagnostics.push(Diagnostic::error("Incompatible plan options", detail));
        }
        if let Some(invoked) = &options.invoke
            && (invoked.resource.mode != ResourceMode::Action
                || session.layout.number(&invoked.resource).is_none())
        {
            let detail = "Name an action that the configuration declares.";
            let summary = format!("action {invoked} does not exist in the configuration");
            return plan.diagnostics.push(Diagnostic::error(summary, detail));
        }
        let purpose = match options.mode {
            Mode::Normal => Purpose::Plan,
            Mode::RefreshOnly => Purpose::RefreshOnly,
            Mode::Destroy => {
                return self.plan_destroy(session, (state, moved), options, plan).await;
            }
        };
        let timestamp = plan.timestamp.as_str().into();
        let severity = match purpose {
            Purpose::RefreshOnly => Severity::Warning,
            _ => Severity::Error,
        };
        let strictness = Some(severity);
        let start = Start {
            purpose,
            options: options.clone(),
            state,
            moved: moved.clone(),
            left,
            timestamp,
            strictness,
        };
        let before = start.state.outputs.clone();
        let Some((walk, found)) = taken(plan::run(session, start).await, plan) else { return };
        let session = &walk.session;
        plan.config = session.config.as_ref().clone();
        take(session, found, &moved, plan);
        let in_modules = moved::check_in_modules(session).into_iter();
        let is_new = |it: &Diagnostic| !plan.diagnostics.contains(it);
        plan.diagnostics.extend(in_modules.filter(is_new).collect::<Vec<_>>());
        // What refers to nothing that failed is planned all the same.
        let scope = Scope { layout: &session.layout, values: &walk.values, each: &RepetitionData::default() };
        plan.diagnostics.extend(check_rules(session, &scope, (rules(&options.targets), severity)));
        let prior = &mut plan.prior_state;
        let (outputs, problems) = plan_outputs(&walk, (&before, prior), strictness);
        plan.outputs = outputs;
        plan.diagnostics.extend(problems);
        let targeted = !plan.targets.is_empty();
        let is_skipped = |of: &Checkable| {
            let is_root = |module: &ModuleInstance| module.0.is_empty();
            targeted
                && match of {
                    Checkable::Check(..) => true,
                    Checkable::Output(module, name) => is_root(module) && !plan.outputs.contains_key(name),
                    _ => false,
                }
        };
        let checks = walk.values.results().of_plan(&session.config, is_skipped);
        plan.checks = checks;
        let failed = has_errors(&plan.diagnostics);
        if failed {
            let refers_to = |block: &OutputBlock| session.layout.referred_to_by(&block.value);
            let is_known = |block: &OutputBlock| refers_to(block).into_iter().all(|it| walk.values.has(it));
            let missing = session.config.outputs.iter().filter(|block| !is_known(block));
            missing.for_each(|block| drop(plan.outputs.remove(&block.name)));
        }
        plan.relevant_attributes = relevant_attributes::of_walk(&walk, plan);
        if failed {
            return;
        }
        let changes = plan
            .changes
            .iter()
            .any(|it| it.action != Action::NoOp || it.previous_address.is_some() || it.importing.is_some());
        let outputs = plan.outputs.values().any(|output| output.action != Action::NoOp);
        plan.applyable = match purpose {
            Purpose::RefreshOnly => {
                outputs || drift::is_worth_recording(&plan.previous_run, &plan.prior_state)
            }
            _ => changes || outputs,
        } || !plan.invocations.is_empty();
    }

    /// Looks at everything once as a normal plan does, unless told not to, and then plans to destroy it.
    async fn plan_destroy(
        &self,
        session: &Arc<Session>,
        (mut state, moved): (State, HashMap<InstanceAddress, InstanceAddress>),
        options: &PlanOptions,
        plan: &mut Plan,
    ) {
        let mut session = session.clone();
        let mut previous = None;
        if options.refresh == Refresh::On && !state.resources.is_empty() {
            let normal = PlanOptions { mode: Mode::Normal, ..options.clone() };
            let timestamp = plan.timestamp.as_str().into();
            let (moved, left) = (moved.clone(), moved::MovedInstances::new());
            let (purpose, strictness) = (Purpose::Plan, None);
            let start = Start { purpose, options: normal, state, moved, left, timestamp, strictness };
            let Some((walk, mut found)) = taken(plan::run(&session, start).await, plan) else { return };
            session = walk.session.clone();
            let each = RepetitionData::default();
            let scope = Scope { layout: &session.layout, values: &walk.values, each: &each };
            let validations = (&[RuleKind::Validation][..], Severity::Error);
            found.diagnostics.extend(check_rules(&session, &scope, validations));
            let before = found.refreshed.outputs.clone();
            let (_, problems) = plan_outputs(&walk, (&before, &mut found.refreshed), None);
            found.diagnostics.extend(problems);
            // What is only warned of does not count for what is to be destroyed, and real cores leave it out.
            if has_errors(&found.diagnostics) {
                plan.diagnostics.extend(found.diagnostics);
                return;
            }
            state = found.refreshed;
            previous = Some(found.previous);
        }
        match plan::by_state(&session, &state) {
            Ok(known) => session = known,
            Err(problems) => return plan.diagnostics.extend(problems),
        }
        plan.config = session.config.as_ref().clone();
        plan.checks = check_results::unknown(&session.config);
        let options = PlanOptions { refresh: Refresh::Off, ..options.clone() };
        let timestamp = plan.timestamp.as_str().into();
        let (purpose, strictness) = (Purpose::Destroy, None);
        let left = moved::MovedInstances::new();
        let chosen = options.targets.clone();
        let start = Start { purpose, options, state, moved: moved.clone(), left, timestamp, strictness };
        if chosen.is_empty() {
            plan.outputs = plan::output_deletions(&start.state.outputs);
        }
        let Some((_, mut found)) = taken(plan::run(&session, start).await, plan) else { return };
        if let Some(previous) = previous {
            found.previous = previous;
        }
        take(&session, found, &moved, plan);
        plan.relevant_attributes = relevant_attributes::of_destruction(&session, plan, &chosen);
        // What was read goes with the rest, although no change says so.
        let has_data = plan.prior_state.resources.keys().any(|it| it.mode == ResourceMode::Data);
        plan.applyable = !plan.changes.is_empty() || !plan.outputs.is_empty() || has_data;
    }

    /// Applies a plan to the state that it was made for (`terraform apply PLANFILE`): the schemas, then the apply
    /// walk. The state that comes out is the true record also when there are errors.
    pub async fn apply(&self, plan: &Plan) -> Outcome {
        let apply = |core: Self| {
            let plan = plan.clone();
            async move { core.apply_after(&plan, None).await }
        };
        self.apart(&plan.config, apply).await
    }

    /// The same in the command that has made the plan in that session, if it was one.
    async fn apply_after(&self, plan: &Plan, planned: Option<&Session>) -> Outcome {
        if plan.errored {
            let detail = "The plan has errors, so it cannot be applied. Correct them and plan again.";
            let diagnostics = vec![Diagnostic::error("Cannot apply errored plan", detail)];
            return Outcome { state: plan.prior_state.clone(), diagnostics };
        }
        let opened = match planned {
            Some(planned) => planned.open_after(&plan.config, &plan.prior_state).await,
            None => Session::open(self, &plan.config, &plan.prior_state).await,
        };
        let session = match opened {
            Ok(session) => session,
            Err(diagnostics) => return Outcome { state: plan.prior_state.clone(), diagnostics },
        };
        session.layout.functions.expect(&plan.function_results);
        let (state, mut diagnostics) = apply::run(&session, plan).await;
        if !plan.targets.is_empty() {
            let detail = "The plan was created with the -target option in effect, so some changes requested \
                          in the configuration may have been ignored.";
            diagnostics.push(Diagnostic::warning("Applied changes may be incomplete", detail));
        }
        let than = if plan.read_anew {
            StateComparison::Different
        } else {
            StateComparison::of(&state, &plan.prior_state)
        };
        Outcome { state: self.stamped(state, than), diagnostics: located(&plan.config, diagnostics) }
    }

    /// Applies a plan if the state is still the one that it was made for (`terraform apply PLANFILE`, where others may
    /// have changed the state since).
    pub async fn apply_saved(&self, plan: &Plan, now: &State) -> Outcome {
        let made_for = &plan.prior_state;
        // Before the first apply there is no lineage to compare.
        let is_first = made_for.lineage.is_empty() && made_for.serial == 0;
        let (summary, detail) = if !is_first && made_for.lineage != now.lineage {
            ("Saved plan does not match the given state", "The plan was made for a state of another lineage.")
        } else if made_for.serial != now.serial {
            ("Saved plan is stale", "The state was changed after the plan was made. Make a new plan.")
        } else {
            return self.apply(plan).await;
        };
        Outcome { state: now.clone(), diagnostics: vec![Diagnostic::error(summary, detail)] }
    }

    /// Plans to destroy everything, and applies the plan (`terraform destroy`).
    pub async fn destroy(&self, config: &Config, state: &State, options: &PlanOptions) -> Outcome {
        let options = PlanOptions { mode: Mode::Destroy, ..options.clone() };
        self.apply_at_once(config, state, &options).await
    }

    /// Makes a plan and applies it (`terraform apply -auto-approve`). A plan that failed changes nothing, and what it
    /// has found out is not kept.
    pub async fn apply_at_once(&self, config: &Config, state: &State, options: &PlanOptions) -> Outcome {
        let apply = |core: Self| {
            let (config, state, options) = (config.clone(), state.clone(), options.clone());
            async move { core.plan_and_apply(&config, &state, &options).await }
        };
        self.apart(config, apply).await
    }

    async fn plan_and_apply(&self, config: &Config, state: &State, options: &PlanOptions) -> Outcome {
        let (mut plan, session) = self.plan_in_session(config, state, options).await;
        if plan.errored {
            return Outcome { state: state.clone(), diagnostics: plan.diagnostics };
        }
        let mut outcome = self.apply_after(&plan, session.as_deref()).await;
        plan.diagnostics.append(&mut outcome.diagnostics);
        Outcome { diagnostics: plan.diagnostics, ..outcome }
    }

    /// Reads all objects and records what has become of them (`terraform refresh`), by way of a normal plan.
    pub async fn refresh(&self, config: &Config, state: &State) -> Outcome {
        let plan = self.plan(config, state, &PlanOptions::default()).await;
        let than = StateComparison::of(&plan.prior_state, state);
        let state = if plan.errored { state.clone() } else { self.stamped(plan.prior_state, than) };
        Outcome { state, diagnostics: plan.diagnostics }
    }

    /// The state as this core writes it. One that is what was stored before keeps its serial, as nothing is new to
    /// plans that were made for it.
    pub(super) fn stamped(&self, state: State, than: StateComparison) -> State {
        let is_first = state.lineage.is_empty();
        let lineage = if is_first { random::uuid() } else { state.lineage };
        let is_new = is_first || than == StateComparison::Different;
        State {
            product: self.emulated.product,
            terraform_version: self.emulated.version.to_string(),
            serial: if is_new { state.serial + 1 } else { state.serial },
            lineage,
            ..state
        }
    }
}

/// The changes of outputs, and what is wrong with them. The prior state gets the values that are known.
fn plan_outputs(
    walk: &PlanWalk,
    (before, prior): (&BTreeMap<String, OutputValue>, &mut State),
    strictness: Option<Severity>,
) -> (BTreeMap<String, OutputChange>, Vec<Diagnostic>) {
    let session = &walk.session;
    let scope = Scope { layout: &session.layout, values: &walk.values, each: &RepetitionData::default() };
    let mut logs = Vec::new();
    let targets = Targets::new(&walk.targets(), Mode::Normal, session, prior);
    let changes = plan::output_changes(session, before, (&scope, &targets, strictness), &mut logs);
    // One that is no longer configured stays until it is removed by an apply.
    let is_configured = |name: &String| session.config.outputs.iter().any(|block| block.name == *name);
    for (name, output) in changes.iter().filter(|(name, _)| is_configured(name)) {
        if output.after.is_null() {
            prior.outputs.remove(name);
        } else if output.after.is_wholly_known() {
            let (ty, value) = (output.ty.clone(), output.after.clone());
            let value = OutputValue { ty, value, sensitive: output.after_sensitive, deprecated: None };
            prior.outputs.insert(name.clone(), value);
        }
    }
    (changes, logs.into_iter().flat_map(Log::into_diagnostics).collect())
}

/// How a state compares with the one that is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StateComparison {
    Same,
    Different,
}

impl StateComparison {
    /// Envelopes do not count.
    pub(super) fn of(now: &State, stored: &State) -> Self {
        let same = now.resources == stored.resources && now.outputs == stored.outputs;
        if same { Self::Same } else { Self::Different }
    }
}

pub(super) fn located(config: &Config, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    source_ranges::locate(config, &mut diagnostics);
    diagnostics
}

pub(super) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// What a walk has found, if it could begin.
fn taken(
    walked: Result<(Arc<PlanWalk>, PlanResult), Vec<Diagnostic>>,
    plan: &mut Plan,
) -> Option<(Arc<PlanWalk>, PlanResult)> {
    walked.map_err(|problems| plan.diagnostics.extend(problems)).ok()
}

/// The warnings about objects that are forgotten: Terraform has one about all of them, OpenTofu one about each.
fn forgotten(session: &Session, changes: &[ResourceChange]) -> Vec<Diagnostic> {
    let detail = "These objects stay as they are, and are no longer tracked in the state.";
    let mut forgotten = changes.iter().filter(|it| it.action == Action::Forget);
    match session.core.emulated.product {
        Product::OpenTofu => forgotten
            .map(|_| Diagnostic::warning("Resource will be removed from the state", detail))
            .collect(),
        Product::Terraform => {
            let summary = "Some objects will no longer be managed by Terraform";
            forgotten.next().map(|_| Diagnostic::warning(summary, detail)).into_iter().collect()
        }
    }
}

/// Puts what a walk has found into a plan.
fn take(
    session: &Session,
    found: PlanResult,
    moved: &HashMap<InstanceAddress, InstanceAddress>,
    plan: &mut Plan,
) {
    plan.changes = found.changes.into_values().collect();
    plan.diagnostics.extend(forgotten(session, &plan.changes));
    plan.deferred = found.deferred;
    plan.deferred.sort_by_key(|it| (it.change.address.clone(), it.change.deposed.clone()));
    plan.invocations = found.invocations;
    plan.deferred_invocations = found.deferred_invocations;
    plan.complete &= found.unopened == 0 && plan.deferred_invocations.is_empty();
    // Events stay in the order in which their trigger names them.
    let place = |it: &Trigger| (it.resource.clone(), it.block, it.index);
    let place = |it: &ActionInvocation| (it.trigger.as_ref().map(place), it.address.clone());
    plan.invocations.sort_by_key(place);
    plan.deferred_invocations.sort_by_key(|it| place(&it.invocation));
    plan.diagnostics.extend(found.diagnostics);
    // A plan to destroy is made of what was read, and knows of no time before that.
    if plan.mode != Mode::Destroy {
        plan.drift = drift::drift(session, &found.previous, &found.refreshed, moved);
    }
    plan.previous_run = found.previous;
    plan.prior_state = found.refreshed;
}
