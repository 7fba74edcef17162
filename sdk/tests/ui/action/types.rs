use ferroform::action::{Action, Context};
use ferroform::diag::Result;
use ferroform::model::{Model, Planned};
use ferroform::provider::Registry;

struct Api;
struct Other;

#[derive(Model)]
struct Restart {
    server: String,
}

impl Action for Restart {
    type Client = Other;
    const NAME: &str = "restart";

    async fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
        cx.progress(config.server).await;
        Ok(())
    }
}

#[derive(Model)]
struct Server {
    name: String,
}

fn register(it: &mut Registry<Api>) {
    it.action::<Restart>();
    it.action::<Server>();
}

fn main() {}
