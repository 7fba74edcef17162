//! An object whose name is given, or made of a prefix, so that a replacement can be there before the old one goes.

use ferroform::diag::{Error, Result};
use ferroform::model::{Model, Planned, Prior};
use ferroform::path;
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::validate::relation::conflicts_with;

use super::store::{Store, object, shown};

/// No prefix has more objects.
const MANY: u32 = 1000;

#[derive(Model, Clone)]
pub(super) struct Named {
    #[attr(optional, computed, replace, identity)]
    name: String,
    #[attr(replace, validate = conflicts_with(["name"]))]
    name_prefix: Option<String>,
    #[attr(replace)]
    size: String,
}

impl Named {
    /// The name that is planned, or the first free one with the prefix.
    fn name(store: &Store, plan: &Planned<Self>) -> Result<String> {
        if let Some(name) = plan.name.as_known() {
            return match store.has(name) {
                false => Ok(name.clone()),
                true => Err(Error::new(
                    "Name Taken",
                    "An object of this name is there already. Choose another name, or set `name_prefix` to have one \
                     made.",
                )
                .at(path!(name))),
            };
        }
        let prefix = plan.name_prefix.as_deref().unwrap_or("named-");
        let names = (1..MANY).map(|at| format!("{prefix}{at}"));
        let free = names.into_iter().find(|name| !store.has(name));
        free.ok_or_else(|| Error::new("No Name Left", "There are too many objects with this prefix."))
    }
}

impl Resource for Named {
    type Client = Store;
    const NAME: &'static str = "named";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let name = Self::name(&cx.client, &plan)?;
        cx.client.put(&name, &object([("size", &plan.size)]))?;
        NamedPlanned { name: name.into(), ..plan }.into_model()
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let Some(found) = cx.client.get(&prior.name)? else { return Ok(None) };
        NamedPrior { size: Some(shown(&found, "size")?), ..prior }.into_model().map(Some)
    }

    async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> {
        Err(Error::new("Not Needed", "Every change replaces the object."))
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove(&prior.name)
    }
}
