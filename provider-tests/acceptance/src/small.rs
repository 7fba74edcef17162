//! The provider `small`, whose notes and cards are files, for compositions: the one in `tests/composition/go` is the same,
//! built with another SDK. Here is also one on the dynamic layer.

mod card_list;
mod streams;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, future};

use async_trait::async_trait;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{self, Catalogue, Change};
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;

pub use card_list::{CardList, card_schemas};
use streams::{Cards, Count};

/// The configuration of all of them.
#[derive(Model, Debug)]
pub struct Config {
    /// Where the files are.
    folder: String,
}

macro_rules! provider {
    ($(#[$doc:meta])* $provider:ident: $($register:ident $of:ident,)*) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $provider;

        impl Provider for $provider {
            type Config = Config;
            type Client = PathBuf;
            const NAME: &str = "small";

            async fn configure(_cx: &mut provider::Context<'_>, config: Draft<Config>) -> Result<PathBuf> {
                configured(config)
            }

            fn register(it: &mut Registry<PathBuf>) {
                $(it.$register::<$of>();)*
            }
        }
    };
}

provider! {
    /// Notes and cards, the list of the cards, and an action.
    Small: resource Note, resource Card, list_resource Cards, action Count,
}
provider! {
    /// Notes only.
    Notes: resource Note,
}

fn configured(config: Draft<Config>) -> Result<PathBuf> {
    let folder = config.folder.known()?;
    match folder.as_str() {
        "/" => Err(Error::new("Folder Not Allowed", "Give another folder than the root.")),
        _ => Ok(folder.into()),
    }
}

macro_rules! file {
    ($(#[$doc:meta])* $model:ident, $kind:literal, $name:meta) => {
        $(#[$doc])*
        #[derive(Model)]
        struct $model {
            #[attr(computed, keep)]
            id: String,
            #[$name]
            name: String,
            text: String,
        }

        impl $model {
            fn path(client: &Path, name: &str) -> PathBuf {
                client.join(format!("{name}.{}", $kind))
            }
        }

        impl Resource for $model {
            type Client = PathBuf;
            const NAME: &str = $kind;

            async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
                misbehave(&plan.text).await;
                fs::write(Self::path(&cx.client, &plan.name), &plan.text)?;
                Ok(Self { id: format!("id-{}", plan.name), name: plan.name, text: plan.text })
            }

            async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
                misbehave(prior.text.as_deref().unwrap_or_default()).await;
                let name = named(prior.name);
                let path = Self::path(&cx.client, &name);
                let text = fs::exists(&path)?.then(|| fs::read_to_string(&path)).transpose()?;
                Ok(text.map(|text| Self { id: format!("id-{name}"), name, text }))
            }

            async fn update(
                cx: &mut UpdateContext<'_, Self>,
                prior: Prior<Self>,
                plan: Planned<Self>,
            ) -> Result<Self> {
                fs::write(Self::path(&cx.client, &plan.name), &plan.text)?;
                Ok(Self { id: prior.id.unwrap_or_default(), name: plan.name, text: plan.text })
            }

            async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
                Ok(fs::remove_file(Self::path(&cx.client, &named(prior.name)))?)
            }
        }
    };
}

file! {
    /// A note.
    Note, "note", attr(replace)
}
file! {
    /// A card, which has an identity.
    Card, "card", attr(replace, identity)
}

/// The name in a state, which is there if it identifies the object.
fn named(name: impl Into<Option<String>>) -> String {
    name.into().unwrap_or_default()
}

/// What the text of an object asks of the provider.
async fn misbehave(text: &str) {
    match text {
        "crash" => std::process::exit(2),
        "hang" => future::pending().await,
        _ => {}
    }
}

/// The configuration in providers on the dynamic layer.
fn configuration() -> Schema {
    // Written otherwise than in the typed provider, which makes no difference.
    Schema::new(Block::new([Attribute::required("folder", Type::String).description("The folder.")]))
}

/// A provider whose type has the columns that are given when it starts.
#[derive(Debug)]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<String>,
}

#[async_trait]
impl dynamic::Provider for Rows {
    fn name(&self) -> &str {
        "rows"
    }

    fn schema(&self) -> Schema {
        configuration()
    }

    async fn configure(
        &self,
        _cx: &mut dynamic::Context<'_, dynamic::phase::Configure>,
        _config: Value,
    ) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        let row: Arc<dyn dynamic::Resource> =
            Arc::new(Row { columns: self.columns.clone(), last: Mutex::default() });
        Catalogue::new().with("small_row", row)
    }
}

struct Row {
    columns: Vec<String>,
    last: Mutex<Option<Value>>,
}

impl Row {
    fn put(&self, row: Option<Value>) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = row;
    }
}

#[async_trait]
impl dynamic::Resource for Row {
    fn schema(&self) -> Schema {
        let columns = self.columns.iter().map(|name| Attribute::required(name.clone(), Type::String));
        Schema::new(Block::new(columns))
    }

    async fn create(
        &self,
        _cx: &mut dynamic::Context<'_, dynamic::phase::Create>,
        change: Change,
    ) -> Result<Value> {
        self.put(Some(change.planned.clone()));
        Ok(change.planned)
    }

    async fn read(
        &self,
        _cx: &mut dynamic::Context<'_, dynamic::phase::Read>,
        _prior: Value,
    ) -> Result<Option<Value>> {
        Ok(self.last.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    async fn update(
        &self,
        _cx: &mut dynamic::Context<'_, dynamic::phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        self.put(Some(change.planned.clone()));
        Ok(change.planned)
    }

    async fn delete(&self, _cx: &mut dynamic::Context<'_, dynamic::phase::Delete>, _prior: Value) -> Result {
        self.put(None);
        Ok(())
    }
}
