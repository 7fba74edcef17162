use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(required, computed)]
    field: String,
}

fn main() {}
