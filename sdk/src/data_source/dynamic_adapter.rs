//! Data sources as the server calls them.

use async_trait::async_trait;

use crate::client::ClientSlot;
use crate::data_source::{Context, DataSource};
use crate::diag::Result;
use crate::dynamic;
use crate::model::{Decode, Model};
use crate::schema::Schema;
use crate::value::Value;

/// A data source type and where its client will be.
pub(crate) struct DynamicAdapter<D: DataSource> {
    client: ClientSlot<D::Client>,
}

impl<D: DataSource> DynamicAdapter<D> {
    pub(crate) fn new(client: ClientSlot<D::Client>) -> Self {
        Self { client }
    }
}

#[async_trait]
impl<D: DataSource> dynamic::DataSource for DynamicAdapter<D> {
    fn schema(&self) -> Schema {
        <D as Model>::schema()
    }

    async fn validate(
        &self,
        cx: &mut dynamic::Context<'_, dynamic::phase::Validate>,
        config: &Value,
    ) -> Result {
        D::validate(cx, Decode::from_value(config)?)
    }

    async fn read(
        &self,
        cx: &mut dynamic::Context<'_, dynamic::phase::ReadData>,
        config: Value,
    ) -> Result<Value> {
        let config = Decode::from_owned(config)?;
        let mut cx = Context { client: self.client.current()?, call: cx.reborrow() };
        D::read(&mut cx, config).await.map(|state| state.encode())
    }
}
