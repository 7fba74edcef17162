//! The typed ephemeral resource behind the object-safe trait.

use async_trait::async_trait;

use crate::client::DynamicAdapter;
use crate::diag::Result;
use crate::dynamic::{self, Close, EphemeralContext, Open, Renew, ValidateContext};
use crate::ephemeral_resource::{Context, EphemeralResource, record};
use crate::model::{Decode, Model};
use crate::private::Private;
use crate::schema::Schema;
use crate::value::Value;

impl<E: EphemeralResource> DynamicAdapter<E, E::Client> {
    fn context<'call, Phase>(
        &self,
        call: &'call mut EphemeralContext<Phase>,
    ) -> Result<Context<'call, E, Phase>> {
        Ok(Context::new(self.client.current()?, call))
    }
}

#[async_trait]
impl<E: EphemeralResource> dynamic::EphemeralResource for DynamicAdapter<E, E::Client> {
    fn schema(&self) -> Schema {
        <E as Model>::schema()
    }

    async fn validate(&self, cx: &mut ValidateContext<'_>, config: &Value) -> Result {
        E::validate(cx, Decode::from_value(config)?)
    }

    async fn open(&self, cx: &mut EphemeralContext<Open>, config: Value) -> Result<Value> {
        let config = Decode::from_owned(config)?;
        let opened = E::open(&mut self.context(cx)?, config).await?;
        Ok(opened.encode())
    }

    async fn renew(&self, cx: &mut EphemeralContext<Renew>, recorded: Private) -> Result {
        let recorded = record::read::<E>(recorded)?;
        E::renew(&mut self.context(cx)?, recorded).await
    }

    async fn close(&self, cx: &mut EphemeralContext<Close>, recorded: Private) -> Result {
        let recorded = record::read::<E>(recorded)?;
        E::close(&mut self.context(cx)?, recorded).await
    }
}
