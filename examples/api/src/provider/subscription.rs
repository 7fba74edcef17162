//! The resource `api_subscription`.

use std::time::Duration;

use ferroform::diag::{Result, ResultExt as _};
use ferroform::model::{Model, Planned, Prior};
use ferroform::path;
use ferroform::resource::{Context, OrGone as _, ReadAfterWrite, Resource};
use ferroform::semantic::{CaseInsensitive, within};
use ferroform::validate::number::between;

use super::client::{Client, Failure, encoded};
use crate::wire;

/// Messages of a queue that somebody wants to have.
///
/// The service shows it late, so [`Resource::READ_AFTER_WRITE`] declares a wait: the SDK reads after each write until the
/// planned changes are visible.
#[derive(Model, Clone)]
pub(super) struct Subscription {
    /// What the service calls the subscription.
    #[attr(computed, identity)]
    id: String,
    /// What people call the subscription; upper and lower case do not matter.
    name: CaseInsensitive,
    /// The id of the queue.
    #[attr(replace)]
    queue: String,
    /// Which messages are wanted.
    filter: String,
    /// Which part of these messages is wanted, all unless told otherwise. The service counts in thousandths.
    #[attr(default = 1.0, equivalent = within(0.001), validate = between(0, 1))]
    share: f64,
    /// Whether messages have to wait. The service shows it when those are delivered that are on their way, which may be
    /// long after it has been told.
    #[attr(default = false, unverified)]
    paused: bool,
}

impl Subscription {
    fn seen(shown: wire::Subscription) -> Result<Self> {
        let wire::Subscription { id, name, queue, filter, share, paused, .. } = shown;
        Ok(Self { id, name: name.parse().at(path!(name))?, queue, filter, share, paused })
    }
}

fn wanted(plan: Planned<Subscription>) -> wire::NewSubscription {
    let Planned::<Subscription> { name, queue, filter, share, paused, .. } = plan;
    wire::NewSubscription { name: name.as_str().to_owned(), queue, filter, share, paused }
}

impl Resource for Subscription {
    type Client = Client;
    const NAME: &str = "subscription";
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Within(Duration::from_secs(60));

    async fn create(cx: &mut Context<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Self::seen(cx.client.post(cx, "/subscriptions", &wanted(plan)).await?)
    }

    async fn read(cx: &mut Context<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let shown = cx.client.get(cx, &path_of(&prior.id)).await.or_gone(Failure::is_not_found)?;
        shown.map(Self::seen).transpose()
    }

    async fn update(cx: &mut Context<'_, Self>, prior: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::seen(cx.client.put(cx, &path_of(&prior.id), &wanted(plan)).await?)
    }

    async fn delete(cx: &mut Context<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.delete(cx, &path_of(&prior.id)).await.or_gone(Failure::is_not_found)?;
        Ok(())
    }
}

fn path_of(id: &str) -> String {
    format!("/subscriptions/{}", encoded(id))
}
