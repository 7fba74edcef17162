use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(block)]
    field: String,
    other: String,
}

fn main() {}
