use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(block)]
    field: WriteOnly<String>,
}

fn main() {}
