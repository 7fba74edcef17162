//! A provider with one resource: a file whose text the configuration gives.

use ferroform::prelude::*;
use std::fs;

/// A text file.
#[derive(Model)]
struct Note {
    /// Where the file is.
    #[attr(replace, identity)]
    path: String,
    /// The text in the file.
    text: String,
}

impl Resource for Note {
    type Client = ();
    const NAME: &str = "note";

    async fn create(_: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        fs::File::create_new(&plan.path)
            .summary("File Not Created")
            .detail("The file must be new. If it exists already, import it or choose another path.")
            .at(path!(path))?;
        fs::write(&plan.path, &plan.text)?;
        plan.into_model()
    }

    async fn read(_: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let text = fs::exists(&prior.path)?.then(|| fs::read_to_string(&prior.path)).transpose()?;
        Ok(text.map(|text| Note { path: prior.path, text }))
    }

    async fn update(
        _: &mut resource::UpdateContext<'_, Self>,
        _: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        fs::write(&plan.path, &plan.text)?;
        plan.into_model()
    }

    async fn delete(_: &mut resource::DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        if fs::exists(&prior.path)? { Ok(fs::remove_file(&prior.path)?) } else { Ok(()) }
    }
}

struct Minimal;
impl Provider for Minimal {
    type Config = ();
    type Client = ();
    const NAME: &str = "minimal";
    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }
    fn register(it: &mut Registry<()>) {
        it.resource::<Note>();
    }
}

fn main() -> std::process::ExitCode {
    ferroform::serve::<Minimal>()
}
