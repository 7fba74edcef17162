//! Functions of providers.
//!
//! Expressions are evaluated in one go, and providers answer in their own time, so the evaluation waits in the middle.
//! That must keep nobody from answering: a command that may wait [runs apart](Core::apart), on threads whose work goes on
//! elsewhere meanwhile. A provider that answers at once, as one in this process mostly does, is not waited for.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, mpsc};
use std::task::{Context, Poll, Waker};

use ferroform::schema::FunctionSignature;
use ferroform::value::Value;
use foldhash::HashMap;
use tokio::runtime::{Handle, Runtime, RuntimeFlavor};
use tokio::sync::OnceCell;

use super::walk_diagnostics::lock;
use super::{Core, HALTED, builtin};
use crate::address::ProviderAddress;
use crate::client::{Catalog, Provider};
use crate::language::module::Configuration;
use crate::language::{Failure, ProviderFunction};

/// What functions have answered, by provider, name and arguments. The same call must have the same result, in a plan and
/// when it is applied.
pub(crate) type FunctionResults = HashMap<(ProviderAddress, String, Vec<Value>), Value>;

/// The functions that a configuration may call. Each provider has one instance for them, which is never configured.
#[derive(Default)]
pub(super) struct Functions {
    callable: HashMap<ProviderAddress, Callable>,
    results: Mutex<FunctionResults>,
}

/// The functions of a provider.
struct Callable {
    signatures: HashMap<String, Arc<FunctionSignature>>,
    instance: Arc<Instance>,
}

/// An instance, which is started by the first call.
struct Instance {
    core: Core,
    address: ProviderAddress,
    directory: PathBuf,
    catalog: Catalog,
    provider: OnceCell<Provider>,
}

impl Functions {
    pub(super) fn new(core: &Core, directory: &Path, catalogs: &HashMap<ProviderAddress, Catalog>) -> Self {
        let callable = catalogs.iter().map(|(address, catalog)| {
            let signatures = catalog.schemas().functions.iter();
            let signatures = signatures.map(|(name, it)| (name.clone(), Arc::new(it.clone()))).collect();
            let instance = Instance {
                core: core.clone(),
                address: address.clone(),
                directory: directory.to_owned(),
                catalog: catalog.clone(),
                provider: OnceCell::new(),
            };
            (address.clone(), Callable { signatures, instance: Arc::new(instance) })
        });
        Self { callable: callable.collect(), results: Mutex::default() }
    }

    /// What has been answered so far, which begins anew.
    pub(super) fn take_results(&self) -> FunctionResults {
        std::mem::take(&mut *lock(&self.results))
    }

    /// Has every call answered as in the plan that is applied.
    pub(super) fn expect(&self, results: &FunctionResults) {
        lock(&self.results).clone_from(results);
    }

    pub(super) fn find(&self, provider: &ProviderAddress, name: &str) -> ProviderFunction {
        let Some(callable) = self.callable.get(provider) else { return ProviderFunction::UnknownFunction };
        callable.signatures.get(name).map_or(ProviderFunction::UnknownFunction, |signature| {
            ProviderFunction::Known(provider.clone(), signature.clone())
        })
    }

    /// Calls a function with arguments that fit its signature.
    pub(super) fn call(
        &self,
        provider: &ProviderAddress,
        name: &str,
        arguments: Vec<Value>,
    ) -> Result<Value, Failure> {
        let Some(callable) = self.callable.get(provider) else {
            return Err(Failure::Call(format!("there is no provider {provider}")));
        };
        let instance = callable.instance.clone();
        let (name, arguments) = (Arc::<str>::from(name), Arc::<[Value]>::from(arguments));
        let work = {
            let (name, arguments) = (name.clone(), arguments.clone());
            async move { instance.call(&name, &arguments).await }
        };
        let result = wait(work)?;
        let key = (provider.clone(), name.to_string(), arguments.to_vec());
        // What is not known yet may become anything.
        if !result.is_wholly_known() {
            return Ok(result);
        }
        match lock(&self.results).entry(key) {
            std::collections::hash_map::Entry::Occupied(known) if *known.get() != result => {
                let text = "the provider function returned an inconsistent result, which is a bug in the provider: the \
                            same arguments must give the same result in a plan and when it is applied";
                Err(Failure::Call(text.to_owned()))
            }
            entry => Ok(entry.or_insert(result).clone()),
        }
    }
}

