//! The typed resource behind the object-safe trait.

use std::sync::OnceLock;

use async_trait::async_trait;

use crate::client::ClientSlot;
use crate::diag::{Diagnostics, Error, Result};
use crate::dynamic::{
    self, Change, MoveSource, PlannedChange, StoredValue, UpgradePaths, UpgradedTypes, ValidateContext, phase,
};
use crate::model::{Decode, Draft, Encode, Identity as _, Model, Planned, Prior};
use crate::plan::restore_untouched;
use crate::resource::upgrade::StoredForm;
use crate::resource::{
    Context, IdentityContext, IdentityUpgrades, Import, Moves, ReadAfterWrite, Resource, Upgrades, identity,
};
use crate::schema::{IdentitySchema, Schema};
use crate::value::Value;

/// A resource type and where its client will be.
pub(crate) struct DynamicAdapter<R: Resource> {
    client: ClientSlot<R::Client>,
    upgrades: OnceLock<Upgrades<R>>,
    identity_upgrades: OnceLock<IdentityUpgrades<R>>,
    moves: OnceLock<Moves<R>>,
}

impl<R: Resource> DynamicAdapter<R> {
    pub(crate) fn new(client: ClientSlot<R::Client>) -> Self {
        Self { client, upgrades: OnceLock::new(), identity_upgrades: OnceLock::new(), moves: OnceLock::new() }
    }

    fn upgrades(&self) -> &Upgrades<R> {
        self.upgrades.get_or_init(R::upgrades)
    }

    fn identity_upgrades(&self) -> &IdentityUpgrades<R> {
        self.identity_upgrades.get_or_init(R::identity_upgrades)
    }

    fn context<'call, Phase>(
        &self,
        call: &'call mut dynamic::Context<'_, Phase>,
    ) -> Result<Context<'call, R, Phase>> {
        Ok(Context { client: self.client.current()?, call: call.reborrow() })
    }
}

/// Says of a stored state that cannot be decoded what its user can do.
fn stored<T>(decoded: Result<T>) -> Result<T> {
    decoded.map_err(with_remedy)
}

/// Separate from the generic [`stored`], so that it is compiled once.
fn with_remedy(error: Error) -> Error {
    error.detail_within(
        "The stored state does not fit this release of the provider.",
        "Use the release that stored it, or remove the resource from the state with `state rm` and import the object.",
    )
}

#[async_trait]
impl<R: Resource> dynamic::Resource for DynamicAdapter<R> {
    fn schema(&self) -> Schema {
        <R as Model>::schema()
    }

    async fn validate(&self, cx: &mut ValidateContext<'_>, config: &Value) -> Result {
        R::validate(cx, Draft::<R>::from_value(config)?)
    }

    async fn plan(&self, cx: &mut dynamic::Context<'_, phase::Plan>, change: &mut PlannedChange) -> Result {
        // Core configures the provider first. A tool that asks what forces a replacement has no configuration, and then
        // the annotations alone plan.
        let Some(client) = self.client.get() else { return Ok(()) };
        let mut plan = Draft::<R>::from_value(&change.planned)?;
        let prior =
            if change.prior.is_null() { None } else { Some(stored(Prior::<R>::from_value(&change.prior))?) };
        let config = Draft::<R>::from_value(&change.config)?;
        R::plan(&mut Context { client, call: cx.reborrow() }, prior, &mut plan, config).await?;
        let after = plan.encode();
        if after == change.planned {
            return Ok(());
        }
        let before = Draft::<R>::from_value(&change.planned)?.encode();
        let original = std::mem::replace(&mut change.planned, Value::Null);
        change.planned = restore_untouched(original, &before, after);
        Ok(())
    }

    async fn plan_delete(&self, cx: &mut dynamic::Context<'_, phase::PlanDelete>, prior: &Value) -> Result {
        let prior = stored(Decode::from_value(prior))?;
        R::plan_delete(&mut self.context(cx)?, prior).await
    }

    /// Typed methods see what is planned, in which write-only attributes have their configured values.
    fn uses_config(&self) -> bool {
        false
    }

    async fn create(&self, cx: &mut dynamic::Context<'_, phase::Create>, change: Change) -> Result<Value> {
        let plan = Planned::<R>::from_owned(change.planned)?;
        Ok(R::create(&mut self.context(cx)?, plan).await?.encode())
    }

    async fn read(&self, cx: &mut dynamic::Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        let prior = stored(Decode::from_owned(prior))?;
        let state = R::read(&mut self.context(cx)?, prior).await?;
        Ok(state.map(|state| state.encode()))
    }

    async fn update(
        &self,
        cx: &mut dynamic::Context<'_, phase::Update>,
        prior: Value,
        change: Change,
    ) -> Result<Value> {
        let prior = stored(Decode::from_owned(prior))?;
        let plan = Planned::<R>::from_owned(change.planned)?;
        Ok(R::update(&mut self.context(cx)?, prior, plan).await?.encode())
    }

    fn read_after_write(&self) -> ReadAfterWrite {
        R::READ_AFTER_WRITE
    }

    async fn delete(&self, cx: &mut dynamic::Context<'_, phase::Delete>, prior: Value) -> Result {
        let prior = stored(Decode::from_owned(prior))?;
        R::delete(&mut self.context(cx)?, prior).await
    }

    async fn import(
        &self,
        cx: &mut dynamic::Context<'_, phase::Import>,
        from: dynamic::Import,
    ) -> Result<Vec<dynamic::Imported>> {
        let from = match from {
            dynamic::Import::Id(id) => Import::Id(id),
            dynamic::Import::Identity(identity) => Import::Identity(Decode::from_owned(identity)?),
        };
        Ok(R::import(&mut self.context(cx)?, from).await?.objects)
    }

    fn identity_schema(&self) -> Option<IdentitySchema> {
        R::Identity::schema()
    }

    fn identity(&self, cx: dynamic::IdentityContext<'_>, state: &Value) -> Result<Value> {
        identity::of(&IdentityContext::<R>::new(self.client.get(), cx), state)
    }

    fn upgrade_paths(&self) -> UpgradePaths {
        let states = &self.upgrades().runner.graph;
        let mut paths = UpgradePaths::default();
        paths.state = states.paths(StoredForm::Json);
        paths.flatmap = states.paths(StoredForm::Flatmap);
        paths.identity = self.identity_upgrades().runner.graph.paths(StoredForm::Json);
        paths
    }

    fn upgraded_types(&self) -> UpgradedTypes {
        let mut types = UpgradedTypes::default();
        types.state = self.upgrades().runner.graph.types();
        types.identity = self.identity_upgrades().runner.graph.types();
        types
    }

    async fn upgrade(
        &self,
        cx: &mut dynamic::Context<'_, phase::Upgrade>,
        stored: StoredValue,
    ) -> Result<Value> {
        self.upgrades().runner.run(&self.client, cx, stored).await
    }

    async fn upgrade_identity(
        &self,
        cx: &mut dynamic::Context<'_, phase::Upgrade>,
        stored: StoredValue,
    ) -> Result<Value> {
        self.identity_upgrades().runner.run(&self.client, cx, stored).await
    }

    async fn move_state(
        &self,
        cx: &mut dynamic::Context<'_, phase::Move>,
        source: MoveSource,
    ) -> Result<Option<Value>> {
        self.moves.get_or_init(R::moves).take(cx, &source)
    }

    fn mistakes(&self) -> Diagnostics {
        let mut mistakes = self.upgrades().runner.graph.mistakes("state", R::NAME);
        mistakes.extend(self.identity_upgrades().runner.graph.mistakes("identity", R::NAME));
        mistakes
    }
}
