//! A provider for Terraform and OpenTofu.

use ferroform::prelude::*;

/// The configuration of the provider.
#[derive(Model)]
pub struct Config {
    /// The URL of the service.
    endpoint: String,
}

/// What resources and data sources work with: put the HTTP client of the service here.
pub struct Client {
    pub endpoint: String,
}

/// The provider.
pub struct @CAMEL@;

impl Provider for @CAMEL@ {
    type Config = Config;
    type Client = Client;
    const NAME: &str = "@NAME@";

    async fn configure(_cx: &mut provider::Context<'_>, config: Draft<Config>) -> Result<Client> {
        Ok(Client { endpoint: config.endpoint.known().at(path!(endpoint))? })
    }

    fn register(it: &mut Registry<Client>) {}
}
