use ferroform::model::*;
use ferroform::semantic::Json;

fn lower(text: &str) -> String {
    text.to_lowercase()
}

#[derive(Model)]
struct Thing {
    #[attr(equivalent = Json::equivalence(), normalize = lower)]
    field: String,
}

fn main() {}
