use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: Option<String>,
}

#[derive(Model)]
struct Thing {
    #[attr(block, computed, min_items = 1)]
    field: Vec<Inner>,
}

fn main() {}
