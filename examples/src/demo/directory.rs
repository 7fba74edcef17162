//! The resource `demo_directory`.

use ferroform::diag::{Result, ResultExt as _};
use ferroform::model::{Model, Planned, Prior};
use ferroform::path;
use ferroform::resource::{
    CreateContext, DeleteContext, Import, ImportContext, Imported, ReadContext, Resource, UpdateContext,
};

use super::folder::{Folder, check_name};

/// A directory below the root. It has to be empty to be deleted.
#[derive(Model)]
pub(super) struct Directory {
    /// Where the directory is, relative to the root, with `/` between directories.
    #[attr(replace, identity, validate = check_name)]
    name: String,
    /// The full path of the directory.
    #[attr(computed, keep)]
    path: String,
}

impl Resource for Directory {
    type Client = Folder;
    const NAME: &str = "directory";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let path = cx.client.create_directory(&plan.name).await.at(path!(name))?;
        Ok(Self { name: plan.name, path })
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let path = cx.client.find_directory(&prior.name).await?;
        Ok(path.map(|path| Self { name: prior.name, path }))
    }

    /// Never called with a change: the name replaces the directory and the path is kept.
    async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        plan.into_model()
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove_directory(&prior.name).await
    }

    /// Looks for the object at once, to say so if there is none.
    async fn import(cx: &mut ImportContext<'_, Self>, from: Import<Self>) -> Result<Imported<Self>> {
        Ok(Imported::all(Self::read(&mut cx.for_read(), from.into_stub()?).await?))
    }
}
