use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(optional)]
    field: WriteOnly<String>,
}

fn main() {}
