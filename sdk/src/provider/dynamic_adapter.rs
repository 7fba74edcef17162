//! The typed provider behind the object-safe trait.

use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;

use crate::client::ClientSlot;
use crate::diag::Result;
use crate::dynamic::{self, Catalogue, ValidateContext, phase};
use crate::model::{Decode, Model};
use crate::provider::{Provider, Registry};
use crate::schema::Schema;
use crate::value::Value;

/// Puts a typed provider together, ready to be served.
///
/// ```
/// use ferroform::prelude::*;
/// use ferroform::provider::assemble;
///
/// struct Empty;
///
/// impl Provider for Empty {
///     type Config = ();
///     type Client = ();
///     const NAME: &str = "empty";
///
///     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
///         Ok(())
///     }
///
///     fn register(_: &mut Registry<()>) {}
/// }
///
/// assert_eq!(assemble::<Empty>().name(), "empty");
/// ```
#[must_use]
pub fn assemble<P: Provider>() -> Arc<dyn dynamic::Provider> {
    let client = ClientSlot::default();
    let mut registry = Registry::new(P::NAME, client.clone());
    P::register(&mut registry);
    let Registry { catalogue, meta, .. } = registry;
    Arc::new(DynamicAdapter::<P> { client, catalogue, meta, provider: PhantomData })
}

struct DynamicAdapter<P: Provider> {
    client: ClientSlot<P::Client>,
    catalogue: Catalogue,
    meta: Option<fn() -> Schema>,
    provider: PhantomData<fn() -> P>,
}

#[async_trait]
impl<P: Provider> dynamic::Provider for DynamicAdapter<P> {
    fn name(&self) -> &str {
        P::NAME
    }

    fn schema(&self) -> Schema {
        <P::Config as Model>::schema()
    }

    fn meta_schema(&self) -> Option<Schema> {
        self.meta.map(|schema| schema())
    }

    async fn validate(&self, cx: &mut ValidateContext<'_>, config: &Value) -> Result {
        P::validate(cx, Decode::from_value(config)?)
    }

    async fn configure(&self, cx: &mut dynamic::Context<'_, phase::Configure>, config: Value) -> Result {
        let config = Decode::from_owned(config)?;
        let client = P::configure(cx, config).await?;
        // Recorded errors fail the call as a returned one does, and the last client stays.
        if !cx.diagnostics().has_errors() {
            self.client.fill(client);
        }
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        self.catalogue.clone()
    }
}
