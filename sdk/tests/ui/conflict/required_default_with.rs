use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(required, default_with = make)]
    field: String,
}

fn main() {}
