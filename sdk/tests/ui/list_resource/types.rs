use ferroform::diag::Result;
use ferroform::list_resource::{Context, Item, ListResource};
use ferroform::model::{Model, Planned, Prior};
use ferroform::provider::Registry;
use ferroform::resource::{self, Resource};

struct Api;
struct Other;

#[derive(Model)]
struct Server {
    #[attr(identity)]
    name: String,
}

impl Resource for Server {
    type Client = Other;
    const NAME: &str = "server";

    async fn create(_: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Server { name: plan.name })
    }

    async fn read(_: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        Ok(Some(Server { name: prior.name }))
    }

    async fn update(
        _: &mut resource::UpdateContext<'_, Self>,
        _: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        Ok(Server { name: plan.name })
    }

    async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

#[derive(Model)]
struct Servers {
    prefix: Option<String>,
}

impl ListResource for Servers {
    type Resource = Server;

    async fn list(cx: &mut Context<'_, Self>, _: Planned<Self>) -> Result {
        cx.emit(Item::new("a server", "a")).await;
        Ok(())
    }
}

fn register(it: &mut Registry<Api>) {
    it.list_resource::<Servers>();
    it.list_resource::<Server>();
}

fn main() {}
