//! The list resource `demo_file`.

use ferroform::diag::Result;
use ferroform::list_resource::{Context, Item, ListResource};
use ferroform::model::{Model, Planned};

use super::file::{File, FileIdentity};

/// Lists the files below the root, in the order of their names.
#[derive(Model)]
pub(super) struct FileList {
    /// Only files whose names start with this.
    #[attr(default = "")]
    prefix: String,
}

impl ListResource for FileList {
    type Resource = File;

    async fn list(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
        let names = cx.client.names().await?;
        for name in names.into_iter().filter(|name| name.starts_with(&config.prefix)) {
            let mut item = Item::new(FileIdentity { name: name.clone() }, name.clone());
            if cx.include_object {
                match cx.client.read_file(&name).await {
                    Ok(Some(found)) => {
                        item = item.object(File::new(name, found.content, found.mode.unwrap_or_default()));
                    }
                    Ok(None) => continue,
                    // The others can still be shown whole.
                    Err(error) => {
                        for found in error {
                            item = item.warn(found.summary, found.detail);
                        }
                    }
                }
            }
            cx.emit(item).await;
        }
        Ok(())
    }
}
