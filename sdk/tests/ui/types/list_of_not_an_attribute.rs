use ferroform::model::*;

#[derive(Model)]
struct Thing {
    field: Vec<std::time::Duration>,
}

fn main() {}
