//! Plans, states and schemas as JSON: what `show -json` and `providers schema -json` print.
//!
//! | function | command of a real core | format |
//! |---|---|---|
//! | [`Plan::to_json`](crate::plan::Plan::to_json) | `show -json PLANFILE` | 1.2 |
//! | [`State::to_json`](crate::state::State::to_json) | `show -json` | 1.0 |
//! | [`provider_schemas`] | `providers schema -json` | 1.0 |
//!
//! The `configuration` of a plan has no version constraints. [`normalise`] takes these out of the JSON of real cores, and
//! what differs from run to run, so that both can be compared.
//!
//! These values hold numbers as `serde_json` does: as doubles, unless they are whole and fit 64 bits. One that is too large
//! for a double is the text of the number. The commands of [`play`](crate::play) print all digits.

pub(crate) mod checks;
pub(crate) mod digits;
mod normal;
mod plan;
mod resource;
mod schema;
pub(crate) mod state;
#[cfg(test)]
mod tests;
pub(crate) mod value;

use std::borrow::Borrow;
use std::collections::BTreeMap;

use crate::address::{Mode, ProviderAddress, ResourceAddress};
use crate::client::Schemas;
use crate::state::StateError;
use ferroform::schema::{IdentitySchema, Schema};

pub use normal::normalise;
pub use schema::provider_schemas;

/// The schemas of a resource and of its identity.
struct ResourceSchemas<'s> {
    schema: &'s Schema,
    identity: Option<&'s IdentitySchema>,
}

/// Finds the schemas of a resource.
fn known<'s, S: Borrow<Schemas>>(
    schemas: &'s BTreeMap<ProviderAddress, S>,
    provider: &ProviderAddress,
    resource: &ResourceAddress,
) -> Result<ResourceSchemas<'s>, StateError> {
    let missing = |what: String| StateError::new(format!("there is no schema of {what}"));
    let of_provider: &Schemas =
        schemas.get(provider).ok_or_else(|| missing(format!("the provider {provider}")))?.borrow();
    let types = match resource.mode {
        Mode::Managed => &of_provider.resources,
        Mode::Data => &of_provider.data_sources,
        Mode::Ephemeral => &of_provider.ephemeral_resources,
        Mode::Action => &of_provider.actions,
        Mode::List => &of_provider.list_resources,
    };
    let kind = resource.mode.noun();
    let name = &resource.type_name;
    let schema = types.get(name).ok_or_else(|| missing(format!("the {kind} {name:?} of {provider}")))?;
    let identity = (resource.mode == Mode::Managed).then(|| of_provider.identities.get(name)).flatten();
    Ok(ResourceSchemas { schema, identity })
}
