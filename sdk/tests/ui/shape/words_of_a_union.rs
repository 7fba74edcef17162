use ferroform::model::*;

#[derive(AttributeValue)]
union Thing {
    field: u8,
}

fn main() {}
