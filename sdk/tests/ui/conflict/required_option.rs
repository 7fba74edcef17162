use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(required)]
    field: Option<String>,
}

fn main() {}
