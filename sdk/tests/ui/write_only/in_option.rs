use ferroform::model::*;

#[derive(Model)]
struct Thing {
    field: Option<WriteOnly<String>>,
}

fn main() {}
