use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: Option<String>,
}

#[derive(Model)]
struct Thing {
    #[attr(block, max_items = 1)]
    field: std::collections::BTreeMap<String, Inner>,
}

fn main() {}
