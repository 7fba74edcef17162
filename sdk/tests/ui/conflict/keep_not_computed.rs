use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(keep)]
    field: String,
}

fn main() {}
