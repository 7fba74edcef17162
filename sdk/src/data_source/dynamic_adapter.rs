//! Data sources as the server calls them.

use async_trait::async_trait;

use crate::client::DynamicAdapter;
use crate::data_source::{Context, DataSource};
use crate::diag::Result;
use crate::dynamic::{self, ValidateContext, phase};
use crate::model::{Decode, Model};
use crate::schema::Schema;
use crate::value::Value;

#[async_trait]
impl<D: DataSource> dynamic::DataSource for DynamicAdapter<D, D::Client> {
    fn schema(&self) -> Schema {
        <D as Model>::schema()
    }

    async fn validate(&self, cx: &mut ValidateContext<'_>, config: &Value) -> Result {
        D::validate(cx, Decode::from_value(config)?)
    }

    async fn read(&self, cx: &mut dynamic::Context<'_, phase::ReadData>, config: Value) -> Result<Value> {
        let config = Decode::from_owned(config)?;
        let mut cx = Context { client: self.client.current()?, call: cx.reborrow() };
        D::read(&mut cx, config).await.map(|state| state.encode())
    }
}
