//! A provider of many resource types, for measurements: it does nothing, at any size.

use std::sync::Arc;

use async_trait::async_trait;
use ferroform::diag::Result;
use ferroform::dynamic::{Catalogue, Change, Context, Provider, Resource, phase};
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;

/// The provider `wide`.
#[derive(Debug, Clone, Copy)]
pub struct Wide {
    /// How many resource types there are.
    pub types: usize,
    /// How many attributes each has, at least three.
    pub attributes: usize,
}

#[async_trait]
impl Provider for Wide {
    fn name(&self) -> &str {
        "wide"
    }

    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, _config: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        let of = |number| {
            let kind: Arc<dyn Resource> = Arc::new(Kind { attributes: self.attributes });
            (format!("wide_type_{number:04}"), kind)
        };
        (0..self.types).map(of).collect()
    }
}

struct Kind {
    attributes: usize,
}

/// Names and descriptions of the length that real providers have.
fn attribute(number: usize) -> Attribute {
    let name = format!("attribute_number_{number:02}");
    let ty = match number % 4 {
        0 => Type::Number,
        1 => Type::Bool,
        2 => Type::list(Type::String),
        _ => Type::String,
    };
    let attribute = match number % 3 {
        0 => Attribute::computed(name, ty),
        1 => Attribute::optional(name, ty),
        _ => Attribute::optional_computed(name, ty),
    };
    attribute.description("What this attribute is for, in one sentence of usual length.")
}

#[async_trait]
impl Resource for Kind {
    fn schema(&self) -> Schema {
        let named = [
            Attribute::computed("id", Type::String).keep(),
            Attribute::required("name", Type::String),
            Attribute::optional("size", Type::Number),
        ];
        let more = (named.len()..self.attributes).map(attribute);
        Schema::new(Block::new(named.into_iter().chain(more)))
    }

    async fn create(&self, _cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        Ok(known(change.planned))
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
        Ok(known(change.planned))
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, _prior: Value) -> Result {
        Ok(())
    }
}

/// The planned state with an id, and null for everything else that is computed.
fn known(planned: Value) -> Value {
    let Value::Object(entries) = planned else { return planned };
    let filled = entries.into_iter().map(|(name, value)| match (&*name, value) {
        ("id", Value::Unknown(_)) => (name, Value::string("1")),
        (_, Value::Unknown(_)) => (name, Value::Null),
        (_, value) => (name, value),
    });
    Value::Object(filled.collect())
}
