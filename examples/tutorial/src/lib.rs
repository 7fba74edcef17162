//! A provider for a library service: the result of the tutorial.
#![allow(missing_debug_implementations, reason = "the configuration and the client hold the API token")]

mod book;
mod books;
mod client;

use ferroform::prelude::*;
use ferroform::schema::DefaultContext;

pub use client::Client;

/// The configuration of the provider.
#[derive(Model)]
pub struct Config {
    /// The URL of the library service, such as `https://library.example.com`.
    endpoint: String,
    /// The API token. Without it, the provider uses the environment variable `SHELF_TOKEN`.
    #[attr(default_with = token_of_environment, sensitive)]
    token: String,
}

fn token_of_environment(here: &DefaultContext<'_>) -> Result<String> {
    here.environment
        .variable("SHELF_TOKEN")
        .ok_or_else(|| Error::new("Missing API Token", "Set `token`, or SHELF_TOKEN in the environment."))
}

/// The provider.
#[derive(Debug)]
pub struct Shelf;

impl Provider for Shelf {
    type Config = Config;
    type Client = Client;
    const NAME: &str = "shelf";

    async fn configure(_cx: &mut provider::Context<'_>, config: Draft<Config>) -> Result<Client> {
        let endpoint = config.endpoint.known().at(path!(endpoint))?;
        let token = config.token.known().at(path!(token))?;
        Ok(Client::new(endpoint, token))
    }

    fn register(it: &mut Registry<Client>) {
        it.resource::<book::Book>().data_source::<books::Books>();
    }
}
