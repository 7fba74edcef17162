//! A type with six old versions and four old identities, and how it is asked.

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use ferroform::diag::{Error, Result};
use ferroform::model::{Draft, Identity, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{
    CreateContext, DeleteContext, IdentityUpgrades, RawJson, ReadContext, Resource, UpdateContext, Upgrades,
};
use ferroform::schema::Schema;
use ferroform::value::Value;
use ferroform_server::protocol::{ConfigureProviderRequest, RawState};
use ferroform_server::server::Server;

use crate::server::support::{ask, encoded_by, message, response};

/// Counts how often it is asked.
#[derive(Default)]
pub(crate) struct Api {
    asked: AtomicUsize,
}

impl Api {
    async fn size_of(&self, name: &str) -> u64 {
        tokio::task::yield_now().await;
        (name.len() + self.asked.fetch_add(1, Ordering::SeqCst)) as u64
    }
}

#[derive(Model)]
pub(super) struct RecordV0 {
    pub(super) name: String,
    tags: Option<Vec<String>>,
}

#[derive(Model)]
#[model(version = 2)]
struct RecordV2 {
    title: String,
    size: Option<String>,
}

#[derive(Model)]
#[model(version = 3)]
pub(super) struct RecordV3 {
    pub(super) title: String,
}

#[derive(Model)]
#[model(nested)]
struct Owner {
    mail: Option<String>,
}

/// Its versions 0, 1, 2, 3 and 4 were released before.
#[derive(Model)]
#[model(version = 7, identity_type = RecordIdentity)]
pub(super) struct Record {
    title: String,
    size: Option<u64>,
    owner: Option<Owner>,
}

#[derive(Identity)]
struct RecordIdentityV0 {
    id: String,
    old_bool_attribute: Option<bool>,
}

#[derive(Identity)]
#[identity(version = 1)]
struct RecordIdentityV1 {
    id: String,
}

#[derive(Identity)]
#[identity(version = 5)]
pub(super) struct RecordIdentity {
    id: String,
    new_string_attribute: Option<String>,
}

impl From<&Record> for RecordIdentity {
    fn from(record: &Record) -> Self {
        Self { id: record.title.clone(), new_string_attribute: None }
    }
}

impl Resource for Record {
    type Client = Api;
    const NAME: &str = "record";

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { title: plan.title, size: plan.size, owner: None })
    }

    async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        Ok(None)
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }

    fn upgrades() -> Upgrades<Self> {
        Upgrades::<Self>::new()
            .released([0, 1, 2, 3, 4])
            .from(|old: RecordV0| {
                let size = old.tags.map(|tags| tags.len().to_string());
                Ok(RecordV2 { title: old.name, size })
            })
            .same(1, 0)
            .from(|old: Prior<RecordV2>| {
                let size = old.size.map(|size| size.parse()).transpose()?;
                let title = old.title.ok_or_else(|| Error::new("No Title", "There is none."))?;
                Ok(Record { title, size, owner: None })
            })
            .from_async(|mut cx, old: Prior<RecordV3>| async move {
                cx.warn("Size Was Asked For", "");
                let title = old.title.unwrap_or_default();
                if title == "panic" {
                    panic!("half-way");
                }
                let size = Some(cx.client.size_of(&title).await);
                Ok(Record { title, size, owner: None })
            })
            .from_json(4, |stored: RawJson| {
                let mut json: serde_json::Map<String, serde_json::Value> = stored.parse()?;
                if let Some(name) = json.remove("label") {
                    json.insert("title".to_owned(), name);
                }
                RawJson::from_value(&json)?.prior::<Record>()
            })
            .from_flatmap(0, |flat| {
                let title = flat.get("name").cloned().unwrap_or_default();
                let size = flat.get("tags.#").and_then(|count| count.parse().ok());
                Ok(Record { title, size, owner: None })
            })
    }

    fn identity_upgrades() -> IdentityUpgrades<Self> {
        IdentityUpgrades::<Self>::new()
            .released([0, 1, 2, 3])
            .from(|old: RecordIdentityV0| {
                let new_string_attribute = old.old_bool_attribute.map(|it| it.to_string());
                Ok(RecordIdentity { id: old.id, new_string_attribute })
            })
            .from(|old: RecordIdentityV1| Ok(RecordIdentity { id: old.id, new_string_attribute: None }))
            .from_json(2, |stored: RawJson| {
                let id = stored.parse::<serde_json::Value>()?.get("nr").map(ToString::to_string);
                let id = id.ok_or_else(|| Error::new("No Number", "The old identity has no number."))?;
                Ok(RecordIdentityV3 { id })
            })
            .from_async(|cx, old: RecordIdentityV3| async move {
                let size = cx.client.size_of(&old.id).await;
                Ok(RecordIdentity { id: old.id, new_string_attribute: Some(size.to_string()) })
            })
    }
}

#[derive(Identity)]
#[identity(version = 3)]
struct RecordIdentityV3 {
    id: String,
}

pub(crate) struct Cloud;

impl Provider for Cloud {
    type Config = ();
    type Client = Api;
    const NAME: &str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result<Api> {
        Ok(Api::default())
    }

    fn register(it: &mut Registry<Api>) {
        it.resource::<Record>();
    }
}

pub(super) fn configured() -> Server {
    let server = Server::new(assemble::<Cloud>());
    let config = encoded_by(&Schema::default(), &Value::object::<&str>([]));
    let request = message!(ConfigureProviderRequest { config: config });
    assert!(response!(ConfigureProvider, ask(&server, request)).diagnostics.is_empty());
    server
}

pub(super) fn json(text: &str) -> RawState {
    RawState::Json(Bytes::copy_from_slice(text.as_bytes()))
}
