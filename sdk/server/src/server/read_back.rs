//! Reading an object right after it was written: the state holds what the service shows, not what was asked of it.

use std::time::Duration;

use crate::diag::{Error, Result};
use crate::dynamic::{CallState, Context, ReadAfterWrite};
use crate::path::Path;
use crate::plan::{self, Difference, DifferenceKind, Drift};
use crate::schema::Block;
use crate::server::schema_cache::ResourceType;
use crate::value::Value;
use crate::wait::{Pauses, Wait};

/// The state after a change.
pub(super) struct Written {
    pub(super) state: Value,
    /// What sets the state apart from the plan, where it is merged into the plan already.
    pub(super) drift: Option<Drift>,
}

impl From<Value> for Written {
    fn from(state: Value) -> Self {
        Self { state, drift: None }
    }
}

/// The read that follows a write.
pub(super) struct ReadBack<'a> {
    of: &'a ResourceType,
    type_name: &'a str,
    /// `None` for one read, without waiting.
    limit: Option<Duration>,
    /// Null for a create, and where nothing is waited for.
    prior: Value,
    planned: Value,
}

impl<'a> ReadBack<'a> {
    /// The read that the type asks for.
    pub(super) fn new(
        of: &'a ResourceType,
        type_name: &'a str,
        prior: &Value,
        planned: &Value,
    ) -> Option<Self> {
        let limit = match of.resource.read_after_write() {
            ReadAfterWrite::Off => return None,
            ReadAfterWrite::Once => None,
            ReadAfterWrite::Within(limit) => Some(limit),
        };
        let prior = limit.map_or(Value::Null, |_| prior.clone());
        Some(Self { of, type_name, limit, prior, planned: planned.clone() })
    }

    /// The object as the service shows it after a write that returned this state.
    pub(super) async fn run(self, cx: &mut CallState, returned: Value) -> Result<Written> {
        // A write that failed in part has its state already, and the errors that matter.
        if cx.diagnostics.has_errors() {
            return Ok(returned.into());
        }
        cx.checkpoint = Some(returned.clone());
        let shown = match self.limit {
            Some(limit) => self.within(cx, &returned, limit).await?,
            None => self.once(cx, &returned).await?,
        };
        // A read that reported errors has shown nothing to rely on.
        let Some(Merged { state, drift }) = shown.filter(|_| !cx.diagnostics.has_errors()) else {
            return Ok(returned.into());
        };
        cx.diagnostics.extend(drift.errors());
        Ok(Written { state, drift: Some(drift) })
    }

    async fn once(&self, cx: &mut CallState, returned: &Value) -> Result<Option<Merged>> {
        let pauses = Pauses::new(Wait::within(HANGING));
        let reason = match self.read(cx, returned, &pauses).await? {
            Ok(Some(seen)) => return Ok(Some(self.merged(seen))),
            Ok(None) => "the object is not visible after the write".to_owned(),
            Err(late) => late.summaries(),
        };
        tracing::warn!(resource = self.type_name, reason, "the state keeps what the write returned");
        Ok(None)
    }

    async fn within(&self, cx: &mut CallState, returned: &Value, limit: Duration) -> Result<Option<Merged>> {
        let mut pauses = Pauses::new(Wait::within(limit));
        let mut shown = None;
        let late = loop {
            let seen = match self.read(cx, returned, &pauses).await? {
                Ok(seen) => seen.map(|seen| Shown { merged: self.merged(seen.clone()), seen }),
                Err(late) => break late,
            };
            let last = std::mem::replace(&mut shown, seen);
            let reason = WaitReason::of(self.block(), &self.prior, last.as_ref(), shown.as_ref());
            let Some(reason) = reason.filter(|_| !cx.diagnostics.has_errors()) else {
                return Ok(shown.map(|shown| shown.merged));
            };
            reason.log(self.type_name);
            if let Err(late) = pauses.pause(&cx.cancellation, &cx.clock).await {
                break late;
            }
        };
        shown.map(|shown| Some(shown.merged)).ok_or_else(|| invisible(&late, limit))
    }

