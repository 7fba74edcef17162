//! `cargo ferroform schema`: the schemas as JSON.

use std::collections::BTreeMap;

use clap::Args;
use ferroform_testing::json::provider_schemas;

use crate::failure::Outcome;
use crate::provider::Location;

/// Print the schemas of the provider, as `terraform providers schema -json` does.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    location: Location,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let provider = arguments.location.find()?;
    let schemas = provider.schemas()?;
    let json = provider_schemas(&BTreeMap::from([(provider.address.clone(), schemas)]));
    println!("{json:#}");
    Ok(())
}
