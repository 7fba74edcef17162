//! The data source `api_queues`.

use ferroform::data_source::{Context, DataSource};
use ferroform::diag::Result;
use ferroform::model::{Model, Planned};

use super::client::{Client, patience};

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
        let prefix = config.name_prefix.as_deref().unwrap_or_default();
        let (mut ids, mut names) = (Vec::new(), Vec::new());
        let mut after: Option<String> = None;
        loop {
            let page = cx.client.queues(patience(cx), prefix, after.as_deref()).await?;
            for queue in page.items {
                ids.push(queue.id);
                names.push(queue.name);
            }
            after = page.next;
            if after.is_none() {
                return Ok(Self { name_prefix: config.name_prefix, ids, names });
            }
        }
    }
}
