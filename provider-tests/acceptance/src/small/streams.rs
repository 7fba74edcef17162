//! The list resource of the cards and an action: calls whose responses are streams.

use std::fs;
use std::path::Path;
use std::time::Duration;

use ferroform::action::{self, Action};
use ferroform::diag::{Error, Result};
use ferroform::list_resource::{self, Item, ListResource};
use ferroform::model::{Model, Planned};

use super::{Card, CardIdentity};
use crate::names;

/// The cards in the folder, in the order of their names.
#[derive(Model)]
pub(super) struct Cards {
    /// `crash` after the first card.
    fails: Option<String>,
}

impl ListResource for Cards {
    type Resource = Card;

    async fn list(cx: &mut list_resource::Context<'_, Self>, config: Planned<Self>) -> Result {
        for name in names(&cx.client, ".card")? {
            let text = fs::read_to_string(Card::path(&cx.client, &name))?;
            let card = Card { id: format!("id-{name}"), name: name.clone(), text };
            cx.emit(Item::new(CardIdentity { name: name.clone() }, name).object(card)).await;
            if config.fails.is_some() {
                crash(&cx.client).await?;
            }
        }
        Ok(())
    }
}

/// Counts in its progress.
#[derive(Model)]
pub(super) struct Count {
    to: i64,
    /// `crash`, or `wait` until the user asks to stop, after the first number.
    fails: Option<String>,
}

impl Action for Count {
    type Client = std::path::PathBuf;
    const NAME: &str = "count";

    async fn invoke(cx: &mut action::Context<'_, Self>, config: Planned<Self>) -> Result {
        for number in 1..=config.to {
            cx.progress(number.to_string()).await;
            match config.fails.as_deref() {
                Some("crash") => crash(&cx.client).await?,
                Some("wait") => {
                    cx.cancellation.cancelled().await;
                    return Err(Error::new("Count Interrupted", "The count was told to stop."));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Ends the process as soon as the folder has the file `crash`: what was sent before has arrived by then.
async fn crash(folder: &Path) -> Result {
    while !fs::exists(folder.join("crash"))? {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    std::process::exit(2)
}
