//! The provider `lease`, whose ephemeral resource `lease_token` has a token that occurs nowhere else.

#![allow(dead_code, reason = "each test binary uses another part")]

use ferroform::Serve;
use ferroform::diag::Result;
use ferroform::ephemeral_resource::{CloseContext, EphemeralResource, OpenContext};
use ferroform::model::{Draft, Model, Planned};
use ferroform::provider::{self, Registry, assemble};
use ferroform_testing::case::{Case, Provider};
use ferroform_testing::config::{Config, ephemeral, provider as provider_block, reference, resource};
use ferroform_testing::echo_provider;
use ferroform_testing::real::Feature;

pub(crate) const TOKEN: &str = "t0ken-canary";
pub(crate) const PIN: i64 = 471_147;

struct Leases;

impl provider::Provider for Leases {
    type Config = ();
    type Client = ();
    const NAME: &str = "lease";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.ephemeral_resource::<Token>();
    }
}

#[derive(Model)]
struct Token {
    name: String,
    #[attr(computed)]
    token: String,
    #[attr(computed)]
    pin: i64,
}

impl EphemeralResource for Token {
    type Client = ();
    type Private = String;
    const NAME: &str = "token";

    async fn open(cx: &mut OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> {
        cx.record(&config.name)?;
        Ok(Self { name: config.name, token: TOKEN.to_owned(), pin: PIN })
    }

    async fn close(_: &mut CloseContext<'_, Self>, _: String) -> Result {
        Ok(())
    }
}

/// A case with this provider and `echo`.
pub(crate) fn case(name: &str) -> Case<()> {
    let leases =
        Provider::in_process("example.com/ferroform/lease", |_: &()| Serve::new(assemble::<Leases>()));
    Case::new(name).provider(leases).provider(echo_provider::provider()).requires(Feature::EphemeralResources)
}

/// `echo` stores what an attribute of the ephemeral resource has.
pub(crate) fn echoed(attribute: &str) -> Config {
    Config::new()
        .resource(ephemeral("lease_token", "a").set("name", "some-name"))
        .provider(
            provider_block("echo").set("data", reference(&format!("ephemeral.lease_token.a.{attribute}"))),
        )
        .resource(resource("echo_value", "seen"))
}
