//! The typed action behind the object-safe trait.

use async_trait::async_trait;

use crate::action::{Action, Context, PlanContext};
use crate::client::DynamicAdapter;
use crate::diag::Result;
use crate::dynamic::{self, InvokeContext, ValidateContext, phase};
use crate::model::{Decode, Model};
use crate::schema::Schema;
use crate::value::Value;

#[async_trait]
impl<A: Action> dynamic::Action for DynamicAdapter<A, A::Client> {
    fn schema(&self) -> Schema {
        <A as Model>::schema()
    }

    async fn validate(&self, cx: &mut ValidateContext<'_>, config: &Value) -> Result {
        A::validate(cx, Decode::from_value(config)?)
    }

    async fn plan(&self, cx: &mut dynamic::Context<'_, phase::PlanAction>, config: &Value) -> Result {
        let config = Decode::from_value(config)?;
        A::plan(&mut PlanContext { client: self.client.current()?, call: cx.reborrow() }, config).await
    }

    async fn invoke(&self, cx: InvokeContext<'_>, config: Value) -> Result {
        let config = Decode::from_owned(config)?;
        A::invoke(&mut Context::new(self.client.current()?, cx), config).await
    }
}
