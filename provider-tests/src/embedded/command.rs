//! The commands, each a sequence of walks.

use std::collections::HashMap;
use std::sync::Arc;

use ferroform::diag::Severity;

use super::check::Check;
use super::conditions::{ALL_RULES, check_rules};
use super::import::{Imports, Named};
use super::log::Log;
use super::managed::Managed;
use super::moved::{self, Moves};
use super::object::Kind;
use super::options::{PlanOptions, Refresh};
use super::plan::{Found, PlanWalk, Purpose, Start};
use super::providers::Providers;
use super::record::{self, Which};
use super::scope::{Each, Scope};
use super::session::Session;
use super::stored_values::from_state;
use super::{Core, Outcome, apply, drift, places, plan, random, validate};
use crate::address::{self, InstanceAddress};
use crate::client::Provider;
use crate::config::{Config, OutputBlock, RuleKind};
use crate::core::summary;
use crate::diagnostic::Diagnostic;
use crate::plan::{Action, Mode, Plan};
use crate::state::{Object, OutputValue, State};

impl Core {
    /// Validates a configuration (`terraform validate`): the schemas, then the validate walk.
    pub async fn validate(&self, config: &Config) -> Vec<Diagnostic> {
        match Session::open(self, config, &State::default()).await {
            Ok(session) => located(config, validate::run(&session).await),
            Err(problems) => located(config, problems),
        }
    }

    /// Plans (`terraform plan`). A plan that failed has [`Plan::errored`] and cannot be applied.
    pub async fn plan(&self, config: &Config, state: &State, options: &PlanOptions) -> Plan {
        let mut plan = Plan::empty(config, state, options.mode);
        plan.targets = options.targets.iter().map(ToString::to_string).collect();
        match Session::open(self, config, state).await {
            Ok(session) => {
                plan.diagnostics = validate::run(&session).await;
                if !has_errors(&plan.diagnostics) {
                    // Validation says its warnings once; planning says those of its own.
                    self.plan_all(&session, state, options, &mut plan).await;
                }
            }
            Err(problems) => plan.diagnostics = problems,
        }
        places::locate(config, &mut plan.diagnostics);
        plan.errored = has_errors(&plan.diagnostics);
        plan.applyable &= !plan.errored;
        plan.complete &= plan.targets.is_empty() && plan.deferred.is_empty();
        plan
    }

    async fn plan_all(&self, session: &Arc<Session>, state: &State, options: &PlanOptions, plan: &mut Plan) {
        if !options.targets.is_empty() {
            let detail = "You are creating a plan with the -target option, which means that the result of \
                          this plan may not represent all of the changes requested by the current \
                          configuration.";
            plan.diagnostics.push(Diagnostic::warning("Resource targeting is in effect", detail));
        }
        plan.diagnostics.extend(self.misplaced(session));
        let Moves { state, moved, diagnostics } = moved::apply(session, state).await;
        plan.diagnostics.extend(diagnostics);
        if has_errors(&plan.diagnostics) {
            return;
        }
        let purpose = match options.mode {
            Mode::Normal => Purpose::Plan,
            Mode::RefreshOnly => Purpose::RefreshOnly,
            Mode::Destroy => {
                return self
                    .plan_destroy(session, Moves { state, moved, diagnostics: Vec::new() }, options, plan)
                    .await;
            }
        };
        let timestamp = plan.timestamp.as_str().into();
        let strictness = match purpose {
            Purpose::RefreshOnly => Some(Severity::Warning),
            _ => Some(Severity::Error),
        };
        let options = options.clone();
        let start = Start { purpose, options, state, moved: moved.clone(), timestamp, strictness };
        let before = start.state.outputs.clone();
        let Some((walk, found)) = taken(plan::run(session, start).await, plan) else { return };
        take(session, found, &moved, plan);
        // What refers to nothing that failed is planned all the same.
        self.plan_outputs(session, &walk, &before, plan);
        if has_errors(&plan.diagnostics) {
            let refers_to = |block: &OutputBlock| session.layout.referred_to_by(&block.value);
            let is_known = |block: &OutputBlock| refers_to(block).into_iter().all(|it| walk.values.has(it));
            let missing = session.config.outputs.iter().filter(|block| !is_known(block));
            missing.for_each(|block| drop(plan.outputs.remove(&block.name)));
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
        };
    }

