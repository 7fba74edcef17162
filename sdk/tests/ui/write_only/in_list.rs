use ferroform::model::*;

#[derive(Model)]
struct Thing {
    field: Vec<WriteOnly<String>>,
    other: String,
}

fn main() {}
