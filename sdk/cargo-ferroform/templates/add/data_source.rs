//! `@TYPE@`: a data source.

use ferroform::prelude::*;
@USE_CLIENT@
/// Describe here what it looks up, for the documentation.
#[derive(Model)]
pub struct @STRUCT@ {
    /// The name to look up.
    name: String,
    /// The ID of the object with this name.
    #[attr(computed)]
    id: String,
}

impl DataSource for @STRUCT@ {
    type Client = @CLIENT@;
    const NAME: &str = "@ITEM@";

    async fn read(_cx: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        // Ask the service by the client, `cx.client`. An object that does not exist is an error.
        Ok(Self { id: config.name.clone(), name: config.name })
    }
}
