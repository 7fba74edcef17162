//! A provider, written with the derive, for the corners of managed resources: objects that fail half-way, attributes
//! that the service fills, names that collide, and validators of every kind.
//!
//! Objects are files below a folder that the provider configuration names; a test changes them from outside.

mod announce;
mod bucket;
mod find;
mod guarded;
mod login;
mod named;
mod page;
mod rack;
mod rules;
mod server;
mod store;
mod task;
mod task_list;
mod team;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use ferroform::diag::{Error, Result};
use ferroform::model::{Draft, Model};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::{Protocol, dynamic, path};

use self::store::Store;

/// The provider `corner`.
#[derive(Debug)]
pub struct Corner;

/// The configuration of the provider.
#[derive(Debug, Model)]
pub struct Config {
    /// The folder of the objects.
    root: String,
    /// What the service makes of a type that is left out.
    #[attr(default = "small")]
    usual_type: String,
}

impl Provider for Corner {
    type Config = Config;
    type Client = Store;
    const NAME: &'static str = "corner";

    async fn configure(_: &mut provider::Context<'_>, config: Draft<Config>) -> Result<Store> {
        let Config { root, usual_type } = config.into_model()?;
        let root = PathBuf::from(root);
        if !root.is_dir() {
            return Err(Error::new("Root Not Found", "The folder is not there. Create it.").at(path!(root)));
        }
        Ok(Store::new(root, usual_type))
    }

    fn register(it: &mut Registry<Store>) {
        it.resource::<server::Server>()
            .resource::<server::Strict>()
            .resource::<task::Task>()
            .resource::<named::Named>()
            .resource::<guarded::Guarded>()
            .resource::<login::Login>()
            .resource::<rack::Rack>()
            .resource::<rules::Rules>()
            .resource::<bucket::Bucket>()
            .resource::<page::Page>()
            .resource::<team::Team>()
            .data_source::<find::Find>()
            .list_resource::<task_list::Tasks>()
            .action::<announce::Announce>();
    }
}

/// The provider with what protocol 5 cannot express.
struct Corner6;

impl Provider for Corner6 {
    type Config = Config;
    type Client = Store;
    const NAME: &'static str = Corner::NAME;

    async fn configure(cx: &mut provider::Context<'_>, config: Draft<Config>) -> Result<Store> {
        Corner::configure(cx, config).await
    }

    fn register(it: &mut Registry<Store>) {
        Corner::register(it);
        it.resource::<team::Crew>();
    }
}

/// The provider `corner` with all that a protocol can express.
#[must_use]
pub fn provider(protocol: Protocol) -> Arc<dyn dynamic::Provider> {
    match protocol {
        Protocol::V5 => assemble::<Corner>(),
        Protocol::V6 => assemble::<Corner6>(),
    }
}
