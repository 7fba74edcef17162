//! `@TYPE@`: an ephemeral resource.

use ferroform::ephemeral_resource::OpenContext;
use ferroform::prelude::*;
@USE_CLIENT@
/// Describe here what it is, for the documentation.
#[derive(Model)]
pub struct @STRUCT@ {
    /// The name.
    name: String,
    /// The value, which is stored nowhere.
    #[attr(computed, sensitive)]
    value: String,
}

impl EphemeralResource for @STRUCT@ {
    type Client = @CLIENT@;
    /// What `renew` and `close` need to know, by `cx.record`.
    type Private = ();
    const NAME: &str = "@ITEM@";

    async fn open(_cx: &mut OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> {
        // Ask the service for a value by the client, `cx.client`.
        Ok(Self { value: config.name.clone(), name: config.name })
    }
}
