use ferroform::model::*;

#[derive(Model)]
struct Thing {
    field: WriteOnly<Option<Option<String>>>,
    other: String,
}

fn main() {}