    /// What one read shows; the inner error says why the read did not end.
    async fn read(
        &self,
        cx: &mut CallState,
        returned: &Value,
        pauses: &Pauses,
    ) -> Result<Result<Option<Value>>> {
        let stop = cx.cancellation.clone();
        let mut cx = Context::new(cx);
        let seen = tokio::select! {
            biased;
            seen = self.of.resource.read(&mut cx, returned.clone()) => seen?,
            late = pauses.over(&stop, GRACE) => return Ok(Err(late)),
        };
        Ok(Ok(seen))
    }

    /// What was seen, merged into the plan.
    fn merged(&self, seen: Value) -> Merged {
        let mut state = seen;
        let drift = plan::complete(self.block(), &self.planned, &mut state);
        Merged { state, drift }
    }

    fn block(&self) -> &Block {
        &self.of.typed.schema.block
    }
}

/// How long the one read of [`ReadAfterWrite::Once`] may hang before the state keeps what the write returned. Not a wait:
/// a read that answers ends it.
const HANGING: Duration = Duration::from_secs(60);

/// How long a read may go on that began in time, as the last one does that begins at the deadline. Shorter than the
/// grace of the whole operation, which would end the read first.
const GRACE: Duration = Duration::from_secs(5);

/// What a read shows of the object.
struct Shown {
    seen: Value,
    merged: Merged,
}

/// What a read shows, merged into the plan.
struct Merged {
    state: Value,
    drift: Drift,
}

/// Why another read may show something else.
enum WaitReason<'d> {
    NotVisible,
    /// Planned changes that still show their prior values.
    NotChanged(Vec<&'d Path>),
    /// Values that may still change: the last read showed others, or there was none.
    Unsettled(Vec<&'d Path>),
}

impl<'d> WaitReason<'d> {
    /// `None` where all is as planned, or where a further read would show the same differences.
    fn of(block: &Block, prior: &Value, last: Option<&Shown>, shown: Option<&'d Shown>) -> Option<Self> {
        let Some(Shown { seen, merged: Merged { drift, .. } }) = shown else { return Some(Self::NotVisible) };
        // In a new object, a value that nobody configured is the service's own, so it stays.
        let is_undeclared = |it: &Difference| prior.is_null() && it.kind == DifferenceKind::Undeclared;
        if drift.is_empty() || drift.changed.iter().any(is_undeclared) {
            return None;
        }
        let unchanged = unchanged(block, prior, seen, &drift.changed);
        if !unchanged.is_empty() {
            return Some(Self::NotChanged(unchanged));
        }
        let is_settled = last.is_some_and(|last| last.seen == *seen);
        (!is_settled).then(|| Self::Unsettled(drift.changed.iter().map(|it| &it.path).collect()))
    }

    /// Logs what the wait is for, without the values.
    fn log(&self, resource: &str) {
        match self {
            Self::NotVisible => tracing::debug!(resource, "reading again: the object is not visible yet"),
            Self::NotChanged(paths) => tracing::debug!(
                resource,
                paths = listed(paths),
                "reading again: planned changes are not visible yet"
            ),
            Self::Unsettled(paths) => {
                tracing::debug!(resource, paths = listed(paths), "reading again: values may still change");
            }
        }
    }
}

/// The planned changes for which the service still shows the prior value: after a create, null.
fn unchanged<'d>(block: &Block, prior: &Value, seen: &Value, differences: &'d [Difference]) -> Vec<&'d Path> {
    let mut merged = seen.clone();
    let changed = if prior.is_null() { Vec::new() } else { plan::refresh(block, prior, &mut merged).changed };
    let is_unchanged = |it: &&Difference| {
        if prior.is_null() {
            return it.kind == DifferenceKind::Missing;
        }
        !changed.iter().any(|other| overlap(&other.path, &it.path))
    };
    differences.iter().filter(is_unchanged).map(|it| &it.path).collect()
}

/// Whether one path is the other, or leads into it.
fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

fn listed(paths: &[&Path]) -> String {
    paths.iter().take(LISTED).map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// More paths than this say no more.
const LISTED: usize = 20;

fn invisible(error: &Error, limit: Duration) -> Error {
    let why = error.iter().next().map(|diagnostic| diagnostic.summary.clone()).unwrap_or_default();
    Error::new(
        "Object Not Found After Write",
        format!(
            "The service accepted the object, but did not show it within {limit:?} ({why}). The object is kept in \
             the state. If the service needs longer, plan again later; if the object does not exist there, the next \
             plan will create it."
        ),
    )
}
