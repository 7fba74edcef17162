use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(block)]
    field: Vec<String>,
}

fn main() {}
