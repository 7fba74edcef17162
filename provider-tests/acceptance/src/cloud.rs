//! A provider of one account and one region, whose identities hold more than the states: attributes of the client,
//! attributes that only older releases have stored, and identities of objects that were of another type.
//!
//! Objects are files below a folder for each region.

use std::fs;
use std::path::{Path, PathBuf};

use ferroform::diag::{Error, Result};
use ferroform::dynamic::phase;
use ferroform::model::{Draft, Encode as _, Identity, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry};
use ferroform::resource::{
    Context, CreateContext, DeleteContext, IdentityContext, IdentityUpgrades, Import, ImportContext,
    Imported, Moves, RawJson, ReadContext, Resource, Source, UpdateContext,
};
use serde_json::Value as Json;

use crate::if_there;

/// The provider `cloud`.
#[derive(Debug)]
pub struct Cloud;

/// The configuration of the provider.
#[derive(Debug, Model)]
pub struct Config {
    /// The folder of the account.
    root: String,
    #[attr(default = "123")]
    account: String,
    #[attr(default = "eu")]
    region: String,
}

/// The client of one account and one region.
#[derive(Debug)]
pub struct Api {
    root: PathBuf,
    account: String,
    region: String,
}

impl Api {
    fn file(&self, region: &str, name: &str) -> PathBuf {
        self.root.join(region).join(name)
    }

    fn put(&self, region: &str, name: &str, text: &str) -> Result {
        fs::create_dir_all(self.root.join(region))?;
        Ok(fs::write(self.file(region, name), text)?)
    }
}

/// The text of a file, if there is one.
fn get(path: &Path) -> Result<Option<String>> {
    Ok(if_there(fs::read_to_string(path))?)
}

fn remove(path: &Path) -> Result {
    Ok(if_there(fs::remove_file(path)).map(drop)?)
}

impl Provider for Cloud {
    type Config = Config;
    type Client = Api;
    const NAME: &'static str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, config: Draft<Config>) -> Result<Api> {
        let Config { root, account, region } = config.into_model()?;
        Ok(Api { root: root.into(), account, region })
    }

    fn register(it: &mut Registry<Api>) {
        it.resource::<Switch>().resource::<Bucket>().resource::<Folder>().resource::<Shelf>();
    }
}

/// The example of the page about versions, with a stored attribute that nothing else knows.
#[derive(Model)]
#[model(identity_type = SwitchIdentity)]
struct Switch {
    #[attr(computed, keep)]
    id: String,
    on: bool,
}

#[derive(Identity)]
struct SwitchIdentityV0 {
    id: String,
    old_bool_attribute: Option<bool>,
}

#[derive(Identity)]
#[identity(version = 1)]
struct SwitchIdentity {
    id: String,
    new_string_attribute: Option<String>,
}

impl Resource for Switch {
    type Client = Api;
    const NAME: &'static str = "switch";

    fn identity(cx: &IdentityContext<'_, Self>, switch: Self) -> Result<SwitchIdentity> {
        let new_string_attribute = cx.stored_identity()?.and_then(|stored| stored.new_string_attribute);
        Ok(SwitchIdentity { id: switch.id, new_string_attribute })
    }

    fn identity_upgrades() -> IdentityUpgrades<Self> {
        IdentityUpgrades::new().from(|old: SwitchIdentityV0| {
            let new_string_attribute = old.old_bool_attribute.map(|it| it.to_string());
            Ok(SwitchIdentity { id: old.id, new_string_attribute })
        })
    }

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { id: plan.id.known_or("s-1".to_owned()), on: plan.on })
    }

    async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        prior.into_model().map(Some)
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

/// An object whose account and region are not in the state.
#[derive(Model)]
#[model(identity_type = BucketIdentity)]
struct Bucket {
    #[attr(replace)]
    name: String,
    label: Option<String>,
}

#[derive(Identity)]
#[identity(version = 1)]
struct BucketIdentity {
    account: Option<String>,
    region: Option<String>,
    name: String,
}

/// What release 0 stored: all in one text.
#[derive(Identity)]
struct BucketIdentityV0 {
    arn: String,
}

impl Bucket {
    /// Where an object is: the stored identity says it, and of a new one the client.
    fn place<P: phase::AboutObject>(cx: &Context<'_, Self, P>, name: &str) -> Result<PathBuf> {
        let stored = cx.stored_identity()?.and_then(|identity| identity.region);
        Ok(cx.client.file(stored.as_ref().unwrap_or(&cx.client.region), name))
    }
}

impl Resource for Bucket {
    type Client = Api;
    const NAME: &'static str = "bucket";

