//! The typed state store behind the object-safe traits.

use std::sync::Arc;

use async_trait::async_trait;

use crate::client::DynamicAdapter;
use crate::diag::Result;
use crate::dynamic::{self, ValidateContext, phase};
use crate::model::{Decode, Model};
use crate::schema::Schema;
use crate::state_store::{StateSink, StateSource, StateStore, Store, StoreContext};
use crate::value::Value;

#[async_trait]
impl<S: StateStore> dynamic::StateStore for DynamicAdapter<S, S::Client> {
    fn schema(&self) -> Schema {
        <S as Model>::schema()
    }

    async fn validate(&self, cx: &mut ValidateContext<'_>, config: &Value) -> Result {
        S::validate(cx, Decode::from_value(config)?)
    }

    async fn configure(
        &self,
        cx: &mut dynamic::Context<'_, phase::ConfigureStateStore>,
        config: Value,
    ) -> Result<Arc<dyn dynamic::Store>> {
        let config = Decode::from_owned(config)?;
        Ok(Arc::new(Opened(S::configure(self.client.current()?, cx, config).await?)))
    }
}

struct Opened<S>(S);

#[async_trait]
impl<S: Store> dynamic::Store for Opened<S> {
    fn chunk_size(&self, proposed: usize) -> usize {
        self.0.chunk_size(proposed)
    }

    async fn read(&self, cx: &StoreContext, id: &str, state: StateSink<'_>) -> Result {
        self.0.read(cx, id, state).await
    }

    async fn write(&self, cx: &StoreContext, id: &str, state: StateSource<'_>) -> Result {
        self.0.write(cx, id, state).await
    }

    async fn lock(&self, cx: &StoreContext, id: &str, operation: &str) -> Result<String> {
        self.0.lock(cx, id, operation).await
    }

    async fn unlock(&self, cx: &StoreContext, id: &str, lock_id: &str) -> Result {
        self.0.unlock(cx, id, lock_id).await
    }

    async fn list(&self, cx: &StoreContext) -> Result<Vec<String>> {
        self.0.list(cx).await
    }

    async fn delete(&self, cx: &StoreContext, id: &str) -> Result {
        self.0.delete(cx, id).await
    }
}
