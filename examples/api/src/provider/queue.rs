//! The resource `api_queue`.

use std::collections::BTreeMap;
use std::time::Duration as Time;

use ferroform::diag::{Result, ResultExt as _};
use ferroform::model::{AttributeValue, Model, Planned, Prior, Timeouts, observed};
use ferroform::path::Path;
use ferroform::resource::{Context, OrGone as _, ReadAfterWrite, Resource};
use ferroform::semantic::{CaseInsensitive, Duration, Json, foreign_keys, unordered};
use ferroform::validate::relation;
use ferroform::wait::{self, Wait};
use ferroform::{dynamic, path};

use super::client::{Client, Failure, encoded};
use crate::wire;

/// A queue of messages.
#[derive(Model, Clone)]
#[model(validate = relation::exactly_one_of(["name", "name_prefix"]))]
pub(super) struct Queue {
    /// What the service calls the queue.
    #[attr(computed, identity)]
    id: String,
    /// What people call the queue; upper and lower case do not matter. No two queues have the same name.
    #[attr(optional, computed, keep, replace = if_configured)]
    name: CaseInsensitive,
    /// What the name begins with, if the service is to choose one.
    #[attr(replace)]
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
    #[attr(equivalent = foreign_keys(["service/"]))]
    labels: Option<BTreeMap<String, String>>,
    /// Where messages are kept, in no particular order.
    #[attr(equivalent = unordered())]
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

/// What the service does not show of a queue.
#[derive(Clone)]
struct Unseen {
    name_prefix: Option<String>,
    timeouts: Option<Timeouts>,
}

impl Queue {
    fn seen(shown: wire::Queue, unseen: Unseen) -> Result<Self> {
        let regions = shown
            .regions
            .map(|regions| observed::list(regions, |it| it.parse().summary("Unreadable Answer")));
        Ok(Self {
            id: shown.id,
            name: shown.name.parse().at(path!(name))?,
            name_prefix: unseen.name_prefix,
            kind: shown.kind,
            policy: shown.policy.map(|it| it.parse()).transpose().at(path!(policy))?,
            retention: shown.retention.parse().at(path!(retention))?,
            labels: Some(shown.labels),
            regions: regions.transpose().at(path!(regions))?,
            revision: shown.revision,
            timeouts: unseen.timeouts,
        })
    }
}

/// What can be changed.
fn changeable(plan: &Planned<Queue>) -> wire::NewQueue {
    let regions = plan.regions.as_ref();
    wire::NewQueue {
        policy: plan.policy.as_ref().map(|it| it.as_str().to_owned()),
        retention: plan.retention.as_str().to_owned(),
        regions: regions.map(|regions| regions.iter().map(Region::to_string).collect()),
        ..wire::NewQueue::default()
    }
}

impl Resource for Queue {
    type Client = Client;
    const NAME: &str = "queue";
    /// `settled` has looked already.
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Off;

    /// In two calls, for the service takes labels only for what is there.
    async fn create(cx: &mut Context<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let client = cx.client.clone();
        let unseen = Unseen { name_prefix: plan.name_prefix.clone(), timeouts: plan.timeouts.clone() };
        let wanted = wire::NewQueue {
            name: plan.name.as_known().map(|it| it.as_str().to_owned()),
            name_prefix: plan.name_prefix.clone(),
            kind: plan.kind.as_known().cloned(),
            ..changeable(&plan)
        };
        let mut shown: wire::Queue = client.post(cx, "/queues", &wanted).await?;
        let (path, mut revision) = (path_of(&shown.id), shown.revision);
        // From here on the queue is in the state, whatever happens.
        cx.checkpoint(&Self::seen(shown, unseen.clone())?);
        if let Some(labels) = &plan.labels {
            shown = client.put(cx, &format!("{path}/labels"), labels).await?;
            revision = shown.revision;
        }
        let shown = settled(cx, &client, &path, revision).await?;
        cx.complete(&plan, Self::seen(shown, unseen)?)
    }

    async fn read(cx: &mut Context<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let shown = cx.client.get(cx, &path_of(&prior.id)).await.or_gone(Failure::is_not_found)?;
        let unseen = Unseen { name_prefix: prior.name_prefix, timeouts: prior.timeouts };
        shown.map(|shown| Self::seen(shown, unseen)).transpose()
    }

    async fn update(cx: &mut Context<'_, Self>, prior: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        let client = cx.client.clone();
        let unseen = Unseen { name_prefix: plan.name_prefix.clone(), timeouts: plan.timeouts.clone() };
        let path = path_of(&prior.id);
        let shown: wire::Queue = client.put(cx, &path, &changeable(&plan)).await?;
        let mut revision = shown.revision;
        cx.checkpoint(&Self::seen(shown, unseen.clone())?);
        if plan.labels != prior.labels {
            let labels = plan.labels.clone().unwrap_or_default();
            let shown: wire::Queue = client.put(cx, &format!("{path}/labels"), &labels).await?;
            revision = shown.revision;
        }
        let shown = settled(cx, &client, &path, revision).await?;
        cx.complete(&plan, Self::seen(shown, unseen)?)
    }

    async fn delete(cx: &mut Context<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.delete(cx, &path_of(&prior.id)).await.or_gone(Failure::is_not_found)?;
        Ok(())
    }
}

fn path_of(id: &str) -> String {
    format!("/queues/{}", encoded(id))
}

/// The queue, once a write of it shows and it is ready. A new one is not found at first. The `timeouts` end the waiting.
async fn settled(cx: &dynamic::Context, client: &Client, path: &str, revision: u64) -> Result<wire::Queue> {
    const DAY: Time = Time::from_secs(86_400);
    let probe = || async move {
        let shown: Option<wire::Queue> = client.get(cx, path).await.or_gone(Failure::is_not_found)?;
        Ok(shown.filter(|it| it.revision >= revision && it.status == "ready"))
    };
    let wait = Wait::within(DAY).every(client.poll);
    wait::until(cx, wait, probe).await.detail("The queue was written, but is not ready.")
}
