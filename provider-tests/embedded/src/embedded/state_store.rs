//! The state store of a configuration, opened before its state is read.

use super::Core;
use super::evaluate::decode;
use super::log::Log;
use super::repetition::NO_REPETITION;
use super::scope::Scope;
use super::session::Session;
use super::walk_state::{Time, WalkState};
use crate::client::{Error, OpenStateStore};
use crate::diagnostic::Diagnostic;
use crate::language::module::{Body, Configuration, StateStore};
use crate::state::State;

impl Core {
    /// Starts the provider of a state store for the state only, and opens the store.
    #[doc(hidden)]
    pub async fn open_state_store(&self, block: &StateStore) -> Result<OpenStateStore, Vec<Diagnostic>> {
        let session = Session::open(self, &Configuration::empty(), &State::default()).await?;
        session.load(&block.address).await.map_err(|problem| vec![problem])?;
        let mut log = Log::within(&format!("state_store.{}", block.type_name), Some(&block.body));
        let opened = opened(&session, block, &mut log).await;
        let found = log.into_diagnostics();
        opened.ok_or(found)
    }
}

async fn opened(session: &Session, block: &StateStore, log: &mut Log) -> Option<OpenStateStore> {
    let walk = WalkState::new(session.modules(), Time::Validation);
    let scope = Scope::new(&session.layout, &walk, &walk.root, &NO_REPETITION);
    let value =
        |body: &Body, schema, log: &mut Log| decode(body, schema, &scope).report_to(log).map(|it| it.value);
    let (name, address) = (&block.provider, &block.address);
    let client = log.answered(session.launch(address).await)?;
    let provider = log.answered(session.instance(address, client).await)?;
    let schemas = provider.schemas();
    let Some(schema) = schemas.state_stores.get(&block.type_name) else {
        let detail = format!(
            "The provider {name} ({address}) has no state store {:?}. Check the spelling, and whether its provider \
             block names the provider that has it.",
            block.type_name
        );
        return log.refuse("Invalid state store type", detail);
    };
    let config = value(&block.provider_body, &schemas.provider.block, log)?;
    session.accepted(provider.validate_config(&config), log).await?;
    session.accepted(provider.configure(&config), log).await?;
    let config = value(&block.body, &schema.block, log)?;
    session.accepted(provider.validate_state_store(&block.type_name, &config), log).await?;
    match session.limited(provider.open_state_store(&block.type_name, &config)).await {
        Err(Error::Reported(found)) => {
            log.provider(found);
            None
        }
        opened => log.answered(opened),
    }
}
