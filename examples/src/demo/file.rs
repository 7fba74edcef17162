//! The resource `demo_file`.

use std::fmt::Write as _;

use ferroform::diag::{Error, Result, ResultExt as _};
use ferroform::model::{Attr, Convert, Draft, Model, Planned, Prior};
use ferroform::path;
use ferroform::resource::{
    CreateContext, DeleteContext, Import, ImportContext, Imported, PlanContext, ReadContext, Resource,
    UpdateContext,
};

use super::folder::{Folder, Text, check_name};

/// A text file below the root.
#[derive(Model, Convert)]
#[convert(into = Text)]
pub(super) struct File {
    /// Where the file is, relative to the root, with `/` between directories.
    #[attr(replace, identity, validate = check_name)]
    #[convert(skip)]
    pub(super) name: String,
    /// The text in the file.
    pub(super) content: String,
    /// The permission bits: four octal digits, the first of them `0`.
    #[attr(default = "0644".to_owned(), validate = check_mode)]
    pub(super) mode: String,
    /// The length of the content in bytes.
    #[attr(computed)]
    size: u64,
    /// The SHA-256 of the content in hexadecimal digits.
    #[attr(computed)]
    sha256: String,
}

impl File {
    pub(super) fn new(name: String, content: String, mode: String) -> Self {
        Self { name, size: size(&content), sha256: sha256(&content), content, mode }
    }
}

impl Resource for File {
    type Client = Folder;
    const NAME: &str = "file";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        cx.client.create_file(&plan.name, Text::try_from(&plan)?).await.at(path!(name))?;
        Ok(Self::new(plan.name, plan.content, plan.mode))
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let found = cx.client.read_file(&prior.name).await?;
        Ok(found.map(|found| {
            let mode = found.mode.or(prior.mode).unwrap_or_default();
            Self::new(prior.name, found.content, mode)
        }))
    }

    async fn update(
        cx: &mut UpdateContext<'_, Self>,
        _prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        cx.client.replace_file(&plan.name, Text::try_from(&plan)?).await.at(path!(name))?;
        Ok(Self::new(plan.name, plan.content, plan.mode))
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove_file(&prior.name).await
    }

    /// Looks for the object at once, to say so if there is none.
    async fn import(cx: &mut ImportContext<'_, Self>, from: Import<Self>) -> Result<Imported<Self>> {
        Ok(Imported::all(Self::read(&mut cx.for_read(), from.into_stub()?).await?))
    }

    /// What follows from the content is known as soon as the content is.
    async fn plan(
        _cx: &mut PlanContext<'_, Self>,
        _prior: Option<Prior<Self>>,
        plan: &mut Draft<Self>,
        _config: Draft<Self>,
    ) -> Result {
        if let Some(content) = plan.content.as_known() {
            plan.size = Attr::Known(size(content));
            plan.sha256 = Attr::Known(sha256(content));
        }
        Ok(())
    }
}

fn check_mode(mode: &str) -> Result {
    let octal = |digit| matches!(digit, b'0'..=b'7');
    match mode.as_bytes() {
        [b'0', rest @ ..] if rest.len() == 3 && rest.iter().copied().all(octal) => Ok(()),
        _ => Err(Error::new(
            "Invalid Mode",
            format!(
                "{mode:?} is no set of permission bits. Give `0` and three octal digits, for example `0644`."
            ),
        )),
    }
}

pub(super) fn size(content: &str) -> u64 {
    content.len() as u64
}

fn sha256(content: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, content.as_bytes());
    digest.as_ref().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
