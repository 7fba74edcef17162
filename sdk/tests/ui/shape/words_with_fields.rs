use ferroform::model::*;

#[derive(AttributeValue, Debug, Clone)]
enum Thing {
    A(u8),
    B { b: u8 },
    C,
}

fn main() {}
