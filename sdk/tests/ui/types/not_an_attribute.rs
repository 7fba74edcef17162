use ferroform::model::*;

#[derive(Model)]
struct Thing {
    field: std::time::Duration,
}

fn main() {}
