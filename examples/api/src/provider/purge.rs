//! The action `api_purge`.

use ferroform::action::{Action, Context};
use ferroform::diag::{Error, Result, ResultExt as _};
use ferroform::model::{Model, Planned};
use ferroform::path;

use super::client::Client;

/// Deletes the messages that wait in a queue.
#[derive(Model)]
pub(super) struct Purge {
    /// What the service calls the queue.
    queue: String,
}

impl Action for Purge {
    type Client = Client;
    const NAME: &str = "purge";

    /// Part after part, for the service deletes only some messages at a time.
    async fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
        loop {
            let patience = (&cx.cancellation, &cx.clock);
            let purged = cx.client.purge(patience, &config.queue).await.at(path!(queue))?;
            cx.progress(format!("{} messages deleted, {} left", purged.deleted, purged.left)).await;
            if purged.left == 0 {
                return Ok(());
            }
            if purged.deleted == 0 {
                let detail =
                    "The service deleted no message although some are left. Invoke the action again later.";
                return Err(Error::new("Messages Not Deleted", detail));
            }
            if cx.cancellation.is_cancelled() {
                let detail = "Some messages are left. Invoke the action again to delete them, too.";
                return Err(Error::new("Purge Stopped", detail));
            }
        }
    }
}
