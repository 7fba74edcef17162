//! An object whose changes end as its configuration says.

use ferroform::cancel::Cancellation;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::phase;
use ferroform::model::{Model, Planned, Prior, Timeouts};
use ferroform::resource::{Context, CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::store::{Store, object, shown};

/// `fails` is the operation that does not end well, and how: `create half`.
#[derive(Model, Clone)]
pub(super) struct Task {
    #[attr(replace, identity)]
    pub(super) label: String,
    text: String,
    fails: Option<String>,
    /// Where an operation says that it waits.
    gate: Option<String>,
    #[attr(block, timeouts = [create, update, delete])]
    timeouts: Option<Timeouts>,
}

/// How an operation ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Well.
    Well,
    /// With an error before anything is done.
    Nothing,
    /// With an error after the object is changed.
    Half,
    /// With a panic after the object is changed.
    Panic,
    /// When it is told to stop, after the object is changed.
    Stopped,
}

impl End {
    fn of(operation: &str, fails: Option<&str>) -> Self {
        match fails.and_then(|fails| fails.split_once(' ')) {
            Some((other, _)) if other != operation => Self::Well,
            Some((_, "nothing")) => Self::Nothing,
            Some((_, "half")) => Self::Half,
            Some((_, "panic")) => Self::Panic,
            Some((_, "wait")) => Self::Stopped,
            _ => Self::Well,
        }
    }

    fn before(self) -> Result {
        if self == Self::Nothing { Err(refused("The service did nothing.")) } else { Ok(()) }
    }

    async fn after(self, stop: &Cancellation, gate: Option<&str>) -> Result {
        match self {
            Self::Well | Self::Nothing => Ok(()),
            Self::Half => Err(refused("The service stopped half-way.")),
            Self::Panic => panic!("the task was asked to panic"),
            Self::Stopped => {
                // Held open until the operation has ended.
                let _gate = match gate {
                    Some(address) => Some(at_gate(address).await?),
                    None => None,
                };
                stop.cancelled().await;
                Err(refused("The service was told to stop."))
            }
        }
    }
}

/// Tells a test that an operation waits, until the connection is dropped.
pub(super) async fn at_gate(address: &str) -> Result<TcpStream> {
    let mut gate = TcpStream::connect(address).await?;
    gate.write_all(b"started\n").await?;
    Ok(gate)
}

fn refused(detail: &str) -> Error {
    Error::new("Task Failed", detail)
}

impl Task {
    /// A task that exists and that nobody has configured.
    pub(super) fn found(label: String, text: String) -> Self {
        Self { label, text, fails: None, gate: None, timeouts: None }
    }

    async fn write<P: phase::Applies>(self, cx: &mut Context<'_, Self, P>, operation: &str) -> Result<Self> {
        let end = End::of(operation, self.fails.as_deref());
        end.before()?;
        cx.client.put(&self.label, &object([("text", &self.text)]))?;
        cx.checkpoint(&self);
        end.after(&cx.cancellation, self.gate.as_deref()).await?;
        Ok(self)
    }
}

impl Resource for Task {
    type Client = Store;
    const NAME: &'static str = "task";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        plan.into_model()?.write(cx, "create").await
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let Some(found) = cx.client.get(&prior.label)? else { return Ok(None) };
        TaskPrior { text: Some(shown(&found, "text")?), ..prior }.into_model().map(Some)
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        plan.into_model()?.write(cx, "update").await
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        let end = End::of("delete", prior.fails.as_deref());
        end.before()?;
        // What is half deleted is still there.
        if end == End::Well {
            cx.client.remove(&prior.label)?;
        }
        end.after(&cx.cancellation, prior.gate.as_deref()).await
    }
}