impl Instance {
    async fn call(&self, name: &str, arguments: &[Value]) -> Result<Value, Failure> {
        let failed = |error: crate::client::Error| Failure::Call(error.to_string());
        let cancel = &self.core.cancel;
        if cancel.is_cancelled() {
            return Err(Failure::Call(HALTED.to_owned()));
        }
        let provider = self.provider.get_or_try_init(|| self.start()).await.map_err(failed)?;
        tokio::select! {
            biased;
            answer = self.core.limited(provider.call_function(name, arguments)) => match answer.map_err(failed)? {
                Ok(result) => Ok(result),
                Err(error) => Err(match error.argument {
                    Some(at) => Failure::Argument(at, error.text),
                    None => Failure::Call(error.text),
                }),
            },
            () = cancel.cancelled() => {
                drop(self.core.limited(provider.stop()).await);
                Err(Failure::Call(HALTED.to_owned()))
            }
        }
    }

    async fn start(&self) -> Result<Provider, crate::client::Error> {
        let client = self.core.launch(&self.address, &self.directory).await?;
        self.core.instance(Some(&self.catalog), client).await
    }
}

/// The threads for all commands that may wait for functions.
static APART: LazyLock<Option<Runtime>> = LazyLock::new(|| {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.enable_all().thread_name("ferroform-functions").build().ok()
});

/// The result of some work. If it does not come at once, this thread does nothing else until it comes.
fn wait<T: Send + 'static>(
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    let Some(apart) = &*APART else {
        return Err(Failure::call("this system gives no threads to wait for the provider"));
    };
    // What the work waits for belongs to threads that are never kept from going on.
    let entered = apart.enter();
    // An evaluation with many calls is one step of its task.
    let mut work = Box::pin(tokio::task::unconstrained(work));
    if let Poll::Ready(result) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return result;
    }
    let (send, receive) = mpsc::sync_channel(1);
    // Nobody hears the result of an evaluation that was given up.
    apart.spawn(async move { drop(send.send(work.await)) });
    drop(entered);
    let receive = || receive.recv();
    let in_pool = Handle::try_current().is_ok_and(|now| now.runtime_flavor() == RuntimeFlavor::MultiThread);
    let received = if in_pool { tokio::task::block_in_place(receive) } else { receive() };
    received.unwrap_or_else(|_| Err(Failure::call("the provider has panicked")))
}

impl Core {
    /// Runs a command of a configuration. One that may wait for functions runs where that keeps nobody from working,
    /// on whatever runtime it is called: the provider may be at the end of a connection that this runtime serves.
    pub(super) async fn apart<T, F>(
        &self,
        configuration: &Configuration,
        command: impl FnOnce(Self) -> F,
    ) -> T
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let calls = configuration.modules().calls_providers_but(&builtin::address());
        let apart = APART.as_ref().filter(|_| calls && !self.in_place);
        let core = Self { in_place: true, ..self.clone() };
        let Some(apart) = apart else { return command(core).await };
        let mut running = AbortOnDrop(apart.spawn(command(core)));
        match (&mut running.0).await {
            Ok(result) => result,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // Only whoever drops this ends it.
            Err(_) => std::future::pending().await,
        }
    }

    /// Has commands wait for functions on the thread that runs them: where time is virtual, it is so on that runtime
    /// only.
    #[doc(hidden)]
    pub fn waiting_in_place(self) -> Self {
        Self { in_place: true, ..self }
    }
}

/// A command that ends with whoever waits for it.
struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
