//! The resource `demo_record`, which has an identity, and a schema that the SDK before the framework could have made:
//! so its lists of objects may be written as blocks.

use async_trait::async_trait;
use ferroform::diag::Result;
use ferroform::dynamic::{self, Change, Context, IdentityContext, Import, Imported, phase};
use ferroform::path;
use ferroform::schema::{
    Attribute, Block, BlockNesting, IdentityAttribute, IdentitySchema, NestedBlock, Replace, Schema,
};
use ferroform::ty::Type;
use ferroform::value::Value;

use super::{Cloud, part};

pub(super) struct Record {
    pub(super) cloud: Cloud,
    /// Whether the whole type is deprecated.
    pub(super) relic: bool,
}

fn text(name: &str) -> Attribute {
    Attribute::optional(name.to_owned(), Type::String)
}

#[async_trait]
impl dynamic::Resource for Record {
    fn schema(&self) -> Schema {
        let rule = || Type::object([("port", Type::Number), ("note", Type::String)]);
        let part = Block::new([text("text"), Attribute::optional("rule", Type::list(rule()))])
            .deprecation("Write it elsewhere.");
        let block = Block::new([
            Attribute::computed("id", Type::String).keep(),
            Attribute::required("name", Type::String).replace(Replace::OnChange),
            text("title").deprecation("Use the name."),
            Attribute::optional("rule", Type::list(rule())),
            Attribute::optional("label", Type::set(Type::object([("key", Type::String)]))),
        ]);
        let block = block.blocks([NestedBlock::new("part", BlockNesting::List, part)]);
        Schema::new(if self.relic { block.deprecation("Use a demo_record.") } else { block })
    }

    fn identity_schema(&self) -> Option<IdentitySchema> {
        let id = IdentityAttribute::required("id", Type::String);
        Some(IdentitySchema::new([id]))
    }

    fn identity(&self, _cx: IdentityContext<'_>, state: &Value) -> Result<Value> {
        Ok(match part(state, &path!(id)) {
            Value::Null => Value::Null,
            id => Value::object([("id", id)]),
        })
    }

    async fn create(&self, _cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        Ok(self.cloud.lock().add(change.planned))
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        let id = part(&prior, &path!(id));
        Ok(self.cloud.lock().objects.get(id.as_str().unwrap_or_default()).cloned())
    }

    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        let id = part(&change.planned, &path!(id));
        let id = id.as_str().unwrap_or_default().to_owned();
        self.cloud.lock().objects.insert(id, change.planned.clone());
        Ok(change.planned)
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result {
        let id = part(&prior, &path!(id));
        self.cloud.lock().objects.remove(id.as_str().unwrap_or_default());
        Ok(())
    }

    async fn import(&self, cx: &mut Context<'_, phase::Import>, from: Import) -> Result<Vec<Imported>> {
        let id = match from {
            Import::Identity(identity) => part(&identity, &path!(id)),
            Import::Id(id) => Value::from(id),
        };
        let found = self.read(&mut cx.for_read(), Value::object([("id", id)])).await?;
        Ok(found.into_iter().map(Imported::new).collect())
    }
}
