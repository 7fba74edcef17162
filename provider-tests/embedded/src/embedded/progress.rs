//! What is under way while a plan is made or applied.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::{Instant, timeout};

use ferroform::path::Path;

use super::Core;
use super::apply::ApplyWalk;
use super::list::ListedResource;
use super::state_objects::{self, ObjectKey};
use crate::address::InstanceAddress;
use crate::plan::{Action, ResourceChange, Trigger};
use crate::state::{Attributes, Object};

/// A piece of news about one object.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The instance.
    pub address: InstanceAddress,
    /// The deposed key, if it is not about the current object.
    pub deposed: Option<String>,
    /// What is done to the object.
    pub task: Task,
    /// How far it has come.
    pub stage: Stage,
    /// An attribute by which people recognise the object, `id` or else `name`, and its value. It is not there as long
    /// as it is not known, nor if it is sensitive.
    pub id: Option<(&'static str, String)>,
    /// What triggers the action, if it is about one that something triggers.
    pub trigger: Option<Trigger>,
}

impl Progress {
    /// What begins for an instance.
    pub(super) fn of(address: &InstanceAddress, task: Task) -> Self {
        Self { address: address.clone(), deposed: None, task, stage: Stage::Begun, id: None, trigger: None }
    }
}

/// What is done to an object. A replacement is a deletion and a creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Task {
    /// A managed object is read, while a plan is made.
    Refresh,
    /// A data source is read, while a plan is made or applied.
    Read,
    /// It is taken under management.
    Import,
    /// It is created.
    Create,
    /// It is changed in place.
    Update,
    /// It is deleted.
    Delete,
    /// It is no longer managed, and stays.
    Forget,
    /// A provisioner runs for it.
    Provision,
    /// An ephemeral resource is opened.
    Open,
    /// An open ephemeral resource is renewed.
    Renew,
    /// An open ephemeral resource is closed.
    Close,
    /// An action is invoked.
    Invoke,
    /// Objects are listed.
    List,
}

/// How far something has come.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// It begins.
    Begun,
    /// It goes on for so long already. This is told every ten seconds.
    Going(Duration),
    /// A provisioner has written this line, or an action has reported it.
    Wrote(String),
    /// A list begins.
    Listing {
        /// The arguments of its `config` block, if there is one and nothing in it is sensitive.
        config: Option<Json>,
        /// What is sensitive in it.
        sensitive: Vec<Path>,
    },
    /// An object was found. The list has ended without errors.
    Found(Box<ListedResource>),
    /// All objects were found, which are so many.
    Listed(usize),
    /// It is done, after so long.
    Done(Duration),
    /// There were errors, after so long.
    Failed(Duration),
    /// It is deferred, because something in the configuration of the ephemeral resource is unknown.
    Deferred,
}

/// Takes news.
pub(super) type OnProgress = Arc<dyn Fn(&Progress) + Send + Sync>;

/// How often it is told that something goes on.
const STILL: Duration = Duration::from_secs(10);

/// Something that is told of, if anybody wants to know.
pub(super) struct ProgressReporter(Option<RunningTask>);

struct RunningTask {
    report: OnProgress,
    progress: Progress,
    begun: Instant,
}

impl Core {
    /// Tells one piece of news, if anybody wants to know.
    pub(super) fn report(&self, progress: &Progress) {
        if let Some(report) = &self.on_progress {
            report(progress);
        }
    }

    /// Tells that something begins. The object is looked for only if anybody wants to know.
    pub(super) fn start_task(
        &self,
        mut progress: Progress,
        object: impl FnOnce() -> Option<Object>,
    ) -> ProgressReporter {
        let running = self.on_progress.clone().map(|report| {
            progress.id = object().as_ref().and_then(id_of);
            report(&progress);
            RunningTask { report, progress, begun: Instant::now() }
        });
        ProgressReporter(running)
    }
}

impl ProgressReporter {
    /// Reports nothing.
    pub(super) fn silent() -> Self {
        Self(None)
    }

