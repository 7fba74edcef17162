use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: Option<String>,
}

#[derive(Model)]
struct Thing {
    #[attr(block, replace = if_configured)]
    field: Vec<Inner>,
}

fn main() {}
