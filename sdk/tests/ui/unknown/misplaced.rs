use ferroform::model::*;

#[derive(Model)]
#[attr(computed)]
#[model(computed)]
struct Thing {
    #[attr(version = 1)]
    a: u8,
    #[model(version = 1)]
    b: u8,
    #[attr(nested)]
    c: u8,
    #[attr(crate = ferroform)]
    d: u8,
}

#[derive(AttributeValue, Debug, Clone)]
#[attr(name = "x")]
enum Color {
    #[attr(sensitive)]
    Red,
}

fn main() {}
