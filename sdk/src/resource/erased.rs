//! The typed resource behind the object-safe trait.

use async_trait::async_trait;

use crate::diag::Result;
use crate::dynamic::{self, Change, PlannedChange};
use crate::model::{Decode, Draft, Encode, Model, Planned, Prior};
use crate::path::Path;
use crate::plan::keep_untouched;
use crate::provider::ClientSlot;
use crate::resource::read_back::read_back;
use crate::resource::{Context, Resource};
use crate::schema::Schema;
use crate::value::Value;

/// A resource type and where its client will be.
pub(crate) struct Erased<R: Resource> {
    client: ClientSlot<R::Client>,
}

impl<R: Resource> Erased<R> {
    pub(crate) fn new(client: ClientSlot<R::Client>) -> Self {
        Self { client }
    }

    fn context<'call>(&self, call: &'call mut dynamic::Context) -> Result<Context<'call, R>> {
        Ok(Context::new(self.client.current()?, call))
    }
}

fn decode<T: Decode>(value: Value) -> Result<T> {
    T::decode(value, &mut Path::root())
}

#[async_trait]
impl<R: Resource> dynamic::Resource for Erased<R> {
    fn schema(&self) -> Schema {
        <R as Model>::schema()
    }

    async fn validate(&self, cx: &mut dynamic::Context, config: &Value) -> Result {
        R::validate(cx, decode::<Draft<R>>(config.clone())?)
    }

    async fn plan(&self, cx: &mut dynamic::Context, change: &mut PlannedChange) -> Result {
        let prior =
            if change.prior.is_null() { None } else { Some(decode::<Prior<R>>(change.prior.clone())?) };
        let mut plan = decode::<Draft<R>>(change.planned.clone())?;
        let before = plan.clone().encode();
        let config = decode::<Draft<R>>(change.config.clone())?;
        let mut cx = self.context(cx)?;
        R::plan(&mut cx, prior, &mut plan, config).await?;
        let original = std::mem::replace(&mut change.planned, Value::Null);
        change.planned = keep_untouched(original, &before, plan.encode());
        Ok(())
    }

    async fn plan_delete(&self, cx: &mut dynamic::Context, prior: &Value) -> Result {
        let prior = decode(prior.clone())?;
        R::plan_delete(&mut self.context(cx)?, prior).await
    }

    async fn create(&self, cx: &mut dynamic::Context, change: Change) -> Result<Value> {
        let plan = decode::<Planned<R>>(change.planned.clone())?;
        let mut cx = self.context(cx)?;
        let state = R::create(&mut cx, plan).await?.encode();
        read_back(&mut cx, &change.planned, state).await
    }

    async fn read(&self, cx: &mut dynamic::Context, prior: Value) -> Result<Option<Value>> {
        let prior = decode(prior)?;
        let state = R::read(&mut self.context(cx)?, prior).await?;
        Ok(state.map(|state| state.encode()))
    }

    async fn update(&self, cx: &mut dynamic::Context, prior: Value, change: Change) -> Result<Value> {
        let prior = decode(prior)?;
        let plan = decode::<Planned<R>>(change.planned.clone())?;
        let mut cx = self.context(cx)?;
        let state = R::update(&mut cx, prior, plan).await?.encode();
        read_back(&mut cx, &change.planned, state).await
    }

    async fn delete(&self, cx: &mut dynamic::Context, prior: Value) -> Result {
        let prior = decode(prior)?;
        R::delete(&mut self.context(cx)?, prior).await
    }

    async fn import(&self, cx: &mut dynamic::Context, id: &str) -> Result<Option<Value>> {
        let state = R::import(&mut self.context(cx)?, id.to_owned()).await?;
        Ok(state.map(|state| state.encode()))
    }
}
