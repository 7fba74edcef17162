//! The action `demo_rotate`.

use ferroform::action::{Action, Context};
use ferroform::diag::{Error, Result, ResultExt as _};
use ferroform::model::{Model, Planned};
use ferroform::path;

use super::folder::{Folder, Text, check_name};

/// Keeps the text of a file beside it, as `NAME.1`, and what was kept before as `NAME.2` and so on.
#[derive(Model)]
pub(super) struct Rotate {
    /// Where the file is, relative to the root.
    #[attr(validate = check_name)]
    name: String,
    /// How many texts are kept.
    #[attr(default = 1)]
    keep: u8,
}

impl Action for Rotate {
    type Client = Folder;
    const NAME: &str = "rotate";

    async fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
        let kept = |number: u8| match number {
            0 => config.name.clone(),
            number => format!("{}.{number}", config.name),
        };
        if cx.client.read_file(&config.name).await.at(path!(name))?.is_none() {
            let detail =
                format!("There is no file {:?} whose text could be kept. Create it first.", config.name);
            return Err(Error::new("File Not Found", detail).at(path!(name)));
        }
        // The oldest first, so that none is lost.
        for number in (0..config.keep).rev() {
            let (from, to) = (kept(number), kept(number + 1));
            let Some(found) = cx.client.read_file(&from).await? else { continue };
            cx.progress(format!("Keeping {from} as {to}")).await;
            let mode = found.mode.unwrap_or_else(|| "0644".to_owned());
            cx.client.replace_file(&to, Text { content: found.content, mode }).await?;
        }
        Ok(())
    }
}
