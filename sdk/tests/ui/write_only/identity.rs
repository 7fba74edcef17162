use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(identity)]
    field: WriteOnly<String>,
}

fn main() {}
