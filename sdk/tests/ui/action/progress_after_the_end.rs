use ferroform::action::{Action, Context};
use ferroform::diag::Result;
use ferroform::model::{Model, Planned};

#[derive(Model)]
struct Restart {
    server: String,
}

impl Action for Restart {
    type Client = ();
    const NAME: &str = "restart";

    async fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
        tokio::spawn(async move { cx.progress(config.server).await });
        Ok(())
    }
}

fn main() {}
