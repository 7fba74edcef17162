use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: Option<String>,
}

#[derive(Model)]
struct Thing {
    #[attr(block, replace)]
    field: Vec<Inner>,
}

fn main() {}
