//! The commands, each a sequence of walks.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ferroform::diag::Severity;

use super::generated_config::with_generated;
use super::list::Generation;
use super::moved;
use super::options::{PlanOptions, Refresh};
use super::plan::{PlanResult, PlanWalk, Start};
use super::provider_meta;
use super::session::Session;
use super::state_objects::{self, ObjectKey};
use super::target::Targets;
use super::{
    Core, Outcome, apply, check_results, drift, plan, random, relevant_attributes, remote_state, repetition,
    source_ranges, validate,
};
use crate::address::{InstanceAddress, Mode as ResourceMode};
use crate::diagnostic::Diagnostic;
use crate::language::module::{Configuration, Removed};
use crate::plan::{Action, ActionInvocation, Mode, OutputChange, Plan, ResourceChange, Trigger};
use crate::product::Product;
use crate::state::{OutputValue, State};

impl Core {
    /// Validates a configuration (`terraform validate`): the schemas, then the validate walk.
    pub async fn validate(&self, configuration: impl Into<Configuration>) -> Vec<Diagnostic> {
        let configuration = configuration.into();
        let validate = |core: Self| {
            let configuration = configuration.clone();
            async move {
                match Session::open(&core, &configuration, &State::default()).await {
                    Ok(session) => {
                        let mut found = validate::run(&session).await;
                        found.extend(
                            core.removed_warnings(configuration.modules().removed().map(|it| it.block)),
                        );
                        located(&configuration, found)
                    }
                    Err(problems) => located(&configuration, problems),
                }
            }
        };
        self.apart(&configuration, validate).await
    }

    /// Plans (`terraform plan`). A plan that failed has [`Plan::errored`] and cannot be applied.
    pub async fn plan(
        &self,
        configuration: impl Into<Configuration>,
        state: &State,
        options: &PlanOptions,
    ) -> Plan {
        let configuration = configuration.into();
        let plan = |core: Self| {
            let (configuration, state, options) = (configuration.clone(), state.clone(), options.clone());
            async move { core.plan_in_session(&configuration, &state, (&options, Repeated::Once)).await.0 }
        };
        self.apart(&configuration, plan).await
    }

    /// A plan, and the session in which it was made.
    async fn plan_in_session(
        &self,
        configuration: &Configuration,
        state: &State,
        (options, repeated): (&PlanOptions, Repeated),
    ) -> (Plan, Option<Arc<Session>>) {
        let mut plan = Plan::empty(configuration, state, options.mode);
        plan.emulated = self.emulated.clone();
        plan.timestamp = options.timestamp.clone().unwrap_or(plan.timestamp);
        plan.targets = options.targets.iter().map(ToString::to_string).collect();
        plan.invoke.clone_from(&options.invoke);
        let generated = match (options.generation, options.mode) {
            (Generation::On, Mode::Normal) => with_generated(configuration, state),
            _ => configuration.clone(),
        };
        let session = match Session::open(self, &generated, state).await {
            Ok(session) => {
                plan.diagnostics = validate::run(&session).await;
                plan.diagnostics.extend(self.warnings_on_load(configuration));
                if !has_errors(&plan.diagnostics) {
                    let of_validation = plan.diagnostics.len();
                    // What functions have answered to validation is of no account.
                    session.layout.functions.take_results();
                    // OpenTofu loads the root module once more.
                    plan.diagnostics.extend(self.removed_warnings(&configuration.root().removed));
                    // Validation says its warnings once; planning says those of its own.
                    self.plan_all(&session, state, options, &mut plan).await;
                    if !has_errors(&plan.diagnostics) {
                        plan.diagnostics.extend(apply::cycles(&session, &plan));
                    }
                    plan.function_results = session.layout.functions.take_results();
                    if repeated == Repeated::Once && self.emulated.reports_equal_once() {
                        each_once(configuration, &mut plan.diagnostics, of_validation);
                    }
                }
                Some(session)
            }
            Err(problems) => {
                plan.diagnostics = problems;
                None
            }
        };
        source_ranges::locate(configuration, &mut plan.diagnostics);
        plan.errored = has_errors(&plan.diagnostics);
        plan.applyable &= !plan.errored;
        plan.complete &= plan.targets.is_empty() && plan.deferred.is_empty();
        plan.read_anew = StateComparison::of(&plan.prior_state, state) == StateComparison::Different;
        (plan, session)
    }

