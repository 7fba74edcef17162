use ferroform::model::*;

#[derive(Model)]
struct Thing;

fn main() {}
