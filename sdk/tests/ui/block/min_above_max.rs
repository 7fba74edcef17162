use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: Option<String>,
}

#[derive(Model)]
struct Thing {
    #[attr(block, min_items = 3, max_items = 2)]
    field: Vec<Inner>,
}

fn main() {}
