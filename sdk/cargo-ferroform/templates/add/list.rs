//! Lists `@TYPE@`.

use ferroform::list_resource::{Context, ListResource};
use ferroform::prelude::*;

use @RESOURCE@;

/// Describe here what it lists, for the documentation.
#[derive(Model)]
pub struct @STRUCT@ {
    /// Only those whose names start with this.
    prefix: Option<String>,
}

impl ListResource for @STRUCT@ {
    type Resource = @RESOURCE_STRUCT@;

    async fn list(_cx: &mut Context<'_, Self>, _config: Planned<Self>) -> Result {
        // For each object that the service has, report its identity, its name and the object itself. `Item` is in
        // `ferroform::list_resource`; the fields of an identity are as visible as those of the resource.
        //
        //     let identity = @RESOURCE@Identity { id: object.id.clone() };
        //     cx.emit(Item::new(identity, object.name.clone()).object(object)).await;
        Ok(())
    }
}
