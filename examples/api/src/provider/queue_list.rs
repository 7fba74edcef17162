//! The list resource `api_queue`.

use ferroform::diag::Result;
use ferroform::list_resource::{Context, Item, ListResource};
use ferroform::model::{Model, Planned};

use super::queue::{OF_THE_SERVICE, Queue, QueueIdentity};
use crate::wire;

/// The queues that there are, oldest first.
#[derive(Model)]
pub(super) struct QueueList {
    /// What the names begin with, in lower case; every name does if this is left out.
    name_prefix: Option<String>,
}

impl ListResource for QueueList {
    type Resource = Queue;

    /// Page after page, until core takes no more: then `emit` does not return.
    async fn list(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
        let prefix = config.name_prefix.as_deref().unwrap_or_default();
        let mut after: Option<String> = None;
        loop {
            let patience = (&cx.cancellation, &cx.clock);
            let page = cx.client.queues(patience, prefix, after.as_deref()).await?;
            for shown in page.items {
                let item = Item::new(QueueIdentity { id: shown.id.clone() }, shown.name.clone());
                let item = if cx.include_object { item.object(managed(shown)?) } else { item };
                cx.emit(item).await;
            }
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}

/// A queue as it is in a configuration, in which the labels of the service have no place.
fn managed(shown: wire::Queue) -> Result<Queue> {
    let mut queue = Queue::try_from(shown)?;
    queue.labels = queue.labels.map(|mut labels| {
        labels.retain(|key, _| !key.starts_with(OF_THE_SERVICE));
        labels
    });
    queue.labels = queue.labels.filter(|labels| !labels.is_empty());
    Ok(queue)
}
