use ferroform::model::*;

#[derive(AttributeValue)]
struct Thing {
    field: u8,
}

fn main() {}
