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
