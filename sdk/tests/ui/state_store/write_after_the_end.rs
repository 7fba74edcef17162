use std::sync::Arc;

use ferroform::diag::Result;
use ferroform::model::{Model, Planned};
use ferroform::state_store::{ConfigureContext, StateSink, StateSource, StateStore, Store, StoreContext};

struct Api;

#[derive(Model)]
struct Bucket {
    name: String,
}

struct States;

impl StateStore for Bucket {
    type Client = Api;
    type Store = States;
    const NAME: &str = "bucket";

    async fn configure(_: Arc<Api>, _: &mut ConfigureContext<'_>, _: Planned<Self>) -> Result<States> {
        Ok(States)
    }
}

impl Store for States {
    async fn read(&self, _: &StoreContext, _: &str, _: StateSink<'_>) -> Result {
        Ok(())
    }

    async fn write(&self, _: &StoreContext, _: &str, mut state: StateSource<'_>) -> Result {
        tokio::spawn(async move { while let Ok(Some(_)) = state.next().await {} });
        Ok(())
    }

    async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> {
        Ok(String::new())
    }

    async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result {
        Ok(())
    }

    async fn list(&self, _: &StoreContext) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    async fn delete(&self, _: &StoreContext, _: &str) -> Result {
        Ok(())
    }
}

fn main() {}
