//! How instances of a provider come into being.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use tokio::sync::OnceCell;

use crate::client::{Client, Error};

/// The future of a launch.
pub type Launching<'a> = Pin<Box<dyn Future<Output = Result<Client, Error>> + Send + 'a>>;

/// Starts an instance of a provider. A closure that returns a future of a [`Client`] does.
pub trait Launch: Send + Sync + 'static {
    /// A client of a new instance, which ends when the last clone of the client is dropped.
    fn launch(&self) -> Launching<'_>;
}

impl<F, R> Launch for F
where
    F: Fn() -> R + Send + Sync + 'static,
    R: Future<Output = Result<Client, Error>> + Send + 'static,
{
    fn launch(&self) -> Launching<'_> {
        Box::pin(self())
    }
}

/// How long an instance of a provider lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Instances {
    /// For one walk: core starts a process for each.
    #[default]
    Fresh,
    /// For all commands: as when core is told to attach to one that runs already.
    Kept,
}

/// A way to start instances, and the instance if it is kept.
pub(super) struct Launcher {
    launch: Box<dyn Launch>,
    instances: Instances,
    kept: OnceCell<Client>,
}

impl Launcher {
    pub(super) fn new(launch: impl Launch, instances: Instances) -> Self {
        Self { launch: Box::new(launch), instances, kept: OnceCell::new() }
    }

    pub(super) async fn client(&self) -> Result<Client, Error> {
        match self.instances {
            Instances::Fresh => self.launch.launch().await,
            Instances::Kept => self.kept.get_or_try_init(|| self.launch.launch()).await.cloned(),
        }
    }
}

impl fmt::Debug for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launcher").field("instances", &self.instances).finish_non_exhaustive()
    }
}