    /// Looks at everything once as a normal plan does, unless told not to, and then plans to destroy it.
    async fn plan_destroy(
        &self,
        session: &Arc<Session>,
        moves: Moves,
        options: &PlanOptions,
        plan: &mut Plan,
    ) {
        let Moves { mut state, moved, .. } = moves;
        let mut previous = None;
        if options.refresh == Refresh::On && !state.resources.is_empty() {
            let normal = PlanOptions { mode: Mode::Normal, ..options.clone() };
            let timestamp = plan.timestamp.as_str().into();
            let (purpose, strictness) = (Purpose::Plan, None);
            let start =
                Start { purpose, options: normal, state, moved: moved.clone(), timestamp, strictness };
            let Some((walk, found)) = taken(plan::run(session, start).await, plan) else { return };
            plan.diagnostics.extend(found.diagnostics);
            let each = Each::default();
            let scope = Scope { layout: &session.layout, values: &walk.values, each: &each };
            plan.diagnostics.extend(check_rules(session, &scope, &[RuleKind::Validation]));
            state = found.refreshed;
            previous = Some(found.previous);
            if has_errors(&plan.diagnostics) {
                return;
            }
        }
        let options = PlanOptions { refresh: Refresh::Off, ..options.clone() };
        let timestamp = plan.timestamp.as_str().into();
        let (purpose, strictness) = (Purpose::Destroy, None);
        let start = Start { purpose, options, state, moved: moved.clone(), timestamp, strictness };
        plan.outputs = plan::output_deletions(&start.state.outputs);
        let Some((_, mut found)) = taken(plan::run(session, start).await, plan) else { return };
        if let Some(previous) = previous {
            found.previous = previous;
        }
        take(session, found, &moved, plan);
        plan.applyable = !plan.changes.is_empty() || !plan.outputs.is_empty();
    }

    fn plan_outputs(
        &self,
        session: &Arc<Session>,
        walk: &PlanWalk,
        before: &std::collections::BTreeMap<String, OutputValue>,
        plan: &mut Plan,
    ) {
        let each = Each::default();
        let scope = Scope { layout: &session.layout, values: &walk.values, each: &each };
        let mut logs = Vec::new();
        plan.diagnostics.extend(check_rules(session, &scope, ALL_RULES));
        plan.outputs = plan::output_changes(session, before, &scope, &mut logs);
        plan.diagnostics.extend(logs.into_iter().flat_map(Log::into_diagnostics));
        for (name, output) in &plan.outputs {
            if output.after.is_null() {
                plan.prior_state.outputs.remove(name);
            } else if output.after.is_wholly_known() {
                let (ty, value) = (output.ty.clone(), output.after.clone());
                let value = OutputValue { ty, value, sensitive: output.after_sensitive, deprecated: None };
                plan.prior_state.outputs.insert(name.clone(), value);
            }
        }
    }

    /// Applies a plan to the state that it was made for (`terraform apply PLANFILE`): the schemas, then the apply
    /// walk. The state that comes out is the true record also when there are errors.
    pub async fn apply(&self, plan: &Plan) -> Outcome {
        if plan.errored {
            let detail = "The plan has errors, so it cannot be applied. Correct them and plan again.";
            let diagnostics = vec![Diagnostic::error("Cannot apply errored plan", detail)];
            return Outcome { state: plan.prior_state.clone(), diagnostics };
        }
        let session = match Session::open(self, &plan.config, &plan.prior_state).await {
            Ok(session) => session,
            Err(diagnostics) => return Outcome { state: plan.prior_state.clone(), diagnostics },
        };
        let (state, mut diagnostics) = apply::run(&session, plan).await;
        if !plan.targets.is_empty() {
            let detail = "The plan was created with the -target option in effect, so some changes requested \
                          in the configuration may have been ignored.";
            diagnostics.push(Diagnostic::warning("Applied changes may be incomplete", detail));
        }
        Outcome { state: self.stamped(state), diagnostics: located(&plan.config, diagnostics) }
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
        let plan = self.plan(config, state, &options).await;
        self.apply_at_once(state, plan).await
    }

    /// A plan that failed changes nothing, and what it has found out is not kept.
    async fn apply_at_once(&self, state: &State, mut plan: Plan) -> Outcome {
        if plan.errored {
            return Outcome { state: state.clone(), diagnostics: plan.diagnostics };
        }
        let mut outcome = self.apply(&plan).await;
        plan.diagnostics.append(&mut outcome.diagnostics);
        Outcome { diagnostics: plan.diagnostics, ..outcome }
    }

    /// Reads all objects and records what has become of them (`terraform refresh`), by way of a normal plan.
    pub async fn refresh(&self, config: &Config, state: &State) -> Outcome {
        let plan = self.plan(config, state, &PlanOptions::default()).await;
        let state = if plan.errored { state.clone() } else { self.stamped(plan.prior_state) };
        Outcome { state, diagnostics: plan.diagnostics }
    }

    /// Takes the object of an id under management (`terraform import ADDRESS ID`). Nothing is planned.
    pub async fn import(&self, config: &Config, state: &State, to: &InstanceAddress, id: &str) -> Outcome {
        let session = match Session::open(self, config, state).await {
            Ok(session) => session,
            Err(diagnostics) => return Outcome { state: state.clone(), diagnostics },
        };
        let mut log = Log::new(to);
        let imported = self.import_one(&session, state, (to, id), &mut log).await;
        let state = imported.map_or_else(|| state.clone(), |state| self.stamped(state));
        Outcome { state, diagnostics: located(config, log.into_diagnostics()) }
    }

