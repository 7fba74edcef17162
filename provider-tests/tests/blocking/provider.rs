//! A provider with a data source that blocks its thread.

use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

use ferroform::data_source::{Context, DataSource};
use ferroform::diag::{Error, Result};
use ferroform::model::{Draft, Model, Planned};
use ferroform::provider::{self, Provider, Registry};
use ferroform::value::Value;
use tokio::sync::Notify;

/// Serves it, in a process that a host has started.
pub(crate) fn serve() -> ExitCode {
    ferroform::serve::<Blocking>()
}

/// The configuration of a read that does what `action` says, in a folder in which the file `NAME` reports that it has
/// begun, and the file `release` ends it.
pub(crate) fn config(action: &str, folder: &Path, name: &str) -> Value {
    Value::object([
        ("action", action.into()),
        ("folder", folder.display().to_string().into()),
        ("name", name.into()),
    ])
}

struct Blocking;

impl Provider for Blocking {
    type Config = ();
    type Client = Notify;
    const NAME: &'static str = "blocking";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result<Notify> {
        Ok(Notify::new())
    }

    fn register(it: &mut Registry<Notify>) {
        it.data_source::<Read>();
    }
}

#[derive(Model, Clone)]
struct Read {
    action: String,
    folder: String,
    name: String,
}

impl DataSource for Read {
    type Client = Notify;
    const NAME: &'static str = "read";

    async fn read(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        let Planned::<Self> { action, folder, name } = config;
        let begun = Path::new(&folder).join(&name);
        match action.as_str() {
            "blocks" => block(&begun)?,
            "waits for another call" => {
                let mut woken = std::pin::pin!(cx.client.notified());
                woken.as_mut().enable();
                std::fs::write(begun, "")?;
                woken.await;
            }
            "wakes another call and blocks" => {
                cx.client.notify_waiters();
                block(&begun)?;
            }
            "blocks for its own task" => {
                let (done, end) = mpsc::channel();
                tokio::spawn(async move { done.send(()) });
                end.recv_timeout(Duration::from_secs(20)).map_err(|_| {
                    Error::new("Task Not Run", "The task did not run while the call blocked.")
                })?;
            }
            _ => {}
        }
        Ok(Self { action, folder, name })
    }
}

/// Blocks the thread until the folder has a file `release`.
fn block(begun: &Path) -> Result {
    std::fs::write(begun, "")?;
    while !begun.with_file_name("release").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}
