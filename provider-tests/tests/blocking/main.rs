//! Author code that blocks its thread, in a provider of its own process: no other call waits for it.
//!
//! The test binary is the provider, when it is started as a plugin.

mod provider;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ferroform::value::Value;
use ferroform_testing::case::Trials;
use ferroform_testing::client::{Client, Command, Process, Provider};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::PROGRAM_OF;

/// More than there are threads for calls, on any machine.
const CALLS: usize = 64;

/// How long anything may take that has to wait for nothing, however busy the machine is.
const LIMIT: Duration = Duration::from_secs(15);

/// The provider as a program.
pub(crate) fn program() -> ExitCode {
    provider::serve()
}

/// Adds the tests.
pub(crate) fn trials(trials: &mut Trials) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let runtime = Arc::new(runtime);
    let test = |name: &str, test: fn(&Handle) -> Result<(), Failed>| {
        let runtime = runtime.clone();
        Trial::test(format!("blocking/{name}"), move || test(runtime.handle()))
    };
    trials.others([
        test("calls_and_stop_are_answered_while_calls_block_one_after_another", |handle| {
            handle.block_on(one_after_another())
        }),
        test("calls_are_answered_while_calls_block_that_began_at_once", |handle| handle.block_on(at_once())),
        test("shutdown_ends_the_process_while_calls_block", |handle| handle.block_on(shutdown())),
        test("call_goes_on_that_was_woken_by_a_call_that_blocks", |handle| handle.block_on(woken())),
        test("task_runs_while_the_call_that_spawned_it_blocks", |handle| handle.block_on(spawned())),
    ]);
}

struct Fixture {
    process: Process,
    provider: Arc<Provider>,
    folder: tempfile::TempDir,
    calls: JoinSet<Result<(), String>>,
}

impl Fixture {
    async fn start() -> Result<Self, Failed> {
        let process = Command::new(std::env::current_exe()?).env(PROGRAM_OF, "blocking").start().await?;
        let client = Client::new(process.connection(), process.protocol());
        let provider = Arc::new(Provider::connect(client).await?);
        provider.configure(&Value::object([] as [(&str, Value); 0])).await?;
        Ok(Self { process, provider, folder: tempfile::tempdir()?, calls: JoinSet::new() })
    }

    /// Begins a call that does not end for now.
    fn begin(&mut self, action: &str, name: &str) {
        let config = provider::config(action, self.folder.path(), name);
        let provider = Arc::clone(&self.provider);
        self.calls.spawn(async move { read(&provider, &config).await });
    }

    /// A call begins within the limit.
    async fn begun(&self, name: &str) -> Result<(), Failed> {
        let file = self.folder.path().join(name);
        let exists = async {
            while !file.exists() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        Ok(timeout(LIMIT, exists).await.map_err(|_| format!("{name} did not begin"))?)
    }

    /// A call that waits for nothing is answered.
    async fn answered(&self) -> Result<(), Failed> {
        let config = provider::config("", Path::new(""), "");
        let answer = timeout(LIMIT, read(&self.provider, &config)).await;
        Ok(answer.map_err(|_| "no answer while other calls block")??)
    }

    /// Lets all calls end.
    async fn release(mut self) -> Result<(), Failed> {
        std::fs::write(self.folder.path().join("release"), "")?;
        while let Some(call) = timeout(LIMIT, self.calls.join_next()).await? {
            call??;
        }
        assert!(self.process.shutdown().await?.success());
        Ok(())
    }
}

async fn read(provider: &Provider, config: &Value) -> Result<(), String> {
    let read = provider.read_data("blocking_read", config).await.map_err(|error| error.to_string())?;
    if read.diagnostics.has_errors() { Err(format!("{:?}", read.diagnostics)) } else { Ok(()) }
}

/// Each call finds the workers as the calls before have left them.
async fn one_after_another() -> Result<(), Failed> {
    let mut fixture = Fixture::start().await?;
    for number in 0..CALLS {
        let name = format!("call-{number}");
        fixture.begin("blocks", &name);
        fixture.begun(&name).await?;
        fixture.answered().await?;
    }
    timeout(LIMIT, fixture.provider.stop()).await??;
    fixture.release().await
}

async fn at_once() -> Result<(), Failed> {
    let mut fixture = Fixture::start().await?;
    for number in 0..CALLS {
        fixture.begin("blocks", &format!("call-{number}"));
    }
    fixture.answered().await?;
    for number in 0..CALLS {
        fixture.begun(&format!("call-{number}")).await?;
    }
    fixture.release().await
}

async fn shutdown() -> Result<(), Failed> {
    let mut fixture = Fixture::start().await?;
    for number in 0..CALLS {
        fixture.begin("blocks", &format!("call-{number}"));
        fixture.begun(&format!("call-{number}")).await?;
    }
    // It is killed, and that is an error, unless it ends by itself.
    assert!(fixture.process.shutdown().await?.success());
    Ok(())
}

async fn woken() -> Result<(), Failed> {
    let mut waiting = Fixture::start().await?;
    waiting.begin("waits for another call", "waiting");
    waiting.begun("waiting").await?;
    let config = provider::config("wakes another call and blocks", waiting.folder.path(), "blocking");
    let provider = Arc::clone(&waiting.provider);
    let blocking = tokio::spawn(async move { read(&provider, &config).await });
    let woken = timeout(LIMIT, waiting.calls.join_next()).await?;
    woken.ok_or("no call")???;
    assert!(!blocking.is_finished());
    std::fs::write(waiting.folder.path().join("release"), "")?;
    Ok(blocking.await??)
}

async fn spawned() -> Result<(), Failed> {
    let mut fixture = Fixture::start().await?;
    fixture.begin("blocks for its own task", "");
    fixture.release().await
}
