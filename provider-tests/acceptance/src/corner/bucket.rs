//! An object of two names, both of which its import id holds, and which an older release knew by one.

use ferroform::diag::{Error, Result};
use ferroform::model::{Identity as _, Model, Planned, Prior};
use ferroform::resource::{
    CreateContext, DeleteContext, IdentityUpgrades, RawJson, ReadContext, Resource, UpdateContext, Upgrades,
};
use serde_json::Value as Json;

use super::store::{Store, object, shown};

#[derive(Model, Clone)]
#[model(version = 1)]
#[identity(version = 1, format = "{region}/{name}")]
pub(super) struct Bucket {
    #[attr(replace, identity)]
    region: String,
    #[attr(replace, identity)]
    name: String,
    size: Option<String>,
    /// The import id.
    #[attr(computed, keep)]
    id: String,
}

/// What release 0 stored. It did not say in which region a bucket is.
#[derive(Model)]
struct BucketV0 {
    name: String,
    size: Option<String>,
}

impl Bucket {
    fn of(region: String, name: String, size: Option<String>) -> Result<Self> {
        let id = BucketIdentity { region: region.clone(), name: name.clone() }.into_id()?;
        Ok(Self { region, name, size, id })
    }

    fn write(&self, store: &Store) -> Result {
        let shown = self.size.as_deref().map(|size| object([("size", size)])).unwrap_or_default();
        store.put(&key(&self.region, &self.name), &shown)
    }
}

/// The name of the file.
fn key(region: &str, name: &str) -> String {
    format!("{region}.{name}")
}

impl Resource for Bucket {
    type Client = Store;
    const NAME: &'static str = "bucket";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let bucket = Self::of(plan.region, plan.name, plan.size)?;
        bucket.write(&cx.client)?;
        Ok(bucket)
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let Some(found) = cx.client.get(&key(&prior.region, &prior.name))? else { return Ok(None) };
        let size = found.contains_key("size").then(|| shown(&found, "size")).transpose()?;
        Self::of(prior.region, prior.name, size).map(Some)
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove(&key(&prior.region, &prior.name))
    }

    /// The service knows in which region a bucket is.
    fn upgrades() -> Upgrades<Self> {
        Upgrades::<Self>::new().from_async(|cx, old: BucketV0| async move {
            let region = cx.client.first_part_of(&old.name)?.ok_or_else(|| {
                Error::new(
                    "Bucket Not Found",
                    "No region has it. Remove it from the state, or make it again.",
                )
            })?;
            Bucket::of(region, old.name, old.size)
        })
    }

    /// An identity was the import id.
    fn identity_upgrades() -> IdentityUpgrades<Self> {
        IdentityUpgrades::new().from_json(0, |stored: RawJson| {
            let identity: Json = stored.parse()?;
            BucketIdentity::from_id(identity.get("id").and_then(Json::as_str).unwrap_or_default())
        })
    }
}
