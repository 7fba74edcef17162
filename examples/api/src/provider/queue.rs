//! The resource `api_queue`.

use std::collections::BTreeMap;
use std::time::Duration as Time;

use ferroform::diag::{Result, ResultExt as _};
use ferroform::dynamic;
use ferroform::model::{AttributeValue, Convert, Model, Planned, Prior, Timeouts};
use ferroform::path::Path;
use ferroform::resource::{
    CreateContext, DeleteContext, NotFoundExt as _, ReadAfterWrite, ReadContext, Resource, UpdateContext,
};
use ferroform::schema::Equivalence;
use ferroform::semantic::{CaseInsensitive, Duration, Json};
use ferroform::validate::relation;
use ferroform::wait::{self, Wait};

use super::client::{Client, Failure, encoded};
use crate::wire;

/// What the labels begin with that belong to the service.
pub(super) const OF_THE_SERVICE: &str = "service/";

/// A queue of messages.
#[derive(Model, Convert, Clone)]
#[model(validate = relation::exactly_one_of(["name", "name_prefix"]))]
#[convert(from = wire::Queue, into = wire::NewQueue)]
pub(super) struct Queue {
    /// What the service calls the queue.
    #[attr(computed, identity)]
    pub(super) id: String,
    /// What people call the queue; upper and lower case do not matter. No two queues have the same name.
    #[attr(optional, computed, keep, replace = if_configured)]
    name: CaseInsensitive,
    /// What the name begins with, if the service is to choose one.
    #[attr(replace)]
    #[convert(skip = from)]
    name_prefix: Option<String>,
    /// Whether the order of messages matters: `standard` or `ordered`. The service has a default.
    #[attr(name = "type", optional, computed, keep, replace = if_configured)]
    kind: String,
    /// Who may do what, as JSON.
    policy: Option<Json>,
    /// How long messages are kept, such as `90m`; an hour unless told otherwise.
    #[attr(default_with = an_hour)]
    retention: Duration,
    /// Words about the queue. Those that begin with `service/` belong to the service.
    #[attr(equivalent = Equivalence::unmanaged_keys([OF_THE_SERVICE]))]
    #[convert(skip = into)]
    pub(super) labels: Option<BTreeMap<String, String>>,
    /// Where messages are kept, in no particular order.
    #[attr(equivalent = Equivalence::unordered())]
    regions: Option<Vec<Region>>,
    /// How often the queue was written.
    #[attr(computed, recompute_on = [policy, retention, labels, regions])]
    revision: u64,
    #[attr(block, timeouts = [create = "10m", update = "10m"])]
    timeouts: Option<Timeouts>,
}

fn an_hour(_: &Path) -> Result<Duration> {
    "1h".parse()
}

/// Where messages are kept.
#[derive(AttributeValue, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    /// In Asia.
    Asia,
    /// In Europe.
    Eu,
    /// In America.
    Us,
}

/// What can be changed.
fn changes(plan: &Planned<Queue>) -> Result<wire::NewQueue> {
    Ok(wire::NewQueue { name: None, name_prefix: None, kind: None, ..plan.try_into()? })
}

impl Resource for Queue {
    type Client = Client;
    const NAME: &str = "queue";
    /// `settled` has looked already.
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Off;

    /// In two calls, for the service takes labels only for what is there.
    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let client = cx.client.clone();
        let mut shown: wire::Queue = client.post(cx, "/queues", &wire::NewQueue::try_from(&plan)?).await?;
        let (path, mut revision) = (path_of(&shown.id), shown.revision);
        // From here on the queue is in the state, whatever happens.
        cx.checkpoint(&plan.observe(shown)?);
        if let Some(labels) = &plan.labels {
            shown = client.put(cx, &format!("{path}/labels"), labels).await?;
            revision = shown.revision;
        }
        let shown = settled(cx, &client, &path, revision).await?;
        cx.complete(plan.observe(shown)?)
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let shown = cx.client.get(cx, &path_of(&prior.id)).await.none_if_not_found(Failure::is_not_found)?;
        shown.map(|shown| prior.observe(shown)).transpose()
    }

    async fn update(
        cx: &mut UpdateContext<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        let client = cx.client.clone();
        let path = path_of(&prior.id);
        let shown: wire::Queue = client.put(cx, &path, &changes(&plan)?).await?;
        let mut revision = shown.revision;
        cx.checkpoint(&plan.observe(shown)?);
        if plan.changed(&prior).labels {
            let labels = plan.labels.clone().unwrap_or_default();
            let shown: wire::Queue = client.put(cx, &format!("{path}/labels"), &labels).await?;
            revision = shown.revision;
        }
        let shown = settled(cx, &client, &path, revision).await?;
        cx.complete(plan.observe(shown)?)
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.delete(cx, &path_of(&prior.id)).await.none_if_not_found(Failure::is_not_found)?;
        Ok(())
    }
}

fn path_of(id: &str) -> String {
    format!("/queues/{}", encoded(id))
}

/// The queue, once a write of it shows and it is ready. A new one is not found at first. The `timeouts` end the waiting.
async fn settled<P>(
    cx: &dynamic::Context<'_, P>,
    client: &Client,
    path: &str,
    revision: u64,
) -> Result<wire::Queue> {
    const DAY: Time = Time::from_secs(86_400);
    let probe = || async move {
        let shown: Option<wire::Queue> =
            client.get(cx, path).await.none_if_not_found(Failure::is_not_found)?;
        Ok(shown.filter(|it| it.revision >= revision && it.status == "ready"))
    };
    let wait = Wait::within(DAY).every(client.poll);
    wait::until(cx, wait, probe).await.detail("The queue was written, but is not ready.")
}
