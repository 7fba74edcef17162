use ferroform::model::*;

#[derive(AttributeValue, Debug, Clone)]
enum Thing {
    A(u8),
    B { b: u8 },
    C,
    D(u8, u8),
}

#[derive(AttributeValue)]
enum Again {
    Size(u8),
    #[attr(name = "size")]
    Other(u8),
    #[attr(name = "Size")]
    Third(Missing),
}

fn main() {}
