use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(computed, keep, identity)]
    field: String,
}

fn main() {}
