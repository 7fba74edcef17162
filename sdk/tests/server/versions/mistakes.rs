//! Mistakes in the maps of upgrades.

use ferroform::diag::Result;
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext, Upgrades};
use ferroform::testing::{self, ProviderCheck};
use ferroform_server::protocol::GetProviderSchemaRequest;
use ferroform_server::server::Server;

use super::record::{Cloud, RecordV0, RecordV3};
use crate::server::support::{ask, response, summaries};

#[derive(Model)]
#[model(version = 3)]
struct Gap {
    name: String,
}

impl Resource for Gap {
    type Client = ();
    const NAME: &str = "gap";

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { name: plan.name })
    }

    async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        Ok(None)
    }

    async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { name: plan.name })
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }

    fn upgrades() -> Upgrades<Self> {
        Upgrades::<Self>::new()
            .from_json(1, |json| json.prior::<Gap>())
            .from_json(1, |json| json.prior::<Gap>())
            .from_json(4, |json| json.prior::<Gap>())
            .from(|old: Prior<RecordV0>| Ok(RecordV3 { title: old.name.unwrap_or_default() }))
    }
}

struct Mistaken;

impl Provider for Mistaken {
    type Config = ();
    type Client = ();
    const NAME: &str = "mistaken";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Gap>();
    }
}

#[test]
fn mistakes_are_found_before_anything_is_served() {
    assert_eq!(ProviderCheck::new(assemble::<Cloud>()).mistakes(), Vec::<String>::new());
    testing::check::<Cloud>();
    let found = ProviderCheck::new(assemble::<Mistaken>()).mistakes().join("\n");
    for part in [
        "two upgrades from version 1 to version 3",
        "from version 4 leads to version 3, which is not later",
        "from version 0 makes another Rust type",
        "no upgrade from version 2 to the current version 3",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
    let server = Server::new(assemble::<Mistaken>());
    let schema = response!(GetProviderSchema, ask(&server, GetProviderSchemaRequest::default()));
    assert_eq!(summaries(&schema.diagnostics).lines().next(), Some("error: Invalid Upgrades"));
}
