use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(required, optional)]
    field: String,
}

fn main() {}