    async fn plan_all(&self, session: &Arc<Session>, state: &State, options: &PlanOptions, plan: &mut Plan) {
        if options.mode != Mode::Normal && options.invoke.is_none() && !options.replace.is_empty() {
            let detail =
                "Only a normal plan can replace what -replace names. Leave out -replace or the other mode.";
            return plan.diagnostics.push(Diagnostic::error("Unsupported plan mode", detail));
        }
        if !options.targets.is_empty() {
            let detail = "You are creating a plan with the -target option, which means that the result of \
                          this plan may not represent all of the changes requested by the current \
                          configuration.";
            plan.diagnostics.push(Diagnostic::warning("Resource targeting is in effect", detail));
        }
        if options.generation == Generation::On && options.mode != Mode::Normal {
            let detail = "Configuration can be generated in a normal plan only. Remove -generate-config-out \
                          (`PlanOptions::generation`), or remove -destroy or -refresh-only.";
            return plan.diagnostics.push(Diagnostic::error("Invalid generate-config-out flag", detail));
        }
        let plans_changes = match options.mode {
            Mode::Normal => true,
            Mode::RefreshOnly => false,
            Mode::Destroy => refreshes_before_destroy(state, options),
        };
        if plans_changes {
            plan.diagnostics.extend(moved::removed_still_declared(session));
        }
        let mut moves = moved::apply(session, state).await;
        plan.diagnostics.append(&mut moves.diagnostics);
        plan.diagnostics.extend(moved::excluded(&moves.moved, &options.targets));
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
        let severity = match options.mode {
            Mode::Normal => Severity::Error,
            Mode::RefreshOnly => Severity::Warning,
            Mode::Destroy => {
                let from = (moves.state, moves.moved);
                return self.plan_destroy(session, from, options, plan).await;
            }
        };
        let start = Start {
            options: options.clone(),
            state: moves.state.clone(),
            moved: moves.moved.clone(),
            timestamp: plan.timestamp.as_str().into(),
            strictness: Some(severity),
        };
        let Some((walk, mut found)) = planned(session, start, plan).await else { return };
        if options.generation == Generation::Off {
            found.diagnostics.extend(moved::imports_without_configuration(&walk));
        }
        if !has_errors(&found.diagnostics) {
            found.diagnostics.extend(moves.unresolved());
        }
        plan.outputs = std::mem::take(&mut found.outputs);
        take(session, found, &moves.moved, plan);
        record_outputs(plan);
        plan.checks = walk.state.results().of_plan(&session.layout);
        plan.relevant_attributes = relevant_attributes::of_walk(&walk, plan);
        if has_errors(&plan.diagnostics) {
            return;
        }
        let changes = plan
            .changes
            .iter()
            .any(|it| it.action != Action::NoOp || it.previous_address.is_some() || it.importing.is_some());
        plan.applyable = match options.mode {
            // Only those outputs count that the plan puts into the state at once.
            Mode::RefreshOnly => {
                changed_outputs(plan).any(|(_, output)| is_recorded(output))
                    || drift::is_worth_recording(&plan.previous_run, &plan.prior_state)
                    // Core takes what is read for new each time.
                    || [&plan.previous_run, &plan.prior_state].into_iter().any(|it| walk.targets.data(it).next().is_some())
            }
            _ => changes || changed_outputs(plan).next().is_some(),
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
        let timestamp: Arc<str> = plan.timestamp.as_str().into();
        let mut previous = None;
        if refreshes_before_destroy(&state, options) {
            let start = Start {
                options: PlanOptions { mode: Mode::Normal, ..options.clone() },
                state,
                moved: moved.clone(),
                timestamp: timestamp.clone(),
                strictness: Some(Severity::Warning),
            };
            let Some((walk, mut found)) = planned(session, start, plan).await else { return };
            found.diagnostics.extend(moved::imports_without_configuration(&walk));
            // What is only warned of does not count for what is to be destroyed, and real cores leave it out.
            if has_errors(&found.diagnostics) {
                let changes: Vec<ResourceChange> =
                    found.changes.into_values().map(|change| *change).collect();
                plan.diagnostics.extend(forgotten(session, &changes));
                plan.diagnostics.extend(found.diagnostics);
                return;
            }
            for (name, output) in found.outputs.into_iter().filter(|(_, output)| is_recorded(output)) {
                record_output(&mut found.refreshed, name, &output);
            }
            state = found.refreshed;
            previous = Some(found.previous);
        }
        let chosen = options.targets.clone();
        plan.checks = check_results::unknown(&session.layout, chosen.is_empty());
        if chosen.is_empty() {
            plan.outputs = plan::output_deletions(&state.outputs);
        }
        let start = Start {
            options: PlanOptions { refresh: Refresh::Off, ..options.clone() },
            state,
            moved: moved.clone(),
            timestamp,
            strictness: None,
        };
        let walked = plan::run(session, start).await;
        let Ok((_, mut found)) = walked.map_err(|problems| plan.diagnostics.extend(problems)) else { return };
        if let Some(previous) = previous {
            found.previous = previous;
        }
        take(session, found, &moved, plan);
        let targets = Targets::new(&chosen, Mode::Destroy, session, &plan.prior_state);
        plan.relevant_attributes = relevant_attributes::of_destruction(session, plan, &targets);
        let has_data = targets.data(&plan.prior_state).next().is_some();
        plan.applyable = !plan.changes.is_empty() || !plan.outputs.is_empty() || has_data;
    }

    /// Applies a plan to the state that it was made for (`terraform apply PLANFILE`): the schemas, then the apply
    /// walk. The state that comes out is the true record also when there are errors.
    pub async fn apply(&self, plan: &Plan) -> Outcome {
        let apply = |core: Self| {
            let plan = plan.clone();
            async move { core.apply_after(&plan, None).await }
        };
        self.apart(&plan.configuration, apply).await
    }

    /// The warnings that core reports whenever it loads a configuration: Terraform those about values of deprecated constants,
    /// OpenTofu those about `removed` blocks.
    fn warnings_on_load(&self, configuration: &Configuration) -> Vec<Diagnostic> {
        let mut found = self.removed_warnings(configuration.modules().removed().map(|it| it.block));
        if self.emulated.evaluates_locals_on_load() {
            found.extend(configuration.deprecations_on_load());
        }
        found
    }

    fn removed_warnings<'b>(&self, blocks: impl IntoIterator<Item = &'b Removed>) -> Vec<Diagnostic> {
        if self.emulated.warns_of_removed() { moved::removed_warnings(blocks) } else { Vec::new() }
    }

