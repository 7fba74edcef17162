use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(block)]
    field: String,
}

fn main() {}
