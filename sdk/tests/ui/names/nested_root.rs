use ferroform::model::*;

#[derive(Model)]
#[model(nested, version = 1)]
struct Thing {
    #[attr(identity)]
    a: String,
}

fn main() {}
