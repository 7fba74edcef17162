use ferroform::model::*;

#[derive(Model)]
#[model(version = -1)]
struct Thing {}

fn main() {}
