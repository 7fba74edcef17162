use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(sensitive, identity)]
    field: String,
}

fn main() {}
