//! Test harness for Terraform and OpenTofu providers.
//!
//! A test case takes a provider through its life as Terraform does: plan, apply, change, import, destroy. It is written once. It
//! runs in milliseconds on the *embedded core*, `ferroform-embedded`, and unchanged on each real core that is
//! installed. A provider in any language can be tested; one that is written with `ferroform` runs in the test process.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use ferroform_testing::prelude::*;
//!
//! fn web(size: i64) -> Config {
//!     Config::new().resource(resource("cloud_server", "web").set("size", size))
//! }
//!
//! // With `harness = false`, this is a whole test binary: each case on each core is a test of its own.
//! fn main() -> ExitCode {
//!     let provider = Provider::binary("example.com/acme/cloud", "target/debug/terraform-provider-cloud");
//!     let lifecycle = Case::new("lifecycle")
//!         .provider(provider)
//!         .step(Step::apply(web(1)).plan(change("cloud_server.web").action(Action::Create)))
//!         .step(Step::apply(web(2)).plan(change("cloud_server.web").action(Action::Update)));
//!     Suite::new().case(lifecycle).main()
//! }
//! ```
//!
//! After each apply the case plans again and expects no changes; in the end it destroys everything.
//!
//! | looking for | module |
//! |---|---|
//! | what most tests use | [`prelude`] |
//! | cases, steps and checks | [`case`] |
//! | recorded HTTP exchanges, for tests without the service | [`cassette`] |
//! | configurations as values | [`config`] |
//! | rules that hold for every resource, without a case | [`conformance`](mod@conformance) |
//! | secrets that leak | [`secrets`] |
//! | one function, without a configuration | [`function`] |
//! | strategies for proptest from a schema | [`generate`] |
//! | `.tf` files on the embedded core, from the command line | [`play`] |
//! | random names, and deleting what tests left in a service | [`sweep`] |
//! | real cores: where they are, sessions on them | [`real`] |
//! | the embedded core itself, plans and states | [`embedded`], [`plan`], [`state`] |
//! | calls of the protocol, faults, transcripts | [`client`] |
//!
//! | feature | adds |
//! |---|---|
//! | `cores` | cases on real cores: a [`Suite`](case::Suite) as a test binary |
//! | `conformance` | conformance tests, strategies for `proptest`, and what `cores` adds |
//! | `cassettes` | recorded HTTP exchanges |
//! | `snapshots` | golden plans and schemas, compared with `insta` |
//! | `mutation` | switches that leave out single rules of the embedded core, for tests of that core itself |

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod case;
#[cfg(feature = "cassettes")]
pub mod cassette;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod echo_provider;
#[cfg(any(feature = "cassettes", feature = "cores"))]
mod files;
pub mod function;
#[cfg(feature = "conformance")]
pub mod generate;
pub mod prelude;
pub mod secrets;
pub mod state_store;
pub mod sweep;

/// The guides whose examples need this crate. `ferroform`, whose documentation has them, tests the others.
#[cfg(doctest)]
mod guides {
    macro_rules! guides {
        ($($name:ident: $file:literal,)*) => {
            $(
                #[doc = include_str!(concat!("../../docs/", $file))]
                struct $name;
            )*
        };
    }
    guides! {
        Deferral: "deferral.md",
        Language: "language.md",
        Secrets: "secrets.md",
        StateStores: "state-stores.md",
    }
}

#[cfg(feature = "cores")]
pub use ferroform_cores as real;
pub use ferroform_embedded::{
    address, checks, client, config, diagnostic, embedded, json, language, plan, plan_rules, play, render,
    state, template,
};
