//! Plans, states and schemas as JSON: what `show -json` and `providers schema -json` print.
//!
//! | function | command of a real core | format |
//! |---|---|---|
//! | [`Plan::to_json`](crate::plan::Plan::to_json) | `show -json PLANFILE` | 1.2 |
//! | [`State::to_json`](crate::state::State::to_json) | `show -json` | 1.0 |
//! | [`provider_schemas`] | `providers schema -json` | 1.0 |
//!
//! Left out of plans is what tells nothing about providers: `configuration`, `variables` and `timestamp`.
//! [`normalise`] takes them out of the JSON of real cores, so that both can be compared.
//!
//! Numbers are as exact as a JSON value is in memory. One that is too large for it is the text of the number.

pub(crate) mod checks;
mod normal;
mod plan;
mod resource;
mod schema;
mod state;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Borrow;
use std::collections::BTreeMap;

use crate::address::{Mode, ProviderAddress, ResourceAddress};
use crate::client::Schemas;
use crate::state::StateError;
use ferroform::schema::{IdentitySchema, Schema};

pub use normal::normalise;
pub use schema::provider_schemas;

/// The schemas of a resource and of its identity.
struct Known<'s> {
    schema: &'s Schema,
    identity: Option<&'s IdentitySchema>,
}

/// Finds the schemas of a resource.
fn known<'s, S: Borrow<Schemas>>(
    schemas: &'s BTreeMap<ProviderAddress, S>,
    provider: &ProviderAddress,
    resource: &ResourceAddress,
) -> Result<Known<'s>, StateError> {
    let missing = |what: String| StateError::new(format!("there is no schema of {what}"));
    let of_provider: &Schemas =
        schemas.get(provider).ok_or_else(|| missing(format!("the provider {provider}")))?.borrow();
    let (kind, types) = match resource.mode {
        Mode::Managed => ("resource", &of_provider.resources),
        Mode::Data => ("data source", &of_provider.data_sources),
    };
    let name = &resource.type_name;
    let schema = types.get(name).ok_or_else(|| missing(format!("the {kind} {name:?} of {provider}")))?;
    let identity = (resource.mode == Mode::Managed).then(|| of_provider.identities.get(name)).flatten();
    Ok(Known { schema, identity })
}
