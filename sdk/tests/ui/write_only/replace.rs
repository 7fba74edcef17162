use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(replace)]
    field: WriteOnly<String>,
}

fn main() {}
