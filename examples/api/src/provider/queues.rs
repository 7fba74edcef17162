//! The data source `api_queues`.

use std::sync::Arc;

use ferroform::cancel::Cancellation;
use ferroform::clock::Clock;
use ferroform::data_source::{Context, DataSource};
use ferroform::diag::Result;
use ferroform::model::{Model, Planned};

use super::client::Client;
use crate::wire::Queue;

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

    async fn read(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        let prefix = config.name_prefix.clone().unwrap_or_default();
        let (client, clock, of) = (Arc::clone(&cx.client), cx.clock.clone(), prefix.clone());
        // Another data source may wait for the list when this call is cancelled.
        let read = async move || list(&client, &clock, &of).await;
        let queues = cx.client.lists.get(&cx.cancellation, &prefix, read).await?;
        let (ids, names) = queues.iter().map(|queue| (queue.id.clone(), queue.name.clone())).unzip();
        Ok(Self { name_prefix: config.name_prefix, ids, names })
    }
}

/// The queues whose names begin with that, page after page.
async fn list(client: &Client, clock: &Clock, prefix: &str) -> Result<Arc<[Queue]>> {
    let never = Cancellation::never();
    let (mut queues, mut after) = (Vec::new(), None::<String>);
    loop {
        let page = client.queues((&never, clock), prefix, after.as_deref()).await?;
        queues.extend(page.items);
        after = page.next;
        if after.is_none() {
            return Ok(queues.into());
        }
    }
}
