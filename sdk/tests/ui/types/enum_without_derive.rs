use ferroform::model::*;

enum Color {
    Red,
}

#[derive(Model)]
struct Thing {
    field: Option<Color>,
    other: String,
}

fn main() {}
