//! The provider: its configuration and its types.

use std::marker::PhantomData;

use ferroform::diag::{Result, ResultExt as _};
use ferroform::model::{Draft, Model};
use ferroform::path;
use ferroform::provider::{Context, Provider, Registry};
use ferroform::resource::Resource;

use super::directory::Directory;
use super::file::File;
use super::file_data::FileData;
use super::file_list::FileList;
use super::folder::Folder;
use super::functions::{base_name, digest, file_name};
use super::note::Note;
use super::rotate::Rotate;
use super::service::Service;
use super::state_folder::StateFolder;
use super::token::Token;
use super::token_file::TokenFile;

/// The provider `demo`, in the release that has these notes.
pub(super) struct Demo<N = Note>(PhantomData<fn() -> N>);

/// Files and directories below one folder.
#[derive(Model)]
pub(super) struct Config {
    /// The folder below which everything is. It has to exist.
    root: String,
}

impl<N: Resource<Client = Folder>> Provider for Demo<N> {
    type Config = Config;
    type Client = Folder;
    const NAME: &str = "demo";

    async fn configure(_cx: &mut Context<'_>, config: Draft<Config>) -> Result<Folder> {
        Folder::open(config.root).at(path!(root))
    }

    fn register(it: &mut Registry<Folder>) {
        it.resource::<Directory>()
            .resource::<File>()
            .resource::<N>()
            .resource::<Service>()
            .resource::<Token>()
            .data_source::<FileData>()
            .list_resource::<FileList>()
            .action::<Rotate>()
            .state_store::<StateFolder>()
            .ephemeral_resource::<TokenFile>()
            .function::<base_name>()
            .function::<digest>()
            .function::<file_name>();
    }
}
