use ferroform::model::*;

#[derive(Model)]
struct Thing {
    field: Option<WriteOnly<String>>,
    other: String,
}

fn main() {}
