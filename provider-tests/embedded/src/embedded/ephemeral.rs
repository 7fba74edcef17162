//! Ephemeral resources: opened when a walk comes to them, renewed as long as they are open, and closed once.
//!
//! Terraform 1.15.5 leaves an ephemeral resource open when something that depends on it fails, and when a command is
//! stopped. Here it is closed at the end of the walk then.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use ferroform::diag::Severity;
use ferroform::value::Value;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::Deferral;
use super::check::Check;
use super::conditions::{self, ConditionKind};
use super::evaluate::{Decoded, decode};
use super::log::Log;
use super::object::Kind;
use super::progress::{Progress, Stage, Task};
use super::repetition::RepetitionData;
use super::scope::Scope;
use super::session::Session;
use super::walk_diagnostics::lock;
use crate::address::InstanceAddress;
use crate::client::{OpenResponse, Provider};
use crate::language::Marked;
use crate::language::module::{Condition, Resource};
use crate::plan_rules::{assert_plan_valid, proposed_new, summary};

/// A provider that asks for a renewal at once, again and again, gets one in this time at most.
const BETWEEN_RENEWALS: Duration = Duration::from_secs(1);

/// An instance that a walk opens.
pub(super) struct EphemeralInstance<'a> {
    pub(super) session: &'a Arc<Session>,
    pub(super) provider: &'a Provider,
    pub(super) number: usize,
    pub(super) address: &'a InstanceAddress,
    pub(super) block: &'a Resource,
    pub(super) kind: Kind<'a>,
    pub(super) scope: Scope<'a>,
    /// How bad it is that a condition does not hold; `None` if nobody checks any.
    pub(super) strictness: Option<Severity>,
    /// Whether something has to be there first that is deferred.
    pub(super) deferred: bool,
}

/// The instances that are open in a walk.
#[derive(Default)]
pub(super) struct OpenInstances(Mutex<Vec<OpenInstance>>);

struct OpenInstance {
    number: usize,
    opened: Opened,
    renewal: Option<Renewal>,
}

/// What is needed to renew an instance, and to close it.
#[derive(Clone)]
struct Opened {
    session: Arc<Session>,
    provider: Provider,
    address: InstanceAddress,
    private: Option<Bytes>,
}

/// The task that renews an instance until it is cancelled.
struct Renewal {
    end: watch::Sender<bool>,
    task: JoinHandle<Option<Log>>,
}

impl EphemeralInstance<'_> {
    /// Opens the instance, unless something in its configuration is unknown. Its value and whether it is deferred, unless
    /// there were errors.
    pub(super) async fn open(&self, open: &OpenInstances, log: &mut Log) -> Option<(Marked, bool)> {
        let lifecycle = &self.block.lifecycle;
        self.check((&lifecycle.preconditions, ConditionKind::Precondition), &self.scope, log);
        let schema = log.answered(self.kind.block())?;
        let Decoded { value: config, sensitive, .. } =
            decode(&self.block.body, schema, &self.scope).report_to(log)?;
        let opens = config.is_wholly_known() && !self.deferred;
        let value = if opens {
            self.result(&config, open, log).await?
        } else {
            self.session
                .core
                .report(&Progress { stage: Stage::Deferred, ..Progress::of(self.address, Task::Open) });
            None
        };
        let deferred = self.deferred || (opens && value.is_none());
        let value = value.unwrap_or_else(|| proposed_new(schema, &Value::unknown(), &config));
        // What the schema says is sensitive is not marked, in core as here.
        let value = log.answered(self.kind.evaluated(&value, &sensitive))?;
        let each = RepetitionData { own: Some(value.clone()), ..self.scope.each.clone() };
        let scope = Scope { each: &each, ..self.scope };
        self.check((&lifecycle.postconditions, ConditionKind::Postcondition), &scope, log);
        log.is_fine().then_some((value, deferred))
    }

    fn check(&self, (conditions, of): (&[Condition], ConditionKind), scope: &Scope<'_>, log: &mut Log) {
        if let Some(severity) = self.strictness {
            conditions::check(conditions, (of, severity), scope, log);
        }
    }

    /// Validates the configuration and opens the instance. `Some(None)` if the provider defers that.
    async fn result(&self, config: &Value, open: &OpenInstances, log: &mut Log) -> Option<Option<Value>> {
        self.session.validate(self.provider, self.kind, config, log).await?;
        let mut reporter = self.session.core.start_task(Progress::of(self.address, Task::Open), || None);
        let call = self.provider.open_ephemeral(self.kind.type_name, config);
        let opened = log.answered(reporter.during(self.session.limited(call)).await);
        let opened = opened.map(|mut opened| {
            log.provider(std::mem::take(&mut opened.diagnostics));
            opened
        });
        let Some(opened) = opened.filter(|_| log.is_fine()) else {
            reporter.failed();
            return None;
        };
        if opened.deferred.is_some() && self.session.core.emulated.has_deferral() {
            if self.session.core.deferral == Deferral::Allowed {
                return Some(None);
            }
            if self.session.checks(Check::Deferral) {
                let detail =
                    "The provider deferred the open, which was not allowed. This is a bug in the provider.";
                return log.refuse(summary::DEFERRED, detail);
            }
        }
        reporter.done(|| None);
        // Whatever is wrong with the result, the provider has opened something.
        open.add(self, &opened);
        if self.session.checks(Check::EphemeralResult) {
            let problems =
                assert_plan_valid(log.answered(self.kind.block())?, &Value::Null, config, &opened.value);
            log.problems("Provider produced invalid ephemeral resource instance", problems);
        }
        log.is_fine().then_some(Some(opened.value))
    }
}

