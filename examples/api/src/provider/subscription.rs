//! The resource `api_subscription`.

use std::time::Duration;

use ferroform::diag::Result;
use ferroform::model::{Convert, Model, Planned, Prior};
use ferroform::resource::{
    CreateContext, DeleteContext, NotFoundExt as _, ReadAfterWrite, ReadContext, Resource, UpdateContext,
};
use ferroform::schema::Equivalence;
use ferroform::semantic::CaseInsensitive;
use ferroform::validate::number::between;

use super::client::{Client, Failure, encoded};
use crate::wire;

/// Messages of a queue that somebody wants to have.
///
/// The service shows it late, so [`Resource::READ_AFTER_WRITE`] declares a wait: the SDK reads after each write until the
/// planned changes are visible.
#[derive(Model, Convert, Clone)]
#[convert(from = wire::Subscription, into = wire::NewSubscription)]
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
    #[attr(default = 1.0, equivalent = Equivalence::within(0.001), validate = between(0, 1))]
    share: f64,
    /// Whether messages have to wait. The service shows it when those are delivered that are on their way, which may be
    /// long after it has been told.
    #[attr(default = false, unverified)]
    paused: bool,
}

impl Resource for Subscription {
    type Client = Client;
    const NAME: &str = "subscription";
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Within(Duration::from_secs(60));

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let new = wire::NewSubscription::try_from(plan)?;
        let shown: wire::Subscription = cx.client.post(cx, "/subscriptions", &new).await?;
        shown.try_into()
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let shown = cx.client.get(cx, &path_of(&prior.id)).await.none_if_not_found(Failure::is_not_found)?;
        shown.map(wire::Subscription::try_into).transpose()
    }

    async fn update(
        cx: &mut UpdateContext<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        let new = wire::NewSubscription::try_from(plan)?;
        let shown: wire::Subscription = cx.client.put(cx, &path_of(&prior.id), &new).await?;
        shown.try_into()
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.delete(cx, &path_of(&prior.id)).await.none_if_not_found(Failure::is_not_found)?;
        Ok(())
    }
}

fn path_of(id: &str) -> String {
    format!("/subscriptions/{}", encoded(id))
}
