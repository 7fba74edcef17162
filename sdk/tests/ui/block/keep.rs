use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: Option<String>,
}

#[derive(Model)]
struct Thing {
    #[attr(block, keep)]
    field: Vec<Inner>,
}

fn main() {}
