use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: Option<String>,
}

#[derive(Model)]
struct Thing {
    #[attr(block, max_items = 1)]
    field: Option<Inner>,
}

fn main() {}
