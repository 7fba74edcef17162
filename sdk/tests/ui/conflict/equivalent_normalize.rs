use ferroform::model::*;
use ferroform::semantic;

fn lower(text: &str) -> String {
    text.to_lowercase()
}

#[derive(Model)]
struct Thing {
    #[attr(equivalent = semantic::json(), normalize = lower)]
    field: String,
}

fn main() {}
