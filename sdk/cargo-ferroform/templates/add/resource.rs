//! `@TYPE@`: a resource.

use ferroform::prelude::*;
@USE_CLIENT@
/// Describe here what it is, for the documentation.
#[derive(Model)]
pub struct @STRUCT@ {
    /// The ID, which the service chooses.
    #[attr(computed, identity)]
    pub(crate) id: String,
    /// The name.
    pub(crate) name: String,
}

impl Resource for @STRUCT@ {
    type Client = @CLIENT@;
    const NAME: &str = "@ITEM@";

    async fn create(_cx: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        // Create the object by the client, `cx.client`, and return what the service reports.
        Ok(Self { id: plan.name.clone(), name: plan.name })
    }

    async fn read(_cx: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        // Ask the service for the object with this ID, and return `None` if there is none.
        let name = prior.name.unwrap_or_else(|| prior.id.clone());
        Ok(Some(Self { id: prior.id, name }))
    }

    async fn update(
        _cx: &mut resource::UpdateContext<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        // Change the object as planned, and return what the service reports.
        Ok(Self { id: prior.id, name: plan.name })
    }

    async fn delete(_cx: &mut resource::DeleteContext<'_, Self>, _prior: Prior<Self>) -> Result {
        // Delete the object. One that does not exist any more is a success.
        Ok(())
    }
}
