use ferroform::model::*;

#[derive(Model)]
struct Thing {
    field: Option<Option<String>>,
    other: String,
}

fn main() {}
