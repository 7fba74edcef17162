use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(block = group)]
    field: String,
}

fn main() {}
