use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(optional)]
    field: String,
}

fn main() {}
