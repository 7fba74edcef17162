//! Real Terraform and OpenTofu cores: where they are, how pinned ones are fetched, and how they are driven.
//!
//! A test asks the [`Resolver`] for a core, opens a [`Workspace`] with the providers under test, and runs commands in
//! it. The resolver never downloads: `ferroform-cores fetch` fills the [`Cache`] beforehand, so that a test run needs
//! no network and a core that is not there is reported, not silently replaced.
//!
//! ```no_run
//! use ferroform_cores::{Availability, Resolver, CoreRequest, Workspace};
//!
//! # fn main() -> Result<(), ferroform_cores::Error> {
//! let wanted: CoreRequest = "terraform@1.15.5".parse()?;
//! let core = match Resolver::from_environment()?.resolve(&wanted)? {
//!     Availability::Present(core) => core,
//!     Availability::Absent(reason) => {
//!         // The test reports itself as not run, with the reason.
//!         # let _ = reason;
//!         return Ok(());
//!     }
//! };
//! let workspace = Workspace::new(&core, &[])?;
//! workspace.write("main.tf", r#"resource "terraform_data" "this" { input = "hello" }"#)?;
//! let plan = workspace.plan(&[])?;
//! assert!(plan.has_changes());
//! workspace.apply(&plan)?;
//! assert!(workspace.state()?.is_some());
//! # Ok(())
//! # }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

use ferroform_embedded::{address, client, config, diagnostic, embedded, feature, language, plan, product};

mod cache;
mod core;
mod driver;
mod environment;
mod error;
mod fetch;
mod lock;
mod matrix;
mod open_tofu;
mod process;
mod resolve;
mod session;
mod state_file;

pub use self::cache::Cache;
pub use self::core::{Core, CoreRequest, Origin};
pub use self::driver::{
    Diagnostic, Message, Outcome, Plan, Position, Protocol, Provider, Range, ReattachAddress, Running,
    ServedProvider, Severity, Snippet, Workspace,
};
pub use self::error::Error;
pub use self::fetch::{Fetch, Pip};
pub use self::lock::{LockedCore, Wheel, default_cores, locked_cores};
#[doc(hidden)]
pub use self::matrix::with_required;
pub use self::matrix::{MatrixEntry, Share, matrix};
pub use self::open_tofu::{Go, pinned_open_tofu};
pub use self::resolve::{Availability, MissingCore, Resolver};
pub use self::session::{Report, SavedPlan, Session};
pub use ferroform_embedded::feature::Feature;
pub use ferroform_embedded::product::Product;
/// The version of a core, as `version -json` reports it.
pub use semver::Version;
