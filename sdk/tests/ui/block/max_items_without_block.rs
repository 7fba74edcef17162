use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(max_items = 1)]
    field: Vec<String>,
}

fn main() {}
