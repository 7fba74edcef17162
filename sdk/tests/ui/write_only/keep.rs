use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(keep)]
    field: WriteOnly<String>,
}

fn main() {}