    /// The same in the command that has made the plan in that session, if it was one.
    async fn apply_after(&self, plan: &Plan, planned: Option<&Session>) -> Outcome {
        // What the plan has moved or upgraded stays so: it does not keep the state from before.
        let unchanged = |diagnostics| Outcome { state: plan.previous_run.clone(), diagnostics };
        if plan.errored {
            let detail = "The plan has errors, so it cannot be applied. Correct them and plan again.";
            return unchanged(vec![Diagnostic::error("Cannot apply errored plan", detail)]);
        }
        // Without changes there is nothing to reject.
        if !plan.applyable
            && let Some((name, _)) = changed_outputs(plan).next()
        {
            let detail = format!(
                "A refresh-only plan cannot apply the change of output.{name}: its value is not known yet, or the \
                 configuration no longer declares it. Make a normal plan."
            );
            return unchanged(vec![Diagnostic::error("Cannot apply non-applyable plan", detail)]);
        }
        if let Some(change) = plan.changes.iter().find(|it| needs_generated(it, &plan.configuration)) {
            let detail = format!(
                "{} is to be changed by its generated configuration, which is not in the configuration of the plan. Write the \
                 generated block into a file of the configuration, and plan again. Nothing was applied.",
                change.address
            );
            let error = Diagnostic::error("Cannot apply generated configuration", detail);
            let diagnostics = vec![Diagnostic { address: Some(change.address.to_string()), ..error }];
            // What is imported is in the state that the plan has read.
            let mut state = plan.prior_state.clone();
            for imported in plan.changes.iter().filter(|it| it.importing.is_some()) {
                state_objects::set(&mut state, &imported.address, ObjectKey::Current, None);
            }
            return Outcome { state, diagnostics };
        }
        let opened = match planned {
            Some(planned) => planned.open_after(&plan.configuration, &plan.prior_state).await,
            None => Session::open(self, &plan.configuration, &plan.prior_state).await,
        };
        let session = match opened {
            Ok(session) => session,
            Err(diagnostics) => return unchanged(diagnostics),
        };
        session.layout.functions.expect(&plan.function_results);
        let (state, mut diagnostics) = apply::run(&session, plan).await;
        if planned.is_none() {
            diagnostics.extend(self.warnings_on_load(&plan.configuration));
        }
        if !plan.targets.is_empty() {
            let detail = "The plan was created with the -target option in effect, so some changes requested \
                          in the configuration may have been ignored.";
            diagnostics.push(Diagnostic::warning("Applied changes may be incomplete", detail));
        }
        diagnostics.extend(left_behind(&session, plan).filter(|_| !has_errors(&diagnostics)));
        let than = if plan.read_anew {
            StateComparison::Different
        } else {
            StateComparison::of(&state, &plan.prior_state)
        };
        Outcome { state: self.stamped(state, than), diagnostics: located(&plan.configuration, diagnostics) }
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
    pub async fn destroy(
        &self,
        configuration: impl Into<Configuration>,
        state: &State,
        options: &PlanOptions,
    ) -> Outcome {
        let options = PlanOptions { mode: Mode::Destroy, ..options.clone() };
        self.apply_at_once(configuration, state, &options).await
    }

    /// Makes a plan and applies it (`terraform apply -auto-approve`). A plan that failed changes nothing, and what it
    /// has found out is not kept.
    pub async fn apply_at_once(
        &self,
        configuration: impl Into<Configuration>,
        state: &State,
        options: &PlanOptions,
    ) -> Outcome {
        let configuration = configuration.into();
        let apply = |core: Self| {
            let (configuration, state, options) = (configuration.clone(), state.clone(), options.clone());
            async move { core.plan_and_apply(&configuration, &state, &options).await }
        };
        self.apart(&configuration, apply).await
    }

    async fn plan_and_apply(
        &self,
        configuration: &Configuration,
        state: &State,
        options: &PlanOptions,
    ) -> Outcome {
        let (mut plan, session) =
            self.plan_in_session(configuration, state, (options, Repeated::EachTime)).await;
        if plan.errored {
            return Outcome { state: state.clone(), diagnostics: plan.diagnostics };
        }
        let mut outcome = self.apply_after(&plan, session.as_deref()).await;
        plan.diagnostics.append(&mut outcome.diagnostics);
        Outcome { diagnostics: plan.diagnostics, ..outcome }
    }

    /// Reads all objects and records what has become of them (`terraform refresh`), by way of a normal plan.
    pub async fn refresh(&self, configuration: impl Into<Configuration>, state: &State) -> Outcome {
        let plan = self.plan(configuration, state, &PlanOptions::default()).await;
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

/// How often a plan reports what is said more than once of the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeated {
    /// Once, as Terraform does when it plans.
    Once,
    /// Each time, as it does when it applies at once.
    EachTime,
}

/// Leaves out what was reported before, by validation or by the plan. What comes from a function, a condition, a remote state
/// that the data source of a check cannot read, a deprecated value, an unknown or sensitive repetition, or a provider without
/// `provider_meta` is never the same as something else. What a provider says of an attribute is the same for all instances
/// (observed on Terraform 1.15.5).
fn each_once(configuration: &Configuration, diagnostics: &mut Vec<Diagnostic>, of_validation: usize) {
    const NEVER_THE_SAME: [&str; 12] = [
        "Check block assertion failed",
        "Check block assertion known after apply",
        "Deprecated value used",
        "Error in function call",
        "Error message refers to ephemeral values",
        "Invalid expanding argument value",
        "Invalid function argument",
        "Invalid value for input variable",
        "Invalid value for variable",
        "Module output value precondition failed",
        "Resource postcondition failed",
        "Resource precondition failed",
    ];
    let comparable = |it: &Diagnostic| {
        let is_never_the_same = NEVER_THE_SAME.contains(&&*it.summary)
            || (!it.is_error() && remote_state::UNREAD.contains(&&*it.summary))
            || it.summary.ends_with(provider_meta::UNSUPPORTED)
            || repetition::has_cause(it);
        if is_never_the_same {
            return None;
        }
        let (file, span) = match it.place.as_deref() {
            Some(place) => (place.file.clone(), place.span()),
            // What a provider says of an attribute has no place yet.
            None => {
                it.path.as_ref()?;
                let place = source_ranges::place(configuration, it)?;
                (place.source.path().to_owned(), place.span)
            }
        };
        Some((it.severity, it.summary.clone(), it.detail.clone(), file, span))
    };
    let of_plan = diagnostics.split_off(of_validation);
    let mut reported: HashSet<_> = diagnostics.iter().filter_map(comparable).collect();
    let is_new = |it: &Diagnostic| comparable(it).is_none_or(|it| reported.insert(it));
    diagnostics.extend(of_plan.into_iter().filter(is_new));
}

/// Whether a destruction is planned after a normal plan, which refreshes. Where there is nothing to refresh, it is not.
fn refreshes_before_destroy(state: &State, options: &PlanOptions) -> bool {
    options.refresh == Refresh::On && !(state.resources.is_empty() && state.outputs.is_empty())
}

/// The prior state gets the values of outputs that are known. One that is no longer configured stays until it is removed by
/// an apply.
fn record_outputs(plan: &mut Plan) {
    for (name, output) in plan.outputs.iter().filter(|(_, output)| is_recorded(output)) {
        record_output(&mut plan.prior_state, name.clone(), output);
    }
}

fn changed_outputs(plan: &Plan) -> impl Iterator<Item = (&String, &OutputChange)> {
    plan.outputs.iter().filter(|(_, output)| output.action != Action::NoOp)
}

/// Whether a plan puts it into the state at once.
fn is_recorded(output: &OutputChange) -> bool {
    output.action != Action::Delete && output.after.is_wholly_known()
}

fn record_output(state: &mut State, name: String, output: &OutputChange) {
    if output.after.is_null() {
        state.outputs.remove(&name);
    } else {
        let (ty, value) = (output.ty.clone(), output.after.clone());
        let value = OutputValue { ty, value, sensitive: output.after_sensitive, deprecated: None };
        state.outputs.insert(name, value);
    }
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

pub(super) fn located(configuration: &Configuration, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    source_ranges::locate(configuration, &mut diagnostics);
    diagnostics
}

pub(super) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// What a walk has found, if it could begin and objects may move as they are told to.
async fn planned(
    session: &Arc<Session>,
    start: Start,
    plan: &mut Plan,
) -> Option<(Arc<PlanWalk>, PlanResult)> {
    let walked = plan::run(session, start).await;
    let (walk, mut found) = walked.map_err(|problems| plan.diagnostics.extend(problems)).ok()?;
    let wrong = moved::validate(&walk);
    if has_errors(&wrong) {
        // Most of what else is wrong comes from moves that lead elsewhere.
        plan.diagnostics.extend(wrong);
        return None;
    }
    found.diagnostics.extend(wrong);
    Some((walk, found))
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

/// The error of a destruction that is asked to leave objects where they are.
fn left_behind(session: &Session, plan: &Plan) -> Option<Diagnostic> {
    let is_destruction = plan.mode == Mode::Destroy && session.core.emulated.keeps_on_request();
    let leaves = is_destruction && plan.changes.iter().any(|it| it.action == Action::Forget);
    let detail = "The configuration says `destroy = false` for some objects, or said so when they were stored. They still exist \
                  and are no longer tracked in the state: the plan names them.";
    leaves.then(|| Diagnostic::error("Destroy was successful but left behind forgotten instances", detail))
}

/// Whether a change needs arguments that the configuration does not have. An import alone needs none.
fn needs_generated(change: &ResourceChange, configuration: &Configuration) -> bool {
    change.generated_config.is_some()
        && change.action != Action::NoOp
        && !configuration.declares(&change.address.resource)
}

/// Puts what a walk has found into a plan.
fn take(
    session: &Session,
    found: PlanResult,
    moved: &HashMap<InstanceAddress, InstanceAddress>,
    plan: &mut Plan,
) {
    plan.changes = found.changes.into_values().map(|change| *change).collect();
    plan.generated = found.generated.into_values().collect();
    if plan.mode != Mode::Destroy {
        plan.diagnostics.extend(forgotten(session, &plan.changes));
    }
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
