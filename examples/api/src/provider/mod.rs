//! The provider `api`: its configuration and its types.
//!
//! | type | shows |
//! |---|---|
//! | `api_queue` | values that the service rewrites, fills or adds to; a create in two calls, and a waiter; its own "not found" |
//! | `api_subscription` | the same with a declared wait, in which the SDK reads after each write; a number that the service rounds, and a flag that it shows late |
//! | data source `api_queues` | a list that comes in pages, and is read once for several data sources |
//! | list resource `api_queue` | pages, of which none is asked for that nobody wants |
//! | action `api_purge` | work that the service does in parts, with progress |
//! | ephemeral resource `api_token` | a credential for another configuration of the provider, renewed while something uses it |

mod client;
mod purge;
mod queue;
mod queue_list;
mod queues;
mod subscription;
mod token;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ferroform::diag::{Result, ResultExt as _};
use ferroform::model::{Draft, Model};
use ferroform::provider::{Context, Provider, Registry, assemble};
use ferroform::{Protocol, Serve, dynamic, path};

use client::Client;

/// The source address of the provider.
pub const ADDRESS: &str = "example.com/ferroform/api";

/// The provider, for both protocols.
#[must_use]
pub fn provider() -> Arc<dyn dynamic::Provider> {
    assemble::<Api>()
}

/// Serves the provider over one protocol until core ends the process.
#[must_use]
pub fn serve(protocol: Protocol) -> ExitCode {
    Serve::new(provider()).address(ADDRESS).only(protocol).run()
}

struct Api;

/// Queues and subscriptions of a service.
#[derive(Model)]
struct Config {
    /// The URL of the service, without a path: `http://127.0.0.1:8480`.
    endpoint: String,
    /// A token of the service, such as that of an ephemeral `api_token`. Without one the service accepts requests, too.
    #[attr(sensitive)]
    token: Option<String>,
    /// How many milliseconds to pause before the service is asked again whether something is ready, 500 unless told
    /// otherwise. The pauses get longer and longer.
    #[attr(default = 500)]
    poll: u64,
}

impl Provider for Api {
    type Config = Config;
    type Client = Client;
    const NAME: &str = "api";
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    async fn configure(cx: &mut Context<'_>, config: Draft<Config>) -> Result<Client> {
        let Config { endpoint, token, poll } = config.into_model()?;
        let poll = Duration::from_millis(poll);
        let client = Client::new(&endpoint, &Self::user_agent(cx), poll)?;
        match token {
            Some(token) => client.with_token(&token).at(path!(token)),
            None => Ok(client),
        }
    }

    fn register(it: &mut Registry<Client>) {
        it.resource::<queue::Queue>()
            .resource::<subscription::Subscription>()
            .data_source::<queues::Queues>()
            .list_resource::<queue_list::QueueList>()
            .action::<purge::Purge>()
            .ephemeral_resource::<token::Token>();
    }
}
