use ferroform::model::*;

#[derive(Model)]
struct Thing(String);

fn main() {}
