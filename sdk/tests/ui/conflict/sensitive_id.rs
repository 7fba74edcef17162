use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(computed, sensitive)]
    id: String,
    #[attr(computed, sensitive)]
    field: String,
}

fn main() {}
