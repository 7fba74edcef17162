//! The list resource of the tasks, which ends as its configuration says.

use ferroform::diag::{Error, Result};
use ferroform::list_resource::{Context, Item, ListResource};
use ferroform::model::{Model, Planned};
use ferroform::path;

use super::store::shown;
use super::task::{Task, TaskIdentity, at_gate};

/// Tasks by their labels, in order.
#[derive(Model)]
pub(super) struct Tasks {
    #[attr(default = "")]
    prefix: String,
    /// `error` or `panic`, after the first task. `wait ADDRESS` says there that it waits until the user asks to stop, and
    /// `hang ADDRESS` that it waits for ever.
    fails: Option<String>,
}

impl ListResource for Tasks {
    type Resource = Task;

    async fn list(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
        for label in cx.client.ids()?.into_iter().filter(|label| label.starts_with(&config.prefix)) {
            let Some(found) = cx.client.get(&label)? else { continue };
            let task = Task::found(label.clone(), shown(&found, "text")?);
            cx.emit(Item::new(TaskIdentity { label: label.clone() }, label).object(task)).await;
            match config.fails.as_deref() {
                Some("error") => {
                    return Err(
                        Error::new("Listing Failed", "The listing was asked to fail.").at(path!(fails))
                    );
                }
                Some("panic") => panic!("the listing was asked to panic"),
                Some(fails) => stopped(fails, cx).await?,
                None => {}
            }
        }
        Ok(())
    }
}

/// Waits as `fails` says.
async fn stopped(fails: &str, cx: &Context<'_, Tasks>) -> Result {
    let Some((how, address)) = fails.split_once(' ') else { return Ok(()) };
    let _gate = at_gate(address).await?;
    match how {
        "wait" => cx.cancellation.cancelled().await,
        _ => std::future::pending().await,
    }
    Err(Error::new("Listing Interrupted", "The listing was told to stop."))
}