    /// Waits for what goes on.
    pub(super) async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        let Some(running) = &self.0 else { return work.await };
        let mut work = pin!(work);
        loop {
            match timeout(STILL, &mut work).await {
                Ok(done) => return done,
                Err(_) => self.report(Stage::Going(running.begun.elapsed())),
            }
        }
    }

    pub(super) fn wrote(&self, line: &str) {
        self.report(Stage::Wrote(line.to_owned()));
    }

    /// Tells that it is done, and what the object is now.
    pub(super) fn done(&mut self, object: impl FnOnce() -> Option<Object>) {
        if let Some(running) = &mut self.0 {
            running.progress.id = object().as_ref().and_then(id_of).or(running.progress.id.take());
            let elapsed = running.begun.elapsed();
            self.report(Stage::Done(elapsed));
        }
    }

    pub(super) fn failed(&self) {
        if let Some(running) = &self.0 {
            self.report(Stage::Failed(running.begun.elapsed()));
        }
    }

    fn report(&self, stage: Stage) {
        if let Some(running) = &self.0 {
            (running.report)(&Progress { stage, ..running.progress.clone() });
        }
    }
}

/// How people recognise an object.
fn id_of(object: &Object) -> Option<(&'static str, String)> {
    let Attributes::Json(json) = &object.attributes else { return None };
    let json: Json = serde_json::from_slice(json).ok()?;
    let is_shown = |name: &'static str| {
        let path = Path::root().attribute(name);
        !object.sensitive_attributes.iter().any(|sensitive| sensitive.is_root() || *sensitive == path)
    };
    ["id", "name"].into_iter().filter(|name| is_shown(name)).find_map(|name| {
        let text = json.get(name)?.as_str().filter(|text| !text.is_empty())?;
        Some((name, text.to_owned()))
    })
}

/// Which half of a replacement it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplaceStep {
    Make,
    Delete,
}

impl ApplyWalk {
    /// Reports that a planned change of an object begins; nothing where the object stays as it is.
    pub(super) fn start(
        &self,
        (change, step): (&ResourceChange, ReplaceStep),
        which: ObjectKey<'_>,
    ) -> ProgressReporter {
        let Some(task) = task(change.action, step) else { return ProgressReporter::silent() };
        let deposed = match which {
            ObjectKey::Current => None,
            ObjectKey::Deposed(key) => Some(key.to_owned()),
        };
        let progress = Progress { deposed, ..Progress::of(&change.address, task) };
        let is_new = matches!(task, Task::Create | Task::Read);
        self.core().start_task(progress, || self.object(change, which).filter(|_| !is_new))
    }

    /// Reports that an object is taken under management.
    pub(super) fn report_import(&self, change: &ResourceChange) {
        if change.importing.is_some() {
            let progress = Progress::of(&change.address, Task::Import);
            self.core().start_task(progress, || self.object(change, ObjectKey::Current)).done(|| None);
        }
    }

    /// Reports how a planned change has ended.
    pub(super) fn end(&self, mut reporter: ProgressReporter, change: &ResourceChange, is_fine: bool) {
        if is_fine {
            // The current object is another one than what was deleted or forgotten.
            let task = reporter.0.as_ref().map(|it| it.progress.task);
            let is_gone = matches!(task, Some(Task::Delete | Task::Forget));
            reporter.done(|| self.object(change, ObjectKey::Current).filter(|_| !is_gone));
        } else {
            reporter.failed();
        }
    }

    /// The object that is in the state now.
    fn object(&self, change: &ResourceChange, which: ObjectKey<'_>) -> Option<Object> {
        state_objects::object(&self.state(), &change.address, which).cloned()
    }
}

fn task(action: Action, step: ReplaceStep) -> Option<Task> {
    Some(match (action, step) {
        (Action::NoOp, _) => return None,
        (Action::Update, _) => Task::Update,
        (Action::Read, _) => Task::Read,
        (Action::Forget, _) | (Action::CreateThenForget | Action::ForgetThenCreate, ReplaceStep::Delete) => {
            Task::Forget
        }
        (_, ReplaceStep::Make) => Task::Create,
        (_, ReplaceStep::Delete) => Task::Delete,
    })
}
