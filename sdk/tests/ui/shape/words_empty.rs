use ferroform::model::*;

#[derive(AttributeValue, Debug, Clone)]
enum Thing {}

fn main() {}
