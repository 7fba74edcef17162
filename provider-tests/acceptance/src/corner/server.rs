//! An attribute that the service fills, declared as it has to be and as it must not be.

use ferroform::diag::Result;
use ferroform::model::{Model, Planned, Prior};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};

use super::store::{Store, object, shown};

/// The type is filled by the service.
#[derive(Model, Clone)]
pub(super) struct Server {
    #[attr(replace, identity)]
    label: String,
    name: String,
    #[attr(optional, computed, name = "type")]
    kind: String,
}

impl Resource for Server {
    type Client = Store;
    const NAME: &'static str = "server";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let kind = plan.kind.known_or(cx.client.usual_type.clone());
        cx.client.put(&plan.label, &object([("name", &plan.name), ("type", &kind)]))?;
        Ok(Self { label: plan.label, name: plan.name, kind })
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let Some(found) = cx.client.get(&prior.label)? else { return Ok(None) };
        Ok(Some(Self { label: prior.label, name: shown(&found, "name")?, kind: shown(&found, "type")? }))
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove(&prior.label)
    }
}

/// The same, but the type is not declared computed.
#[derive(Model, Clone)]
pub(super) struct Strict {
    #[attr(replace, identity)]
    label: String,
    #[attr(name = "type")]
    kind: Option<String>,
}

impl Resource for Strict {
    type Client = Store;
    const NAME: &'static str = "strict";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let kind = plan.kind.as_ref().unwrap_or(&cx.client.usual_type);
        cx.client.put(&plan.label, &object([("type", kind)]))?;
        Ok(Self { label: plan.label, kind: plan.kind })
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let Some(found) = cx.client.get(&prior.label)? else { return Ok(None) };
        Ok(Some(Self { label: prior.label, kind: Some(shown(&found, "type")?) }))
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove(&prior.label)
    }
}
