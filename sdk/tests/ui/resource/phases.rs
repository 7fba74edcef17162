use ferroform::diag::Result;
use ferroform::dynamic::{Context, ValidateContext, phase};
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::path;
use ferroform::resource::{
    CreateContext, DeleteContext, PlanDeleteContext, ReadContext, Resource, UpdateContext,
};
use ferroform::value::Value;
use ferroform_server::protocol::Deferred;

#[derive(Model, Clone)]
struct Bucket {
    name: String,
}

impl Resource for Bucket {
    type Client = ();
    const NAME: &str = "bucket";

    fn validate(cx: &mut ValidateContext<'_>, _: Draft<Self>) -> Result {
        cx.checkpoint(Value::Null);
        Ok(())
    }

    async fn plan_delete(cx: &mut PlanDeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        cx.requires_replace(path!(name));
        Ok(())
    }

    async fn create(cx: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> {
        cx.defer(Deferred::AbsentPrerequisite);
        unreachable!()
    }

    async fn read(cx: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        cx.requires_replace(path!(name));
        cx.checkpoint(&Self { name: String::new() });
        cx.config().map(|_| None)
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, prior: Prior<Self>, _: Planned<Self>) -> Result<Self> {
        Self::read(cx, prior).await?;
        unreachable!()
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        cx.defer(Deferred::AbsentPrerequisite);
        Ok(())
    }
}

/// A helper says which phases it is for.
fn defer<P>(cx: &mut Context<'_, P>) {
    cx.defer(Deferred::AbsentPrerequisite);
}

/// Reading is no phase that applies.
fn record(cx: &mut Context<'_, phase::Read>) {
    fn save<P: phase::Applies>(cx: &mut Context<'_, P>) {
        cx.checkpoint(Value::Null);
    }
    save(cx);
}

fn main() {}
