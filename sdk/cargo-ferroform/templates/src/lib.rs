//! A provider for Terraform and OpenTofu. It keeps notes as files in a folder; put your service in their place.

mod note;
mod slug;

use std::path::PathBuf;

use ferroform::prelude::*;

pub use note::{Note, NoteLookup};

/// The configuration of the provider.
#[derive(Model)]
pub struct Config {
    /// The folder in which the notes are. It must exist.
    root: String,
}

/// What resources and data sources work with: for a service, its HTTP client.
pub struct Client {
    root: PathBuf,
}

/// The provider.
pub struct @CAMEL@;

impl Provider for @CAMEL@ {
    type Config = Config;
    type Client = Client;
    const NAME: &str = "@NAME@";

    async fn configure(_cx: &mut provider::Context<'_>, config: Draft<Config>) -> Result<Client> {
        let root = PathBuf::from(config.root.known().at(path!(root))?);
        if !root.is_dir() {
            let detail = format!("{} is not a folder. Create it or set another one.", root.display());
            return Err(Error::new("Root Not Found", detail).at(path!(root)));
        }
        Ok(Client { root })
    }

    fn register(it: &mut Registry<Client>) {
        it.resource::<Note>().data_source::<NoteLookup>().function::<slug::slug>();
    }
}
