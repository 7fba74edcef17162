use ferroform::model::*;

#[derive(Model)]
#[model(version = 1, version = 2, description = "a", description = "b", crate = ferroform, crate = ferroform)]
#[model(deprecated = "a", deprecated = "b")]
struct Thing {}

#[derive(Model)]
#[model(nested, nested)]
struct Inner {}

fn main() {}
