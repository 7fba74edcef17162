use ferroform::model::*;

#[derive(AttributeValue, Debug, Clone)]
enum Color {
    Red,
    #[attr(name = "red")]
    Crimson,
    #[attr(name = "a", name = "b")]
    Blue,
}

fn main() {}
