//! The data source `api_queues`.

use ferroform::data_source::{Context, DataSource};
use ferroform::diag::Result;
use ferroform::model::{Model, Planned};

use super::client::{Client, encoded};
use crate::wire::{Page, Queue};

/// The queues that there are, oldest first.
#[derive(Model)]
pub(super) struct Queues {
    /// What the names begin with, in lower case; every name does if this is left out.
    name_prefix: Option<String>,
    /// What the service calls the queues.
    #[attr(computed)]
    ids: Vec<String>,
    /// What people call the queues, in the same order.
    #[attr(computed)]
    names: Vec<String>,
}

impl DataSource for Queues {
    type Client = Client;
    const NAME: &str = "queues";

    /// Page after page.
    async fn read(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        let prefix = encoded(config.name_prefix.as_deref().unwrap_or_default());
        let (mut ids, mut names) = (Vec::new(), Vec::new());
        let mut after = String::new();
        loop {
            let page: Page<Queue> = cx.client.get(cx, &format!("/queues?prefix={prefix}{after}")).await?;
            for queue in page.items {
                ids.push(queue.id);
                names.push(queue.name);
            }
            let Some(next) = page.next else { break };
            after = format!("&after={}", encoded(&next));
        }
        Ok(Self { name_prefix: config.name_prefix, ids, names })
    }
}
