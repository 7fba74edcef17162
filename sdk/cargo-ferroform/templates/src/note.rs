//! `@NAME@_note`: a resource and a data source.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use ferroform::prelude::*;

use crate::Client;

/// A note: a file with a text.
#[derive(Model)]
pub struct Note {
    /// The name of the note.
    #[attr(replace, identity)]
    name: String,
    /// The text of the note.
    text: String,
}

impl Client {
    fn path(&self, name: &str) -> PathBuf {
        self.root.join(format!("{name}.txt"))
    }

    /// The text of a note; `None` if there is no such note.
    fn text(&self, name: &str) -> Result<Option<String>> {
        match fs::read_to_string(self.path(name)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Resource for Note {
    type Client = Client;
    const NAME: &str = "note";

    async fn create(cx: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let mut file = fs::File::create_new(cx.client.path(&plan.name))
            .summary("Note Not Created")
            .detail("A note must be new. If it exists already, import it or choose another name.")
            .at(path!(name))?;
        std::io::Write::write_all(&mut file, plan.text.as_bytes())?;
        plan.into_model()
    }

    async fn read(cx: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let text = cx.client.text(&prior.name)?;
        Ok(text.map(|text| Self { name: prior.name, text }))
    }

    async fn update(
        cx: &mut resource::UpdateContext<'_, Self>,
        _prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        fs::write(cx.client.path(&plan.name), &plan.text)?;
        plan.into_model()
    }

    async fn delete(cx: &mut resource::DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        match fs::remove_file(cx.client.path(&prior.name)) {
            // A note that was deleted before is what was wanted.
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

/// The text of a note that already exists.
#[derive(Model)]
pub struct NoteLookup {
    /// The name of the note.
    name: String,
    /// The text of the note.
    #[attr(computed)]
    text: String,
}

impl DataSource for NoteLookup {
    type Client = Client;
    const NAME: &str = "note";

    async fn read(cx: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        let text = cx.client.text(&config.name)?;
        let text = text.ok_or_else(|| {
            Error::new("Note Not Found", format!("There is no note `{}`.", config.name)).at(path!(name))
        })?;
        Ok(Self { name: config.name, text })
    }
}
