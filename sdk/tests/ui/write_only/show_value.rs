use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(show_value)]
    field: WriteOnly<String>,
}

fn main() {}
