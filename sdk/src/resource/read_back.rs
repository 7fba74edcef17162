//! Reading an object right after it was written: the state holds what the service shows, not what was asked of it.

use std::time::Duration;

use crate::diag::{Error, Result};
use crate::dynamic;
use crate::model::Decode;
use crate::path::Path;
use crate::plan::{self, Difference, Drift, Found};
use crate::resource::{Context, Resource};
use crate::schema::Block;
use crate::value::Value;
use crate::wait::{Pauses, Wait};

/// Whether `create` and `update` are followed by a `read` of the same object.
///
/// ```
/// use std::time::Duration;
///
/// use ferroform::resource::ReadAfterWrite;
///
/// // In an `impl Resource`, for a service that shows a write within seconds:
/// const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Within(Duration::from_secs(60));
/// # let _ = READ_AFTER_WRITE;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadAfterWrite {
    /// One read, without waiting. The state keeps what `create` or `update` returned if the service does not show the
    /// object yet, or if the read hangs for a minute; the log reports that.
    Once,
    /// Reads with growing pauses, for at most this time, for a service that shows a write late. Reading goes on only
    /// while the object is not visible, a planned change still shows its prior value, or values change from one read to
    /// the next; the log reports which. When the time is up and the object is not visible, the call fails and the object
    /// stays in the state. A read that hangs ends some seconds later, or after the user has asked to stop.
    Within(Duration),
    /// No read: `create` and `update` return what the service has.
    Off,
}

/// The state before and after a write.
pub(super) struct Write {
    prior: Value,
    returned: Value,
}

impl Write {
    /// A create, with the state that it returned.
    pub(super) fn create(returned: Value) -> Self {
        Self { prior: Value::Null, returned }
    }

    /// An update, with the state that it returned; see [`prior_for_read_back`].
    pub(super) fn update(prior: Value, returned: Value) -> Self {
        Self { prior, returned }
    }
}

/// A copy of the prior state for [`Write::update`], which only waiting compares with.
pub(super) fn prior_for_read_back<R: Resource>(prior: &Value) -> Value {
    match R::READ_AFTER_WRITE {
        ReadAfterWrite::Within(_) => prior.clone(),
        ReadAfterWrite::Once | ReadAfterWrite::Off => Value::Null,
    }
}

/// The object as the service shows it after a write.
pub(super) async fn read_back<R: Resource>(
    cx: &mut Context<'_, R>,
    planned: &Value,
    write: Write,
) -> Result<Value> {
    // A write that failed in part has its state already, and the errors that matter.
    if R::READ_AFTER_WRITE == ReadAfterWrite::Off || cx.diagnostics.has_errors() {
        return Ok(write.returned);
    }
    dynamic::Context::checkpoint(cx, write.returned.clone());
    let shown = match R::READ_AFTER_WRITE {
        ReadAfterWrite::Within(limit) => read_within(cx, planned, &write, limit).await?,
        ReadAfterWrite::Once | ReadAfterWrite::Off => read_once(cx, planned, &write).await?,
    };
    // A read that reported errors has shown nothing to rely on.
    Ok(shown.filter(|_| !cx.diagnostics.has_errors()).map_or(write.returned, |shown| conclude(cx, shown)))
}

async fn read_once<R: Resource>(
    cx: &mut Context<'_, R>,
    planned: &Value,
    write: &Write,
) -> Result<Option<Shown>> {
    let pauses = Pauses::new(Wait::within(HANGING));
    let reason = match read(cx, planned, write, &pauses).await? {
        Ok(Some(shown)) => return Ok(Some(shown)),
        Ok(None) => "the object is not visible after the write".to_owned(),
        Err(late) => late.summaries(),
    };
    tracing::warn!(resource = R::NAME, reason, "the state keeps what the write returned");
    Ok(None)
}

/// How long the one read of [`ReadAfterWrite::Once`] may hang before the state keeps what the write returned. Not a wait:
/// a read that answers ends it.
const HANGING: Duration = Duration::from_secs(60);

async fn read_within<R: Resource>(
    cx: &mut Context<'_, R>,
    planned: &Value,
    write: &Write,
    limit: Duration,
) -> Result<Option<Shown>> {
    let block = R::block();
    let mut pauses = Pauses::new(Wait::within(limit));
    let mut shown = None;
    let late = loop {
        let seen = match read(cx, planned, write, &pauses).await? {
            Ok(seen) => seen,
            Err(late) => break late,
        };
        let last = std::mem::replace(&mut shown, seen);
        let reason = WaitReason::of(&block, &write.prior, last.as_ref(), shown.as_ref());
        let Some(reason) = reason.filter(|_| !cx.diagnostics.has_errors()) else { return Ok(shown) };
        reason.log(R::NAME);
        if let Err(late) = pauses.pause(cx).await {
            break late;
        }
    };
    shown.map(Some).ok_or_else(|| invisible(&late, limit))
}

/// What one read shows; the inner error says why the read did not end.
async fn read<R: Resource>(
    cx: &mut Context<'_, R>,
    planned: &Value,
    write: &Write,
    pauses: &Pauses,
) -> Result<Result<Option<Shown>>> {
    let state = Decode::decode(write.returned.clone(), &mut Path::root())?;
    let stop = cx.cancellation.clone();
    let seen = tokio::select! {
        biased;
        seen = R::read(cx, state) => seen?,
        late = pauses.over(&stop, GRACE) => return Ok(Err(late)),
    };
    Ok(Ok(seen.map(|seen| Shown::new(&R::block(), planned, seen.encode()))))
}

/// How long a read may go on that began in time, as the last one does that begins at the deadline. Shorter than the
/// grace of the whole operation, which would end the read first.
const GRACE: Duration = Duration::from_secs(5);

/// What a read shows of the object.
struct Shown {
    seen: Value,
    /// `seen`, merged into the plan.
    state: Value,
    drift: Drift,
}

impl Shown {
    fn new(block: &Block, planned: &Value, seen: Value) -> Self {
        let mut state = seen.clone();
        let drift = plan::complete(block, planned, &mut state);
        Self { seen, state, drift }
    }
}

/// Reports what is not as planned, and gives the state to record.
fn conclude<R: Resource>(cx: &mut Context<'_, R>, Shown { state, drift, .. }: Shown) -> Value {
    cx.diagnostics.extend(drift.errors());
    cx.drifts.push(drift);
    cx.is_completed = true;
    state
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
        let Some(Shown { seen, drift, .. }) = shown else { return Some(Self::NotVisible) };
        // In a new object, a value that nobody configured is the service's own, so it stays.
        let is_undeclared = |it: &Difference| prior.is_null() && it.found == Found::Undeclared;
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
            return it.found == Found::Nothing;
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
