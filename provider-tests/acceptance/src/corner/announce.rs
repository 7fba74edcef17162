//! An action that writes down what it finds when it is invoked, and ends as its configuration says.

use ferroform::action::{Action, Context, PlanContext};
use ferroform::diag::{Error, Result};
use ferroform::model::{Draft, Model, Planned, WriteOnly};
use ferroform::path;

use super::store::Store;

/// Writes a line into `announcements.log`: the text, the text of the task, and the length of the secret.
#[derive(Model)]
pub(super) struct Announce {
    /// The label of the task to look at.
    task: String,
    text: String,
    /// `plan`, `error` or `panic`; `wait` waits until the user asks to stop.
    fails: Option<String>,
    #[attr(default = "-")]
    separator: String,
    secret: WriteOnly<Option<String>>,
}

impl Action for Announce {
    type Client = Store;
    const NAME: &'static str = "announce";

    async fn plan(cx: &mut PlanContext<'_, Self>, config: Draft<Self>) -> Result {
        if config.fails.as_known().is_some_and(|fails| fails == "plan") {
            return Err(Error::new("Announcement Rejected", "The plan was asked to fail.").at(path!(fails)));
        }
        let _ = &cx.client;
        Ok(())
    }

    async fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
        cx.progress(format!("Announcing {}", config.text)).await;
        match config.fails.as_deref() {
            Some("error") => {
                return Err(
                    Error::new("Announcement Failed", "The action was asked to fail.").at(path!(fails))
                );
            }
            Some("panic") => panic!("the action was asked to panic"),
            Some("wait") => {
                cx.cancellation.cancelled().await;
                return Err(Error::new("Announcement Interrupted", "Nothing was announced."));
            }
            _ => {}
        }
        let task = cx.client.get(&config.task)?.and_then(|mut task| task.remove("text"));
        let secret = config.secret.unwrap_or_default().len();
        let words = [config.text.as_str(), task.as_deref().unwrap_or("none"), &secret.to_string()];
        cx.client.announce(&words.join(&config.separator))?;
        cx.progress(format!("Announced {}", config.text)).await;
        Ok(())
    }
}
