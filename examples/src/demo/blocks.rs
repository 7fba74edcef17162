//! The provider for protocol 5: blocks stand where protocol 6 has nested attributes.
//!
//! A nested attribute and a block of the same nesting have values of the same form, so that only schemas differ and
//! the resources need not know. A provider that has to serve protocol 5 for good writes `#[attr(block)]` instead.

use std::sync::Arc;

use async_trait::async_trait;
use ferroform::diag::{Diagnostics, Result};
use ferroform::dynamic::{
    Catalogue, Change, Context, IdentityContext, Import, Imported, MoveSource, PlannedChange, Provider,
    Resource, StoredValue, UpgradePaths, UpgradedTypes, phase,
};
use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, IdentitySchema, NestedBlock, NestedObject, Nesting,
    Presence, Schema,
};
use ferroform::value::Value;

/// A provider whose resources have blocks instead of nested attributes.
pub(super) struct Blocks(pub(super) Arc<dyn Provider>);

#[async_trait]
impl Provider for Blocks {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema(&self) -> Schema {
        with_blocks(self.0.schema())
    }

    async fn validate(&self, cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
        self.0.validate(cx, config).await
    }

    async fn configure(&self, cx: &mut Context<'_, phase::Configure>, config: Value) -> Result {
        self.0.configure(cx, config).await
    }

    fn catalogue(&self) -> Catalogue {
        self.0.catalogue().map::<dyn Resource>(|resource| Arc::new(BlockResource(resource)))
    }
}

struct BlockResource(Arc<dyn Resource>);

#[async_trait]
impl Resource for BlockResource {
    fn schema(&self) -> Schema {
        with_blocks(self.0.schema())
    }

    async fn validate(&self, cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
        self.0.validate(cx, config).await
    }

    async fn plan(&self, cx: &mut Context<'_, phase::Plan>, plan: &mut PlannedChange) -> Result {
        self.0.plan(cx, plan).await
    }

    async fn plan_delete(&self, cx: &mut Context<'_, phase::PlanDelete>, prior: &Value) -> Result {
        self.0.plan_delete(cx, prior).await
    }

    async fn create(&self, cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        self.0.create(cx, change).await
    }

    async fn read(&self, cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        self.0.read(cx, prior).await
    }

    async fn update(
        &self,
        cx: &mut Context<'_, phase::Update>,
        prior: Value,
        change: Change,
    ) -> Result<Value> {
        self.0.update(cx, prior, change).await
    }

    async fn delete(&self, cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result {
        self.0.delete(cx, prior).await
    }

    async fn import(&self, cx: &mut Context<'_, phase::Import>, from: Import) -> Result<Vec<Imported>> {
        self.0.import(cx, from).await
    }

    fn identity_schema(&self) -> Option<IdentitySchema> {
        self.0.identity_schema()
    }

    fn identity(&self, cx: IdentityContext<'_>, state: &Value) -> Result<Value> {
        self.0.identity(cx, state)
    }

    fn upgrade_paths(&self) -> UpgradePaths {
        self.0.upgrade_paths()
    }

    fn upgraded_types(&self) -> UpgradedTypes {
        self.0.upgraded_types()
    }

    async fn upgrade(&self, cx: &mut Context<'_, phase::Upgrade>, stored: StoredValue) -> Result<Value> {
        self.0.upgrade(cx, stored).await
    }

    async fn upgrade_identity(
        &self,
        cx: &mut Context<'_, phase::Upgrade>,
        stored: StoredValue,
    ) -> Result<Value> {
        self.0.upgrade_identity(cx, stored).await
    }

    async fn move_state(
        &self,
        cx: &mut Context<'_, phase::Move>,
        source: MoveSource,
    ) -> Result<Option<Value>> {
        self.0.move_state(cx, source).await
    }

    fn mistakes(&self) -> Diagnostics {
        self.0.mistakes()
    }
}

fn with_blocks(mut schema: Schema) -> Schema {
    let split = split(std::mem::take(&mut schema.block.attributes));
    schema.block.attributes = split.attributes;
    schema.block.blocks.extend(split.blocks);
    schema
}

/// A body of the plain attributes as they are and the nested ones as blocks.
fn split(attributes: Vec<Attribute>) -> Block {
    let mut block = Block::default();
    for attribute in attributes {
        match attribute.ty {
            AttributeType::Plain(_) => block.attributes.push(attribute),
            AttributeType::Nested(ref object) => block.blocks.push(nested_block(&attribute, object)),
        }
    }
    block
}

fn nested_block(attribute: &Attribute, object: &NestedObject) -> NestedBlock {
    let nesting = match object.nesting {
        Nesting::Single => BlockNesting::Single,
        Nesting::List => BlockNesting::List,
        Nesting::Set => BlockNesting::Set,
        Nesting::Map => BlockNesting::Map,
    };
    // A collection of blocks that is left out is empty, which a required attribute may be as well.
    let items = u32::from(object.nesting == Nesting::Single && attribute.presence == Presence::Required);
    let mut block = split(object.attributes.clone()).description(attribute.description.clone());
    block.deprecation.clone_from(&attribute.deprecation);
    NestedBlock::new(attribute.name.clone(), nesting, block).min_items(items).max_items(items)
}
