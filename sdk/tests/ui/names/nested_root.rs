use ferroform::model::*;

#[derive(Model)]
#[model(nested, plain, version = 1)]
struct Thing {
    #[attr(identity)]
    a: String,
}

fn main() {}
