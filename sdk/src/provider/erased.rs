//! The typed provider behind the object-safe trait.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;

use crate::diag::{Diagnostics, Result};
use crate::dynamic;
use crate::model::{Decode, Draft, Model};
use crate::path::Path;
use crate::provider::{ClientSlot, Context, Provider, Registry};
use crate::schema::Schema;
use crate::value::Value;

/// Puts a typed provider together, ready to be served.
#[must_use]
pub fn assemble<P: Provider>() -> Arc<dyn dynamic::Provider> {
    let client = ClientSlot::default();
    let mut registry = Registry::new(P::NAME, client.clone());
    P::register(&mut registry);
    let Registry { resources, data_sources, mistakes, .. } = registry;
    Arc::new(Erased::<P> { client, resources, data_sources, mistakes, provider: PhantomData })
}

struct Erased<P: Provider> {
    client: ClientSlot<P::Client>,
    resources: BTreeMap<String, Arc<dyn dynamic::Resource>>,
    data_sources: BTreeMap<String, Arc<dyn dynamic::DataSource>>,
    mistakes: Diagnostics,
    provider: PhantomData<fn() -> P>,
}

fn draft<P: Provider>(config: Value) -> Result<Draft<P::Config>> {
    Decode::decode(config, &mut Path::root())
}

#[async_trait]
impl<P: Provider> dynamic::Provider for Erased<P> {
    fn name(&self) -> &str {
        P::NAME
    }

    fn schema(&self) -> Schema {
        <P::Config as Model>::schema()
    }

    fn meta_schema(&self) -> Option<Schema> {
        P::meta_schema()
    }

    async fn validate(&self, cx: &mut dynamic::Context, config: &Value) -> Result {
        P::validate(cx, draft::<P>(config.clone())?)
    }

    async fn configure(&self, cx: &mut dynamic::Context, config: Value) -> Result {
        let config = draft::<P>(config)?;
        let client = P::configure(&mut Context::new(cx), config).await?;
        // Recorded errors fail the call as a returned one does, and the last client stays.
        if !cx.diagnostics.has_errors() {
            self.client.fill(client);
        }
        Ok(())
    }

    fn resource_names(&self) -> Vec<String> {
        self.resources.keys().cloned().collect()
    }

    fn resource(&self, type_name: &str) -> Option<Arc<dyn dynamic::Resource>> {
        self.resources.get(type_name).cloned()
    }

    fn data_source_names(&self) -> Vec<String> {
        self.data_sources.keys().cloned().collect()
    }

    fn data_source(&self, type_name: &str) -> Option<Arc<dyn dynamic::DataSource>> {
        self.data_sources.get(type_name).cloned()
    }

    fn mistakes(&self) -> Diagnostics {
        let mut mistakes = self.mistakes.clone();
        for resource in self.resources.values() {
            mistakes.extend(resource.mistakes());
        }
        mistakes
    }
}
