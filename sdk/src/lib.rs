//! Write Terraform and OpenTofu providers in Rust.
//!
//! A *provider* is a process that Terraform or OpenTofu (*core*) starts and drives over gRPC. This crate is everything in it
//! except what your provider does: the plugin protocol (versions 6 and 5), schemas, planning, stored state, and
//! diagnostics. One annotated struct is a resource.
//!
//! Mistakes that other SDKs report while users apply do not compile here: a value that is still unknown after apply, a
//! write-only secret in the state, a resource that expects another client than the provider makes.
//!
//! # A first provider
//!
//! ```no_run
//! use ferroform::prelude::*;
//! use std::fs;
//!
//! /// A text file.
//! #[derive(Model)]
//! struct Note {
//!     /// Where the file is.
//!     #[attr(replace, identity)]
//!     path: String,
//!     /// The text in the file.
//!     text: String,
//! }
//!
//! impl Resource for Note {
//!     type Client = ();
//!     const NAME: &str = "note";
//!
//!     async fn create(_: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
//!         fs::File::create_new(&plan.path)
//!             .summary("File Not Created")
//!             .detail("The file must be new. If it exists already, import it or choose another path.")
//!             .at(path!(path))?;
//!         fs::write(&plan.path, &plan.text)?;
//!         plan.into_model()
//!     }
//!
//!     async fn read(_: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
//!         let text = fs::exists(&prior.path)?.then(|| fs::read_to_string(&prior.path)).transpose()?;
//!         Ok(text.map(|text| Note { path: prior.path, text }))
//!     }
//!
//!     async fn update(
//!         _: &mut resource::UpdateContext<'_, Self>,
//!         _: Prior<Self>,
//!         plan: Planned<Self>,
//!     ) -> Result<Self> {
//!         fs::write(&plan.path, &plan.text)?;
//!         plan.into_model()
//!     }
//!
//!     async fn delete(_: &mut resource::DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
//!         if fs::exists(&prior.path)? { Ok(fs::remove_file(&prior.path)?) } else { Ok(()) }
//!     }
//! }
//!
//! struct Minimal;
//! impl Provider for Minimal {
//!     type Config = ();
//!     type Client = ();
//!     const NAME: &str = "minimal";
//!     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
//!         Ok(())
//!     }
//!     fn register(it: &mut Registry<()>) {
//!         it.resource::<Note>();
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     ferroform::serve::<Minimal>()
//! }
//! ```
//!
//! Build it as a program named `terraform-provider-minimal`, and `minimal_note` is a resource type. `cargo ferroform new NAME`
//! makes such a provider with tests, documentation and a release workflow.
//!
//! # The life of a resource
//!
//! The derive makes a view of the struct for each phase, so that what a phase may not see has no type there.
//!
//! | phase | protocol | your code | what it sees |
//! |---|---|---|---|
//! | validate | `ValidateResourceConfig` | [`Resource::validate`](resource::Resource::validate) | [`Draft`](model::Draft): configured, null or unknown |
//! | plan | `PlanResourceChange` | [`Resource::plan`](resource::Resource::plan), rarely needed | [`Prior`](model::Prior) and a `Draft` to change |
//! | create, update, delete | `ApplyResourceChange` | [`create`](resource::Resource::create), [`update`](resource::Resource::update), [`delete`](resource::Resource::delete) | [`Planned`](model::Planned): known, or left to you |
//! | read | `ReadResource` | [`read`](resource::Resource::read) | `Prior`: what the state holds |
//! | import | `ImportResourceState` | [`import`](resource::Resource::import) | an import ID or an identity |
//! | upgrade | `UpgradeResourceState` | [`upgrades`](resource::Resource::upgrades) | what an older release stored |
//! | move | `MoveResourceState` | [`moves`](resource::Resource::moves) | the state of another type |
//!
//! A create that fails after [`checkpoint`](resource::Context::checkpoint) keeps the object in the state; a panic is an error of
//! the one call. The server checks each answer against core's rules before it leaves the process.
//!
//! # Map
//!
//! | looking for | module |
//! |---|---|
//! | what most providers import | [`prelude`] |
//! | the provider, its configuration and client | [`provider`] |
//! | managed resources, data sources, ephemeral resources | [`resource`], [`data_source`], [`ephemeral_resource`] |
//! | functions, actions, list resources, state stores | [`function`](mod@function), [`action`], [`list_resource`], [`state_store`] |
//! | attributes, nested attributes, blocks | [`model`]; every annotation is described at [`derive(Model)`](derive@model::Model) |
//! | validators | [`validate`] |
//! | attribute types with a meaning of their own: JSON, CIDR, durations | [`semantic`] |
//! | write-only secrets of which the state keeps a hash | [`secret`] |
//! | waiting for a service | [`wait`] |
//! | errors and warnings | [`diag`] |
//! | schemas and types that are known at run time only | [`dynamic`], [`schema`], [`value`] |
//! | checks for your tests: schemas, shapes, upgrades | [`testing`] |
//! | how the process is served | [`serve`](fn@serve), [`Serve`] |
//! | a page per topic: schemas, secrets, drift, versions, recipes | [`guide`] |
//! | several providers as one, also with programs built with other SDKs | [`compose`] |
//!
//! The crate `ferroform-testing` plans and applies configurations on an embedded core, in milliseconds, and runs the same
//! cases on real ones. Who works on the SDK itself finds the crates below this one, and what is in each, in
//! `docs/architecture.md` of the repository.
//!
//! # Features
//!
//! None is on by default.
//!
//! | feature | adds |
//! |---|---|
//! | `client` | [`compose`]: programs of other SDKs beside your providers |
//! | `testing` | [`testing`]; the crate `ferroform-testing` turns it on, so that a release is built without |
//! | `upgrade-verbs` | `check-upgrades` and `record-upgrades`, verbs of the program: see [`serve`](fn@serve) |
//! | `time` | `semantic::Rfc3339` |
//! | `url` | `semantic::Url` |
//! | `yaml` | `semantic::Yaml` |
//! | `regex` | `validate::text::matches` |

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod action;
mod client;
pub mod compose;
pub mod data_source;
pub mod ephemeral_resource;
pub mod function;
pub mod list_resource;
pub mod provider;
pub mod resource;
pub mod secret;
mod serve;
pub mod state_store;
#[cfg(any(feature = "testing", doc))]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub mod testing;

