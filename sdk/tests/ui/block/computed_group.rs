use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: Option<String>,
}

#[derive(Model)]
struct Thing {
    #[attr(block = group, computed)]
    field: Inner,
}

fn main() {}