    fn identity(cx: &IdentityContext<'_, Self>, bucket: Self) -> Result<BucketIdentity> {
        let (account, region) = match cx.stored_identity()? {
            Some(stored) => (stored.account, stored.region),
            None => (None, None),
        };
        let api = cx.client()?;
        Ok(BucketIdentity {
            account: account.or_else(|| Some(api.account.clone())),
            region: region.or_else(|| Some(api.region.clone())),
            name: bucket.name,
        })
    }

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        cx.client.put(&cx.client.region, &plan.name, plan.label.as_deref().unwrap_or_default())?;
        Ok(Self { name: plan.name, label: plan.label })
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let name =
            prior.name.ok_or_else(|| Error::new("No Name", "The state has no name. Import it again."))?;
        let found = get(&Self::place(cx, &name)?)?;
        Ok(found.map(|label| Self { name, label: (!label.is_empty()).then_some(label) }))
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        fs::write(Self::place(cx, &plan.name)?, plan.label.as_deref().unwrap_or_default())?;
        Ok(Self { name: plan.name, label: plan.label })
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        remove(&Self::place(cx, &prior.name.unwrap_or_default())?)
    }

    async fn import(cx: &mut ImportContext<'_, Self>, from: Import<Self>) -> Result<Imported<Self>> {
        let BucketIdentity { account, region, name } = from.into_identity()?;
        if account.is_some_and(|account| account != cx.client.account) {
            return Err(Error::new("Wrong Account", "Import the bucket with a provider of its account."));
        }
        let found = get(&cx.client.file(region.as_ref().unwrap_or(&cx.client.region), &name))?;
        Ok(Imported::all(found.map(|label| Self { name, label: Some(label) })))
    }

    fn identity_upgrades() -> IdentityUpgrades<Self> {
        IdentityUpgrades::new().from(|old: BucketIdentityV0| {
            let [account, region, name] = old.arn.split(':').collect::<Vec<_>>()[..] else {
                return Err(Error::new("Malformed ARN", "It has not three parts. Import the bucket again."));
            };
            let text = |text: &str| Some(text.to_owned());
            Ok(BucketIdentity { account: text(account), region: text(region), name: name.to_owned() })
        })
    }

    /// A folder belongs to an account and a region, too.
    fn moves() -> Moves<Self> {
        Moves::new().from(Source::resource("cloud_folder"), |cx, old: Prior<Folder>| {
            let identity = cx.identity.as_ref().map(RawJson::parse::<Json>).transpose()?;
            let name = old.name.unwrap_or_default();
            cx.target_identity = identity.map(|identity| {
                let text = |key: &str| identity.get(key).and_then(Json::as_str).map(str::to_owned);
                let identity = BucketIdentity { account: None, region: text("region"), name: name.clone() };
                identity.encode()
            });
            Ok(Self { name, label: None })
        })
    }
}

/// What is called about an object that is an empty file in the region of the client.
macro_rules! empty_files {
    () => {
        async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
            cx.client.put(&cx.client.region, &plan.name, "")?;
            Ok(Self { name: plan.name })
        }

        async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
            let name = prior.name.unwrap_or_default();
            Ok(get(&cx.client.file(&cx.client.region, &name))?.map(|_| Self { name }))
        }

        async fn update(
            _: &mut UpdateContext<'_, Self>,
            _: Prior<Self>,
            plan: Planned<Self>,
        ) -> Result<Self> {
            Ok(Self { name: plan.name })
        }

        async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
            remove(&cx.client.file(&cx.client.region, &prior.name.unwrap_or_default()))
        }
    };
}

/// What buckets and shelves were before. It is always in the region of the client.
#[derive(Model)]
#[model(identity_type = PlaceIdentity)]
struct Folder {
    #[attr(replace)]
    name: String,
}

#[derive(Identity)]
struct PlaceIdentity {
    name: String,
    region: String,
}

impl Resource for Folder {
    type Client = Api;
    const NAME: &'static str = "folder";

    fn identity(cx: &IdentityContext<'_, Self>, folder: Self) -> Result<PlaceIdentity> {
        Ok(PlaceIdentity { name: folder.name, region: cx.client()?.region.clone() })
    }

    empty_files!();
}

/// Its identity is of the type of that of a folder, and has other values.
#[derive(Model)]
#[model(identity_type = PlaceIdentity)]
struct Shelf {
    #[attr(replace)]
    name: String,
}

impl Resource for Shelf {
    type Client = Api;
    const NAME: &'static str = "shelf";

    fn identity(cx: &IdentityContext<'_, Self>, shelf: Self) -> Result<PlaceIdentity> {
        Ok(PlaceIdentity { name: format!("shelf {}", shelf.name), region: cx.client()?.region.clone() })
    }

    empty_files!();

    fn moves() -> Moves<Self> {
        Moves::new().from(Source::resource("cloud_folder"), |_, old: Prior<Folder>| {
            Ok(Self { name: old.name.unwrap_or_default() })
        })
    }
}