use ferroform_core::{codec, plan};
use ferroform_plugin as plugin;
use ferroform_server::{panics, protocol, server, wire};

/// The attribute of implementations of the traits in [`dynamic`], which are object-safe and have asynchronous methods.
///
/// ```
/// use ferroform::async_trait;
/// use ferroform::diag::Result;
/// use ferroform::dynamic::{CallState, Context, DataSource, phase};
/// use ferroform::schema::{Attribute, Block, Schema};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// /// The zones of a region, by a document that describes the service.
/// struct Zones;
///
/// #[async_trait]
/// impl DataSource for Zones {
///     fn schema(&self) -> Schema {
///         Schema::new(Block::new([Attribute::computed("names", Type::list(Type::String))]))
///     }
///
///     async fn read(&self, _cx: &mut Context<'_, phase::ReadData>, _config: Value) -> Result<Value> {
///         Ok(Value::object([("names", Value::list([Value::from("eu-1")]))]))
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let mut call = CallState::new();
/// let zones = Zones.read(&mut Context::new(&mut call), Value::Null).await?;
/// zones.conforms(&Zones.schema().ty())?;
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub use async_trait::async_trait;
#[doc(inline)]
pub use ferroform_core::{diag, model, path, private, schema, semantic, ty, validate, value};
pub use ferroform_macros::function;
pub use ferroform_plugin::Protocol;
pub use ferroform_plugin::log::Redaction;
#[doc(inline)]
pub use ferroform_server::{cancel, clock, dynamic, wait};
pub use serve::{Serve, serve};

pub mod prelude {
    //! The names that almost every provider uses, for `use ferroform::prelude::*`.
    //!
    //! Contexts are named by their modules: [`resource::CreateContext`], [`data_source::Context`], [`provider::Context`]. All
    //! validations have the same [`ValidateContext`].
    //!
    //! ```
    //! use ferroform::prelude::*;
    //!
    //! /// How long a text is.
    //! #[derive(Model)]
    //! struct Length {
    //!     text: String,
    //!     #[attr(computed)]
    //!     length: u64,
    //! }
    //!
    //! impl DataSource for Length {
    //!     type Client = ();
    //!     const NAME: &str = "length";
    //!
    //!     async fn read(_cx: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
    //!         let length = u64::try_from(config.text.len()).at(path!(text))?;
    //!         Ok(Self { text: config.text, length })
    //!     }
    //! }
    //! ```

    pub use crate::data_source::{self, DataSource};
    pub use crate::diag::{Error, Result, ResultExt};
    pub use crate::dynamic::ValidateContext;
    pub use crate::ephemeral_resource::{self, EphemeralResource};
    pub use crate::function::{self, Function};
    pub use crate::model::{
        Attr, AttributeValue, Computed, Convert, Draft, Model, Planned, Prior, SetOf, Timeouts, WriteOnly,
    };
    pub use crate::path;
    pub use crate::provider::{self, Provider, Registry};
    pub use crate::resource::{self, Import, Imported, NotFoundExt, Resource};
}

#[cfg(any(doc, doctest))]
pub mod guide;

/// The first provider in the README is a test like every other example.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The reference of the macros. Its examples are tested here, for the macro crate would compile `ferroform` a second time.
#[cfg(doctest)]
mod macros {
    macro_rules! examples {
        ($($name:ident: $file:literal,)*) => {
            $(
                #[doc = include_str!(concat!("../../sdk-macros/src/reference/", $file))]
                struct $name;
            )*
        };
    }
    examples! {
        AttributeValue: "attribute_value.md",
        Convert: "convert.md",
        Function: "function.md",
        Identity: "identity.md",
        Model: "model.md",
        Parameters: "parameters.md",
    }
}

/// The guide to compositions, whose examples need a feature.
#[cfg(all(doctest, feature = "client"))]
#[doc = include_str!("../../docs/composition.md")]
struct CompositionGuide;
