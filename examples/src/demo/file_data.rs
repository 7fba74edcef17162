//! The data source `demo_file`.

use ferroform::data_source::{Context, DataSource};
use ferroform::diag::{Error, Result, ResultExt as _};
use ferroform::model::{Model, Planned};
use ferroform::path;

use super::file::size;
use super::folder::{Folder, check_name};

/// A text file below the root that is not managed here.
#[derive(Model)]
pub(super) struct FileData {
    /// Where the file is, relative to the root, with `/` between directories.
    #[attr(validate = check_name)]
    name: String,
    /// The text in the file.
    #[attr(computed)]
    content: String,
    /// The length of the content in bytes.
    #[attr(computed)]
    size: u64,
}

impl DataSource for FileData {
    type Client = Folder;
    const NAME: &str = "file";

    async fn read(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        let found = cx.client.read_file(&config.name).await.at(path!(name))?;
        let found = found.ok_or_else(|| not_found(&config.name).at(path!(name)))?;
        Ok(Self { name: config.name, size: size(&found.content), content: found.content })
    }
}

fn not_found(name: &str) -> Error {
    Error::new("File Not Found", format!("There is no file {name:?} below the root. Check the name."))
}
