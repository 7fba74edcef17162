use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(write_only)]
    field: String,
}

fn main() {}
