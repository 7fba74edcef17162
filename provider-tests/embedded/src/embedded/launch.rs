//! How instances of a provider come into being.

use std::fmt;
use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;

use tokio::sync::OnceCell;

use super::{Core, ProviderEntry, builtin};
use crate::address::ProviderAddress;
use crate::client::{Catalog, Client, Error, Provider};

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

impl Core {
    /// A client of a provider, which reads relative paths from that directory on if it is the built-in one.
    pub(super) async fn launch(&self, address: &ProviderAddress, directory: &Path) -> Result<Client, Error> {
        if *address == builtin::address() {
            return Ok(builtin::client(directory));
        }
        let Some(ProviderEntry { launch, .. }) =
            self.providers.iter().find(|known| known.address == *address)
        else {
            let problem = format!("there is no provider {address}: add it to the core under this address");
            return Err(Error::Start { problem, stderr: String::new() });
        };
        self.limited(launch.client()).await
    }

    /// A new instance as a provider. It is asked for its schemas anew, unless it says that this need not be.
    pub(super) async fn instance(
        &self,
        catalog: Option<&Catalog>,
        client: Client,
    ) -> Result<Provider, Error> {
        match catalog {
            Some(catalog) if catalog.schemas().capabilities.get_provider_schema_optional => {
                Ok(catalog.provider(client))
            }
            Some(catalog) if !self.emulated.asks_identities_again() => {
                // The provider expects the call. The schemas are those of the first instance all the same.
                self.limited(client.get_provider_schema(Default::default())).await?;
                Ok(catalog.provider(client))
            }
            _ => self.limited(self.connect(client)).await,
        }
    }

    /// The result of a call, or an error if it takes too long.
    pub(super) async fn limited<T>(&self, call: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let limit = self.call_limit;
        tokio::time::timeout(limit, call).await.unwrap_or_else(|_| {
            let text = format!("the provider has not answered within {} s", limit.as_secs_f32());
            Err(Error::Io(io::Error::new(io::ErrorKind::TimedOut, text)))
        })
    }
}

impl fmt::Debug for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launcher").field("instances", &self.instances).finish_non_exhaustive()
    }
}
