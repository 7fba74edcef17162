//! Reading an object right after it was written: what the service shows is recorded, not what was asked of it.

use std::time::Duration;

use crate::diag::{Error, Result};
use crate::dynamic;
use crate::model::Decode;
use crate::path::Path;
use crate::plan::{self, Drift, Found};
use crate::resource::{Context, Resource};
use crate::schema::{Block, Operation};
use crate::value::Value;
use crate::wait::{Pauses, Wait};

/// Whether `create` and `update` are followed by a `read` of the same object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadAfterWrite {
    /// Yes. Where the object, or what was planned for it, does not show yet, it is read again with growing pauses until
    /// that much time has passed. Then the call fails, and the object is kept in the state. A read that hangs is
    /// given up some seconds later, or after the user has asked to stop.
    Within(Duration),
    /// No: what `create` and `update` return is what the service has.
    Off,
}

/// The object as the service shows it after a write that returned `state`.
pub(super) async fn read_back<R: Resource>(
    cx: &mut Context<'_, R>,
    planned: &Value,
    (written, state): (Operation, Value),
) -> Result<Value> {
    let ReadAfterWrite::Within(deadline) = R::READ_AFTER_WRITE else { return Ok(state) };
    // A write that failed in part has its state already, and the errors that matter.
    if cx.diagnostics.has_errors() {
        return Ok(state);
    }
    dynamic::Context::checkpoint(cx, state.clone());
    let (block, stop) = (R::block(), cx.cancellation.clone());
    let mut found = None;
    let mut pauses = Pauses::new(Wait::within(deadline));
    let late = loop {
        let prior = Decode::decode(state.clone(), &mut Path::root())?;
        let seen = tokio::select! {
            biased;
            seen = R::read(cx, prior) => seen?,
            error = pauses.over(&stop, GRACE) => break error,
        };
        if cx.diagnostics.has_errors() {
            return Ok(state);
        }
        found = seen.map(|seen| compared(&block, planned, seen.encode()));
        if let Some(found) = found.take_if(|(_, drift)| is_final(drift, written)) {
            return Ok(conclude(cx, found));
        }
        note(R::NAME, found.as_ref().map(|(_, drift)| drift));
        if let Err(error) = pauses.pause(cx).await {
            break error;
        }
    };
    match found {
        Some(found) => Ok(conclude(cx, found)),
        None => Err(invisible(&late, deadline)),
    }
}

/// How long a read may go on that began in time, as the last one does that begins at the deadline. Shorter than the
/// grace of the whole operation, which would end the read first.
const GRACE: Duration = Duration::from_secs(5);

fn compared(block: &Block, planned: &Value, mut seen: Value) -> (Value, Drift) {
    let drift = plan::complete(block, planned, &mut seen);
    (seen, drift)
}

/// Reports what is not as planned, and gives the state to record.
fn conclude<R: Resource>(cx: &mut Context<'_, R>, (seen, drift): (Value, Drift)) -> Value {
    cx.diagnostics.extend(drift.errors());
    cx.drifts.push(drift);
    cx.is_completed = true;
    seen
}

/// Whether reading again makes no difference: all is as planned, or a mistake of the provider is in the way.
///
/// That two reads agree with each other does not tell: while a service lags, each of them shows the same old value, and
/// an error that comes too early marks a new object for replacement. What nobody planned was filled by the service in a
/// new object, but may be the old value of a changed one.
fn is_final(drift: &Drift, written: Operation) -> bool {
    let is_undeclared = || drift.changed.iter().any(|difference| difference.found == Found::Undeclared);
    drift.is_empty() || (written == Operation::Create && is_undeclared())
}

/// Tells the author what the wait is for, without the values.
fn note(name: &str, drift: Option<&Drift>) {
    let paths = drift.map(|drift| {
        drift.changed.iter().take(SHOWN).map(|it| it.path.to_string()).collect::<Vec<_>>().join(", ")
    });
    match paths {
        Some(paths) => tracing::debug!(resource = name, paths, "read again: not yet as planned"),
        None => tracing::debug!(resource = name, "read again: the object does not show yet"),
    }
}

/// More paths than this say no more.
const SHOWN: usize = 20;

fn invisible(error: &Error, deadline: Duration) -> Error {
    let why = error.iter().next().map(|diagnostic| diagnostic.summary.clone()).unwrap_or_default();
    Error::new(
        "Object Not Found After Write",
        format!(
            "The service accepted the object, but did not show it within {deadline:?} ({why}). The object is kept in \
             the state. If the service needs longer, plan again later; if the object does not exist there, the next \
             plan will create it."
        ),
    )
}
