use ferroform::model::*;

#[derive(Model)]
struct Thing {
    field: Vec<std::time::Duration>,
    other: String,
}

fn main() {}
