//! The typed resource behind the object-safe trait.

use std::sync::OnceLock;

use async_trait::async_trait;

use crate::client::ClientSlot;
use crate::diag::{Diagnostics, Result};
use crate::dynamic::{self, Change, MoveSource, PlannedChange, StoredValue, UpgradePaths, UpgradedTypes};
use crate::model::{Decode, Draft, Encode, Identity as _, Model, Planned, Prior};
use crate::path::Path;
use crate::plan::keep_untouched;
use crate::resource::read_back::{Write, prior_for_read_back, read_back};
use crate::resource::ways::Form;
use crate::resource::{
    Context, IdentityContext, IdentityUpgrades, Import, Moves, Resource, Upgrades, identity,
};
use crate::schema::{IdentitySchema, Schema};
use crate::value::Value;

/// A resource type and where its client will be.
pub(crate) struct Erased<R: Resource> {
    client: ClientSlot<R::Client>,
    /// Set once a call has shown that the author wrote no plan hook: whether all of a configuration is in its plan.
    is_planned_whole: OnceLock<bool>,
    upgrades: OnceLock<Upgrades<R>>,
    identity_upgrades: OnceLock<IdentityUpgrades<R>>,
    moves: OnceLock<Moves<R>>,
}

impl<R: Resource> Erased<R> {
    pub(crate) fn new(client: ClientSlot<R::Client>) -> Self {
        Self {
            client,
            is_planned_whole: OnceLock::new(),
            upgrades: OnceLock::new(),
            identity_upgrades: OnceLock::new(),
            moves: OnceLock::new(),
        }
    }

    fn upgrades(&self) -> &Upgrades<R> {
        self.upgrades.get_or_init(R::upgrades)
    }

    fn identity_upgrades(&self) -> &IdentityUpgrades<R> {
        self.identity_upgrades.get_or_init(R::identity_upgrades)
    }

    fn context<'call>(&self, call: &'call mut dynamic::Context) -> Result<Context<'call, R>> {
        Ok(Context::new(self.client.current()?, call))
    }
}

fn decode<T: Decode>(value: Value) -> Result<T> {
    T::decode(value, &mut Path::root())
}

#[async_trait]
impl<R: Resource> dynamic::Resource for Erased<R> {
    fn schema(&self) -> Schema {
        <R as Model>::schema()
    }

    async fn validate(&self, cx: &mut dynamic::Context, config: &Value) -> Result {
        R::validate(cx, decode::<Draft<R>>(config.clone())?)
    }

    async fn plan(&self, cx: &mut dynamic::Context, change: &mut PlannedChange) -> Result {
        let mut plan = decode::<Draft<R>>(change.planned.clone())?;
        let mut cx = self.context(cx)?;
        // A planned value that does not fit is found without a hook, too; the rest is looked at elsewhere: what is
        // configured is in the plan, and what is stored is read before, or decoded when it is changed.
        if self.is_planned_whole.get() == Some(&true) {
            return Ok(());
        }
        let prior =
            if change.prior.is_null() { None } else { Some(decode::<Prior<R>>(change.prior.clone())?) };
        let config = decode::<Draft<R>>(change.config.clone())?;
        R::plan(&mut cx, prior, &mut plan, config).await?;
        if cx.has_no_plan_hook {
            self.is_planned_whole.get_or_init(|| !R::block().holds_write_only());
            return Ok(());
        }
        let before = decode::<Draft<R>>(change.planned.clone())?.encode();
        let original = std::mem::replace(&mut change.planned, Value::Null);
        change.planned = keep_untouched(original, &before, plan.encode());
        Ok(())
    }

    async fn plan_delete(&self, cx: &mut dynamic::Context, prior: &Value) -> Result {
        let prior = decode(prior.clone())?;
        R::plan_delete(&mut self.context(cx)?, prior).await
    }

    /// Typed methods see what is planned, in which write-only attributes have their configured values.
    fn uses_config(&self) -> bool {
        false
    }

    async fn create(&self, cx: &mut dynamic::Context, change: Change) -> Result<Value> {
        let plan = decode::<Planned<R>>(change.planned.clone())?;
        let mut cx = self.context(cx)?;
        let state = R::create(&mut cx, plan).await?.encode();
        read_back(&mut cx, &change.planned, Write::create(state)).await
    }

    async fn read(&self, cx: &mut dynamic::Context, prior: Value) -> Result<Option<Value>> {
        let prior = decode(prior)?;
        let state = R::read(&mut self.context(cx)?, prior).await?;
        Ok(state.map(|state| state.encode()))
    }

    async fn update(&self, cx: &mut dynamic::Context, prior: Value, change: Change) -> Result<Value> {
        let before = prior_for_read_back::<R>(&prior);
        let prior = decode(prior)?;
        let plan = decode::<Planned<R>>(change.planned.clone())?;
        let mut cx = self.context(cx)?;
        let state = R::update(&mut cx, prior, plan).await?.encode();
        read_back(&mut cx, &change.planned, Write::update(before, state)).await
    }

    async fn delete(&self, cx: &mut dynamic::Context, prior: Value) -> Result {
        let prior = decode(prior)?;
        R::delete(&mut self.context(cx)?, prior).await
    }

    async fn import(
        &self,
        cx: &mut dynamic::Context,
        from: dynamic::Import,
    ) -> Result<Vec<dynamic::Imported>> {
        let from = match from {
            dynamic::Import::Id(id) => Import::Id(id),
            dynamic::Import::Identity(identity) => Import::Identity(decode(identity)?),
        };
        Ok(R::import(&mut self.context(cx)?, from).await?.objects)
    }

    fn identity_schema(&self) -> Option<IdentitySchema> {
        R::Identity::schema()
    }

    fn identity(&self, cx: &dynamic::Context, state: &Value) -> Result<Value> {
        identity::of(&IdentityContext::<R>::new(self.client.get(), cx), state)
    }

    fn upgrade_paths(&self) -> UpgradePaths {
        let states = &self.upgrades().steps;
        UpgradePaths {
            state: states.paths(Form::Json),
            flatmap: states.paths(Form::Flatmap),
            identity: self.identity_upgrades().paths(),
        }
    }

    fn upgraded_types(&self) -> UpgradedTypes {
        UpgradedTypes {
            state: self.upgrades().steps.types(),
            identity: self.identity_upgrades().steps.types(),
        }
    }

    async fn upgrade(&self, cx: &mut dynamic::Context, stored: StoredValue) -> Result<Value> {
        self.upgrades().steps.run(&self.client, cx, stored).await
    }

    async fn upgrade_identity(&self, cx: &mut dynamic::Context, stored: StoredValue) -> Result<Value> {
        self.identity_upgrades().steps.run(&self.client, cx, stored).await
    }

    async fn move_state(&self, cx: &mut dynamic::Context, source: MoveSource) -> Result<Option<Value>> {
        self.moves.get_or_init(R::moves).take(cx, &source)
    }

    fn mistakes(&self) -> Diagnostics {
        let mut mistakes = self.upgrades().steps.mistakes("state", R::NAME);
        mistakes.extend(self.identity_upgrades().steps.mistakes("identity", R::NAME));
        mistakes
    }
}
