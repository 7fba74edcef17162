//! The ephemeral resource `demo_token_file`, a file that exists while something uses it.

use ferroform::diag::{Result, ResultExt as _};
use ferroform::ephemeral_resource::{CloseContext, EphemeralResource, OpenContext};
use ferroform::model::{Model, Planned};
use ferroform::path;

use super::folder::{Folder, Text, check_name};
use super::token::{check_length, random};

/// A random token in a file that exists only while Terraform or OpenTofu plans or applies.
#[derive(Model)]
pub(super) struct TokenFile {
    /// Where the file is, relative to the root, with `/` between directories. It must not exist.
    #[attr(validate = check_name)]
    name: String,
    /// How many characters the token has: 8 to 256.
    #[attr(default = 32, validate = check_length)]
    length: u16,
    /// The token: letters, digits, `-` and `_`.
    #[attr(computed, sensitive)]
    value: String,
}

impl EphemeralResource for TokenFile {
    type Client = Folder;
    /// The name of the file.
    type Private = String;
    const NAME: &str = "token_file";

    async fn open(cx: &mut OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> {
        let file = TokenFilePlanned { value: random(config.length)?.into(), ..config }.into_model()?;
        let text = Text { content: file.value.clone(), mode: "0600".to_owned() };
        // No await until it is recorded, since a call that is given up ends there.
        cx.client.create_file_now(&file.name, &text).at(path!(name))?;
        // Not before the file is made: another one of this name is not ours to remove.
        cx.record(&file.name)?;
        Ok(file)
    }

    async fn close(cx: &mut CloseContext<'_, Self>, name: String) -> Result {
        cx.client.remove_file(&name).await
    }
}
