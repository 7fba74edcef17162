//! The typed list resource behind the object-safe trait.

use async_trait::async_trait;

use crate::client::DynamicAdapter;
use crate::diag::Result;
use crate::dynamic::{self, ListContext, ValidateContext};
use crate::list_resource::{Context, ListResource};
use crate::model::{Decode, Model};
use crate::resource::Resource;
use crate::schema::Schema;
use crate::value::Value;

#[async_trait]
impl<L: ListResource> dynamic::ListResource for DynamicAdapter<L, <L::Resource as Resource>::Client> {
    fn schema(&self) -> Schema {
        <L as Model>::schema()
    }

    async fn validate(&self, cx: &mut ValidateContext<'_>, config: &Value) -> Result {
        L::validate(cx, Decode::from_value(config)?)
    }

    async fn list(&self, cx: ListContext<'_>, config: Value) -> Result {
        let config = Decode::from_owned(config)?;
        L::list(&mut Context::new(self.client.current()?, cx), config).await
    }
}
