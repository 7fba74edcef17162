use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Thing {
    #[attr(computed, key)]
    field: String,
}

fn main() {}
