use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(block)]
    field: Vec<String>,
    other: String,
}

fn main() {}
