//! A provider whose resource type has nested attributes, which protocol 5 cannot express.

use std::sync::Arc;

use async_trait::async_trait;
use ferroform::Serve;
use ferroform::diag::Result;
use ferroform::dynamic::{self, Change, Context, phase};
use ferroform::schema::{Attribute, Block, NestedObject, Nesting, Schema};
use ferroform::value::Value;

pub(crate) fn serve() -> Serve {
    Serve::new(Arc::new(Nested))
}

struct Nested;

#[async_trait]
impl dynamic::Provider for Nested {
    fn name(&self) -> &str {
        "nested"
    }

    fn schema(&self) -> Schema {
        Schema::new(Block::default())
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, _config: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> dynamic::Catalogue {
        let thing: Arc<dyn dynamic::Resource> = Arc::new(Thing);
        dynamic::Catalogue::new().with("nested_thing", thing)
    }
}

struct Thing;

#[async_trait]
impl dynamic::Resource for Thing {
    fn schema(&self) -> Schema {
        let inner = || vec![Attribute::optional("inner", ferroform::ty::Type::String)];
        let nested = |name| Attribute::optional(name, NestedObject::new(Nesting::Single, inner()));
        Schema::new(Block::new(["a", "b", "c", "d", "e"].map(nested)))
    }

    async fn create(&self, _cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        Ok(change.planned)
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        Ok(Some(prior))
    }

    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        Ok(change.planned)
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, _prior: Value) -> Result {
        Ok(())
    }
}
