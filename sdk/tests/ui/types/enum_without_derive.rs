use ferroform::model::*;

enum Color {
    Red,
}

#[derive(Model)]
struct Thing {
    field: Option<Color>,
}

fn main() {}
