use std::time::Duration;

use ferroform::diag::Result;
use ferroform::dynamic::ValidateContext;
use ferroform::ephemeral_resource::{CloseContext, EphemeralResource, OpenContext, RenewContext};
use ferroform::model::{Draft, Model, Planned};
use ferroform_server::protocol::Deferred;

#[derive(Model)]
struct Token {
    #[attr(computed, sensitive)]
    value: String,
}

impl EphemeralResource for Token {
    type Client = ();
    type Private = String;
    const NAME: &str = "token";

    fn validate(cx: &mut ValidateContext<'_>, _: Draft<Self>) -> Result {
        let _ = cx.client;
        Ok(())
    }

    async fn open(cx: &mut OpenContext<'_, Self>, _: Planned<Self>) -> Result<Self> {
        cx.record(&7)?;
        Ok(Self { value: "secret".to_owned() })
    }

    async fn renew(cx: &mut RenewContext<'_, Self>, _: String) -> Result {
        cx.defer(Deferred::AbsentPrerequisite);
        Ok(())
    }

    async fn close(cx: &mut CloseContext<'_, Self>, lease: String) -> Result {
        cx.renew_after(Duration::from_secs(1));
        cx.record(&lease)
    }
}

fn main() {}