impl OpenInstances {
    /// Adds an instance, which is renewed from now on.
    fn add(&self, of: &EphemeralInstance<'_>, response: &OpenResponse) {
        let opened = Opened {
            session: of.session.clone(),
            provider: of.provider.clone(),
            address: of.address.clone(),
            private: response.private.clone(),
        };
        let renewal = response.renew_at.map(|at| {
            let (end, ended) = watch::channel(false);
            Renewal { end, task: tokio::spawn(opened.clone().renew_from(ended, at)) }
        });
        lock(&self.0).push(OpenInstance { number: of.number, opened, renewal });
    }

    /// Closes the instances of the resource with that number.
    pub(super) async fn close(&self, number: usize) -> Vec<Log> {
        let all: Vec<OpenInstance> = lock(&self.0).extract_if(.., |it| it.number == number).collect();
        close(all).await
    }

    /// Closes all instances, when nothing uses them any more.
    pub(super) async fn close_all(&self) -> Vec<Log> {
        let all = std::mem::take(&mut *lock(&self.0));
        close(all).await
    }
}

async fn close(all: Vec<OpenInstance>) -> Vec<Log> {
    let mut tasks: JoinSet<Log> = all.into_iter().map(OpenInstance::close).collect();
    let mut logs = Vec::new();
    while let Some(closed) = tasks.join_next().await {
        // One that has panicked is a bug of this crate or of a provider in process, which the walk reports.
        logs.extend(closed);
    }
    logs
}

impl OpenInstance {
    /// Ends the renewals, and closes the instance.
    async fn close(self) -> Log {
        let Opened { session, provider, address, private } = self.opened;
        let mut log = Log::new(&address);
        let mut failed = None;
        if let Some(Renewal { end, task }) = self.renewal {
            end.send_replace(true);
            // A renewal that is under way ends within the limit of its call.
            failed = task.await.ok().flatten();
        }
        let mut reporter = session.core.start_task(Progress::of(&address, Task::Close), || None);
        let call = provider.close_ephemeral(&address.resource.type_name, private);
        match reporter.during(session.accepted(call, &mut log)).await {
            Some(()) => reporter.done(|| None),
            None => reporter.failed(),
        }
        if session.core.emulated.reports_renewals() {
            log.extend(failed.into_iter().flat_map(Log::into_diagnostics));
        }
        log
    }
}

impl Opened {
    /// Renews at that time, and then whenever the provider asks for it, until it is cancelled or a renewal fails; what is
    /// said of the failure.
    async fn renew_from(mut self, mut ended: watch::Receiver<bool>, at: SystemTime) -> Option<Log> {
        let clock = &self.session.core.clock.clone();
        let (mut next, mut least) = (Some(at), Duration::ZERO);
        while let Some(at) = next {
            let left = at.duration_since(clock.now()).unwrap_or_default();
            tokio::select! {
                biased;
                // The one who tells it waits for this task.
                _ = ended.wait_for(|ended| *ended) => return None,
                () = clock.sleep(left.max(least)) => {}
            }
            next = match self.renew().await {
                Ok(next) => next,
                Err(failure) => return Some(failure),
            };
            least = BETWEEN_RENEWALS;
        }
        None
    }

    /// Renews once, and tells when to do so again.
    async fn renew(&mut self) -> Result<Option<SystemTime>, Log> {
        let mut log = Log::new(&self.address);
        let mut reporter = self.session.core.start_task(Progress::of(&self.address, Task::Renew), || None);
        let call = self.provider.renew_ephemeral(&self.address.resource.type_name, self.private.clone());
        let renewed = log.answered(reporter.during(self.session.limited(call)).await).map(|mut renewed| {
            log.provider(std::mem::take(&mut renewed.diagnostics));
            renewed
        });
        let Some(renewed) = renewed.filter(|_| log.is_fine()) else {
            reporter.failed();
            return Err(log);
        };
        reporter.done(|| None);
        self.private = renewed.private;
        Ok(renewed.renew_at)
    }
}
