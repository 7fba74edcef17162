//! What the providers of a core say about themselves.

use std::collections::BTreeMap;

use super::{Core, builtin};
use crate::address::ProviderAddress;
use crate::client::{Error, Provider, Schemas};

impl Core {
    /// The schemas of all providers that this core knows, the built-in one included: those by which
    /// [plans](crate::plan::Plan::to_json) and [states](crate::state::State::to_json) are shown. Each provider is
    /// launched for it.
    ///
    /// # Errors
    /// A provider cannot be launched or gives no usable answer.
    pub async fn schemas(&self) -> Result<BTreeMap<ProviderAddress, Schemas>, Error> {
        let built_in = Provider::connect(builtin::client()).await?;
        let mut schemas = BTreeMap::from([(builtin::address(), built_in.schemas().clone())]);
        for known in &self.providers {
            let provider = Provider::connect(known.launch.client().await?).await?;
            schemas.insert(known.address.clone(), provider.schemas().clone());
        }
        Ok(schemas)
    }
}
