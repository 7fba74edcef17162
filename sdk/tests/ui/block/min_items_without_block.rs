use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(min_items = 1)]
    field: Vec<String>,
}

fn main() {}
