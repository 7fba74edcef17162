//! A provider `demo` of a few resource types, and what its things have in common.

use std::sync::Arc;

use async_trait::async_trait;
use ferroform::diag::Result;
use ferroform::dynamic::{Catalogue, Context, Provider, Resource, phase};
use ferroform::path::Path;
use ferroform::schema::{Attribute, Block, Replace, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;

/// The provider `demo` with these resource types and nothing else.
pub(crate) struct Demo(pub(crate) Vec<(&'static str, Arc<dyn Resource>)>);

#[async_trait]
impl Provider for Demo {
    fn name(&self) -> &str {
        "demo"
    }

    fn schema(&self) -> Schema {
        Schema::new(Block::default())
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, _config: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        self.0.iter().map(|(name, resource)| (*name, Arc::clone(resource))).collect()
    }
}

/// The attributes of a thing.
pub(crate) fn attributes() -> Vec<Attribute> {
    vec![
        Attribute::computed("id", Type::String).keep(),
        Attribute::required("name", Type::String).replace(Replace::OnChange),
        Attribute::optional("size", Type::Number),
        Attribute::optional("tags", Type::set(Type::String)),
        Attribute::optional("token", Type::String).sensitive(),
        Attribute::optional("secret", Type::String).write_only(),
    ]
}

/// A part of an object; null where there is none.
pub(crate) fn part(object: &Value, path: &Path) -> Value {
    object.get(path).cloned().unwrap_or(Value::Null)
}
