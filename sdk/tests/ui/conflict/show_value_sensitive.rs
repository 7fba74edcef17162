use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(sensitive, show_value)]
    field: String,
}

fn main() {}
