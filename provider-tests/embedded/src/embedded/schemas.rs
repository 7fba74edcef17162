//! What the providers of a core say about themselves.

use std::collections::BTreeMap;
use std::path::Path;

use super::check::Check;
use super::{Core, Deferral, builtin};
use crate::address::ProviderAddress;
use crate::client::{Client, ClientCapabilities, Error, Provider, Schemas};

impl Core {
    /// The schemas of all providers that this core knows, the built-in one included: those by which
    /// [plans](crate::plan::Plan::to_json) and [states](crate::state::State::to_json) are shown. Each provider is
    /// launched for it.
    ///
    /// # Errors
    /// A provider cannot be launched or gives no usable answer.
    pub async fn schemas(&self) -> Result<BTreeMap<ProviderAddress, Schemas>, Error> {
        let built_in = self.connect(builtin::client(Path::new("."))).await?;
        let mut schemas = BTreeMap::from([(builtin::address(), built_in.schemas().clone())]);
        for known in &self.providers {
            let provider = self.connect(known.launch.client().await?).await?;
            schemas.insert(known.address.clone(), provider.schemas().clone());
        }
        Ok(schemas)
    }

    /// Gets the schemas of an instance, and checks them.
    pub(super) async fn connect(&self, client: Client) -> Result<Provider, Error> {
        let makes = |check| self.checks.has(check) && self.emulated.makes(check);
        let checked = |rule| Check::of_schema(rule).is_none_or(makes);
        let capabilities = ClientCapabilities {
            deferral: self.deferral == Deferral::Allowed,
            ..self.emulated.capabilities()
        };
        Provider::connect_checking(client, capabilities, checked).await
    }
}
