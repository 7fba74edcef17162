//! Plans and states as people read them.
//!
//! [`plan`] and [`state`] write what `show -json` prints as text, in the form that users of Terraform know: marks for
//! actions, `(known after apply)`, `# forces replacement`, and what does not change as a number. Sensitive values are
//! never written. They take the JSON of real cores as well as that of [`Plan::to_json`](crate::plan::Plan::to_json).
//!
//! ```
//! use std::collections::BTreeMap;
//! use ferroform_embedded::client::Schemas;
//! use ferroform_embedded::render::{self, Colour};
//! use ferroform_embedded::plan::Mode;
//!
//! let plan = serde_json::json!({"output_changes": {"size": {
//!     "actions": ["create"], "before": null, "after": 7, "after_unknown": false,
//! }}});
//! let schemas: BTreeMap<_, Schemas> = BTreeMap::new();
//! let text = render::plan(&plan, &schemas, Mode::Normal, Colour::None)?;
//! assert!(text.contains("  + size = 7"));
//! # Ok::<(), ferroform_embedded::render::RenderError>(())
//! ```

mod action_invocation;
mod diff;
mod header;
mod paint;
mod pair;
mod plan;
mod sequence;
mod state;
mod text;
mod write;

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;

use ferroform::schema::Schema;
use serde_json::Value as Json;

use crate::address::ProviderAddress;
use crate::client::Schemas;

pub use paint::Colour;
pub(crate) use paint::Style;
pub(crate) use plan::Counts;
pub use plan::plan;
pub use state::state;

/// Why a plan or a state cannot be written as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderError {
    problem: String,
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for RenderError {}

/// A member that is a text; empty if it is none.
fn text_of<'j>(json: &'j Json, name: &str) -> &'j str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// The elements of a member.
fn elements<'j>(json: &'j Json, name: &str) -> &'j [Json] {
    json.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The schema of a resource, which says what it is of.
fn schema<'s, S: Borrow<Schemas>>(
    schemas: &'s BTreeMap<ProviderAddress, S>,
    resource: &Json,
) -> Result<&'s Schema, RenderError> {
    schema_of(schemas, resource, |it| match text_of(resource, "mode") {
        "data" => &it.data_sources,
        _ => &it.resources,
    })
}

/// The same among the types of one kind.
fn schema_of<'s, S: Borrow<Schemas>>(
    schemas: &'s BTreeMap<ProviderAddress, S>,
    resource: &Json,
    types: impl FnOnce(&'s Schemas) -> &'s BTreeMap<String, Schema>,
) -> Result<&'s Schema, RenderError> {
    let type_name = text_of(resource, "type");
    let of_provider = text_of(resource, "provider_name").parse().ok().and_then(|it| schemas.get(&it));
    let types = of_provider.map(Borrow::borrow).map(types);
    types.and_then(|types| types.get(type_name)).ok_or_else(|| RenderError {
        problem: format!(
            "there is no schema of {type_name:?} of the provider {:?}",
            text_of(resource, "provider_name")
        ),
    })
}

/// The first line of a block, as it is declared.
fn declaration(resource: &Json) -> String {
    let kind = if text_of(resource, "mode") == "data" { "data" } else { "resource" };
    format!("{kind} {} {}", text::quoted(text_of(resource, "type")), text::quoted(text_of(resource, "name")))
}
