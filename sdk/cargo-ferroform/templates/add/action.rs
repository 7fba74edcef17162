//! `@TYPE@`: an action.

use ferroform::action::{Action, Context};
use ferroform::prelude::*;
@USE_CLIENT@
/// Describe here what it does, for the documentation.
#[derive(Model)]
pub struct @STRUCT@ {
    /// The name of the object to act on.
    name: String,
}

impl Action for @STRUCT@ {
    type Client = @CLIENT@;
    const NAME: &str = "@ITEM@";

    async fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
        // Do it by the client, `cx.client`.
        cx.progress(format!("Done to {}", config.name)).await;
        Ok(())
    }
}
