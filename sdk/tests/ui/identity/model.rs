use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Owner {
    name: String,
}

#[derive(Model)]
struct Thing {
    #[attr(identity)]
    owner: Owner,
}

fn main() {}
