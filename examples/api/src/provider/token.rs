//! The ephemeral resource `api_token`, with which another configuration of the provider works.

use std::time::Duration;

use ferroform::diag::Result;
use ferroform::dynamic::EphemeralContext;
use ferroform::ephemeral_resource::{CloseContext, EphemeralResource, OpenContext, RenewContext};
use ferroform::model::{Model, Planned};
use ferroform::resource::NotFoundExt as _;

use super::client::{Client, Failure, Patience};
use crate::wire::{self, Lifetime, NewToken};

/// A token that the service accepts while something uses it.
#[derive(Model)]
pub(super) struct Token {
    /// The name under which the service notes what the token is used for.
    name: String,
    /// The token, for `token` in a configuration of the provider.
    #[attr(computed, sensitive)]
    token: String,
}

impl EphemeralResource for Token {
    type Client = Client;
    /// The ID of the token.
    type Private = String;
    const NAME: &str = "token";

    async fn open(cx: &mut OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> {
        let new = NewToken { name: config.name.clone() };
        let granted: wire::Token = cx.client.grant(patience(cx), &new).await?;
        cx.record(&granted.id)?;
        cx.renew_after(half(granted.expires_in));
        Ok(Self { name: config.name, token: granted.token })
    }

    async fn renew(cx: &mut RenewContext<'_, Self>, id: String) -> Result {
        let Lifetime { expires_in } = cx.client.extend(patience(cx), &id).await?;
        cx.renew_after(half(expires_in));
        Ok(())
    }

    /// A token that has expired is closed.
    async fn close(cx: &mut CloseContext<'_, Self>, id: String) -> Result {
        cx.client.revoke(patience(cx), &id).await.none_if_not_found(Failure::is_not_found)?;
        Ok(())
    }
}

fn patience<P>(cx: &EphemeralContext<P>) -> Patience<'_> {
    (&cx.cancellation, &cx.clock)
}

/// Half of the lifetime is left when the token is renewed.
fn half(seconds: u64) -> Duration {
    Duration::from_secs(seconds) / 2
}
