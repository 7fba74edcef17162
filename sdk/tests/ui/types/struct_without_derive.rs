use ferroform::model::*;

struct Inner {
    name: String,
}

#[derive(Model)]
struct Thing {
    field: Inner,
    other: String,
}

fn main() {}
