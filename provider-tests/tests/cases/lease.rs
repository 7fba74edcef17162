//! The provider `lease`, whose ephemeral resource `lease_token` has a token that occurs nowhere else.

#![allow(dead_code, reason = "each test binary uses another part")]

use std::time::Duration;

use ferroform::Serve;
use ferroform::clock::Clock;
use ferroform::diag::Result;
use ferroform::ephemeral_resource::{CloseContext, EphemeralResource, OpenContext, RenewContext};
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
        it.ephemeral_resource::<Short>();
    }
}

/// It lasts for twenty seconds.
#[derive(Model)]
struct Short {
    #[attr(computed)]
    number: i64,
}

/// After this time, [`Short`] has to be renewed.
pub(crate) const HALF: Duration = Duration::from_secs(10);

impl EphemeralResource for Short {
    type Client = ();
    type Private = i64;
    const NAME: &str = "short";

    async fn open(cx: &mut OpenContext<'_, Self>, _: Planned<Self>) -> Result<Self> {
        cx.record(&1)?;
        cx.renew_after(HALF);
        Ok(Self { number: 1 })
    }

    async fn renew(cx: &mut RenewContext<'_, Self>, number: i64) -> Result {
        cx.record(&(number + 1))?;
        cx.renew_after(HALF);
        Ok(())
    }

    async fn close(_: &mut CloseContext<'_, Self>, _: i64) -> Result {
        Ok(())
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

/// This provider, by the clock of a run.
pub(crate) fn timed<B: 'static>(clock: impl Fn(&B) -> Clock + Send + Sync + 'static) -> Provider<B> {
    Provider::in_process("example.com/ferroform/lease", move |run: &B| {
        Serve::new(assemble::<Leases>()).clock(clock(run))
    })
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
