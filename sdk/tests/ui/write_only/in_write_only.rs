use ferroform::model::*;

#[derive(Model)]
struct Thing {
    field: WriteOnly<WriteOnly<String>>,
    other: String,
}

fn main() {}