    async fn import_one(
        &self,
        session: &Arc<Session>,
        state: &State,
        (to, id): (&InstanceAddress, &str),
        log: &mut Log,
    ) -> Option<State> {
        let Some(number) = session.layout.number(&to.resource) else {
            let detail = format!("Before importing {to}, its resource has to be in the configuration.");
            let summary =
                format!("resource address {:?} does not exist in the configuration.", to.to_string());
            log.error(&summary, detail);
            return None;
        };
        let address = session.layout.resource(number)?.provider.clone();
        let others = session.layout.resources().iter().map(|resource| resource.provider.clone());
        let providers = match Providers::new(session, std::iter::once(address.clone()).chain(others)) {
            Ok(providers) => providers,
            Err(problems) => {
                log.extend(problems);
                return None;
            }
        };
        let values = from_state(session, state);
        let each = Each::default();
        let scope = Scope { layout: &session.layout, values: &values, each: &each };
        for number in 0..providers.len() {
            log.extend(providers.configure_for_import(number, &scope).await.into_diagnostics());
        }
        if !log.is_fine() {
            return None;
        }
        let mut state = state.clone();
        upgrade_others(session, &providers, &mut state, to, log).await;
        let provider = providers.instance(&address)?;
        let kind = Kind::of(provider.catalog(), &to.resource);
        let managed = Managed { session, provider, kind, block: log.answered(kind.block())? };
        let imports = Imports { managed };
        let named = Named::Id(id.to_owned());
        let (objects, _) = imports.import(&named, log).await?;
        if record::object(&state, to, Which::Current).is_some() && session.checks(Check::ImportManaged) {
            let detail =
                format!("{to} has an object already. To import another, first remove it from the state.");
            log.error(summary::ALREADY_MANAGED, detail);
            return None;
        }
        for (at, (_, object)) in objects.into_iter().enumerate() {
            imports.check_object(&named, &object, log);
            if !log.is_fine() {
                return None;
            }
            let mut live = imports.read(object, log).await?;
            live.create_before_destroy = session.layout.resource(number)?.create_before_destroy;
            let stored = log.answered(kind.encode(&live))?;
            let mut address_of = to.clone();
            if at > 0 {
                address_of.resource.name = format!("{}-{at}", to.resource.name);
            }
            record::set(&mut state, &address_of, Which::Current, Some((stored, &address)));
        }
        log.is_fine().then_some(state)
    }

    /// The state as this core writes it.
    fn stamped(&self, state: State) -> State {
        let lineage = if state.lineage.is_empty() { random::uuid() } else { state.lineage };
        State {
            terraform_version: self.dialect.version.to_string(),
            serial: state.serial + 1,
            lineage,
            ..state
        }
    }
}

/// Brings the objects of configured resources beside an import to the version of their schemas. They are not read.
async fn upgrade_others(
    session: &Arc<Session>,
    providers: &Providers,
    state: &mut State,
    to: &InstanceAddress,
    log: &mut Log,
) {
    let before = state.clone();
    for (of, resource) in &before.resources {
        let laid_out = session.layout.number(of).and_then(|number| session.layout.resource(number));
        let Some(laid_out) = laid_out.filter(|_| of.mode == address::Mode::Managed) else { continue };
        let Some(provider) = providers.instance(&laid_out.provider) else { continue };
        for (key, instance) in &resource.instances {
            let at = InstanceAddress { resource: of.clone(), key: key.clone() };
            let Some(object) = instance.current.as_ref().filter(|_| at != *to) else { continue };
            let mut said = Log::new(&at);
            if let Some(stored) = upgraded(session, provider, (&at, object), &mut said).await {
                record::set(state, &at, Which::Current, Some((stored, &laid_out.provider)));
            }
            log.extend(said.into_diagnostics());
        }
    }
}

async fn upgraded(
    session: &Arc<Session>,
    provider: &Provider,
    (at, object): (&InstanceAddress, &Object),
    log: &mut Log,
) -> Option<Object> {
    let kind = Kind::of(provider.catalog(), &at.resource);
    let managed = Managed { session, provider, kind, block: log.answered(kind.block())? };
    let live = managed.read_state(object, log).await?;
    log.answered(kind.encode(&live))
}

fn located(config: &Config, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    places::locate(config, &mut diagnostics);
    diagnostics
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// What a walk has found, if it could begin.
fn taken(
    walked: Result<(Arc<PlanWalk>, Found), Vec<Diagnostic>>,
    plan: &mut Plan,
) -> Option<(Arc<PlanWalk>, Found)> {
    walked.map_err(|problems| plan.diagnostics.extend(problems)).ok()
}

/// Puts what a walk has found into a plan.
fn take(session: &Session, found: Found, moved: &HashMap<InstanceAddress, InstanceAddress>, plan: &mut Plan) {
    plan.changes = found.changes.into_values().collect();
    plan.deferred = found.deferred;
    plan.diagnostics.extend(found.diagnostics);
    // A plan to destroy is made of what was read, and knows of no time before that.
    if plan.mode != Mode::Destroy {
        plan.drift = drift::drift(session, &found.previous, &found.refreshed, moved);
    }
    plan.previous_run = found.previous;
    plan.prior_state = found.refreshed;
}
