use ferroform::model::*;

#[derive(Model)]
struct Thing {
    field: std::time::Duration,
    other: String,
}

fn main() {}
