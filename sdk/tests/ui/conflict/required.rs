use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(required)]
    field: String,
}

fn main() {}
