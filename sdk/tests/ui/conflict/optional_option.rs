use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(optional)]
    field: Option<String>,
}

fn main() {}
