use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(computed, show_value)]
    field: String,
}

fn main() {}
